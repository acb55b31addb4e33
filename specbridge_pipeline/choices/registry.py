"""The choice types that queries are searched for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from specbridge_pipeline.choices import aggregation_level, counting_unit, ties
from specbridge_pipeline.choices.choice import ChoiceModule
from specbridge_pipeline.choices.types import ChoiceType

_MODULES: tuple[ChoiceModule, ...] = (
    aggregation_level,
    counting_unit,
    ties,
)

CHOICES: Mapping[ChoiceType, ChoiceModule] = MappingProxyType(
    {module.choice_type: module for module in _MODULES}
)
"""Choice type → its module."""
