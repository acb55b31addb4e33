"""Accepted sets as construction stores them, from sets in the form of an edition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from specbridge_pipeline.query_generation.records import GENERATED_QUERIES
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.request_sets.construction_records import ACCEPTED_REQUEST_SETS
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import FIXTURES

GRAMMAR = "1"


def clinic_sets() -> list[RequestSet]:
    """Return the sets on the clinic, with their ids."""
    listed = yaml.safe_load((FIXTURES / "clinic_sets.yaml").read_text("utf-8"))["sets"]
    sets = [RequestSet.model_validate(each) for each in listed]
    return [each.model_copy(update={"id": each.content_id()}) for each in sets]


def accepted_row(each: RequestSet, **changes: Any) -> dict[str, Any]:
    """Return a set as a row of ACCEPTED_REQUEST_SETS."""
    a, b = each.interpretations.a, each.interpretations.b
    return {
        "database": each.database,
        "set_id": each.id,
        "proposal_id": f"proposal-{each.id}",
        "query_id": f"query-{each.id}",
        "choice_type": each.choice_type.value,
        "tier": each.tier,
        "step_depth": each.step_depth,
        "arithmetic_depth": each.arithmetic_depth,
        "ordered": each.ordered,
        "convention": None,
        "meaning_a": a.meaning,
        "meaning_b": b.meaning,
        "request_a": a.request,
        "request_b": b.request,
        "request_open": each.open_request,
        "sql_a": a.sql,
        "sql_b": b.sql,
        "writer": each.provenance.writer,
        "reviewers": list(each.provenance.reviewers),
        "human_verdict": each.provenance.human_verdict,
        "human_reviewers": [],
    } | changes


def store_accepted(project: Project, rows: Iterable[dict[str, Any]], database: str) -> None:
    """Store rows as the accepted sets of a database, and the queries they were made from."""
    listed = list(rows)
    queries = [
        dict.fromkeys(GENERATED_QUERIES.columns)
        | {
            "database": database,
            "query_id": row["query_id"],
            "attempt": number,
            "kept": True,
            "reason": "",
            "sql": row["sql_a"],
            "grammar": GRAMMAR,
        }
        for number, row in enumerate(listed)
    ]
    store = CellStore(project.warehouse)
    for schema, found in ((ACCEPTED_REQUEST_SETS, listed), (GENERATED_QUERIES, queries)):
        store.write(schema, Partition(database=database), schema.frame(found), _origin(schema))


def _origin(schema: FrameSchema) -> Manifest:
    return Manifest(stage=schema.name, stage_version=1, schema_version=schema.version)
