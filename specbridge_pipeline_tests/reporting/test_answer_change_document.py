"""The document on answers that change says what the shipped rows and the code say."""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline.choices.answer_changes.data_kinds import CHOICES_ON
from specbridge_pipeline_tests.support.answer_change_tables import DOCUMENT, tables
from specbridge_pipeline_tests.support.study_tables import BLOCK

_TEXT = DOCUMENT.read_text("utf-8")


def test_the_tables_of_the_document_are_those_of_the_shipped_rows(tmp_path: Path) -> None:
    """When this fails: python -m specbridge_pipeline_tests.support.answer_change_tables."""
    shown = {found[1]: found[2] for found in BLOCK.finditer(_TEXT)}
    assert shown == tables(tmp_path / "warehouse")


def test_the_document_names_the_choices_on_each_kind_of_data() -> None:
    lines = [line for line in _TEXT.splitlines() if line.startswith("| ")]
    for kind, choices in CHOICES_ON.items():
        listed = ", ".join(each.label for each in choices)
        assert any(kind.value in line and line.endswith(f"| {listed} |") for line in lines), kind
