"""The document on conventions shows the counts of edits that ship."""

from __future__ import annotations

from specbridge_pipeline_tests.support.edit_tables import BLOCK, DOCUMENT, tables


def test_the_table_of_edits_is_that_of_the_shipped_counts():
    """When this fails: python -m specbridge_pipeline_tests.support.edit_tables."""
    shown = {found[1]: found[2] for found in BLOCK.finditer(DOCUMENT.read_text("utf-8"))}
    assert shown == tables()
