import pytest

from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.steps import StepKind, named_steps, split_steps

SQL = """
WITH g AS (SELECT city, AVG(cost) AS c FROM visits GROUP BY city),
  base (x) AS (SELECT AVG(c) FROM g)
SELECT g.city, d.n, (SELECT MAX(c) FROM g) AS top
FROM (g JOIN base ON g.c > base.x) JOIN (SELECT city, COUNT(*) AS n FROM doctors) AS d
  ON d.city = g.city
WHERE g.city IN (SELECT city FROM (SELECT city FROM offices UNION SELECT city FROM main.g))
"""


def test_every_query_of_a_statement_is_a_step_after_those_it_reads():
    steps = split_steps(parse_query(SQL)).steps
    for index, step in enumerate(steps):
        assert all(read < index for read in step.reads)
    named = {step.name: step for step in steps if step.name}
    assert {name: step.kind for name, step in named.items()} == {
        "g": StepKind.WITH,
        "base": StepKind.WITH,
        "d": StepKind.DERIVED,
    }
    assert named["base"].columns == ("x",)
    main = steps[-1]
    assert main.kind is StepKind.MAIN
    assert [source.alias for source in main.sources] == ["g", "base", "d"]
    assert {steps[index].name for index in main.reads} == {"g", "base", "d", ""}
    kinds = [step.kind for step in steps]
    assert kinds.count(StepKind.SUBQUERY) == 2
    assert kinds.count(StepKind.BRANCH) == 2
    assert kinds.count(StepKind.DERIVED) == 2


def test_a_name_under_a_schema_is_a_table_though_an_entry_is_called_so():
    steps = split_steps(parse_query(SQL)).steps
    [offices, other] = [step for step in steps if step.kind is StepKind.BRANCH]
    assert [source.table for source in (*offices.sources, *other.sources)] == ["offices", "g"]
    assert other.reads == ()


def test_a_step_is_found_by_its_tree():
    steps = split_steps(parse_query(SQL))
    for index, step in enumerate(steps.steps):
        assert steps.index_of(step.query) == index


def test_named_steps_are_the_entries_and_the_main_select():
    named = named_steps(parse_query(SQL))
    assert [step.name for step in named] == ["g", "base", ""]
    assert [step.reads for step in named] == [frozenset(), {"g"}, {"g", "base"}]
    assert named[-1].query.args.get("with_") is None


def test_an_entry_of_a_subquery_hides_one_of_the_statement():
    sql = "WITH g AS (SELECT 1 AS x) SELECT * FROM (WITH g AS (SELECT 2 AS x) SELECT x FROM g) AS d"
    assert named_steps(parse_query(sql))[-1].reads == frozenset()
    steps = split_steps(parse_query(sql)).steps
    assert [step.name for step in steps] == ["g", "g", "d", ""]
    assert steps[2].reads == (1,)


def test_an_entry_that_reads_itself_through_another_is_refused():
    sql = "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT 1"
    with pytest.raises(UnusableReferenceError, match="reads itself"):
        split_steps(parse_query(sql))
