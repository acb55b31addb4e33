"""The document on the audit shows what the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from specbridge_pipeline_tests.support.audit_examples import BLOCK, DOCUMENT, examples


@pytest.mark.slow
def test_the_examples_of_the_document_are_those_of_today(tmp_path: Path) -> None:
    """When this fails: python -m specbridge_pipeline_tests.support.audit_examples."""
    shown = {found[1]: found[2] for found in BLOCK.finditer(DOCUMENT.read_text("utf-8"))}
    assert shown == examples(tmp_path)
