"""The conventions that references are read for, one a choice type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from specbridge_pipeline.choices.conventions import (
    aggregation_level,
    calculation,
    condition_linkage,
    counting_unit,
    missing_values,
    negation,
    population_scope,
    quantifier,
    referent_column,
    relationship_role,
    strict_cutoff,
    ties,
    time_scope,
    value_matching,
)
from specbridge_pipeline.choices.conventions.convention import Convention
from specbridge_pipeline.choices.types import ChoiceType

_MODULES = (
    aggregation_level,
    calculation,
    quantifier,
    condition_linkage,
    counting_unit,
    missing_values,
    negation,
    population_scope,
    referent_column,
    relationship_role,
    strict_cutoff,
    ties,
    time_scope,
    value_matching,
)

CONVENTIONS: Mapping[ChoiceType, Convention] = MappingProxyType(
    {module.CONVENTION.choice_type: module.CONVENTION for module in _MODULES}
)
"""Choice type → its convention, in the order of the paper's Table S1."""
