"""The sets of a review as rows, for people who prefer a sheet or a program to the page."""

from __future__ import annotations

import json
from collections.abc import Iterable

from specbridge_pipeline.reporting.differences import Line, Piece
from specbridge_pipeline.reporting.review_page import Review
from specbridge_pipeline.request_sets.human_review.decisions import (
    SETS,
    csv_text,
)

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNS = {True: "yes", False: "NO", None: "–"}


def review_csv(review: Review) -> str:
    """Return a review as CSV: a line a set, to be filled in and imported.

    A text for reading that a spreadsheet would take for a formula has an apostrophe before it.
    """
    columns, reading = review.kind.columns, review.kind.reading_columns
    return csv_text(
        (*columns, *reading),
        (
            [row[name] for name in columns] + [_no_formula(row[name]) for name in reading]
            for row in _rows(review)
        ),
    )


def review_json_lines(review: Review) -> str:
    """Return a review as JSON Lines: an object a set, to be filled in and imported."""
    return "".join(f"{json.dumps(row, ensure_ascii=True)}\n" for row in _rows(review))


def _rows(review: Review) -> Iterable[dict[str, str]]:
    for item in review.items:
        a, b = item.sides
        request = _text(item.open_request)
        texts = (
            {
                "open_request": request,
                "request_a": _text(a.request),
                "request_b": _text(b.request),
                "checks": "\n".join(f"{_SIGNS[holds]}: {said}" for holds, said in item.checks),
            }
            if review.kind is SETS
            else {
                "question": request,
                "evidence": item.evidence,
                "description_a": _text(a.description),
                "description_b": _text(b.description),
            }
        )
        yield dict.fromkeys((*review.kind.columns, *review.kind.reading_columns), "") | {
            review.kind.id_column: item.id,
            **texts,
            "digest": item.digest,
            "pass": str(review.pass_number),
            "database": item.database,
            "choice_type": item.choice_type,
            "meaning_a": _text(a.meaning),
            "meaning_b": _text(b.meaning),
            "answers": item.answers,
            "edited": item.edited,
            "edit_a": _lines(a.edit),
            "edit_b": _lines(b.edit),
            "first_pass": "\n".join(
                " – ".join(
                    part
                    for part in (
                        f"{each.reviewer}: {each.verdict.value}",
                        each.reason.value if each.reason else "",
                        each.comment,
                    )
                    if part
                )
                for each in item.first_pass
            ),
        }


def _text(pieces: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _lines(lines: Iterable[Line]) -> str:
    return "\n".join(_text(line.pieces) for line in lines)


def _no_formula(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
