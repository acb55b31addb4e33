"""Two queries differ in one step, or it is said why they do not."""

from __future__ import annotations

import pytest

from specbridge_pipeline.sql.changed_step import changed_step

_BEST = "SELECT name FROM boats ORDER BY length DESC LIMIT 1"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b >= 1"),
        (
            "SELECT a FROM t WHERE b > (SELECT MAX(b) FROM t)",
            "SELECT a FROM t WHERE b > (SELECT MIN(b) FROM t)",
        ),
        # A LIMIT, or a ranking inside with a condition on the place.
        (
            _BEST,
            "SELECT name FROM (SELECT name, RANK() OVER (ORDER BY length DESC) AS place "
            "FROM boats) WHERE place <= 1",
        ),
        # A set operation, or one SELECT with a condition more.
        (
            "SELECT a FROM t WHERE b = 1 INTERSECT SELECT a FROM t WHERE c = 2",
            "SELECT DISTINCT a FROM t WHERE b = 1 AND c = 2",
        ),
        (
            "WITH s AS (SELECT a, COUNT(*) AS n FROM t GROUP BY a) SELECT AVG(n) FROM s",
            "WITH s AS (SELECT a, COUNT(DISTINCT b) AS n FROM t GROUP BY a) SELECT AVG(n) FROM s",
        ),
        ("SELECT a FROM t", "SELECT a FROM t WHERE b IN (SELECT b FROM u)"),
    ],
)
def test_one_step_may_be_written_in_several_ways(one, other):
    assert changed_step(one, other).reason == ""
    assert changed_step(other, one).one_step


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("SELECT a FROM t", 'select ("a") from T -- all', "the queries are the same"),
        (
            "SELECT a FROM (SELECT a FROM t WHERE b = 1) WHERE a IN (SELECT c FROM u)",
            "SELECT a FROM (SELECT a FROM t WHERE b = 2) WHERE a IN (SELECT c FROM u WHERE d = 1)",
            "do not stand inside each other",
        ),
        (
            "SELECT a FROM t WHERE b = (SELECT MAX(b) FROM t)",
            "SELECT a FROM t WHERE b = 1 AND c = (SELECT d FROM (SELECT d FROM (SELECT 1 AS d)))",
            "SELECTs differ",
        ),
        (
            "SELECT a FROM t WHERE b = (SELECT MAX(b) FROM (SELECT b FROM t WHERE c = 1))",
            "SELECT a, b FROM t WHERE b = (SELECT MAX(b) FROM (SELECT b FROM t WHERE c = 2))",
            "do not stand inside each other",
        ),
        (
            "SELECT a FROM (SELECT a FROM t) WHERE a IN (SELECT a FROM u)",
            "SELECT a FROM (SELECT a FROM t UNION SELECT a FROM t) WHERE a IN "
            "(SELECT a FROM u UNION SELECT a FROM u)",
            "",
        ),
    ],
)
def test_more_than_one_step_is_not_one(one, other, said):
    found = changed_step(one, other)
    assert not found.one_step
    assert said in found.reason


def test_what_differs_is_shown_without_what_is_nested():
    found = changed_step(
        "SELECT a FROM t WHERE b > (SELECT MAX(b) FROM t)",
        "SELECT a FROM t WHERE b >= (SELECT MAX(b) FROM t)",
    )
    assert found.before == ("SELECT a FROM t WHERE b > (…)",)
    assert found.after == ("SELECT a FROM t WHERE b >= (…)",)
