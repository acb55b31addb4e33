"""The conventions that references are read for, one a choice type."""

from __future__ import annotations

from specbridge_pipeline.choices.conventions import (
    counting_unit,
    missing_values,
    population_scope,
    strict_cutoff,
    ties,
    value_matching,
)

CONVENTIONS = tuple(
    module.CONVENTION
    for module in (
        counting_unit,
        missing_values,
        population_scope,
        strict_cutoff,
        ties,
        value_matching,
    )
)
"""In the order of the paper's Table S1."""
