"""An audit for a reader in a terminal, for a comment on a change, and for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from specbridge_pipeline.choices.audit import Audit, Finding, Status
from specbridge_pipeline.choices.audit.answers import ShownAnswer
from specbridge_pipeline.cli.result_cells import shown_cell, typed_cell
from specbridge_pipeline.comparison.side_by_side import RowDifference
from specbridge_pipeline.databases.results import Row
from specbridge_pipeline.databases.runner import engine_version
from specbridge_pipeline.errors import SpecBridgeError

Audits = Sequence[tuple[str, Audit | SpecBridgeError]]

_WIDTH = 100
_CELL = 28
_COLUMNS = 6


def as_text(audits: Audits, *, everything: bool = False) -> str:
    """Return audits for a terminal.

    Args:
        audits: Name of a query → its audit, or why it was not audited.
        everything: Whether findings without effect are shown in full.
    """
    parts = []
    for name, audit in audits:
        lines = [name] if len(audits) > 1 or name != "query" else []
        if isinstance(audit, SpecBridgeError):
            lines.append(f"not audited: {audit}")
        else:
            lines += _text(audit, everything)
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n" + (_totals(audits) if len(audits) > 1 else "")


def _text(audit: Audit, everything: bool) -> Iterator[str]:
    yield engine_version(audit.engine)
    if audit.question:
        yield f"question: {_one_line(audit.question)}"
    if not audit.findings:
        yield "no choice was found that the query settles"
    number = 0
    for status in Status:
        findings = audit.of(status)
        if not findings:
            continue
        yield ""
        yield status.heading
        if status is Status.WITHOUT_EFFECT and not everything:
            lines = dict.fromkeys(f"{each.subject}: {each.reason}" for each in findings)
            yield from (_wrapped(line, "  - ") for line in lines)
            continue
        for finding in findings:
            number += 1
            yield from _finding(number, finding)


def _finding(number: int, finding: Finding) -> Iterator[str]:
    moved = f" – {finding.answer.summary}" if finding.answer is not None else ""
    yield _wrapped(f"{finding.subject}{moved}", f"{number:>3}. ")
    for name, said in (
        ("does", finding.does),
        ("otherwise", finding.otherwise),
        ("why", finding.reason),
    ):
        if said:
            yield _wrapped(_one_line(said), f"     {name:<10}")
    if finding.answer is not None:
        for line in _row_lines(finding.answer):
            yield f"     {line}"
    if finding.sql is not None:
        yield _wrapped(_one_line(finding.sql), f"     {'sql':<10}")


def _wrapped(text: str, start: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _row_lines(answer: ShownAnswer) -> Iterator[str]:
    """Yield the differing rows as lines: the query's, and the other interpretation's beside it."""
    if len(answer.columns) == 1 and answer.rows_before == answer.rows_after == 1:
        return
    for difference in answer.rows:
        for side, row, other in _sides(difference):
            yield f"{side:<12}{_row(row, other)}"


def _sides(difference: RowDifference) -> Iterator[tuple[str, Row, Row | None]]:
    """Yield the rows of a difference: two beside one another, or one that has no counterpart."""
    here, there = difference.reference, difference.candidate
    if here is not None:
        yield ("here" if there is not None else "only here"), here, there
    if there is not None:
        yield ("there" if here is not None else "only there"), there, here


def _row(row: Row, other: Row | None) -> str:
    cells = [
        shown_cell(cell, other[at] if other is not None and at < len(other) else None, width=_CELL)
        for at, cell in enumerate(row[:_COLUMNS])
    ]
    return " | ".join(cells) + (" | …" if len(row) > _COLUMNS else "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _totals(audits: Audits) -> str:
    counts = {
        status: sum(
            len(audit.of(status)) for _, audit in audits if not isinstance(audit, SpecBridgeError)
        )
        for status in Status
        if status is not Status.WITHOUT_EFFECT
    }
    failed = sum(isinstance(audit, SpecBridgeError) for _, audit in audits)
    said = ", ".join(
        f"{count} {status.value.replace('_', ' ')}" for status, count in counts.items()
    )
    return f"\n{len(audits)} queries: {said}, {failed} not audited\n"


def as_markdown(audits: Audits, *, everything: bool = False) -> str:
    """Return audits as Markdown; see `as_text`."""
    lines = []
    for name, audit in audits:
        lines += [f"### {_escaped(name)}", ""]
        if isinstance(audit, SpecBridgeError):
            lines += [f"Not audited: {_escaped(str(audit))}", ""]
            continue
        if audit.question:
            lines += [f"> {_escaped(_one_line(audit.question))}", ""]
        lines += ["```sql", _fenced(audit.sql.strip()), "```", ""]
        shown = [
            each
            for each in audit.findings
            if everything or each.status is not Status.WITHOUT_EFFECT
        ]
        for finding in shown:
            lines += _markdown(finding)
        rest = [each for each in audit.findings if each not in shown]
        if rest:
            lines += [f"**{Status.WITHOUT_EFFECT.heading}**", ""]
            lines += [f"- {_escaped(f'{each.subject}: {each.reason}')}" for each in rest]
            lines.append("")
        if not audit.findings:
            lines += ["No choice was found that the query settles.", ""]
    return "\n".join(lines)


def _markdown(finding: Finding) -> Iterator[str]:
    moved = f": {finding.answer.summary}" if finding.answer is not None else ""
    yield f"**{finding.status.heading}** – {_escaped(finding.subject + moved)}"
    yield ""
    yield f"- does: {_escaped(_one_line(finding.does))}"
    if finding.otherwise:
        yield f"- otherwise: {_escaped(_one_line(finding.otherwise))}"
    yield f"- why: {_escaped(_one_line(finding.reason))}"
    yield ""
    answer = finding.answer
    if answer is not None and answer.rows:
        names = [_escaped(_one_line(each)) for each in answer.columns[:_COLUMNS]]
        yield f"| | {' | '.join(names)} |"
        yield f"|---|{'---|' * len(names)}"
        for difference in answer.rows:
            for side, row, other in _sides(difference):
                cells = [
                    _escaped(shown_cell(cell, _cell(other, at), width=_CELL))
                    for at, cell in enumerate(row[: len(names)])
                ]
                yield f"| {side} | {' | '.join(cells)} |"
        yield ""
    if finding.sql is not None:
        yield from ("```sql", _fenced(finding.sql), "```", "")


def _cell(row: Row | None, at: int) -> Any:
    return row[at] if row is not None and at < len(row) else None


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is: cells and questions are untrusted."""
    for sign in "\\`*_{}[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("&", "&amp;")


def _fenced(sql: str) -> str:
    """Return SQL that cannot end the block that it stands in."""
    return sql.replace("```", "` ` `")


def json_of(audits: Audits) -> dict[str, Any]:
    """Return audits as plain JSON values; cells keep their types."""
    return {
        "audits": [
            {"name": name, "error": {"what": audit.what, "where": audit.where}}
            if isinstance(audit, SpecBridgeError)
            else {
                "name": name,
                "sql": audit.sql,
                "question": audit.question,
                "engine": engine_version(audit.engine),
                "gravest": audit.gravest.value,
                "findings": [_json(each) for each in audit.findings],
            }
            for name, audit in audits
        ]
    }


def _json(finding: Finding) -> dict[str, Any]:
    answer = finding.answer
    return {
        "status": finding.status.value,
        "choice": finding.name,
        "does": finding.does,
        "otherwise": finding.otherwise,
        "reason": finding.reason,
        "sql": finding.sql,
        "answer": None
        if answer is None
        else {
            "changed": answer.changed,
            "summary": answer.summary,
            "columns": list(answer.columns),
            "rows_before": answer.rows_before,
            "rows_after": answer.rows_after,
            "rows": [
                {"here": _typed(each.reference), "there": _typed(each.candidate)}
                for each in answer.rows
            ],
        },
    }


def _typed(row: Row | None) -> list[dict[str, Any]] | None:
    return None if row is None else [typed_cell(cell) for cell in row]
