"""Which request sets are accepted.

Those that code and reviewers keep, of a choice type on which references of benchmarks disagree, and
that no person rejects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.configuration_files import StrictModel, read_configuration
from specbridge_pipeline.errors import StaleRecordError
from specbridge_pipeline.request_sets.records import RequestKind

LEAST_SHARE = 0.01
"""A type qualifies when at least this share of its open references takes the rarer interpretation
(the paper, Section 4.2 and Table S1)."""

CONVENTION_TYPES = frozenset({ChoiceType.TIES, ChoiceType.COUNTING_UNIT})
"""The types of which one side is a convention of reference queries."""

_SHARES_FILE = Path(__file__).with_name("reference_shares.yaml")

_SET_COLUMNS = (
    "database",
    "proposal_id",
    "query_id",
    "choice_type",
    "tier",
    "step_depth",
    "arithmetic_depth",
    "ordered",
    "convention",
    "meaning_a",
    "meaning_b",
    "sql_a",
    "sql_b",
    "writer",
)

_TEXT_COLUMNS = {
    RequestKind.SPECIFIC_A.value: "request_a",
    RequestKind.SPECIFIC_B.value: "request_b",
    RequestKind.OPEN.value: "request_open",
}

Row = Mapping[str, Any]


class ReferenceCounts(StrictModel):
    """Open benchmark questions of a choice type by the interpretation their reference takes."""

    usual: int = Field(ge=0)
    """Those that take the usual one."""
    other: int = Field(ge=0)
    """Those that take the other one, confirmed by review."""

    @property
    def share(self) -> float | None:
        """The share that takes the other one; None without any question."""
        total = self.usual + self.other
        return self.other / total if total else None


class ReferenceShares(StrictModel):
    """How benchmark references settle open questions, by choice type."""

    source: str
    """Who counted: 'paper' or 'own'."""
    types: dict[ChoiceType, ReferenceCounts]
    """Type → its counts. A type that cannot be read from SQL is absent."""

    def qualifies(self, choice_type: ChoiceType) -> bool:
        """Return whether at least 1% of a type's open references take the rarer interpretation.

        A type without counts is undecided, and does not qualify.
        """
        counts = self.types.get(choice_type)
        share = None if counts is None else counts.share
        return share is not None and min(share, 1 - share) >= LEAST_SHARE


def read_reference_shares(path: Path = _SHARES_FILE) -> ReferenceShares:
    """Read how benchmark references settle open questions.

    Args:
        path: A YAML file with `source` and `types`; by default the paper's counts.

    Raises:
        ConfigurationError: The file cannot be used.
    """
    return read_configuration(path).parse(ReferenceShares)


def qualifies(choice_type: ChoiceType) -> bool:
    """Return whether sets of a type are accepted by the paper's counts of references."""
    return _paper_shares().qualifies(choice_type)


def accepted_rows(
    request_set_rows: Iterable[Row],
    review_rows: Iterable[Row],
    verdict_rows: Iterable[Row],
    *,
    human_required: bool,
    shares: ReferenceShares | None = None,
) -> list[dict[str, Any]]:
    """Return the sets that all gates keep, as rows of ACCEPTED_REQUEST_SETS.

    Each set has the texts of the last revision that is kept. A set that any person rejects is left
    out, and so is one that no person has judged where that is required.

    Args:
        request_set_rows: Rows of REQUEST_SETS.
        review_rows: Rows of SET_REVIEWS.
        verdict_rows: Rows of HUMAN_VERDICTS, of any sets.
        human_required: Whether a set needs the acceptance of at least one person.
        shares: How references settle each type; by default the paper's counts.

    Raises:
        StaleRecordError: The reviews of a revision contradict each other on whether it is kept.
    """
    shares = _paper_shares() if shares is None else shares
    reviews: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in review_rows:
        reviews[row["database"], row["proposal_id"]].append(row)
    verdicts: dict[str, list[Row]] = defaultdict(list)
    for row in verdict_rows:
        verdicts[row["set_id"]].append(row)
    accepted: list[dict[str, Any]] = []
    for row in request_set_rows:
        where = f"set of proposal {row['proposal_id']} on {row['database']}"
        kept = _last_kept(reviews[row["database"], row["proposal_id"]], where)
        if not kept or not shares.qualifies(ChoiceType(row["choice_type"])):
            continue
        set_id = kept[0]["set_id"]
        judged = verdicts[set_id]
        if not all(each["accepted"] for each in judged) or (human_required and not judged):
            continue
        accepted.append(
            {
                **{name: row[name] for name in _SET_COLUMNS},
                "set_id": set_id,
                **{_TEXT_COLUMNS[each["request_kind"]]: each["request"] for each in kept},
                "reviewers": sorted({each["reviewer"] for each in kept}),
                "human_verdict": True if judged else None,
                "human_reviewers": sorted({each["reviewer"] for each in judged}),
            }
        )
    return accepted


def convention_share(rows: Iterable[Row]) -> float | None:
    """Return the share of tie and counting sets whose convention is interpretation A.

    Args:
        rows: Rows with `choice_type` and `convention`: 'a', 'b', or None where neither side is one.

    Returns:
        The share among sets that have a convention; None without any.
    """
    sides = [
        row["convention"]
        for row in rows
        if ChoiceType(row["choice_type"]) in CONVENTION_TYPES and row["convention"] is not None
    ]
    return sides.count("a") / len(sides) if sides else None


def _last_kept(reviews: Iterable[Row], where: str) -> list[Row]:
    """Return the reviews of the last revision that is kept; empty where none is."""
    revisions: dict[int, list[Row]] = defaultdict(list)
    for row in reviews:
        revisions[row["revision"]].append(row)
    for revision in sorted(revisions, reverse=True):
        rows = revisions[revision]
        if len({(row["keep"], row["set_id"]) for row in rows}) != 1:
            raise StaleRecordError(
                f"reviews of revision {revision} contradict each other on what is kept",
                where=where,
                advice="materialize set_reviews again",
            )
        if rows[0]["keep"]:
            return rows
    return []


@cache
def _paper_shares() -> ReferenceShares:
    return read_reference_shares()
