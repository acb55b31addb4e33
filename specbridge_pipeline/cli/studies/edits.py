"""`specbridge study edits`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from specbridge_pipeline.cli.studies.many_values import ManyValues
from specbridge_pipeline.cli.studies.question_files import (
    questions_option,
    read_question_files,
    tables_option,
)
from specbridge_pipeline.cli.terminal import print_json, print_table, progress


@click.command("edits", cls=ManyValues)
@questions_option
@tables_option
@click.option(
    "--databases",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folders with the databases as ID/ID.sqlite: edits are also run; several may follow.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write counts and ids by reason as JSON to this file, without any text.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    questions: tuple[Path, ...],
    tables: tuple[Path, ...],
    folders: tuple[Path, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Edit references to the other interpretation of each choice, and prove the edits.

    Wherever a reference takes a side of a choice, it is edited to take the other one. An edit
    counts as proved where exactly one step differs, the output columns stay, both queries have an
    exact description and not the same one, and the edited query is read as the other side; with
    --databases it must also run.

    \b
    specbridge study edits --questions dev.json --tables tables.json --databases databases
    """  # noqa: D301
    from specbridge_pipeline.choices.conventions.references.edit_study import (
        EditFinding,
        edit_counts,
        study_edits,
    )
    from specbridge_pipeline.databases.database_files import named_database_files
    from specbridge_pipeline.databases.many_queries import AT_ONCE
    from specbridge_pipeline.databases.runner import QueryRunner
    from specbridge_pipeline.records.files import write_text

    files = read_question_files(questions, tables)
    names = [each.database for file in files for each in file.references]
    databases = named_database_files(folders, names)
    so_far: list[EditFinding] = []
    interrupted = False
    try:
        with QueryRunner(workers=AT_ONCE) as runner:
            found = study_edits(files, databases, runner, found=so_far.append, progress=progress())
    except KeyboardInterrupt:
        interrupted, found = True, so_far
    result = {**({"interrupted": True} if interrupted else {}), **edit_counts(found)}
    if as_json:
        print_json(result)
    else:
        _print(result)
    if interrupted:
        click.echo("interrupted: the counts are those of the references read so far", err=True)
        sys.exit(130)
    if out is not None:
        write_text(out, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def _print(result: dict[str, Any]) -> None:
    columns = ("choice type", "readings", "proved", "share", "run", "refused", "failed")
    print_table(columns, [_line(each, each["type"]) for each in result["types"]], "Edits")
    print_table(
        ("choice type", "form", *columns[1:]),
        [(_label(each["type"]), *_line(each, each["form"])) for each in result["forms"]],
        "By what the query writes",
    )
    reasons = [
        (_label(name), each["gate"], each["count"], each["reason"])
        for name, listed in result["reasons"].items()
        for each in listed
    ]
    if reasons:
        print_table(("choice type", "gate", "readings", "reason"), reasons, "Not proved")
    for name, reason in result["unedited"].items():
        click.echo(f"{_label(name)}: not edited, since {reason}")


def _line(numbers: dict[str, Any], name: str) -> tuple[object, ...]:
    share = numbers["proved"] / numbers["readings"]
    return (
        _label(name),
        numbers["readings"],
        numbers["proved"],
        f"{share:.0%}",
        numbers["ran"],
        numbers["refused"],
        numbers["failed"],
    )


def _label(name: str) -> str:
    return name.replace("_", " ")
