"""A small draft as construction stores it: few enough rows to count by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from specbridge_pipeline.choices.records import CHOICE_OPPORTUNITIES, CHOICE_PROPOSALS
from specbridge_pipeline.exact_description.records import EXACT_DESCRIPTIONS
from specbridge_pipeline.query_generation.records import FILTER_QUERIES, GENERATED_QUERIES
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.reporting.construction_rows import CONSTRUCTION_SCHEMAS
from specbridge_pipeline.request_sets.construction_records import (
    ACCEPTED_REQUEST_SETS,
    HUMAN_VERDICTS,
    NATURAL_REQUESTS,
    REQUEST_SETS,
    SET_REVIEWS,
)

Row = dict[str, Any]
CHECKS = ("applies", "runs", "disjoint", "described", "one_step", "found_open")
REVIEWERS = ("rules/reading", "rules/requirements")

ATTEMPTS = {
    # Database → query id, tier, reason of rejection.
    "baseball": (
        ("q1", "short", None),
        ("q1", "short", "duplicate"),
        (None, "short", "few groups"),
        ("q2", "paper", None),
        (None, "paper", "few groups"),
        (None, "paper", "one's own reason"),
    ),
    "flights": (("q1", "short", None), (None, "paper", "few groups"), ("q3", "paper", None)),
}
FILTERS = {
    # Database → query id, request, tier, reason of rejection.
    "baseball": ((None, 0, "short", "too few groups"), ("f1", 0, "short", None)),
    "flights": ((None, 0, "short", "empty answer"), (None, 0, "short", "empty answer")),
}
PROPOSALS = {
    # Proposal → database, query, type, how many of the checks it passed, whether it is selected.
    "p1": ("baseball", "q1", "counting_unit", 6, True),
    "p2": ("baseball", "q1", "ties", 5, False),
    "p3": ("baseball", "q2", "ties", 2, False),
    "p4": ("flights", "q1", "ties", 6, True),
    "p5": ("flights", "q3", "aggregation_level", 6, True),
    "p6": ("baseball", "f1", "strict_cutoff", 6, True),
}
SETS = {
    # Proposal → tier, whether it passed as first written, which revision was kept, accepted.
    "p1": ("short", True, 0, True),
    "p4": ("short", False, 1, True),
    "p5": ("paper", True, None, False),
    "p6": ("short", True, 0, True),
}


def draft_rows(judged: bool = False) -> dict[str, list[Row]]:
    """Return the rows of the draft by the name of their schema.

    Args:
        judged: Whether a person has accepted the set of p1.
    """
    proposals = {name: dict(zip(_PROPOSAL, row, strict=True)) for name, row in PROPOSALS.items()}
    return {
        GENERATED_QUERIES.name: [
            {
                **_blank(GENERATED_QUERIES),
                "database": database,
                "query_id": query,
                "attempt": number,
                "kept": reason is None,
                "reason": reason,
                "tier": tier,
                "grammar": "1",
            }
            for database, attempts in ATTEMPTS.items()
            for number, (query, tier, reason) in enumerate(attempts)
        ],
        FILTER_QUERIES.name: [
            {
                **_blank(FILTER_QUERIES),
                "database": database,
                "query_id": query,
                "attempt": number,
                "request": request,
                "kept": reason is None,
                "reason": reason,
                "tier": tier,
                "grammar": "1",
            }
            for database, attempts in FILTERS.items()
            for number, (query, request, tier, reason) in enumerate(attempts)
        ],
        EXACT_DESCRIPTIONS.name: [
            {
                **_blank(EXACT_DESCRIPTIONS),
                "database": database,
                "query_id": query,
                "described": query != "q2",
            }
            for database, query in _kept()
        ],
        NATURAL_REQUESTS.name: [
            {
                **_blank(NATURAL_REQUESTS),
                "database": database,
                "query_id": query,
                "accepted": database == "flights",
            }
            for database, query in _kept()
            if query != "q2"
        ],
        CHOICE_OPPORTUNITIES.name: [
            {
                **_blank(CHOICE_OPPORTUNITIES),
                "database": row["database"],
                "query_id": row["query_id"],
                "choice_type": row["choice_type"],
                "step": f"step of {name}",
                "output": 0,
                "detail": "",
                "matters": row["passed"] > 2,
            }
            for name, row in proposals.items()
            if not row["query_id"].startswith("f")
        ],
        CHOICE_PROPOSALS.name: [
            {
                **_blank(CHOICE_PROPOSALS),
                "database": row["database"],
                "proposal_id": name,
                "query_id": row["query_id"],
                "choice_type": row["choice_type"],
                **{
                    check: None if place > row["passed"] else place < row["passed"]
                    for place, check in enumerate(CHECKS)
                },
                "selected": row["selected"],
            }
            for name, row in proposals.items()
        ],
        REQUEST_SETS.name: [
            {
                **_blank(REQUEST_SETS),
                **_of_set(proposals, name),
                "set_id": f"{name}-0",
                "writer": "rules",
                "passed": passed,
            }
            for name, (_, passed, _, _) in SETS.items()
        ],
        SET_REVIEWS.name: [
            {
                **_blank(SET_REVIEWS),
                "database": proposals[name]["database"],
                "proposal_id": name,
                "set_id": f"{name}-{revision}",
                "revision": revision,
                "reviewer": reviewer,
                "request_kind": "open",
                "keep": revision == kept,
            }
            for name, (_, _, kept, _) in SETS.items()
            for revision in ((0,) if kept == 0 else (0, 1))
            for reviewer in REVIEWERS
        ],
        HUMAN_VERDICTS.name: [
            {
                **_blank(HUMAN_VERDICTS),
                "file": "first.csv",
                "line": 2,
                "set_id": "p1-0",
                "reviewer": "ann",
                "accepted": True,
            }
        ]
        if judged
        else [],
        ACCEPTED_REQUEST_SETS.name: [
            {
                **_blank(ACCEPTED_REQUEST_SETS),
                **_of_set(proposals, name),
                "set_id": f"{name}-{kept}",
                "writer": "rules",
                "reviewers": list(REVIEWERS),
                "human_verdict": True if judged and name == "p1" else None,
            }
            for name, (_, _, kept, accepted) in SETS.items()
            if accepted
        ],
    }


def store_draft(store: CellStore, rows: Mapping[str, Iterable[Row]]) -> None:
    """Store rows as construction does: a cell a database, one for the verdicts of people."""
    for schema in CONSTRUCTION_SCHEMAS:
        partitions = [Partition(database=database) for database in ATTEMPTS]
        for partition in partitions if "database" in schema.columns else [Partition()]:
            own = [row for row in rows[schema.name] if row.get("database") == partition.database]
            store.write(schema, partition, schema.frame(own), _origin(schema))


def _origin(schema: FrameSchema) -> Manifest:
    return Manifest(stage=schema.name, stage_version=1, schema_version=schema.version)


_PROPOSAL = ("database", "query_id", "choice_type", "passed", "selected")


def _blank(schema: FrameSchema) -> Row:
    return dict.fromkeys(schema.columns)


def _kept() -> list[tuple[str, str]]:
    return [
        (database, query)
        for database, attempts in ATTEMPTS.items()
        for query, _, reason in attempts
        if query is not None and reason is None
    ]


def _of_set(proposals: Mapping[str, Row], name: str) -> Row:
    return {
        "database": proposals[name]["database"],
        "proposal_id": name,
        "query_id": proposals[name]["query_id"],
        "choice_type": proposals[name]["choice_type"],
        "tier": SETS[name][0],
    }
