"""What a study of references found, by type, author group and split."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.choices.conventions.convention import Side
from specbridge_pipeline.choices.conventions.references.author_groups import author_groups
from specbridge_pipeline.choices.conventions.references.counts import as_json, by_type
from specbridge_pipeline.choices.conventions.references.study import Study
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS

_LISTED = (
    *("choice_type", "benchmark", "source", "question_id", "database", "author_group", "split"),
    *("open", "side", "form", "could_differ", "cues", "verdict", "reason"),
)


def summary(study: Study) -> dict[str, Any]:
    """Return the counts of a study as plain JSON values.

    Args:
        study: What was read.

    Returns:
        `types`, and the same by author group (`groups`) and by group and split (`splits`); the
        questions behind each count (`questions`: type → side → ids); the types that are not
        counted, and the references that could not be read.
    """
    rows = study.rows
    splits = sorted({row["split"] for row in rows}, key=lambda name: (name != "train", name))
    return {
        "references": study.references,
        "types": [
            {"type": choice_type.value, **as_json(count)}
            for choice_type, count in by_type(rows).items()
        ],
        "groups": [
            {"type": choice_type.value, "group": group, **as_json(count)}
            for group in author_groups()
            for choice_type, count in by_type(_of(rows, author_group=group)).items()
        ],
        "splits": [
            {"type": choice_type.value, "group": group, "split": split, **as_json(count)}
            for group in author_groups()
            for split in splits
            for choice_type, count in by_type(_of(rows, author_group=group, split=split)).items()
        ],
        "questions": {
            choice_type.value: {
                side.value: [
                    _name(row)
                    for row in rows
                    if row["choice_type"] == choice_type
                    and row["open"]
                    and row["side"] == side
                    and row["verdict"] != "dropped"
                ]
                for side in Side
            }
            for choice_type, convention in CONVENTIONS.items()
            if convention.read is not None
        },
        "not_counted": [
            {"type": choice_type.value, "reason": convention.unread}
            for choice_type, convention in CONVENTIONS.items()
            if convention.read is None
        ],
        "not_read": [
            {"source": each.source, "question_id": each.question_id, "reason": each.reason}
            for each in study.unread
        ],
    }


def derived_rows(study: Study) -> dict[str, Any]:
    """Return what may be published of a study: counts, and ids by reason, without any text.

    Args:
        study: What was read.

    Returns:
        The counts of `summary`; for each type the ids of the references of the other side by
        verdict and reason, and how many references of each side each cue settles; a digest of all
        decisions, by which a repetition shows that it came to the same.
    """
    result = summary(study)
    read = [each.value for each, convention in CONVENTIONS.items() if convention.read is not None]
    return {
        "references": study.references,
        "types": result["types"],
        "groups": [each for each in result["groups"] if each["open"] or each["settled"]],
        "splits": [each for each in result["splits"] if each["open"] or each["settled"]],
        "other": {name: _reasons(_of(study.rows, choice_type=name)) for name in read},
        "settled": {name: _settling(_of(study.rows, choice_type=name)) for name in read},
        "not_read": result["not_read"],
        "decisions": len(study.rows),
        "digest": hashlib.sha256(decisions_csv(study.rows).encode()).hexdigest(),
    }


def _reasons(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["open"] and row["side"] == Side.OTHER:
            reason = f"{row['verdict'] or 'unread'}: {row['reason'] or ''}".rstrip(": ")
            found.setdefault(reason, []).append(_name(row))
    return dict(sorted(found.items()))


def _settling(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        for cue in row["cues"]:
            counts = found.setdefault(cue, {side.value: 0 for side in Side})
            counts[row["side"]] += 1
    return dict(sorted(found.items()))


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['benchmark']}/{row['source']}/{row['question_id']}"


def _of(rows: Sequence[Mapping[str, Any]], **values: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def decisions_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write every decision as CSV, without any text of a benchmark."""
    out = io.StringIO()
    lines = csv.DictWriter(out, _LISTED, extrasaction="ignore", lineterminator="\n")
    lines.writeheader()
    for row in rows:
        lines.writerow({**row, "cues": "; ".join(row["cues"])})
    return out.getvalue()
