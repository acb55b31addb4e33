"""`specbridge sets`."""

from __future__ import annotations

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.records import RequestSet, Side


@click.group("sets")
def command() -> None:
    """List request sets and show one."""


@command.command("list")
@click.option("--edition", help="Edition. Default: the profile's.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(context: click.Context, edition: str | None, as_json: bool) -> None:
    """List the request sets of an edition."""
    with Workspace(project_of(context), edition=edition) as workspace:
        sets = workspace.edition.sets
    if as_json:
        print_json([each.model_dump(mode="json") for each in sets])
        return
    print_table(
        ["id", "database", "choice type", "depth", "open request"],
        [
            [each.id, each.database, each.choice_type.label, each.step_depth, each.open_request]
            for each in sets
        ],
    )


@command.command("show")
@click.argument("set_id")
@click.option("--edition", help="Edition. Default: the profile's.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def show(context: click.Context, set_id: str, edition: str | None, as_json: bool) -> None:
    """Show a set: both queries with their results, and the three requests."""
    from specbridge_pipeline.databases.results import QueryFailure

    with Workspace(project_of(context), edition=edition) as workspace:
        chosen = [each for each in workspace.edition.sets if each.id.startswith(set_id)]
        if len(chosen) != 1:
            raise SpecBridgeError(
                f"{len(chosen)} sets of edition {workspace.edition.id} begin with '{set_id}'",
                advice="list them: specbridge sets list",
            )
        each = chosen[0]
        if as_json:
            print_json(each.model_dump(mode="json"))
            return
        _print_words(each, workspace.edition.tier_of(each))
        queries = [each.interpretations[side].sql for side in Side]
        outcomes = workspace.run_many(each.database, queries)
    for side, outcome in zip(Side, outcomes, strict=True):
        click.echo(f"\n{side.upper()}: {each.interpretations[side].sql.strip()}\n")
        if isinstance(outcome, QueryFailure):
            click.echo(f"  {outcome.kind}: {outcome.message}")
        else:
            rows = len(outcome.rows)
            print_table(
                outcome.columns,
                outcome.rows[:10],
                f"{rows} rows" + (", the first 10" if rows > 10 else ""),
            )


def _print_words(each: RequestSet, tier: str) -> None:
    click.echo(
        f"set {each.id} on {each.database}: {each.choice_type.label}, step depth "
        f"{each.step_depth}, arithmetic depth {each.arithmetic_depth} ({tier} tier); "
        f"written by {each.provenance.writer}"
    )
    click.echo(f"\nopen request: {each.open_request}")
    for side in Side:
        interpretation = each.interpretations[side]
        click.echo(f"\n{side.upper()}, meaning: {interpretation.meaning}")
        click.echo(f"{side.upper()}, request: {interpretation.request}")
