"""`specbridge record`."""

from __future__ import annotations

import click

from specbridge_pipeline.cli.terminal import project_of
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.evaluation.records import JUDGEMENTS, RESPONSES
from specbridge_pipeline.language_models.recordings import (
    SUFFIX,
    export_recording,
    export_rounds,
)
from specbridge_pipeline.orchestration.workspace import Workspace


@click.command("record")
@click.option("--profile", default="default", show_default=True, help="Profile to follow.")
@click.option("--edition", help="Edition to record. Default: the profile's.")
@click.option("--model", "models", multiple=True, help="Only this model; may be repeated.")
@click.pass_context
def command(
    context: click.Context, profile: str, edition: str | None, models: tuple[str, ...]
) -> int:
    """Ask live models what the archive lacks, and refresh the recordings of an edition.

    A recording holds the replies of one model to the requests of one edition, so that others can
    replay the evaluation without the model. Addresses and keys come from the environment
    variables that data/models.yaml names.
    """
    from specbridge_pipeline.cli.run import command as run

    status: int = context.invoke(
        run, profile=profile, mode="auto", edition=edition, models=models, no_draft=True
    )
    if status:
        raise SpecBridgeError(
            "not every model answered, so no recording was written",
            advice="replies so far are kept in the archive; run it again",
        )
    with Workspace(project_of(context), profile_name=profile, edition=edition) as workspace:
        folder = workspace.project.recordings / workspace.edition.id
        for name in models or workspace.models:
            keys: set[str] = set()
            for schema in (RESPONSES, JUDGEMENTS):
                frame = workspace.store.read_all(schema)
                for row in frame.iter_rows(named=True):
                    if row["model"] == name and row["edition"] == workspace.edition.id:
                        keys.update(row["calls"])
            count = export_recording(workspace.archive, keys, folder / f"{name}{SUFFIX}")
            click.echo(f"{folder.name}/{name}{SUFFIX}: {count} replies")
        export_rounds(
            workspace.archive,
            [
                workspace.subject(database, name)
                for name in workspace.models
                for database in workspace.evaluated_databases
            ],
            folder,
        )
    return 0
