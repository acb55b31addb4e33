"""`specbridge sets`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from specbridge_pipeline.cli.chosen_sets import chosen_sets, draft_option, edition_option
from specbridge_pipeline.cli.terminal import print_json, print_table, progress, project_of
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
    """List request sets, show one, and import sets made elsewhere."""


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


@command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--edition", required=True, help="Id of the edition that they become.")
@click.option("--title", help="A name of the edition for people. Default: the file's name.")
@click.option(
    "--without",
    "left_out",
    multiple=True,
    type=click.Choice(["type", "requests", "reviewers"]),
    help="A gate that is not asked; may be repeated. The edition says so.",
)
@click.option("--strict", is_flag=True, help="Import all sets, or none where one fails.")
@click.option(
    "--recordings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of recorded replies to the edition, to take along.",
)
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def import_(
    context: click.Context,
    file: Path,
    edition: str,
    title: str | None,
    left_out: tuple[str, ...],
    strict: bool,
    recordings: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Import sets that were made elsewhere, and seal those that pass every gate as an edition.

    FILE is JSON Lines, a set a line, in the form that `specbridge editions export` writes; its
    databases must be registered with the content that the file names. A file with a fault changes
    nothing. Then every gate of construction is run on each set: both queries run, are determined
    and told apart, and differ in one step (queries); references disagree on such choices (type);
    code checks the words (requests); two sets of rules read them (reviewers).

    Verdicts of people come along: those with a label, in the rows or in the folder `verdicts`
    beside FILE, ship with the edition; the others go to data/reviews.

    Exit code: 0 all sets are in the edition; 3 some failed a gate, are listed, and left out; 1
    nothing was written.
    """
    from specbridge_pipeline.cli.imported_sets import import_sets, print_import

    with Workspace(project_of(context), progress=progress()) as workspace:
        done = import_sets(
            workspace,
            file,
            edition,
            title=title or f"Imported from {file.name}",
            left_out=left_out,
            strict=strict,
            recordings=recordings,
            dry_run=dry_run,
        )
    print_import(done, as_json=as_json)
    return done.exit_code


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
