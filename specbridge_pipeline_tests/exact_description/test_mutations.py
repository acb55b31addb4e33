"""No change of a statement that changes its result leaves its text unchanged."""

from __future__ import annotations

from collections import Counter

import pytest

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline_tests.exact_description.conftest import SHOP
from specbridge_pipeline_tests.exact_description.statement_mutations import mutants
from specbridge_pipeline_tests.exact_description.test_golden_texts import CASES

# Rows that the shop lacks: unmatched on both sides, missing keys, a price of nothing.
MORE_ROWS = """
INSERT INTO customer VALUES (6, 'Fay', 'Oslo'), (7, 'berta', NULL), (8, 'Ada', 'Rome');
INSERT INTO purchase VALUES
  (11, NULL, 'tea', 15, 2), (12, 99, 'jam', 3, 0), (13, 2, NULL, 40, 7), (14, 6, 'oil', NULL, 3),
  (15, 1, 'tea', 10, 2), (16, 3, 'fig', 41, 5), (17, 3, 'fig', -4, 9);
"""


@pytest.fixture(params=list(Engine))
def engine(request):
    return request.param


@pytest.fixture
def cases(engine):
    """Return the statements to change: all on one engine, a part on the other to save time."""
    return CASES if engine is Engine.SQLITE else CASES[::6]


@pytest.fixture
def schema(engine, shop_on):
    return shop_on(engine)


@pytest.fixture
def results(engine, make_runner, make_duckdb_runner):
    """Return what a statement returns on both shops; None where it does not run."""
    make = make_runner if engine is Engine.SQLITE else make_duckdb_runner
    # The referenced customers that there are not: DuckDB would not let them in.
    shop = SHOP.replace(" REFERENCES customer (id)", "")
    runners = [make(shop), make(shop + MORE_ROWS)]

    def run(sql):
        outcomes = [runner(sql) for runner in runners]
        if any(isinstance(outcome, QueryFailure) for outcome in outcomes):
            return None
        return [outcome.rows for outcome in outcomes]

    return run


def comparable(rows, ordered):
    texts = [repr(row) for row in rows]
    return texts if ordered else sorted(texts)


def text_of(sql, schema):
    """Return a statement's text; a statement that is refused is told apart by that."""
    try:
        return describe(sql, schema).text
    except SpecBridgeError:
        return None


def differs(one, other, ordered):
    return any(
        comparable(before, ordered) != comparable(after, ordered)
        for before, after in zip(one, other, strict=True)
    )


@pytest.mark.slow
def test_every_change_of_a_result_is_a_change_of_the_text(engine, cases, results, schema):
    counted: Counter[str] = Counter()
    described: Counter[str] = Counter()
    untold = []
    for case in cases:
        sql = case["sql"]
        text, before = text_of(sql, schema), results(sql)
        if engine is Engine.DUCKDB and before is None:
            # A column beside the key that determines it: DuckDB refuses it, and so do we.
            assert text is None
            continue
        assert text is not None
        assert before is not None
        ordered = " ORDER BY " in " ".join(sql.split())
        for mutant, kind in mutants(sql, engine).items():
            after = results(mutant)
            if after is None or not differs(before, after, ordered):
                continue
            counted[kind] += 1
            changed = text_of(mutant, schema)
            described[kind] += changed is not None
            if changed == text:
                untold.append(f"{kind}: {sql} -> {mutant}")
    assert not untold, "\n".join(untold)
    assert sum(counted.values()) > (30 if engine is Engine.SQLITE else 15) * len(cases)
    if engine is Engine.DUCKDB:
        return
    # Each kind of change is told apart by words, not only by a refusal.
    assert set(+described) >= {
        "aggregate", "column", "condition dropped", "constant", "direction", "distinct",
        "division", "having dropped", "join kind", "key dropped", "limit dropped", "null test",
        "offset dropped", "operator", "order dropped", "partition", "rank for limit",
        "where dropped",
    }  # fmt: skip


@pytest.mark.slow
def test_mutants_of_one_statement_that_differ_from_each_other_have_different_texts(
    engine, cases, results, schema
):
    untold = []
    for case in cases:
        by_text: dict[str, tuple[str, list]] = {}
        for mutant in mutants(case["sql"], engine):
            after, text = results(mutant), text_of(mutant, schema)
            if after is None or text is None or "LIMIT" in mutant:
                # What a cut through tied rows returns is not determined.
                continue
            first, before = by_text.setdefault(text, (mutant, after))
            if differs(before, after, False):
                untold.append(f"{first} -> {mutant}")
    assert not untold, "\n".join(untold)
