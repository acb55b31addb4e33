from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from specbridge_pipeline.databases.records import DATABASE_FILES
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.evaluation.records import JUDGEMENTS, OUTCOMES, RESPONSES, SCORES
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.records.views import query_warehouse
from specbridge_pipeline.reporting.records import REPORT, STATISTICS
from specbridge_pipeline.request_sets.records import EDITION_SETS

STAGES = (
    DATABASE_FILES,
    EDITION_SETS,
    RESPONSES,
    SCORES,
    JUDGEMENTS,
    OUTCOMES,
    STATISTICS,
    REPORT,
)
ORIGIN = Manifest(stage="judgements", stage_version=1, schema_version=1)


@pytest.fixture
def store(tmp_path: Path) -> CellStore:
    # A folder as people name them: it has to be quoted on its way into SQL.
    return CellStore(tmp_path / "Ann's ware, house")


def judgement(name: str, model: str) -> dict[str, object]:
    text = {name: "x" for name, kind in JUDGEMENTS.columns.items() if kind == "text"}
    return {
        **text,
        "response_id": name,
        "model": model,
        "names_choice": name > "b",
        "calls": ["k1", "k2"],
    }


def write(store: CellStore, *rows: dict[str, object]) -> None:
    for row in rows:
        partition = Partition("baseball", str(row["model"]))
        store.write(JUDGEMENTS, partition, JUDGEMENTS.frame([row]), ORIGIN)


@pytest.mark.parametrize("schema", STAGES, ids=lambda schema: schema.name)
def test_every_stage_has_a_view_even_without_cells(schema: FrameSchema, store: CellStore) -> None:
    answer = query_warehouse(store, STAGES, f"SELECT * FROM {schema.name}")
    assert (answer.columns, answer.rows) == (tuple(schema.columns), [])
    columns = ", ".join(f"typeof({name})" for name in schema.columns)
    assert query_warehouse(store, STAGES, f"SELECT {columns} FROM {schema.name}").rows == []


def test_a_view_shows_the_rows_of_every_cell(store: CellStore) -> None:
    write(store, judgement("a", "m1"), judgement("b", "m2"), judgement("c", "m3"))
    answer = query_warehouse(
        store,
        STAGES,
        "SELECT model, names_choice, len(calls) AS n FROM judgements ORDER BY model DESC",
    )
    assert answer.columns == ("model", "names_choice", "n")
    assert answer.rows == [("m3", True, 2), ("m2", False, 2), ("m1", False, 2)]


def test_views_can_be_joined_with_those_that_have_no_cells(store: CellStore) -> None:
    write(store, judgement("a", "m1"))
    sql = "SELECT response_id, sql FROM judgements LEFT JOIN responses USING (response_id)"
    assert query_warehouse(store, STAGES, sql).rows == [("a", None)]


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM score", "SELEKT 1", "SELECT nothing FROM scores", "SELECT 1/"]
)
def test_a_bad_statement_is_told_which_views_there_are(sql: str, store: CellStore) -> None:
    with pytest.raises(SpecBridgeError, match="edition_sets, responses, scores") as caught:
        query_warehouse(store, STAGES, sql)
    assert caught.value.advice is not None


def test_a_cell_that_cannot_be_read_is_named_by_its_view(store: CellStore) -> None:
    write(store, judgement("a", "m1"))
    store.path("judgements", Partition("baseball", "m1")).write_bytes(b"PAR1 no PAR1")
    with pytest.raises(SpecBridgeError, match="specbridge run") as caught:
        query_warehouse(store, STAGES, "SELECT 1")
    assert caught.value.where == "view judgements"


def test_a_cell_of_an_older_form_is_named_by_its_view(store: CellStore) -> None:
    older = FrameSchema("judgements", 0, {"response_id": "text"}, ("response_id",))
    store.write(older, Partition("baseball"), older.frame([{"response_id": "a"}]), ORIGIN)
    with pytest.raises(SpecBridgeError, match="specbridge run") as caught:
        query_warehouse(store, STAGES, "SELECT 1")
    assert caught.value.where == "view judgements"


def test_a_query_changes_nothing_in_the_warehouse(store: CellStore) -> None:
    write(store, judgement("a", "m1"))
    before = {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()}
    for sql in ("DELETE FROM judgements", "DROP VIEW judgements", "CREATE TABLE t (n INTEGER)"):
        with suppress(SpecBridgeError):
            query_warehouse(store, STAGES, sql)
        assert {path: path.read_bytes() for path in before} == before
    assert query_warehouse(store, STAGES, "SELECT count(*) FROM judgements").rows == [(1,)]
