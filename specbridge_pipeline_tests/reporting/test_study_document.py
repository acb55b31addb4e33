"""The document on the studies of the generator says what the shipped rows say."""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline_tests.support.study_tables import BLOCK, DOCUMENT, tables


def test_the_tables_of_the_document_are_those_of_the_shipped_rows(tmp_path: Path) -> None:
    """When this fails: python -m specbridge_pipeline_tests.support.study_tables."""
    shown = {found[1]: found[2] for found in BLOCK.finditer(DOCUMENT.read_text("utf-8"))}
    assert shown == tables(tmp_path / "warehouse")
