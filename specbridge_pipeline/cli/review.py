"""`specbridge review`."""

from __future__ import annotations

from pathlib import Path

import click

from specbridge_pipeline.cli.chosen_sets import chosen_sets, draft_option, edition_option
from specbridge_pipeline.cli.review_contents import (
    check_format,
    review_digests,
    review_of,
    source_name,
    write_review,
)
from specbridge_pipeline.cli.review_edits import command as edits
from specbridge_pipeline.cli.terminal import print_json, progress, project_of
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.workspace import Workspace

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group("review")
def command() -> None:
    """Have people review request sets, and import what they decided."""


command.add_command(edits)


@command.command("export")
@edition_option
@draft_option
@click.option("--count", type=click.IntRange(min=1), help="How many sets. Default: all.")
@click.option("--seed", type=int, help="Of the draw. Default: the profile's seeds.selection.")
@click.option("--order", type=int, help="Seed of the order of what is drawn. Default: the draw's.")
@click.option("--out", type=_FILE, help="The page. Default: in data/report, if nothing else is.")
@click.option("--csv", "csv_file", type=_FILE, help="A sheet to fill in, as CSV.")
@click.option("--jsonl", "json_file", type=_FILE, help="The same as JSON Lines.")
@click.pass_context
def export(
    context: click.Context,
    edition: str | None,
    draft: bool,
    count: int | None,
    seed: int | None,
    order: int | None,
    out: Path | None,
    csv_file: Path | None,
    json_file: Path | None,
) -> None:
    """Write the page on which a person reviews sets, or the same as a sheet.

    The page is one file without any need of a network. It keeps decisions in the browser and
    downloads them as a CSV file for `specbridge review import`. Nothing on it comes from an
    evaluated model. The same --count and --seed with another --order are the same sets, in an
    order for a second reviewer, or for a second reading by the same one.
    """
    from specbridge_pipeline.request_sets.human_review.decisions import FIRST_PASS
    from specbridge_pipeline.request_sets.human_review.drawing import drawn_sets

    with Workspace(project_of(context), edition=edition, progress=progress()) as workspace:
        sets, _ = chosen_sets(workspace, edition, draft)
        source = source_name(workspace, draft)
        drawn = drawn_sets(sets, workspace.profile.seeds.selection if seed is None else seed, count)
        if order is not None:
            drawn = drawn_sets(drawn, order)
        if not drawn:
            raise ConfigurationError(
                f"there is no set to review in {source}",
                advice="build the draft first: specbridge run" if draft else "name an --edition",
            )
        review = review_of(workspace, drawn, source, FIRST_PASS, {})
        if out is None and csv_file is None and json_file is None:
            out = workspace.project.report / f"review-{source}.html"
    for path, kind in ((out, ".html"), (csv_file, ".csv"), (json_file, ".jsonl")):
        if path is not None:
            write_review(review, path, kind)
            click.echo(f"{len(drawn)} sets to review: {path}")


@command.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@edition_option
@draft_option
@click.option("--replace", is_flag=True, help="Let new decisions stand for imported ones.")
@click.option("--disagreements", type=_FILE, help="Write a second pass: .html, .csv or .jsonl.")
@click.option(
    "--attach",
    is_flag=True,
    help="Write beside the edition's sets, to ship with them.",
)
@click.option("--label", default="", help="What this review is; the report's first line says so.")
@click.option("--dry-run", is_flag=True, help="Check the files and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def import_(
    context: click.Context,
    files: tuple[Path, ...],
    edition: str | None,
    draft: bool,
    replace: bool,
    disagreements: Path | None,
    attach: bool,
    label: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import what reviewers decided, and say how far they agree.

    FILES are what the page downloads, or sheets that were filled in. All of them are imported or,
    where one has a fault, none. Sets on which reviewers disagree are written with --disagreements
    for a second pass; a set is kept when all reviewers accept it after that. ann and ann/2 are two
    readings of one person.
    """
    from specbridge_pipeline.cli.review_summary import ImportSummary
    from specbridge_pipeline.request_sets.human_review.decisions import SECOND_PASS
    from specbridge_pipeline.request_sets.human_review.edition_reviews import (
        plan_attachment,
        write_attachment,
    )
    from specbridge_pipeline.request_sets.human_review.importing import plan_import, write_import
    from specbridge_pipeline.request_sets.human_review.merging import (
        Standing,
        pair_agreements,
        reviewed_sets,
    )

    if disagreements is not None:
        check_format(disagreements)
    _check_attachment(attach, label, draft)
    with Workspace(project_of(context), edition=edition, progress=progress()) as workspace:
        sets, _ = chosen_sets(workspace, edition, draft)
        by_id = {each.id: each for each in sets}
        if attach:
            planned, labels = plan_attachment(workspace.edition, files, label, replace=replace)
        else:
            digests = review_digests(workspace, sets)
            planned = plan_import(workspace.project, files, digests, replace=replace)
        here = [each for each in planned.decisions if each.set_id in by_id]
        reviewed = reviewed_sets(here)
        again = {
            each.set_id: each.decisions
            for each in reviewed
            if each.standing is Standing.DISAGREEMENT
        }
        second = None
        if disagreements is not None and again and not dry_run:
            chosen = [by_id[each] for each in again]
            source = source_name(workspace, draft)
            second = review_of(workspace, chosen, source, SECOND_PASS, again)
        written = None
        if attach and not dry_run:
            written = write_attachment(workspace.edition, planned, labels)
        elif not dry_run:
            written = write_import(workspace.project, planned)
    summary = ImportSummary(planned, len(sets), reviewed, pair_agreements(here), written)
    if as_json:
        print_json(summary.as_json())
    else:
        summary.print()
    if disagreements is None or dry_run:
        return
    if second is None:
        click.echo("nobody disagrees: no second pass was written", err=True)
        return
    write_review(second, disagreements)
    click.echo(f"{len(again)} sets for a second pass: {disagreements}", err=True)


def _check_attachment(attach: bool, label: str, draft: bool) -> None:
    if attach and draft:
        raise ConfigurationError("verdicts ship with an edition, not with the draft")
    if label and not attach:
        raise ConfigurationError(
            "a label is kept with verdicts that ship with an edition", advice="add --attach"
        )
