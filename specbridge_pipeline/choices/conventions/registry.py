"""The conventions that references are read for, one a choice type."""

from __future__ import annotations

from specbridge_pipeline.choices.conventions import ties

CONVENTIONS = (ties.CONVENTION,)
"""In the order of the paper's Table S1."""
