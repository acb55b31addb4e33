"""`specbridge responses`."""

from __future__ import annotations

from pathlib import Path

import click

from specbridge_pipeline.cli.chosen_sets import edition_option
from specbridge_pipeline.cli.terminal import progress, project_of
from specbridge_pipeline.orchestration.workspace import Workspace


@click.group("responses")
def command() -> None:
    """Import replies made elsewhere, and score them."""


def _renamed(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    renamed: dict[str, str] = {}
    for value in values:
        old, equals, new = value.partition("=")
        if not (old and equals and new) or old in renamed:
            raise click.BadParameter(f"'{value}' is not of the form OLD=NEW", context, parameter)
        renamed[old] = new
    return renamed


@command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@edition_option
@click.option(
    "--rename",
    "renamed",
    multiple=True,
    callback=_renamed,
    metavar="OLD=NEW",
    help="Another id for a model of the file; may be repeated.",
)
@click.option("--partial", is_flag=True, help="Let requests go without a reply.")
@click.option("--replace", is_flag=True, help="Take the place of replies imported before.")
@click.option("--no-run", is_flag=True, help="Import only; `specbridge run` scores them later.")
@click.option("--dry-run", is_flag=True, help="Check the file and write nothing.")
@click.pass_context
def import_(
    context: click.Context,
    file: Path,
    edition: str | None,
    renamed: dict[str, str],
    partial: bool,
    replace: bool,
    no_run: bool,
    dry_run: bool,
) -> int:
    """Import replies to an edition's requests, score them, and print the headline table.

    FILE is JSON Lines, a reply a line: the set's id, which request (a, b, open), the model's id,
    and either the raw reply or its SQL, alternatives and explanation. A file with a fault changes
    nothing. Each model of it becomes a respondent that is marked as imported wherever it stands:
    what it was told is not known here, and it is never asked anything.

    Every request of the edition must have a reply. With --partial a model is measured on the sets
    of which it answered all three requests; the numbers say over how many.
    """
    from specbridge_pipeline.cli.run import command as run
    from specbridge_pipeline.exchange.importing_responses import (
        Taken,
        plan_responses,
        write_responses,
    )

    with Workspace(project_of(context), edition=edition, progress=progress()) as workspace:
        evaluated = workspace.edition.id
        taken = Taken(
            registered=[
                name for name, entry in workspace.all_models.items() if entry.imported is None
            ],
            imported={
                name: (entry.imported.edition, entry.imported.digest)
                for name, entry in workspace.all_models.items()
                if entry.imported is not None
            },
        )
        respondents = plan_responses(
            file, workspace.edition, taken, renamed=renamed, partial=partial, replace=replace
        )
        for each in respondents:
            click.echo(
                f"{each.entry.id}: {len(each.replies)} replies, {each.whole_sets} of "
                f"{len(workspace.edition.sets)} sets answered whole"
            )
        if dry_run:
            click.echo("dry run: nothing is written")
            return 0
        write_responses(workspace.project, workspace.archive, evaluated, respondents)
    if no_run:
        click.echo(f"score them: specbridge run --no-draft --edition {evaluated}")
        return 0
    status: int = context.invoke(
        run,
        profile="default",
        edition=evaluated,
        models=tuple(each.entry.id for each in respondents),
        no_draft=True,
    )
    return status
