"""The arithmetic of a value when the values of earlier stages are written out in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Chain(Enum):
    """The chain of operations at the top of a value, which a further operation can prolong."""

    NONE = 0
    SUM = 1
    """Additions and subtractions: with signs free, both are one chain."""
    PRODUCT = 2


@dataclass(frozen=True, slots=True)
class Written:
    """The arithmetic of one value.

    Attributes:
        depth: How deep + - * / are nested in it.
        chain: The chain at its top.
    """

    depth: int = 0
    chain: Chain = Chain.NONE


def combined(left: Written, right: Written, chain: Chain) -> Written:
    """Return the arithmetic of two values combined.

    Args:
        left: The left operand.
        right: The right operand.
        chain: The chain that the operation belongs to; operands of the same one are prolonged by
            it, since a chain counts once.
    """
    depths = [
        each.depth - (chain is not Chain.NONE and each.chain is chain) for each in (left, right)
    ]
    return Written(1 + max(depths), chain)


def nested(parts: Iterable[Written]) -> Written:
    """Return the arithmetic of a value made of others by anything but + - * /."""
    return Written(max((part.depth for part in parts), default=0))
