"""The choice types that requests are written for, and those that queries are searched for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from specbridge_pipeline.choices import (
    aggregation_level,
    condition_linkage,
    counting_unit,
    missing_values,
    negation,
    population_scope,
    strict_cutoff,
    ties,
    time_scope,
)
from specbridge_pipeline.choices.choice import ChoiceModule, FoundChoice
from specbridge_pipeline.choices.types import ChoiceType

_FOUND: tuple[FoundChoice, ...] = (
    aggregation_level,
    counting_unit,
    missing_values,
    ties,
)
_MADE: tuple[ChoiceModule, ...] = (
    condition_linkage,
    negation,
    population_scope,
    strict_cutoff,
    time_scope,
)

FOUND_CHOICES: Mapping[ChoiceType, FoundChoice] = MappingProxyType(
    {module.choice_type: module for module in _FOUND}
)
"""Choice type → its module, for the types that generated queries are searched for."""

CHOICES: Mapping[ChoiceType, ChoiceModule] = MappingProxyType(
    {module.choice_type: module for module in (*_FOUND, *_MADE)}
)
"""Choice type → its module, with those whose two queries are made together: choices of a filter."""
