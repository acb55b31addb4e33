"""The command itself: options that every subcommand has, errors in one line, subcommands late."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import click

from specbridge_pipeline.cli.late_groups import LateGroup
from specbridge_pipeline.errors import SpecBridgeError

_COMMANDS = {
    "init": ("init", "Make this folder a project: registries, Dagster files, edition, recordings."),
    "run": ("run", "Bring everything up to date: databases, evaluation, statistics, report."),
    "record": ("record", "Ask live models and refresh an edition's recordings."),
    "trace": ("trace", "Follow a reported number down to the replies behind it."),
    "sql": ("sql", "Query the stored rows, a view an asset."),
    "catalogue": ("catalogue", "Print what is known of a database's tables and columns."),
    "generate": ("generate", "Generate SQL queries on a database at the depths asked for."),
    "describe": ("describe", "Say in English exactly what a query computes."),
    "audit": ("audit", "Lay open the choices that a query settles without saying so."),
    "study": ("study", "Count over many queries what the pipeline promises of one."),
    "compare": ("compare", "Say whether a query's result is one that a reference query allows."),
    "databases": ("databases", "List, add and hash databases."),
    "models": ("models", "List models and the cells they have."),
    "sets": ("sets", "List request sets, show one, and import sets made elsewhere."),
    "responses": ("responses", "Import replies made elsewhere, and score them."),
    "review": ("review", "Have people review request sets, and import what they decided."),
    "editions": ("editions", "List, check, seal and export editions."),
    "publish": ("publish", "Cut an edition from the accepted sets of the draft."),
    "doctor": ("doctor", "Find and free what a killed run left behind."),
}


@click.group(
    cls=LateGroup,
    package="specbridge_pipeline.cli",
    modules=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--project",
    metavar="FOLDER",
    help="The project's folder. Default: $SPECBRIDGE_HOME, else the current folder.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option("-v", "--verbose", is_flag=True, help="Log what is being done.")
@click.version_option(package_name="specbridge-pipeline", prog_name="specbridge")
@click.pass_context
def cli(context: click.Context, project: str | None, debug: bool, verbose: bool) -> None:
    """Find out which calculation choices a text-to-SQL system settles without saying so.

    Start with `specbridge init` in an empty folder, or in a checkout right away with
    `specbridge run`: it evaluates the shipped edition from recorded replies, prints the headline
    table and says where the report is. `specbridge trace NUMBER_ID` follows any number of it down
    to the replies.
    """
    context.obj = {"project": project, "debug": debug}
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command; a user's mistake is one line on stderr and exit code 1."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    try:
        result: Any = cli.main(args=arguments, standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted; what was finished is kept", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SpecBridgeError as error:
        if debug:
            raise
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of a pipe went away, as `| head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(result if isinstance(result, int) else 0)
