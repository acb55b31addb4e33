"""The funnel: counted right, from stored cells, and traced to the rows behind each count."""

import polars as pl
import pytest

from specbridge_pipeline.errors import SpecBridgeError, TraceMismatchError
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition
from specbridge_pipeline.records.views import query_warehouse
from specbridge_pipeline.reporting.construction_rows import (
    CONSTRUCTION_SCHEMAS,
    ConstructionRows,
    read_construction,
)
from specbridge_pipeline.reporting.draft import draft_line, draft_of
from specbridge_pipeline.reporting.funnel import FUNNEL, construction_funnel
from specbridge_pipeline.reporting.records import CONSTRUCTION_FUNNEL
from specbridge_pipeline.reporting.report_funnel import arrange_funnel
from specbridge_pipeline.reporting.trace import Tracer
from specbridge_pipeline_tests.support.drafts import draft_rows, store_draft

DATABASES = ("baseball", "flights")


@pytest.fixture
def store(tmp_path):
    store = CellStore(tmp_path / "warehouse")
    store_draft(store, draft_rows())
    return store


def stored_funnel(store):
    """Count the funnel and store it as its stage does."""
    rows = construction_funnel(read_construction(store, DATABASES))
    origin = Manifest(stage=CONSTRUCTION_FUNNEL.name, stage_version=1, schema_version=1)
    store.write(CONSTRUCTION_FUNNEL, Partition(), CONSTRUCTION_FUNNEL.frame(rows), origin)
    return {row["number_id"]: row for row in rows}


def tracer(store, tmp_path):
    return Tracer(store, ResponseArchive(tmp_path / "archive.sqlite"), seed=1, resamples=10)


def test_every_stage_is_counted(store):
    funnel = stored_funnel(store)
    assert {stage.name: funnel[f"funnel/{stage.name}/all"]["count"] for stage in FUNNEL} == {
        "attempts": 9,
        "kept": 4,
        "described": 3,
        "natural_request": 2,
        "filters": 2,
        "filters_kept": 1,
        "opportunities": 5,
        "matters": 4,
        "proposed": 6,
        "applies": 6,
        "runs": 6,
        "disjoint": 5,
        "both_described": 5,
        "one_step": 5,
        "found_open": 4,
        "selected": 4,
        "written": 4,
        "passed": 3,
        "kept_at_first": 2,
        "kept_after_revision": 3,
        "accepted": 3,
        "read_by_people": 0,
    }


@pytest.mark.parametrize(
    ("number_id", "count", "of"),
    [
        ("funnel/kept/all/baseball", 2, 6),
        ("funnel/kept/tier=paper", 2, 5),
        ("funnel/disjoint/choice_type=ties", 2, 3),
        ("funnel/proposed/choice_type=ties/flights", 1, None),
        ("funnel/accepted/tier=short", 3, 3),
        ("funnel/filters_kept/all", 1, 2),
        ("funnel/filters_kept/all/flights", 0, 1),
        ("funnel/proposed/source=filter", 1, None),
        ("funnel/accepted/source=filter", 1, 1),
        ("funnel/accepted/source=filter/flights", 0, 0),
        ("funnel/rejected/reason=few groups", 3, 9),
        ("funnel/rejected/reason=few groups/flights", 1, 3),
    ],
)
def test_counts_have_their_scope_and_what_they_are_a_part_of(store, number_id, count, of):
    row = stored_funnel(store)[number_id]
    assert (row["count"], row["of_count"]) == (count, of)


def test_databases_add_up_to_all_of_them(store):
    funnel = stored_funnel(store).values()
    for row in funnel:
        if not row["database"]:
            parts = [
                other["count"]
                for other in funnel
                if other["database"]
                and (other["stage"], other["scope"]) == (row["stage"], row["scope"])
            ]
            assert sum(parts) == row["count"]


def test_a_verdict_of_a_person_is_counted(tmp_path):
    store = CellStore(tmp_path / "warehouse")
    store_draft(store, draft_rows(judged=True))
    assert stored_funnel(store)["funnel/read_by_people/all"]["count"] == 1
    store_draft(store, draft_rows())
    draft = draft_of(read_construction(store, DATABASES), list(stored_funnel(store).values()))
    assert "none read" in {count.text for count in arrange_funnel(draft).every}


def test_the_query_of_every_count_lists_as_many_rows(store, tmp_path):
    funnel = stored_funnel(store)
    tracing = tracer(store, tmp_path)
    assert set(tracing.count_ids) == set(funnel)
    for count_id in tracing.count_ids:
        traced = tracing.count(count_id)
        assert len(traced.rows) == funnel[count_id]["count"]
        assert len(traced.rows) == len(set(traced.rows))


def test_a_query_names_a_reason_with_an_apostrophe(store, tmp_path):
    stored_funnel(store)
    traced = tracer(store, tmp_path).count("funnel/rejected/reason=one's own reason")
    assert dict(zip(traced.columns, traced.rows[0], strict=True))["attempt"] == 5


def test_cells_of_a_database_that_is_no_longer_built_on_are_not_counted(store):
    rows = construction_funnel(read_construction(store, ["flights"]))
    by_id = {row["number_id"]: row for row in rows}
    assert by_id["funnel/attempts/all"]["count"] == 3
    listed = query_warehouse(store, CONSTRUCTION_SCHEMAS, by_id["funnel/attempts/all"]["formula"])
    assert len(listed.rows) == 3


@pytest.mark.parametrize("column", ["count", "of_count", "label"])
def test_a_count_that_does_not_hold_is_found(store, tmp_path, column):
    stored_funnel(store)
    frame = store.read(CONSTRUCTION_FUNNEL, Partition())
    wrong = pl.lit("other" if column == "label" else 7).alias(column)
    origin = store.manifest(CONSTRUCTION_FUNNEL.name, Partition())
    changed = frame.with_columns(wrong).cast(CONSTRUCTION_FUNNEL.types())
    store.write(CONSTRUCTION_FUNNEL, Partition(), changed, origin)
    with pytest.raises(TraceMismatchError):
        tracer(store, tmp_path).count("funnel/kept/all")


def test_rows_that_changed_since_are_found(store, tmp_path):
    stored_funnel(store)
    store_draft(store, draft_rows() | {"accepted_request_sets": []})
    with pytest.raises(TraceMismatchError, match="count is stored as 3 and comes out as 0"):
        tracer(store, tmp_path).count("funnel/accepted/all")


def test_an_unknown_count_is_answered_with_those_close_to_it(store, tmp_path):
    stored_funnel(store)
    with pytest.raises(SpecBridgeError, match="close to it: funnel/accepted/all"):
        tracer(store, tmp_path).count("funnel/acepted/all")


def test_without_construction_there_is_no_funnel_and_no_draft(tmp_path):
    rows = read_construction(CellStore(tmp_path), DATABASES)
    assert rows == ConstructionRows(
        databases=DATABASES, **{schema.name: [] for schema in CONSTRUCTION_SCHEMAS}
    )
    assert construction_funnel(rows) == []
    assert draft_of(rows, []) is None
    assert draft_line(None, []) == ("There is no draft: no request sets have been built here yet.")


def test_the_draft_is_told_from_what_was_evaluated(store):
    draft = draft_of(read_construction(store, DATABASES), [])
    assert draft_line(draft, []) == (
        "The draft holds 3 accepted request sets on 2 databases, built by rules, grammar 1; "
        "it is not what was evaluated."
    )
    assert ", 1 of them in the evaluated edition, " in draft_line(draft, ["p1-0", "other"])


def test_reasons_stand_by_how_often_they_were_given(store):
    funnel = list(stored_funnel(store).values())
    tables = arrange_funnel(draft_of(read_construction(store, DATABASES), funnel))
    assert [(reason, count.text) for reason, count in tables.reasons] == [
        ("few groups", "3"),
        ("duplicate", "1"),
        ("one's own reason", "1"),
    ]
    assert tables.scopes == (
        "everything",
        "short tier",
        "paper tier",
        "choices of a filter",
        "aggregation level",
        "counting unit",
        "strict cutoff",
        "ties",
    )
