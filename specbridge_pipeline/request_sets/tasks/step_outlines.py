"""What a step reads, and which columns each of its values is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

References: TypeAlias = tuple[str, ...]
"""What something is made of, in the order of its words: columns of tables in lower case
("visits.cost"), values of steps ("2:0" is the first one of step 3), and before them how they are
put together ("average"). A column that stands in a text under a name that is a plain word too has a
question mark before it ("?visits.number"). Where rows are counted they are `ROWS`."""

MAYBE = "?"
ROWS = "*"

_VALUE = re.compile(r"(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class StepOutline:
    """One step.

    Attributes:
        tables: The tables that it reads, in lower case, sorted.
        steps: The steps that it reads, in order, by position from 0.
        outputs: What each value that it gives is made of.
        directed: Of each such value whether the order of its parts matters, as in a division.
        keys: What it groups by.
        kept: What its conditions on rows and groups test.
        matched: What its joins compare.
        order: What its rows are ordered by.
    """

    tables: tuple[str, ...]
    steps: tuple[int, ...]
    outputs: tuple[References, ...]
    directed: tuple[bool, ...] = ()
    keys: References = ()
    kept: References = ()
    matched: References = ()
    order: References = ()

    def renumbered(self, places: Mapping[int, int]) -> StepOutline:
        """Return the same with steps that are counted differently.

        Args:
            places: Position of a step here → its position there.
        """

        def moved(names: References) -> References:
            return tuple(_moved(name, places) for name in names)

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
