"""`specbridge review edits`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specbridge_pipeline.cli.review_contents import check_format, write_review
from specbridge_pipeline.cli.studies.many_values import ManyValues
from specbridge_pipeline.cli.studies.question_files import (
    databases_option,
    questions_option,
    read_question_files,
    runs_on,
    tables_option,
)
from specbridge_pipeline.cli.terminal import print_json, print_table, progress, project_of
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.reporting.formatting import counted

if TYPE_CHECKING:
    from specbridge_pipeline.choices.answer_changes.study import AnswerChange
    from specbridge_pipeline.choices.conventions.proving import Run
    from specbridge_pipeline.reporting.review_page import Review
    from specbridge_pipeline.request_sets.human_review.decisions import Decision

_FILE = click.Path(dir_okay=False, path_type=Path)
_IMPORTED = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("edits")
def command() -> None:
    """Have people review edits of benchmark questions, from your own copy of the benchmark."""


@command.command("export", cls=ManyValues)
@questions_option
@tables_option
@databases_option
@click.option("--count", type=click.IntRange(min=1), help="How many edits. Default: all.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the draw.")
@click.option("--order", type=int, help="Seed of the order of what is drawn. Default: the draw's.")
@click.option("--out", type=_FILE, help="The page. Default: in data/report, if nothing else is.")
@click.option("--csv", "csv_file", type=_FILE, help="A sheet to fill in, as CSV.")
@click.option("--jsonl", "json_file", type=_FILE, help="The same as JSON Lines.")
@click.pass_context
def export(
    context: click.Context,
    questions: tuple[Path, ...],
    tables: tuple[Path, ...],
    folders: tuple[Path, ...],
    count: int | None,
    seed: int,
    order: int | None,
    out: Path | None,
    csv_file: Path | None,
    json_file: Path | None,
) -> None:
    """Write a page, or sheet, of the edits that change an answer.

    A question whose words leave a choice open is shown with its evidence, what its reference
    computes, what the other interpretation computes, and both results. What is written holds the
    benchmark's text, and is for the reviewer alone.
    """
    from specbridge_pipeline.request_sets.human_review.edits import drawn_edits, reviewable

    project = project_of(context)
    with _studied(questions, tables, folders) as (found, runs):
        drawn = drawn_edits(reviewable(found), seed, count)
        if order is not None:
            drawn = drawn_edits(drawn, order)
        if not drawn:
            raise ConfigurationError("no edit of these questions changes an answer")
        source = _source(found)
        review = _review(drawn, runs, tables, source, {})
    if out is None and csv_file is None and json_file is None:
        out = project.report / f"review-edits-{source}.html"
    for path, kind in ((out, ".html"), (csv_file, ".csv"), (json_file, ".jsonl")):
        if path is not None:
            write_review(review, path, kind)
            click.echo(f"{counted(len(drawn), 'edit')} to review: {path}")


@command.command("import", cls=ManyValues)
@click.argument("files", nargs=-1, required=True, type=_IMPORTED)
@questions_option
@tables_option
@databases_option
@click.option("--replace", is_flag=True, help="Let new decisions stand for imported ones.")
@click.option("--disagreements", type=_FILE, help="Write a second pass: .html, .csv or .jsonl.")
@click.option("--dry-run", is_flag=True, help="Check the files and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def import_(
    context: click.Context,
    files: tuple[Path, ...],
    questions: tuple[Path, ...],
    tables: tuple[Path, ...],
    folders: tuple[Path, ...],
    replace: bool,
    disagreements: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import what reviewers decided of edits, apart from what they decided of sets.

    FILES are what the page downloads, or sheets that were filled in. All of them are imported or,
    where one has a fault, none. The files that are kept hold ids and no text of the benchmark.
    """
    from specbridge_pipeline.cli.review_summary import ImportSummary
    from specbridge_pipeline.request_sets.human_review.decisions import EDITS
    from specbridge_pipeline.request_sets.human_review.edits import (
        edit_digest,
        edit_id,
        plan_edit_import,
        reviewable,
        write_edit_import,
    )
    from specbridge_pipeline.request_sets.human_review.merging import (
        Standing,
        pair_agreements,
        reviewed_sets,
    )

    if disagreements is not None:
        check_format(disagreements)
    project = project_of(context)
    with _studied(questions, tables, folders) as (found, runs):
        by_id = {edit_id(each.row): each for each in reviewable(found)}
        digests = {name: edit_digest(each) for name, each in by_id.items()}
        planned = plan_edit_import(project, files, digests, replace=replace)
        here = [each for each in planned.decisions if each.set_id in by_id]
        reviewed = reviewed_sets(here)
        again = {
            each.set_id: each.decisions
            for each in reviewed
            if each.standing is Standing.DISAGREEMENT
        }
        if disagreements is not None and again and not dry_run:
            source = _source(found)
            chosen = [by_id[name] for name in again]
            write_review(_review(chosen, runs, tables, source, again), disagreements)
            click.echo(
                f"{counted(len(again), 'edit')} for a second pass: {disagreements}", err=True
            )
    written = None if dry_run else write_edit_import(project, planned)
    summary = ImportSummary(
        planned, len(by_id), reviewed, pair_agreements(here), written, EDITS.noun
    )
    if as_json:
        print_json(summary.as_json())
    else:
        summary.print()


@command.command("counts")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def counts(context: click.Context, as_json: bool) -> None:
    """Count the answers that change, with and without what people decided of the edits.

    The rows are those of the asset answer_changes, or those that ship with the project.
    """
    from specbridge_pipeline.choices.answer_changes.counts import label_of
    from specbridge_pipeline.orchestration.workspace import Workspace
    from specbridge_pipeline.reporting.answer_changes import answer_changes
    from specbridge_pipeline.request_sets.human_review.edits import (
        confirmed_counts,
        recorded_edit_decisions,
    )

    project = project_of(context)
    with Workspace(project, progress=progress()) as workspace:
        names = [name for name, each in workspace.databases.items() if each.entry.questions]
        rows = answer_changes(workspace.store, project, names).rows
    found = confirmed_counts(rows, recorded_edit_decisions(project))
    if as_json:
        print_json(
            {
                name: {"changed": n.changed, "judged": n.judged, "confirmed": n.confirmed}
                for name, n in found.items()
            }
        )
        return
    if not found:
        click.echo(
            "there is no answer to count: none was studied in this project, and none ships with it"
        )
        return
    print_table(
        ("choice type", "changed", "judged", "confirmed"),
        [(label_of(name), n.changed, n.judged, n.confirmed) for name, n in found.items()],
        "Open questions whose answer changes, and whose edit people accept",
    )


@contextmanager
def _studied(
    questions: Sequence[Path], tables: Sequence[Path], folders: Sequence[Path]
) -> Iterator[tuple[list[AnswerChange], Mapping[str, Run]]]:
    """Study the answers of open questions; the databases can be asked until it is left."""
    from specbridge_pipeline.choices.answer_changes.study import study_answer_changes
    from specbridge_pipeline.choices.conventions.references.study import study_references
    from specbridge_pipeline.choices.conventions.references.verdicts import SHIPPED, read_verdicts
    from specbridge_pipeline.databases.many_queries import AT_ONCE
    from specbridge_pipeline.databases.runner import QueryRunner

    files = read_question_files(questions, tables)
    decisions = study_references(files, read_verdicts([SHIPPED]), progress=progress()).rows
    with QueryRunner(workers=AT_ONCE) as runner:
        runs = runs_on(runner, folders, files)
        yield study_answer_changes(files, decisions, runs, progress=progress()), runs


def _source(changes: Sequence[AnswerChange]) -> str:
    """Name what the questions are from: benchmark and file, since two benchmarks have a "dev"."""
    names: dict[str, set[str]] = {}
    for each in changes:
        names.setdefault(each.row["benchmark"], set()).add(each.row["source"])
    return "-".join(part for name in sorted(names) for part in (name, *sorted(names[name])))


def _review(
    changes: Sequence[AnswerChange],
    runs: Mapping[str, Run],
    tables: Sequence[Path],
    source: str,
    first_pass: Mapping[str, Sequence[Decision]],
) -> Review:
    from specbridge_pipeline.benchmarks.table_schemas import read_schemas
    from specbridge_pipeline.exact_description.describing import describe
    from specbridge_pipeline.reporting.review_items import edit_item
    from specbridge_pipeline.reporting.review_page import Review
    from specbridge_pipeline.request_sets.human_review.decisions import (
        EDITS,
        FIRST_PASS,
        SECOND_PASS,
    )
    from specbridge_pipeline.request_sets.human_review.edits import edit_digest, edit_id

    schemas = {name: schema for path in tables for name, schema in read_schemas(path).items()}
    items = []
    with progress().task("arranging edits", len(changes)) as task:
        for each in changes:
            name, edit = each.row["database"], each.edit
            assert edit is not None
            run, schema = runs[name], schemas[name]
            items.append(
                edit_item(
                    each,
                    edit_digest(each),
                    (run(each.reference.sql), run(edit.sql)),
                    (
                        describe(each.reference.sql, schema).text,
                        describe(edit.sql, schema).text,
                    ),
                    first_pass.get(edit_id(each.row), ()),
                )
            )
            task.advance()
    number = SECOND_PASS if first_pass else FIRST_PASS
    return Review(source, number, tuple(items), EDITS)
