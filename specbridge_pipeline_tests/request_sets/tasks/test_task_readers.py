"""Two readers tell a text that says what a query computes from one that does not."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.query_generation.generation import generate
from specbridge_pipeline.query_generation.requests import plain_requests
from specbridge_pipeline.request_sets.tasks.reviews import (
    RULE_READERS,
    is_accepted,
    task_review_rows,
)
from specbridge_pipeline.request_sets.tasks.task import Task
from specbridge_pipeline.sql.mutation.kinds import MutationKind
from specbridge_pipeline.sql.mutation.mutants import mutants
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

CASES = yaml.safe_load(Path(__file__).with_name("task_cases.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def shop_schema(tmp_path_factory):
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    make_database(path)
    with QueryRunner(workers=1) as runner:
        return runner.read_schema(path)


@pytest.fixture(scope="module")
def clinic_tasks(tmp_path_factory):
    path = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    make_database(path, FIXTURES / "clinic.sql")
    tasks = []
    with QueryRunner(workers=1) as runner:
        schema = runner.read_schema(path)
        catalogue = build_catalogue("clinic", schema, lambda sql: runner.run(path, sql))
        for attempt in generate(
            catalogue,
            lambda sql: runner.run(path, sql),
            requests=plain_requests(12, (1, 6), None),
            seed=5,
        ):
            if attempt.kept:
                text = _described(attempt.sql, schema, catalogue)
                if text:
                    tasks.append((Task(attempt.sql, attempt.sql, text, schema), catalogue))
    assert len(tasks) >= 8
    return tasks


def _described(sql, schema, catalogue):
    try:
        return describe(sql, schema, catalogue).text
    except UndescribableQueryError:
        return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_reader_finds_what_a_text_lacks_changes_or_adds(case, shop_schema):
    task = Task("q", case["sql"], case["text"], shop_schema)
    found = {reader.name: reader.read([task], where="shop")[0] for reader in RULE_READERS}
    for expected in case["faults"]:
        assert any(expected["words"] in fault for fault in found[expected["by"]]), found
    assert is_accepted(task) is not bool(case["faults"])
    if not case["faults"]:
        assert not any(found.values()), found


def test_both_readers_accept_what_the_describer_writes(clinic_tasks):
    for task, _ in clinic_tasks:
        for reader in RULE_READERS:
            assert reader.read([task], where="clinic") == [()], task.description


@pytest.mark.slow
def test_no_text_of_another_query_is_accepted(clinic_tasks):
    """A query with one thing changed has a text that at least one reader refuses."""
    tried = 0
    for task, catalogue in clinic_tasks[:4]:
        for mutant in mutants(task.sql, task.schema):
            # A collation can be the column's own: then the query does not say what the text must.
            if mutant.kind is MutationKind.COLLATION:
                continue
            text = _described(mutant.sql, task.schema, catalogue)
            if text and text != task.description:
                tried += 1
                changed = Task(task.query_id, task.sql, text, task.schema)
                assert not is_accepted(changed), (mutant.kind, text)
    assert tried > 100


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_text_in_disorder_is_refused_and_breaks_no_reader(clinic_tasks, data):
    task, _ = data.draw(st.sampled_from(clinic_tasks))
    lines = task.description.splitlines()
    kept = data.draw(st.lists(st.sampled_from(lines), max_size=len(lines)))
    changed = Task(task.query_id, task.sql, "\n".join(kept), task.schema)
    if sorted(kept) != sorted(lines):
        assert {len(reader.read([changed], where="clinic")) for reader in RULE_READERS} == {1}
    if not kept:
        assert not is_accepted(changed)


def test_each_described_query_has_a_row_a_reader(shop_schema):
    right = CASES[0]
    queries = [
        {"query_id": "a", "kept": True, "sql": right["sql"]},
        {"query_id": "b", "kept": True, "sql": "SELECT COUNT(*) AS n FROM purchase"},
        {"query_id": "c", "kept": True, "sql": "SELECT 1"},
        {"query_id": None, "kept": False, "sql": None},
    ]
    descriptions = [
        {"query_id": "a", "described": True, "description": right["text"]},
        {"query_id": "b", "described": True, "description": right["text"]},
        {"query_id": "c", "described": False, "description": ""},
    ]
    rows = list(task_review_rows("shop", queries, descriptions, shop_schema))
    assert [(row["query_id"], row["reviewer"], row["accepted"]) for row in rows] == [
        ("a", "rules/requirements", True),
        ("b", "rules/requirements", False),
        ("a", "rules/way_back", True),
        ("b", "rules/way_back", False),
    ]
    assert all(row["accepted"] is not bool(row["faults"]) for row in rows)
