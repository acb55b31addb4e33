"""`specbridge databases`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.databases.registry import (
    DEFAULT_USES,
    Database,
    DatabaseEntry,
    Use,
    add_database,
    read_databases,
)
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.settings import Project


@click.group("databases")
def command() -> None:
    """List, add and hash databases."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(context: click.Context, as_json: bool) -> None:
    """List the registered databases."""
    project = project_of(context)
    databases = read_databases(project)
    if as_json:
        print_json(
            [
                each.entry.model_dump(mode="json")
                | {"engine": each.engine.value, "built": each.path.exists()}
                for each in databases.values()
            ]
        )
        return
    print_table(
        ["id", "engine", "uses", "file", "source"],
        [
            [
                each.id,
                each.engine.value,
                ", ".join(each.entry.uses),
                each.entry.path if each.path.exists() else f"{each.entry.path} (not built yet)",
                each.entry.source,
            ]
            for each in databases.values()
        ],
    )


@command.command("hash")
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def hash_(context: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """Print the content hash of databases, which editions and sets name.

    It is over the CREATE statements and the rows in scan order, not over the file. A sample is
    built first.
    """
    from specbridge_pipeline.orchestration.workspace import Workspace

    with Workspace(project_of(context)) as workspace:
        for name in names:
            if name not in workspace.databases:
                raise ConfigurationError(
                    f"there is no database '{name}'",
                    path=workspace.project.databases_file,
                    advice=f"databases: {', '.join(workspace.databases) or 'none'}",
                )
        hashes = {name: workspace.files.content_hash(workspace.databases[name]) for name in names}
    if as_json:
        print_json(hashes)
        return
    for name, found in hashes.items():
        click.echo(f"{found}  {name}")


@command.command("add")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--id", "name", help="Its id: lower case, digits, '_', '.', '-'. Default: the name.")
@click.option("--source", default="", help="Where the data come from, and their licence.")
@click.option("--document", "documents", multiple=True, help="A file that explains the columns.")
@click.option(
    "--use",
    "uses",
    multiple=True,
    type=click.Choice([use.value for use in Use]),
    help="What it may be used for; may be repeated. Default: construct and evaluate.",
)
@click.pass_context
def add(
    context: click.Context,
    path: Path,
    name: str | None,
    source: str,
    documents: tuple[str, ...],
    uses: tuple[str, ...],
) -> None:
    """Register a database under data/databases.local.yaml; nothing is copied.

    PATH is an SQLite or DuckDB file, or a folder of Parquet and CSV files: each is a table that is
    called as its file, and the first line of a CSV file names the columns.
    """
    database = register(project_of(context), path, name, source, documents, uses)
    click.echo(f"registered '{database.id}' in {project_of(context).local_databases_file.name}")


def register(
    project: Project,
    path: Path,
    name: str | None = None,
    source: str = "",
    documents: Sequence[str] = (),
    uses: Sequence[str] = (),
) -> Database:
    """Register a database where it lies.

    Args:
        project: The project.
        path: A database file, or a folder of tables.
        name: Its id; None to derive one from the path.
        source: Where the data come from.
        documents: Files that explain the columns.
        uses: What it may be used for; empty for the default.

    Raises:
        ConfigurationError: It is no database, or its id is not valid or taken; nothing is written
            then.
    """
    from pydantic import ValidationError

    from specbridge_pipeline.databases.runner import QueryRunner

    file = Path(os.path.relpath(path.resolve(), project.root))
    # Inside the project a relative path survives a move; outside it would not.
    place = path.resolve() if file.parts[:1] == ("..",) else file
    # A folder's name has no suffix, whatever dots are in it.
    stem = path.resolve().name if path.is_dir() else path.stem
    slug = name or re.sub(r"[^a-z0-9_.-]+", "-", stem.lower()).strip("-._")
    try:
        entry = DatabaseEntry(
            id=slug,
            path=str(place),
            source=source,
            documents=tuple(documents),
            uses=tuple(Use(use) for use in uses) or DEFAULT_USES,
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise ConfigurationError(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}", advice="choose another --id"
        ) from None
    if path.exists():
        with QueryRunner(workers=1) as runner:
            # A file can begin like a database and be none: read it before anything is written.
            runner.read_schema(path.resolve())
    return add_database(project, entry)


def registered_below(project: Project, places: Iterable[Path]) -> tuple[str, ...]:
    """Return the ids of databases that lie in some places, and register those that are not yet.

    Args:
        project: The project.
        places: Database files, folders of tables, or folders with database files below them.

    Raises:
        ConfigurationError: A place holds no database, or one that cannot be registered.
    """
    from specbridge_pipeline.databases.database_files import database_files

    known = {each.path.resolve(): each.id for each in read_databases(project).values()}
    ids = []
    for place in places:
        below = database_files(place) if place.is_dir() else []
        for path in below or [place]:
            if path.resolve() not in known:
                known[path.resolve()] = register(project, path).id
            ids.append(known[path.resolve()])
    return tuple(dict.fromkeys(ids))
