"""`specbridge describe`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from specbridge_pipeline.cli.terminal import print_json, project_of
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.workspace import Workspace


@click.command("describe")
@click.argument("query", required=False)
@click.option("--db", "database", required=True, metavar="DATABASE", help="Registry id.")
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the query from a file.",
)
@click.option(
    "--style",
    type=click.Choice(["numbered", "structured"]),
    default="numbered",
    show_default=True,
    help="Numbered steps in English, or the same content as JSON.",
)
@click.pass_context
def command(
    context: click.Context, query: str | None, database: str, file: Path | None, style: str
) -> None:
    """Say in English exactly what a query computes; `-` reads it from standard input.

    \b
    specbridge describe --db baseball "SELECT year, AVG(salary) AS a FROM salaries GROUP BY year"
    specbridge describe --db baseball --file query.sql --style structured
    """  # noqa: D301
    from specbridge_pipeline.exact_description.describing import describe, query_json

    if (query is None) == (file is None):
        raise click.UsageError("give the query, or a file that holds it with --file")
    if file is not None:
        query = file.read_text(encoding="utf-8")
    elif query == "-":
        query = sys.stdin.read()
    assert query is not None
    with Workspace(project_of(context)) as workspace:
        if database not in workspace.databases:
            raise ConfigurationError(
                f"there is no database '{database}'",
                path=workspace.project.databases_file,
                advice="list them: specbridge databases list",
            )
        schema = workspace.schema(database)
        # A query that cannot be described is told before the database is measured.
        description = describe(query, schema)
        if style == "structured":
            print_json(query_json(description.query))
            return
        catalogue = workspace.measured_catalogue(database)
    click.echo(describe(query, schema, catalogue).text)
