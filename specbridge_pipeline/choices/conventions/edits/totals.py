"""Whether a measure's values add up over rows, by its name."""

from __future__ import annotations

from specbridge_pipeline.catalogue.column_context import with_singulars
from specbridge_pipeline.catalogue.model import Quantity
from specbridge_pipeline.catalogue.naming import words_of
from specbridge_pipeline.catalogue.unit_words import QUANTITY_WORDS
from specbridge_pipeline.catalogue.vocabulary import (
    ADDED_UP,
    LEVEL_WORDS,
    NEVER_SUMMED,
    RUNNING_TABLE_WORDS,
    RUNNING_WORDS,
)
from specbridge_pipeline.sql.column_origins import SourceColumn


def adds_up(column: SourceColumn) -> bool:
    """Say whether a total of a column's values means something, as far as names tell.

    Where nothing says so an average is the safer whole: it is one of the same quantity.

    Args:
        column: The column of a table.
    """
    assert column.source.table is not None
    words = with_singulars(word.lower() for word in words_of(column.name))
    if column.column is not None:
        words |= with_singulars(word.lower() for word in words_of(column.column.name))
    table = with_singulars(word.lower() for word in words_of(column.source.table.name))
    if table & RUNNING_TABLE_WORDS or words & (NEVER_SUMMED | LEVEL_WORDS | RUNNING_WORDS):
        return False
    money = any(QUANTITY_WORDS.get(word) is Quantity.MONEY for word in words)
    return money or bool(words & ADDED_UP)
