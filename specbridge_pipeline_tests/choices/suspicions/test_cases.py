"""What is suspicious is found as the cases say, near misses are not, and edits do what they say."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import apsw
import duckdb
import pytest
import yaml

from specbridge_pipeline.choices.suspicions.registry import DETECTORS, suspicions
from specbridge_pipeline.choices.suspicions.suspicion import SuspicionKind
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.parsing import parse_query

CASES = Path(__file__).parent / "cases"
FEWEST = 8


def _file(kind):
    return yaml.safe_load((CASES / f"{kind.value}.yaml").read_text(encoding="utf-8"))


def _cases():
    for kind in SuspicionKind:
        for case in _file(kind)["cases"]:
            engine = Engine(case.get("engine", "sqlite"))
            known = "" if case.get("data", True) else ", without data"
            name = f"{kind.value}: {case['sql']} ({engine.value}{known})"
            yield pytest.param(kind, engine, case, id=name)


@pytest.fixture(scope="module")
def open_tables(tmp_path_factory):
    """Return a function from a kind and an engine to the tables of its cases, and what runs SQL."""
    folder = tmp_path_factory.mktemp("suspicions")
    known = {}
    with QueryRunner(workers=1) as runner:

        def open_them(kind, engine):
            if (kind, engine) not in known:
                path = folder / f"{kind.value}.{engine.value}"
                _make(path, engine, _file(kind)["tables"])
                known[kind, engine] = runner.read_schema(path), partial(runner.run, path)
            return known[kind, engine]

        yield open_them


def _make(path, engine, script):
    if engine is Engine.DUCKDB:
        with duckdb.connect(str(path)) as connection:
            connection.execute(script)
        return
    connection = apsw.Connection(str(path))
    connection.execute(script)
    connection.close()


def _rows(run, sql):
    outcome = run(sql)
    assert isinstance(outcome, QueryResult), outcome
    return sorted((list(row) for row in outcome.rows), key=repr)


def _shown(found):
    parts = {
        "does": found.does,
        "meant": found.meant,
        "noted": found.noted,
        "evidence": found.evidence,
        "edited": found.edited,
    }
    return {name: part for name, part in parts.items() if part}


@pytest.mark.parametrize(("kind", "engine", "case"), _cases())
def test_a_query_is_found_as_its_case_says(kind, engine, case, open_tables):
    schema, run = open_tables(kind, engine)
    query = resolve_names(parse_query(case["sql"], engine), schema)
    found = [
        each
        for each in suspicions(query, run if case.get("data", True) else None)
        if each.kind is kind
    ]
    expected = [
        {name: part for name, part in each.items() if name != "answers"}
        for each in case.get("found", [])
    ]
    assert list(map(_shown, found)) == expected
    assert all(any(each.node is node for node in query.tree.walk()) for each in found)


@pytest.mark.parametrize(("kind", "engine", "case"), _cases())
def test_an_edit_gives_what_its_sentence_says(kind, engine, case, open_tables):
    _, run = open_tables(kind, engine)
    for each in case.get("found", []):
        if "edited" not in each:
            continue
        for name, sql in (("as it stands", case["sql"]), ("edited", each["edited"])):
            expected = sorted(each["answers"][name], key=repr)
            assert _rows(run, sql) == expected


@pytest.mark.parametrize("kind", SuspicionKind)
def test_a_kind_has_cases_of_both_sorts_and_on_its_engines(kind):
    cases = _file(kind)["cases"]
    found = [case for case in cases if case.get("found")]
    assert len(cases) >= FEWEST
    assert len(found) >= 3
    assert sum("nothing" in case for case in cases) >= 3
    assert {case.get("engine", "sqlite") for case in found} == {
        engine.value for engine in DETECTORS[kind].engines
    }


@pytest.mark.parametrize("kind", SuspicionKind)
def test_an_edit_is_shown_to_change_an_answer(kind):
    answers = [
        each["answers"]
        for case in _file(kind)["cases"]
        for each in case.get("found", [])
        if "edited" in each
    ]
    assert not answers or any(each["as it stands"] != each["edited"] for each in answers)


def test_what_is_noted_comes_after_what_is_suspicious(open_tables):
    schema, run = open_tables(SuspicionKind.STATUS_KEPT, Engine.SQLITE)
    sql = "SELECT ROUND(SUM(amount), 1) FROM sales WHERE payment_status = NULL"
    found = suspicions(resolve_names(parse_query(sql), schema), run)
    assert [(each.kind, each.noted) for each in found] == [
        (SuspicionKind.EQUALS_MISSING, False),
        (SuspicionKind.STATUS_KEPT, True),
        (SuspicionKind.ROUNDED_OUTPUT, True),
    ]


def test_looking_leaves_the_query_as_it_is(open_tables):
    for kind in SuspicionKind:
        schema, run = open_tables(kind, Engine.SQLITE)
        for case in _file(kind)["cases"]:
            if case.get("engine", "sqlite") == "sqlite":
                query = resolve_names(parse_query(case["sql"]), schema)
                before = query.tree.sql("sqlite")
                suspicions(query, run)
                assert query.tree.sql("sqlite") == before
