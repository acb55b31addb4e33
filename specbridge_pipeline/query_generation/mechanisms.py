"""The mechanisms that make generation work, each of which a study can switch off."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """Which mechanisms are at work; all of them unless a study asks what one is worth.

    Attributes:
        deduplication: No query is delivered twice, by its plan or by its result.
        step_data_checks: What a step gives on the data is checked as soon as the step is there.
        column_profile: Columns are chosen by what was measured of them: missing and different
            values, and their sign.
        look_ahead: A step after which the target is out of reach is never drawn.
        must_vary: A quantity has to differ between rows.
        restatement_rules: No step says again what an earlier one said.
        type_rules: Only columns and values are combined, added up and averaged whose roles, units
            and sorts allow it.
    """

    deduplication: bool = True
    step_data_checks: bool = True
    column_profile: bool = True
    look_ahead: bool = True
    must_vary: bool = True
    restatement_rules: bool = True
    type_rules: bool = True

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all mechanisms, in the order of the paper's Figure S2."""
        return tuple(each.name for each in fields(cls))

    @classmethod
    def none(cls) -> Mechanisms:
        """Return the naive generator: no mechanism is at work."""
        return cls(**dict.fromkeys(cls.names(), False))

    def without(self, name: str) -> Mechanisms:
        """Return these without one.

        Args:
            name: One of `names()`.

        Raises:
            ValueError: There is no such mechanism.
        """
        if name not in self.names():
            raise ValueError(f"there is no mechanism '{name}'; there are {self.names()}")
        return replace(self, **{name: False})


ALL = Mechanisms()
"""Every mechanism: what generation is always done with outside a study."""
