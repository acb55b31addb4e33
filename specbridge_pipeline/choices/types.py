"""The fourteen types of calculation choices (the paper, Table S7 and Appendix B)."""

from __future__ import annotations

from enum import StrEnum


class ChoiceType(StrEnum):
    """What kind of decision a request can leave open; the value is its name in stored rows."""

    AGGREGATION_LEVEL = "aggregation_level"
    CALCULATION = "calculation"
    QUANTIFIER = "quantifier"
    CONDITION_LINKAGE = "condition_linkage"
    COUNTING_UNIT = "counting_unit"
    MISSING_VALUES = "missing_values"
    NEGATION = "negation"
    POPULATION_SCOPE = "population_scope"
    REFERENT_COLUMN = "referent_column"
    RELATIONSHIP_ROLE = "relationship_role"
    STRICT_CUTOFF = "strict_cutoff"
    TIES = "ties"
    TIME_SCOPE = "time_scope"
    VALUE_MATCHING = "value_matching"

    @property
    def label(self) -> str:
        """The name in tables and charts."""
        return self.value.replace("_", " ")
