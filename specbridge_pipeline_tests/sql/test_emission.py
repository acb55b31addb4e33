from __future__ import annotations

import pytest

from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.parsing import parse_query


@pytest.mark.parametrize(
    ("written", "emitted"),
    [
        ("SELECT CAST(d AS DATE)", "SELECT CAST(d AS DATE)"),
        ("SELECT CAST(d AS DATETIME)", "SELECT CAST(d AS DATETIME)"),
        ("SELECT CAST(a AS DECIMAL(10, 2)) / 2", "SELECT CAST(a AS DECIMAL) / 2"),
        ("SELECT CAST(CAST(a AS BOOLEAN) AS DATE)", "SELECT CAST(CAST(a AS BOOLEAN) AS DATE)"),
        ("SELECT CAST(a AS REAL), DATE(d)", "SELECT CAST(a AS REAL), DATE(d)"),
    ],
)
def test_casts_stay_casts(written: str, emitted: str) -> None:
    query = parse_query(written)
    assert emit(query) == emitted
    assert emit(query) == emitted, "emitting must not change the tree"
