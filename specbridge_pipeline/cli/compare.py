"""`specbridge compare`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specbridge_pipeline.cli.located_databases import located
from specbridge_pipeline.cli.terminal import print_json, print_table
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError

if TYPE_CHECKING:
    from specbridge_pipeline.comparison.side_by_side import RowDifference, SideBySide
    from specbridge_pipeline.comparison.statements import StatementComparison
    from specbridge_pipeline.databases.engine import Engine
    from specbridge_pipeline.databases.results import Outcome, Row

_FAILED = 2
_CELL_WIDTH = 28
_NAME_WIDTH = 20
_COLUMNS_SHOWN = 8


@click.command("compare")
@click.option(
    "--db",
    "database",
    required=True,
    metavar="DATABASE",
    help="A registered database's id, or the path of a database.",
)
@click.option("--reference", metavar="FILE", help="The reference; - is standard input.")
@click.option("--reference-sql", metavar="SQL", help="The reference itself.")
@click.option("--candidate", metavar="FILE", help="The candidate; - is standard input.")
@click.option("--candidate-sql", metavar="SQL", help="The candidate itself.")
@click.option("--ordered", is_flag=True, help="The request asks for an order: it counts.")
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Differing rows to show at most.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    help="Steps of the engine that a query may take. Default: the profile's.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds that a query may run. Default: the profile's.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; cells keep their type.")
@click.pass_context
def command(
    context: click.Context,
    database: str,
    reference: str | None,
    reference_sql: str | None,
    candidate: str | None,
    candidate_sql: str | None,
    ordered: bool,
    rows: int,
    steps: int | None,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Say whether a query's result is one that a reference query allows.

    Both are run, sandboxed, on a database. Rows are compared as a bag, column by column; rows
    that tie at the reference's LIMIT are interchangeable; floats have a tolerance and nothing is
    rounded. Where the results differ, the first differing rows stand beside one another, with the
    differing cells between « and ». A second verdict allows extra or reordered columns.

    \b
    specbridge compare --db baseball --reference gold.sql --candidate answer.sql
    specbridge compare --db shop.sqlite --reference-sql "SELECT city FROM customer" --candidate -
    echo "SELECT DISTINCT city FROM customer" | specbridge compare --db shop.sqlite \\
      --reference gold.sql --candidate - --json

    Exit code: 0 equal; 1 not equal, or the candidate gives no result, or not always the same one;
    2 undecided, or nothing was compared: no such file, no usable reference, a failure of ours.
    """  # noqa: D301
    from specbridge_pipeline.comparison.statements import compare_statements
    from specbridge_pipeline.databases.runner import engine_version

    _require_one("reference", reference, reference_sql)
    _require_one("candidate", candidate, candidate_sql)
    if reference == candidate == "-":
        raise click.UsageError("only one of the two can come from standard input")
    try:
        expected = _text("reference", reference, reference_sql)
        answered = _text("candidate", candidate, candidate_sql)
        limits = {"steps": steps, "seconds": seconds}
        with _runner(context.obj["project"], database, limits) as (engine, run):
            found = compare_statements(
                run, expected, answered, engine=engine, ordered=ordered, most=rows
            )
    except SpecBridgeError as error:
        if context.obj["debug"]:
            raise
        if as_json:
            print_json(
                {
                    "verdict": "failed",
                    "reason": error.what,
                    "where": error.where,
                    "advice": error.advice,
                }
            )
        click.echo(f"error: {error}", err=True)
        return _FAILED
    if as_json:
        print_json(_as_json(found, ordered, engine_version(engine)))
    else:
        _print(found, engine_version(engine))
    return _exit_code(found)


def _exit_code(found: StatementComparison) -> int:
    from specbridge_pipeline.comparison.verdict import VerdictKind

    if found.verdict.kind is VerdictKind.EQUAL:
        return 0
    failed = found.verdict.kind in (VerdictKind.UNDECIDED, VerdictKind.INFRASTRUCTURE)
    return _FAILED if failed else 1


def _require_one(name: str, file: str | None, sql: str | None) -> None:
    if (file is None) == (sql is None):
        raise click.UsageError(
            f"give the {name}: its file with --{name}, or its text with --{name}-sql"
        )


def _text(name: str, file: str | None, sql: str | None) -> str:
    if sql is not None:
        return sql
    assert file is not None
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(
            f"the {name} cannot be read: {error.strerror}",
            path=file,
            advice=f"name a file that holds one query, or give its text with --{name}-sql",
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"the {name} is no UTF-8 text: byte {error.start + 1}",
            path="standard input" if file == "-" else file,
            advice="save it as UTF-8",
        ) from error


@contextmanager
def _runner(
    folder: str | None, database: str, limits: dict[str, Any]
) -> Iterator[tuple[Engine, Callable[[str], Outcome]]]:
    """Open a registered database or a path, and yield its engine and how a query is run on it."""
    from specbridge_pipeline.databases.engine import engine_of
    from specbridge_pipeline.databases.limits import Limits
    from specbridge_pipeline.databases.runner import QueryRunner

    chosen = {name: value for name, value in limits.items() if value is not None}
    path, of_profile = located(folder, database)
    with QueryRunner(workers=1, limits=Limits(**(of_profile | chosen))) as runner:
        yield engine_of(path), lambda sql: runner.run(path, sql)


def _print(found: StatementComparison, engine: str) -> None:
    from specbridge_pipeline.comparison.verdict import VerdictKind

    lines = [("verdict", found.verdict.kind.value)]
    if found.verdict.reason:
        lines.append(("reason", found.verdict.reason))
    second = found.allowing_columns
    result = _result_of(found)
    if found.verdict.kind is not VerdictKind.EQUAL and result is not None:
        why = f": {second.reason}" if second.reason and second != found.verdict else ""
        lines.append(("columns", f"{second.kind.value}, extra or reordered ones allowed{why}"))
    ties = "" if found.reference.exact else "; any of the rows tied at its cut will do"
    width = len(found.reference.columns)
    lines.append(("reference", _size(found.reference.row_count, width) + ties))
    if result is not None:
        lines.append(("candidate", _size(len(result[1]), len(result[0]))))
    lines.append(("engine", engine))
    for name, text in lines:
        click.echo(f"{name:<9}  {_one_line(text)}")
    # Rows of another width stand beside one another only to be seen, not where columns moved.
    same_width = result is not None and len(result[0]) == width
    if (
        result is not None
        and found.differences is not None
        and (same_width or second.kind is not VerdictKind.EQUAL)
    ):
        print_differences(found.reference.columns, result[0], found.differences)


def _one_line(text: str) -> str:
    """Return a text without characters that steer a terminal: reasons quote cells and engines."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def _size(rows: int, columns: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}, {columns} column{'' if columns == 1 else 's'}"


def _result_of(found: StatementComparison) -> tuple[tuple[str, ...], tuple[Row, ...]] | None:
    from specbridge_pipeline.databases.results import QueryResult

    outcome = found.outcome
    return (outcome.columns, outcome.rows) if isinstance(outcome, QueryResult) else None


def print_differences(
    ours: tuple[str, ...], theirs: tuple[str, ...], differences: SideBySide
) -> None:
    """Print the rows in which a candidate differs from a reference, each pair below one another.

    Args:
        ours: The reference's columns.
        theirs: The candidate's.
        differences: The rows.
    """
    names = [
        _one_line(_header(one, other)) for one, other in zip_longest(ours, theirs, fillvalue=None)
    ]
    shown = _shown_columns(len(names), differences)
    lines: list[list[str]] = []
    for difference in differences.rows:
        place = "–" if difference.place is None else str(difference.place)
        tied = " (tied)" if difference.tied else ""
        lines.append([place, f"reference{tied}", *_cells(difference, shown, of_reference=True)])
        lines.append(["", "candidate", *_cells(difference, shown, of_reference=False)])
    if lines:
        print_table(["row", "side", *(names[column] for column in shown)], lines)
    if len(shown) < len(names):
        click.echo(f"{len(names) - len(shown)} more columns are not shown.")
    if len(ours) == len(theirs):
        click.echo(
            f"Without a counterpart: {differences.extra:,} of the candidate's rows, "
            f"{differences.missing:,} of the reference's."
        )


def _header(one: str | None, other: str | None) -> str:
    names = ["–" if name is None else _clipped(name) for name in (one, other)]
    return names[0] if one == other else " / ".join(names)


def _clipped(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 1]}…"


def _shown_columns(count: int, differences: SideBySide) -> list[int]:
    """Choose the columns that fit: those that differ first, in their order."""
    differing = {column for row in differences.rows for column in row.columns}
    chosen = sorted(range(count), key=lambda column: (column not in differing, column))
    return sorted(chosen[:_COLUMNS_SHOWN])


def _cells(difference: RowDifference, shown: list[int], *, of_reference: bool) -> list[str]:
    from specbridge_pipeline.cli.result_cells import shown_cell

    row, other = difference.reference, difference.candidate
    if not of_reference:
        row, other = other, row
    if row is None:
        return ["–"] * len(shown)
    texts = []
    for column in shown:
        if column >= len(row):
            texts.append("–")
            continue
        beside = other[column] if other is not None and column < len(other) else None
        text = shown_cell(row[column], beside, width=_CELL_WIDTH)
        texts.append(f"«{text}»" if column in difference.columns else text)
    return texts


def _as_json(found: StatementComparison, ordered: bool, engine: str) -> dict[str, Any]:
    from specbridge_pipeline.cli.result_cells import typed_cell

    def cells(row: Row | None) -> list[dict[str, Any]] | None:
        return None if row is None else [typed_cell(cell) for cell in row]

    result = _result_of(found)
    differences = found.differences
    return {
        "verdict": found.verdict.kind.value,
        "reason": found.verdict.reason,
        "ordered": ordered,
        "allowing_columns": {
            "verdict": found.allowing_columns.kind.value,
            "reason": found.allowing_columns.reason,
        },
        "reference": {
            "columns": list(found.reference.columns),
            "rows": found.reference.row_count,
            "exact": found.reference.exact,
        },
        "candidate": None
        if result is None
        else {"columns": list(result[0]), "rows": len(result[1])},
        "differences": None
        if differences is None
        else {
            "candidate_rows_without_counterpart": differences.extra,
            "reference_rows_without_counterpart": differences.missing,
            "rows": [
                {
                    "row": row.place,
                    "reference": cells(row.reference),
                    "candidate": cells(row.candidate),
                    "differing_columns": [column + 1 for column in row.columns],
                    "any_of_tied_rows": row.tied,
                }
                for row in differences.rows
            ],
        },
        "engine": engine,
    }
