"""The databases that a study of generation runs over: registered ones, or files in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specbridge_pipeline.cli.terminal import project_of
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError
from specbridge_pipeline.query_generation.study_records import REGISTERED

if TYPE_CHECKING:
    from specbridge_pipeline.catalogue.model import Catalogue
    from specbridge_pipeline.databases.results import Outcome
    from specbridge_pipeline.databases.schema import Schema

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class OpenedDatabase:
    """A database that is ready to be studied.

    Attributes:
        schema: Its schema.
        catalogue: Its catalogue, made now.
        run: Runs a query on it, each one once.
    """

    schema: Schema
    catalogue: Catalogue
    run: Callable[[str], Outcome]


@dataclass(frozen=True, slots=True)
class StudiedDatabase:
    """A database of a study.

    Attributes:
        source: Where it is from: the name of the folder that holds the benchmark, or `REGISTERED`.
        name: Its id.
        open: Reads its schema and makes its catalogue; raises a SpecBridgeError where it cannot.
    """

    source: str
    name: str
    open: Callable[[], OpenedDatabase]

    @property
    def label(self) -> str:
        """Its id, with its source where that is a folder."""
        return self.name if self.source == REGISTERED else f"{self.source}/{self.name}"


def database_options(command: Command) -> Command:
    """Add the options that say which databases are studied."""
    for option in (
        click.option(
            "--source",
            "sources",
            multiple=True,
            metavar="NAME",
            help="Study the databases below this folder of the folder alone; repeat for several.",
        ),
        click.option(
            "--only",
            multiple=True,
            metavar="ID",
            help="Study this database alone, or SOURCE/ID of a folder; repeat for several.",
        ),
        click.option(
            "--databases",
            "folder",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Study the database files below this folder, as BENCHMARK/ID/ID.sqlite, with the "
            "documents beside them. Default: the registered databases that sets are built on.",
        ),
    ):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """Add the options that say how the counts are given."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option(
            "--out",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Also write the counted rows as CSV to this file: counts and names, no data.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def studied_databases(
    context: click.Context,
    folder: Path | None,
    only: Sequence[str] = (),
    sources: Sequence[str] = (),
) -> Iterator[list[StudiedDatabase]]:
    """Find the databases of a study; workers that were started are stopped on leaving.

    Args:
        context: The command's context.
        folder: Where to look for files; None for the registered databases.
        only: Ids to keep; empty for all.
        sources: Sources to keep; empty for all.

    Yields:
        The databases, those of a folder by path.

    Raises:
        ConfigurationError: There is none, or one that is named is not there.
    """
    with _registered(context) if folder is None else _files(folder) as found:
        yield _chosen(_of_sources(found, sources, folder), only, folder)


def _of_sources(
    found: list[StudiedDatabase], sources: Sequence[str], folder: Path | None
) -> list[StudiedDatabase]:
    there = dict.fromkeys(each.source for each in found)
    for name in sources:
        if name not in there:
            raise ConfigurationError(
                f"there is no source '{name}' of databases below {folder}",
                advice=f"there are: {', '.join(there) or 'none'}",
            )
    return [each for each in found if not sources or each.source in sources]


def _chosen(
    found: list[StudiedDatabase], only: Sequence[str], folder: Path | None
) -> list[StudiedDatabase]:
    where = "among the registered databases" if folder is None else f"below {folder}"
    for name in only:
        if not any(name in (each.name, each.label) for each in found):
            raise ConfigurationError(
                f"there is no database '{name}' {where}",
                advice=f"there are: {', '.join(each.label for each in found[:20]) or 'none'}",
            )
    kept = [each for each in found if not only or {each.name, each.label} & set(only)]
    if not kept:
        raise ConfigurationError(
            f"there is no database {where}",
            advice="name a folder with --databases, or register one: specbridge databases add PATH",
        )
    return kept


@contextmanager
def _registered(context: click.Context) -> Iterator[list[StudiedDatabase]]:
    from specbridge_pipeline.orchestration.workspace import Workspace

    with Workspace(project_of(context)) as workspace:

        def opened(name: str) -> OpenedDatabase:
            return OpenedDatabase(
                workspace.schema(name), workspace.measured_catalogue(name), workspace.run_on(name)
            )

        yield [
            StudiedDatabase(REGISTERED, name, partial(opened, name))
            for name in workspace.construction_databases
        ]


@contextmanager
def _files(folder: Path) -> Iterator[list[StudiedDatabase]]:
    from specbridge_pipeline.catalogue.building import build_catalogue
    from specbridge_pipeline.catalogue.documents import read_documents
    from specbridge_pipeline.databases.database_files import database_files
    from specbridge_pipeline.databases.remembered_outcomes import RememberedOutcomes
    from specbridge_pipeline.databases.runner import QueryRunner

    with QueryRunner() as runner:

        def opened(path: Path) -> OpenedDatabase:
            run = partial(RememberedOutcomes().run, runner, path)
            schema = runner.read_schema(path)
            meanings = read_documents(path)
            return OpenedDatabase(
                schema, build_catalogue(path.stem, schema, run, meanings=meanings), run
            )

        yield [
            StudiedDatabase(_source_of(path, folder), path.stem, partial(opened, path))
            for path in database_files(folder)
        ]


def _source_of(path: Path, folder: Path) -> str:
    """Return the folder that holds the folder of a database: "spider" for spider/geo/geo.sqlite."""
    parents = path.relative_to(folder).parts[:-1]
    if len(parents) > 1:
        return parents[0]
    return folder.resolve().name


def problem_of(error: SpecBridgeError) -> str:
    """Return in one phrase why a database cannot be studied."""
    return f"cannot be catalogued: {error.what}"
