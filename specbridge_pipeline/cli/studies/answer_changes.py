"""`specbridge study answer-changes`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specbridge_pipeline.cli.studies.many_values import ManyValues
from specbridge_pipeline.cli.studies.question_files import (
    databases_option,
    questions_option,
    read_question_files,
    runs_on,
    tables_option,
)
from specbridge_pipeline.cli.terminal import print_json, print_table, progress

if TYPE_CHECKING:
    from specbridge_pipeline.choices.answer_changes.study import AnswerChange
    from specbridge_pipeline.choices.conventions.proving import Run

_OUT = click.Path(dir_okay=False, path_type=Path)


@click.command("answer-changes", cls=ManyValues)
@questions_option
@tables_option
@databases_option
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="TYPE",
    help="Only this choice type, strict_cutoff for example; several may follow.",
)
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Print so many questions whose answer changes, with both answers.",
)
@click.option("--unchanged", is_flag=True, help="Print questions whose answer stays instead.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which ones are printed.")
@click.option(
    "--out",
    type=_OUT,
    help="Write the rows of the asset answer_changes, as CSV (.csv or .csv.gz), without any text.",
)
@click.option(
    "--library", type=_OUT, help="Write the choices that change an answer as a choice library."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: counts and reasons.")
def command(
    questions: tuple[Path, ...],
    tables: tuple[Path, ...],
    folders: tuple[Path, ...],
    types: tuple[str, ...],
    show: int,
    unchanged: bool,
    seed: int,
    out: Path | None,
    library: Path | None,
    as_json: bool,
) -> None:
    """Count the open questions whose answer changes under the other interpretation.

    Where no word of a question settles a choice, its reference is edited to the other
    interpretation, both are run, and their answers are compared: which rows change, or how far a
    single value moves. Some of the questions are printed with both answers side by side.

    \b
    specbridge study answer-changes --questions dev.json --tables tables.json --databases databases
    """  # noqa: D301
    from specbridge_pipeline.choices.answer_changes.counts import as_json as count_as_json
    from specbridge_pipeline.choices.answer_changes.counts import by_type, reasons
    from specbridge_pipeline.choices.answer_changes.records import ANSWER_CHANGES
    from specbridge_pipeline.choices.answer_changes.study import study_answer_changes
    from specbridge_pipeline.choices.choice_library import library_of_references, write_library
    from specbridge_pipeline.choices.conventions.references.study import study_references
    from specbridge_pipeline.choices.conventions.references.verdicts import SHIPPED, read_verdicts
    from specbridge_pipeline.databases.many_queries import AT_ONCE
    from specbridge_pipeline.databases.runner import QueryRunner
    from specbridge_pipeline.records.row_files import write_rows

    files = read_question_files(questions, tables)
    decisions = study_references(files, read_verdicts([SHIPPED]), progress=progress()).rows
    wanted = [row for row in decisions if not types or row["choice_type"] in _known(types)]
    so_far: list[AnswerChange] = []
    interrupted = False
    with QueryRunner(workers=AT_ONCE) as runner:
        runs = runs_on(runner, folders, files)
        try:
            found = study_answer_changes(
                files, wanted, runs, found=so_far.append, progress=progress()
            )
        except KeyboardInterrupt:
            interrupted, found = True, so_far
        rows = [each.row for each in found]
        result = {
            **({"interrupted": True} if interrupted else {}),
            "types": [
                {"type": name, **count_as_json(count)} for name, count in by_type(rows).items()
            ],
            "reasons": reasons(rows),
        }
        if as_json:
            print_json(result)
        else:
            _print(result)
            if not interrupted:
                _show(found, runs, show, seed, unchanged)
    if interrupted:
        click.echo("interrupted: the counts are those of the references read so far", err=True)
        sys.exit(130)
    if out is not None:
        write_rows(out, ANSWER_CHANGES, rows)
    if library is not None:
        write_library(library, library_of_references(rows))


def _known(types: Sequence[str]) -> list[str]:
    from specbridge_pipeline.choices.types import ChoiceType

    for name in types:
        if name not in list(ChoiceType):
            raise click.UsageError(f"there is no choice type '{name}': {', '.join(ChoiceType)}")
    return list(types)


def _print(result: dict[str, Any]) -> None:
    if not result["types"]:
        click.echo("no open question was found")
        return
    moves = list(result["types"][0]["moves"])
    print_table(
        ("choice type", "open", "edited", "changed", "share", "undetermined", "no result"),
        [
            (
                _label(each["type"]),
                f"{each['open']:,}",
                f"{each['edited']:,}",
                f"{each['changed']:,}",
                "–" if each["share"] is None else f"{each['share']:.1%}",
                each["undetermined"],
                each["no_result"],
            )
            for each in result["types"]
        ],
        "Open questions whose answer changes",
    )
    print_table(
        ("choice type", "changed", *moves),
        [
            (_label(each["type"]), each["changed"], *(each["moves"][move] for move in moves))
            for each in result["types"]
            if each["changed"]
        ],
        "How far answers move",
    )
    lines = [
        (_label(each["type"]), each["effect"], each["gate"], each["count"], each["reason"])
        for each in result["reasons"]
    ]
    if lines:
        print_table(("choice type", "effect", "gate", "questions", "reason"), lines, "Not compared")


def _label(name: str) -> str:
    from specbridge_pipeline.choices.answer_changes.counts import label_of

    return label_of(name)


def _show(
    found: Sequence[AnswerChange],
    runs: Mapping[str, Run],
    most: int,
    seed: int,
    unchanged: bool,
) -> None:
    from random import Random

    from specbridge_pipeline.choices.answer_changes.answers import Effect

    wanted = Effect.SAME if unchanged else Effect.CHANGED
    shown = [each for each in found if each.row["effect"] == wanted]
    for at in sorted(Random(seed).sample(range(len(shown)), min(most, len(shown)))):
        _show_one(shown[at], runs[shown[at].row["database"]])


def _show_one(change: AnswerChange, run: Run) -> None:
    from specbridge_pipeline.cli.compare import print_differences
    from specbridge_pipeline.comparison.statements import compare_statements

    row, edit = change.row, change.edit
    assert edit is not None
    name = f"{row['benchmark']} {row['source']} {row['question_id']} ({row['database']})"
    lines = [
        (name, ""),
        ("question", change.reference.question),
        *([("evidence", change.reference.evidence)] if change.reference.evidence else []),
        ("choice", f"{_label(row['choice_type'])}: {row['form']} → {row['other_form']}"),
        ("reference", edit.taken),
        ("other", edit.other),
        ("SQL", change.reference.sql),
        ("edited", edit.sql),
        ("answer", _answer(row)),
    ]
    click.echo()
    for title, text in lines:
        click.echo(f"{title:<9}  {' '.join(text.split())}".rstrip())
    compared = compare_statements(run, change.reference.sql, edit.sql, most=5)
    if compared.differences is not None:
        print_differences(
            compared.reference.columns, compared.reference.columns, compared.differences
        )


def _answer(row: Mapping[str, Any]) -> str:
    rows = f"{row['reference_rows']:,} rows against {row['other_rows']:,}"
    moved = row["relative_move"]
    return (
        f"{row['move'] or 'the same'}; {rows}"
        + (f"; {row['rows_lost']:,} lost, {row['rows_gained']:,} gained" if row["move"] else "")
        + ("" if moved is None else f"; moves by {moved:.1%}")
    )
