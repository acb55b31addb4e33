"""Readings of references that take the less usual side: written out for review, and read back.

A reference counts for the other side where the query takes it, the wording leaves the choice open,
and the usual side could give another answer. A verdict is about one query: where a file has
another under the same id, it does not count.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.choices.conventions.convention import Side
from specbridge_pipeline.errors import ConfigurationError

SHIPPED = Path(__file__).with_name("verdicts.csv")
"""The readings that ship with the package."""

VERDICTS = ("confirmed", "dropped")
_KEY = ("benchmark", "source", "question_id", "choice_type")
COLUMNS = (*_KEY, "database", "query", "verdict", "reason", "reviewer")
_SHOWN = ("question", "evidence", "sql", "form")

BY_KEYS = "the keys rule another answer out"
"""Why a reference is dropped without being read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reading says of one reference and choice type.

    Attributes:
        query: Fingerprint of the query that was read.
        verdict: "confirmed" or "dropped".
        reason: Why.
        reviewer: Who read it.
    """

    query: str
    verdict: str
    reason: str
    reviewer: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Verdicts by benchmark, source, question id and choice type."""

    by_key: Mapping[tuple[str, ...], Verdict]

    def of(self, row: Mapping[str, Any]) -> Verdict | None:
        """Return the verdict on an open reference of the other side; None where there is none."""
        if row["side"] != Side.OTHER or not row["open"]:
            return None
        if not row["could_differ"]:
            return Verdict(row["query"], "dropped", BY_KEYS, "code")
        found = self.by_key.get(tuple(row[name] for name in _KEY))
        return found if found is not None and found.query == row["query"] else None


def read_verdicts(paths: Iterable[Path]) -> Verdicts:
    """Read verdicts from CSV files.

    Args:
        paths: The files; where two have a verdict on the same, the later one counts. Rows
            without a verdict are passed over, and so are columns that are only there to be read.

    Returns:
        The verdicts.

    Raises:
        ConfigurationError: A file is not there, lacks a column, or has another word for a verdict.
    """
    found: dict[tuple[str, ...], Verdict] = {}
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise ConfigurationError(
                f"the verdicts cannot be read: {error.strerror}", path=path
            ) from error
        lines = csv.DictReader(io.StringIO(text))
        missing = [name for name in COLUMNS if name not in (lines.fieldnames or ())]
        if missing:
            raise ConfigurationError(
                f"columns are missing: {', '.join(missing)}",
                path=path,
                line=1,
                advice="start from the file that --export writes",
            )
        for row in lines:
            if not row["verdict"]:
                continue
            if row["verdict"] not in VERDICTS:
                raise ConfigurationError(
                    f"'{row['verdict']}' is no verdict",
                    path=path,
                    line=lines.line_num,
                    advice=f"write one of: {', '.join(VERDICTS)}",
                )
            found[tuple(row[name] for name in _KEY)] = Verdict(
                row["query"], row["verdict"], row["reason"], row["reviewer"]
            )
    return Verdicts(found)


def review_sheet(
    rows: Sequence[Mapping[str, Any]],
    texts: Mapping[tuple[str, str, str], BenchmarkReference],
) -> str:
    """Write the open references of the other side as CSV, with their texts, to be reviewed.

    Args:
        rows: Rows of REFERENCE_CONVENTIONS.
        texts: The references, by benchmark, source and id.

    Returns:
        The CSV: one line a reference and choice type, the verdicts that there are filled in.
    """
    out = io.StringIO()
    lines = csv.DictWriter(out, (*COLUMNS, *_SHOWN), lineterminator="\n")
    lines.writeheader()
    for row in rows:
        if row["side"] != Side.OTHER or not row["open"] or not row["could_differ"]:
            continue
        shown = texts[row["benchmark"], row["source"], row["question_id"]]
        lines.writerow(
            {
                **{name: row[name] for name in (*_KEY, "database", "query", "form")},
                "verdict": row["verdict"] or "",
                "reason": row["reason"] or "",
                "reviewer": "",
                "question": shown.question,
                "evidence": shown.evidence,
                "sql": shown.sql,
            }
        )
    return out.getvalue()
