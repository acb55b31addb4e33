"""`specbridge sets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from specbridge_pipeline.cli.chosen_sets import chosen_sets, draft_option, edition_option
from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side

if TYPE_CHECKING:
    from specbridge_pipeline.reporting.set_view import EditView

_TITLES = {
    RequestKind.SPECIFIC_A: "specific, A",
    RequestKind.SPECIFIC_B: "specific, B",
    RequestKind.OPEN: "open",
}

_SIGNS = {True: "✓", False: "✗", None: "–"}

_WIDEST = 150
"""Characters of two lines that can stand beside one another."""


@click.group("sets")
def command() -> None:
    """List request sets and show one."""


@command.command("list")
@edition_option
@draft_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(context: click.Context, edition: str | None, draft: bool, as_json: bool) -> None:
    """List the request sets of an edition, or the accepted ones of the draft."""
    with Workspace(project_of(context), edition=edition) as workspace:
        sets, _ = chosen_sets(workspace, edition, draft)
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
@edition_option
@draft_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def show(
    context: click.Context, set_id: str, edition: str | None, draft: bool, as_json: bool
) -> None:
    """Show a set: its query, the choice as an edit, what differs, requests, and checks.

    SET_ID is a set's id or the beginning of one. Words in which the requests differ stand between
    « and »; lines in which the queries differ have a | between them, or stand below one another.
    """
    with Workspace(project_of(context), edition=edition) as workspace:
        sets, where = chosen_sets(workspace, edition, draft)
        chosen = [each for each in sets if each.id.startswith(set_id)]
        if len(chosen) != 1:
            raise SpecBridgeError(
                f"{len(chosen)} sets of {where} begin with '{set_id}'",
                advice="list them: specbridge sets list" + (" --draft" if draft else ""),
            )
        [each] = chosen
        if as_json:
            print_json(each.model_dump(mode="json"))
            return
        tier = each.tier if draft else workspace.edition.tier_of(each)
        _print_set(workspace, each, tier)


def _print_set(workspace: Workspace, each: RequestSet, tier: str) -> None:
    from specbridge_pipeline.reporting.set_view import (
        checks_passed,
        edit_view,
        example_view,
        marked_requests,
        query_steps,
        written_by,
    )
    from specbridge_pipeline.request_sets.recheck import recheck_set

    click.echo(
        f"set {each.id} on {each.database}: {each.choice_type.label}, step depth "
        f"{each.step_depth}, arithmetic depth {each.arithmetic_depth} ({tier} tier); "
        f"requests written by {written_by(each)}"
    )
    click.echo(f"open request: {each.open_request}")

    engine = workspace.engine(each.database)
    click.echo("\n1 The query (A)")
    for number, (name, sql) in enumerate(query_steps(each.interpretations.a.sql, engine), start=1):
        click.echo(f"\n  Step {number}, {name}:")
        click.echo(_indented(sql))
    description = _description(workspace, each)
    if description:
        click.echo("\n  Exactly, in words:")
        click.echo(_indented(description))

    edit = edit_view(each, engine)
    click.echo(f"\n2 The choice, as an edit of {edit.where}")
    for side in Side:
        click.echo(f"\n  {side.upper()}: {each.interpretations[side].meaning}")
    _print_edit(edit)

    outcomes = workspace.run_many(each.database, [each.interpretations[side].sql for side in Side])
    example = example_view(*outcomes)
    click.echo(f"\n3 What differs in the results\n\n  {example.summary}")
    if example.rows:
        print_table(["", *example.columns], [[side, *cells] for side, cells in example.rows])

    click.echo("\n4 Three requests\n")
    for kind, text in marked_requests(each).items():
        click.echo(f"  {_TITLES[kind]}: {text}")

    click.echo("\n5 Checks\n")
    checked = recheck_set(workspace.run_on(each.database), each, engine)
    for holds, said in checks_passed(each, checked):
        click.echo(f"  {_SIGNS[holds]} {said}")


def _print_edit(edit: EditView) -> None:
    width = max(len(left) for left, _, _ in edit.rows)
    other = max(len(right) for _, _, right in edit.rows)
    if width + other > _WIDEST:
        click.echo("")
        for left, differs, right in edit.rows:
            for sign, line in (("A", left), ("B", right)) if differs else ((" ", left),):
                if line:
                    click.echo(f"  {sign} {line}")
        return
    click.echo(f"\n  {'A':<{width}}   B")
    for left, differs, right in edit.rows:
        click.echo(f"  {left:<{width}} {'|' if differs else ' '} {right}".rstrip())


def _description(workspace: Workspace, each: RequestSet) -> str:
    """Return A's exact description; empty where the query holds something without words."""
    from specbridge_pipeline.errors import UndescribableQueryError, UnusableReferenceError
    from specbridge_pipeline.exact_description.describing import describe

    try:
        catalogue = workspace.catalogue(each.database)
    except SpecBridgeError:
        # An edition can be shown without any draft; names then stand for themselves.
        catalogue = None
    schema = workspace.schema(each.database)
    try:
        return describe(each.interpretations.a.sql, schema, catalogue).text
    except (UndescribableQueryError, UnusableReferenceError):
        return ""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
