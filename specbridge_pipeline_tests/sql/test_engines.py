"""Each engine's rules are what the engine itself does."""

from __future__ import annotations

import apsw
import pytest

from specbridge_pipeline.sql.engines.sqlite import SQLITE


def test_the_quoted_words_are_the_engine_s() -> None:
    for keyword in apsw.keywords:
        assert SQLITE.quoted(keyword.lower()) == f'"{keyword.lower()}"'


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a_1", "a_1"), ("1a", '"1a"'), ("", '""'), ('a"b', '"a""b"'), ("größe", '"größe"')],
)
def test_an_identifier_is_quoted_when_it_would_not_be_read_as_itself(
    name: str, expected: str
) -> None:
    assert SQLITE.quoted(name) == expected
