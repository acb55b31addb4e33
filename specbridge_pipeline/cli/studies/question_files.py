"""The options by which studies of benchmarks are told their files, and how these are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from specbridge_pipeline.choices.conventions.proving import Run
    from specbridge_pipeline.choices.conventions.references.study import QuestionFile
    from specbridge_pipeline.databases.runner import QueryRunner

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

questions_option = click.option(
    "--questions",
    required=True,
    multiple=True,
    type=_FILE,
    help="Questions with their references, in Spider's or BIRD's form; several files may follow.",
)
tables_option = click.option(
    "--tables",
    required=True,
    multiple=True,
    type=_FILE,
    help="The databases' tables, in Spider's form; several files may follow.",
)
databases_option = click.option(
    "--databases",
    "folders",
    required=True,
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folders with the databases as ID/ID.sqlite; several may follow.",
)


def read_question_files(questions: Sequence[Path], tables: Sequence[Path]) -> list[QuestionFile]:
    """Read questions with their references and the schemas that they are asked on.

    Args:
        questions: The files of `--questions`.
        tables: The files of `--tables`.

    Raises:
        SpecBridgeError: A file cannot be read, or a question's database has no schema.
    """
    from specbridge_pipeline.benchmarks.references import read_references
    from specbridge_pipeline.benchmarks.table_schemas import read_schemas
    from specbridge_pipeline.choices.conventions.references.study import question_file

    schemas = [read_schemas(path) for path in tables]
    return [question_file(path, read_references(path), schemas) for path in questions]


def runs_on(
    runner: QueryRunner, folders: Sequence[Path], files: Sequence[QuestionFile]
) -> dict[str, Run]:
    """Return how queries are run on the databases that are at hand, each query once.

    Args:
        runner: The workers.
        folders: The folders of `--databases`.
        files: The questions, which name the databases.

    Returns:
        Database id → how one query is run on it.
    """
    from specbridge_pipeline.databases.database_files import named_database_files
    from specbridge_pipeline.databases.remembered_outcomes import RememberedOutcomes

    remembered = RememberedOutcomes()
    names = [each.database for file in files for each in file.references]
    return {
        name: partial(remembered.run, runner, path)
        for name, path in named_database_files(folders, names).items()
    }
