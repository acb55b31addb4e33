"""What a step reads, and which columns each of its values is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

References: TypeAlias = frozenset[str]
"""Names of columns of tables in lower case, and values of steps: "2:0" is the first of step 3."""

_VALUE = re.compile(r"(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class StepOutline:
    """One step.

    Attributes:
        tables: The tables that it reads, in lower case, sorted.
        steps: The steps that it reads, in order, by position from 0.
        outputs: What each value that it gives is made of.
        keys: What it groups by.
        kept: What its conditions on rows and groups test.
        matched: What its joins compare.
        order: What its rows are ordered by.
    """

    tables: tuple[str, ...]
    steps: tuple[int, ...]
    outputs: tuple[References, ...]
    keys: References = frozenset()
    kept: References = frozenset()
    matched: References = frozenset()
    order: References = frozenset()

    def renumbered(self, places: Mapping[int, int]) -> StepOutline:
        """Return the same with steps that are counted differently.

        Args:
            places: Position of a step here → its position there.
        """

        def moved(names: References) -> References:
            return frozenset(_moved(name, places) for name in names)

        return replace(
            self,
            steps=tuple(places[step] for step in self.steps),
            outputs=tuple(map(moved, self.outputs)),
            keys=moved(self.keys),
            kept=moved(self.kept),
            matched=moved(self.matched),
            order=moved(self.order),
        )


Outline: TypeAlias = tuple[StepOutline, ...]


def value_of(step: int, place: int) -> str:
    """Return the reference to a value of a step, both by position from 0."""
    return f"{step}:{place}"


def _moved(name: str, places: Mapping[int, int]) -> str:
    found = _VALUE.fullmatch(name)
    return name if found is None else value_of(places[int(found[1])], int(found[2]))
