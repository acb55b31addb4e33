"""`specbridge editions`."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, progress, project_of
from specbridge_pipeline.errors import ConfigurationError, EditionError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.editions import (
    EDITION_FILE,
    EditionDatabase,
    read_draft,
    read_edition,
    seal_edition,
)
from specbridge_pipeline.request_sets.records import RequestSet, Side

if TYPE_CHECKING:
    from specbridge_pipeline.request_sets.recheck import RecheckResult


@click.group("editions")
def command() -> None:
    """List, check, seal and export editions."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(context: click.Context, as_json: bool) -> None:
    """List the editions of the project."""
    project = project_of(context)
    records = [
        read_edition(project, path.parent.name).record
        for path in sorted(project.editions.glob(f"*/{EDITION_FILE}"))
    ]
    if as_json:
        print_json([record.model_dump(mode="json") for record in records])
        return
    print_table(
        ["id", "title", "sets", "databases", "built by"],
        [[r.id, r.title, r.sets, ", ".join(r.databases), r.built_by] for r in records],
    )


@command.command("check")
@click.argument("edition")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check(context: click.Context, edition: str, as_json: bool) -> int:
    """Check every set anew: run both queries, compare them step by step, measure the depths.

    No answer may fit both queries, they must differ in one step, and the depths of A must be those
    that the set states. EDITION may be sealed or still a draft (a folder below data/editions with
    sets.yaml). The exit code is 1 if a set fails; one written by hand fails only where an answer
    can fit both.
    """
    with Workspace(project_of(context)) as workspace:
        folder = workspace.project.editions / edition
        sealed = (folder / EDITION_FILE).exists()
        project = workspace.project
        record = None
        if sealed:
            found = read_edition(project, edition)
            record, sets = found.record, found.sets
        else:
            sets = read_draft(folder)
        checks = _checks(workspace, sets)
    rows = [
        {
            "set_id": each.id,
            "database": each.database,
            "choice_type": each.choice_type.value,
            "rows_a": result.check.rows.get(Side.A),
            "rows_b": result.check.rows.get(Side.B),
            "disjoint": result.check.disjoint,
            "one_step": result.one_step,
            "stated_depths": f"{each.step_depth}, {each.arithmetic_depth}",
            "measured_depths": None
            if result.depth is None
            else f"{result.depth.step}, {result.depth.arithmetic}",
            "depths_agree": result.depths_agree,
            "problem": "; ".join(result.problems),
        }
        for each, result in checks
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(list(rows[0]), [list(row.values()) for row in rows])
    by_hand = record is not None and record.built_by == "hand"
    good = all(
        result.check.disjoint
        if by_hand or (record is None and each.provenance.writer == "hand")
        else result.passed
        for each, result in checks
    )
    return 0 if good else 1


@command.command("seal")
@click.argument("edition")
@click.option("--title", required=True, help="A name for people.")
@click.option("--built-by", default="hand", show_default=True, help="Who or what made the sets.")
@click.option(
    "--licence",
    "licences",
    multiple=True,
    metavar="DATABASE=LICENCE",
    help="Licence of a database's data; once for each database.",
)
@click.option(
    "--tier",
    type=click.Choice(["short", "paper"]),
    help="Tier of all sets. Default: by depth, short up to 2, paper from 3 on.",
)
@click.pass_context
def seal(
    context: click.Context,
    edition: str,
    title: str,
    built_by: str,
    licences: tuple[str, ...],
    tier: Literal["short", "paper"] | None,
) -> None:
    """Check a draft, give its sets their content ids, and fix it for good."""
    named = dict(licence.split("=", 1) for licence in licences if "=" in licence)
    with Workspace(project_of(context)) as workspace:
        folder = workspace.project.editions / edition
        sets = read_draft(folder)
        for each, result in _checks(workspace, sets):
            if not result.check.disjoint:
                raise EditionError(
                    f"set {each.id} ({each.database}, {each.choice_type.label}) fails its check: "
                    f"{result.check.problem}",
                    where=str(folder),
                    advice="mend or remove it; `specbridge editions check` shows all",
                )
        used = sorted({each.database for each in sets})
        for name in used:
            if name not in named:
                raise ConfigurationError(
                    f"the licence of database '{name}' is not given",
                    advice=f"add --licence '{name}=…'",
                )
        record = seal_edition(
            folder,
            title=title,
            built_by=built_by,
            code_version=version("specbridge-pipeline"),
            engines=workspace.engine_numbers(used),
            tier=tier,
            databases={
                name: EditionDatabase(
                    content_hash=workspace.files.content_hash(workspace.databases[name]),
                    licence=named[name],
                )
                for name in used
            },
        )
    click.echo(f"sealed edition {record.id}: {record.sets} sets, digest {record.digest[:12]}…")


@command.command("export")
@click.argument("edition")
@click.option(
    "--out",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write; it may not hold anything.",
)
@click.option("--responses", is_flag=True, help="With the stored responses and their scores.")
@click.option("--recordings", is_flag=True, help="With the recorded replies, to replay them.")
@click.pass_context
def export(
    context: click.Context, edition: str, folder: Path, responses: bool, recordings: bool
) -> None:
    """Write an edition for others: JSON Lines, a JSON Schema of its rows, and a data card.

    Verdicts of people that ship with the edition go along, in its rows and as the files that they
    are, and the data card says first who has read the sets and what kind of review that is.

    The same edition gives the same bytes. What is written can be read by any program, and by
    `specbridge sets import` and `specbridge responses import`.
    """
    from specbridge_pipeline.cli.exported_edition import (
        exported_responses,
        exported_review,
        exported_sets,
    )
    from specbridge_pipeline.exchange.exporting import require_empty, write_export
    from specbridge_pipeline.reporting.formatting import counted

    require_empty(folder)
    with Workspace(project_of(context), edition=edition, progress=progress()) as workspace:
        record = workspace.edition.record
        review = exported_review(workspace)
        rows = exported_sets(workspace, review)
        answers = exported_responses(workspace) if responses else []
        kept = sorted((workspace.project.recordings / edition).glob("*")) if recordings else []
    for path in write_export(
        folder,
        record,
        rows,
        verdicts=review.rows,
        review=review.files,
        responses=answers,
        recordings=kept,
    ):
        click.echo(str(path))
    shipped = len(review.shipped.decisions)
    said = f", {counted(shipped, 'verdict')} of people that ship with it" if shipped else ""
    said += f", {len(answers)} responses" if responses else ""
    click.echo(f"edition {record.id}: {len(rows)} sets{said}", err=True)


def _checks(
    workspace: Workspace, sets: tuple[RequestSet, ...]
) -> list[tuple[RequestSet, RecheckResult]]:
    from specbridge_pipeline.request_sets.recheck import recheck_set

    found = []
    with workspace.progress.task("checking sets", len(sets)) as task:
        for each in sets:
            if each.database not in workspace.databases:
                raise ConfigurationError(f"there is no database '{each.database}'")
            run = workspace.run_on(each.database)
            engine, copies = workspace.engine(each.database), workspace.copies_on(each.database)
            found.append((each, recheck_set(run, each, engine, copies)))
            task.advance()
    return found
