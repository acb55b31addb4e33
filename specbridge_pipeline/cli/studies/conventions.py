"""`specbridge study conventions`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from specbridge_pipeline.cli.studies.many_values import ManyValues
from specbridge_pipeline.cli.studies.question_files import questions_option, tables_option
from specbridge_pipeline.cli.terminal import print_json, print_table, progress

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("conventions", cls=ManyValues)
@questions_option
@tables_option
@click.option(
    "--verdicts",
    multiple=True,
    type=_FILE,
    help="Readings of the less usual side, in the form of --export; they come before our own.",
)
@click.option("--unread", "unread_only", is_flag=True, help="Count without any reading.")
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the references of the less usual side, with their texts, as CSV for review.",
)
@click.option(
    "--list",
    "listed",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every decision as CSV: ids, sides and cues, no text.",
)
@click.option(
    "--decisions",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the rows of the asset reference_conventions, as CSV (.csv or .csv.gz).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write counts and ids by reason as JSON to this file, without any text.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    questions: tuple[Path, ...],
    tables: tuple[Path, ...],
    verdicts: tuple[Path, ...],
    unread_only: bool,
    export: Path | None,
    listed: Path | None,
    decisions: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Count which side of each choice references take where a question leaves it open.

    A question is open where no word of it, or of its evidence, settles the choice. References of
    the less usual side count when a reading has confirmed them, or until somebody reads them.

    \b
    specbridge study conventions --questions train.json dev.json --tables tables.json
    specbridge study conventions --questions dev.json --tables tables.json --export review.csv
    """  # noqa: D301
    from specbridge_pipeline.benchmarks.references import read_references
    from specbridge_pipeline.benchmarks.table_schemas import read_schemas
    from specbridge_pipeline.choices.conventions.references.records import REFERENCE_CONVENTIONS
    from specbridge_pipeline.choices.conventions.references.study import (
        question_file,
        study_references,
        texts_of,
    )
    from specbridge_pipeline.choices.conventions.references.summary import (
        decisions_csv,
        derived_rows,
        summary,
    )
    from specbridge_pipeline.choices.conventions.references.verdicts import (
        SHIPPED,
        Verdicts,
        read_verdicts,
        review_sheet,
    )
    from specbridge_pipeline.records.files import write_text
    from specbridge_pipeline.records.row_files import write_rows

    schemas = [read_schemas(path) for path in tables]
    files = [question_file(path, read_references(path), schemas) for path in questions]
    known = Verdicts({}) if unread_only else read_verdicts([SHIPPED, *verdicts])
    study = study_references(files, known, progress=progress())
    if export is not None:
        write_text(export, review_sheet(study.rows, texts_of(files)))
    if listed is not None:
        write_text(listed, decisions_csv(study.rows))
    if decisions is not None:
        write_rows(decisions, REFERENCE_CONVENTIONS, study.rows)
    if out is not None:
        write_text(out, json.dumps(derived_rows(study), indent=1, ensure_ascii=False) + "\n")
    result = summary(study)
    if as_json:
        print_json(result)
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    columns = ("choice type", "open", "usual", "other", "share", "95%", "unread", "settled")
    print_table(columns, [_line(each["type"], each) for each in result["types"]], "References")
    for title, name in (("By author group", "groups"), ("By author group and split", "splits")):
        rows = [
            (
                each["type"],
                *[each[part] for part in ("group", "split") if part in each],
                each["open"],
                each["usual"],
                each["other"],
                _share(each),
            )
            for each in result[name]
            if each["open"]
        ]
        head = ("choice type", "group", *(["split"] if name == "splits" else []))
        print_table((*head, "open", "usual", "other", "share"), rows, title)
    for each in result["not_counted"]:
        click.echo(f"{each['type'].replace('_', ' ')}: not counted, since {each['reason']}")
    if result["not_read"]:
        click.echo(f"references that could not be read: {len(result['not_read'])}")


def _line(name: str, each: dict[str, Any]) -> tuple[object, ...]:
    interval = (
        "–" if each["share"] is None else f"{100 * each['low']:.1f}–{100 * each['high']:.1f}%"
    )
    return (
        name.replace("_", " "),
        f"{each['open']:,}",
        f"{each['usual']:,}",
        each["other"],
        _share(each),
        interval,
        each["unread"],
        f"{each['settled']:,}",
    )


def _share(each: dict[str, Any]) -> str:
    return "–" if each["share"] is None else f"{100 * each['share']:.1f}%"
