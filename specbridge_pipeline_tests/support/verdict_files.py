"""Files of verdicts that are broken, from the table of all the ways in which one can be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from specbridge_pipeline.request_sets.human_review.decisions import KINDS, ReviewKind

_TABLE = Path(__file__).parents[1] / "request_sets" / "broken_verdict_files.yaml"

BROKEN: dict[str, dict[str, Any]] = yaml.safe_load(_TABLE.read_text("utf-8"))
"""Name → the case, as the table describes it."""


def filled_in(text: str, kind: ReviewKind, ids: Sequence[str], digests: Sequence[str]) -> str:
    """Return a text of the table with its words in capitals replaced.

    Args:
        text: The text.
        kind: What is decided on.
        ids: Two ids, and one that is not there.
        digests: The digests of the first two.
    """
    [other] = [each for each in KINDS if each is not kind]
    words = {
        "HEADER": ",".join(kind.columns),
        "ELSEWHERE": ids[2],
        "ENDLESS": "x" * 140_000,
        "ENORMOUS": "x" * 10_000_000,
        "LONG": "x" * 2_001,
        "OTHER_id": other.id_column,
        "OTHER": other.noun,
        "NOUN": kind.noun,
        "ONE": ids[0],
        "TWO": ids[1],
        "D1": digests[0],
        "D2": digests[1],
        "ID": kind.id_column,
    }
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text


def write_case(
    case: dict[str, Any],
    folder: Path,
    kind: ReviewKind,
    ids: Sequence[str],
    digests: Sequence[str],
) -> Path:
    """Write the file of a case into a folder."""
    path = folder / f"file.{case.get('suffix', 'csv')}"
    if "bytes" in case:
        path.write_bytes(bytes.fromhex(case["bytes"]))
    else:
        text = filled_in(case["text"], kind, ids, digests)
        path.write_bytes(text.encode(case.get("encoding", "utf-8")))
    return path
