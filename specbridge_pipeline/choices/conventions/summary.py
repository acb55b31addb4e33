"""What a study of references found, by type, author group and split."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.choices.conventions.author_groups import author_groups
from specbridge_pipeline.choices.conventions.convention import Side
from specbridge_pipeline.choices.conventions.counts import as_json, by_type
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.conventions.study import Study

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
            for choice_type, count in by_type(
                _of(rows, author_group=group, split=split)
            ).items()
        ],
        "questions": {
            choice_type.value: {
                side.value: [
                    f"{row['benchmark']}/{row['source']}/{row['question_id']}"
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
