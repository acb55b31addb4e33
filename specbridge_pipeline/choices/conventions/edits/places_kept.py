"""The places that a cut keeps, in words, and where a query may return more rows than it did."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.sql.places import Place, place_of


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut through ordered rows.

    Attributes:
        kept: How many rows are kept.
        passed: How many are passed over before them.
    """

    kept: int
    passed: int

    @property
    def last(self) -> int:
        """The last place that is kept, from 1."""
        return self.kept + self.passed

    @property
    def is_first(self) -> bool:
        """Whether the first place alone is kept."""
        return self.last == 1

    def places(self) -> str:
        """Say which places are kept."""
        if self.kept == 1:
            return f"place {self.last}"
        return f"places {self.passed + 1} to {self.last}"


def in_words(things: str, order: str, cut: Cut) -> str:
    """Say that as many rows are kept as there are places.

    Args:
        things: The rows, in the plural.
        order: What they are ordered by.
        cut: The places.
    """
    start = f"Of the {things}, ordered by {order},"
    if cut.is_first:
        return f"{start} one is kept; where several tie for the first place, any one of them."
    if cut.passed:
        return f"{start} only as many are kept as fill {cut.places()}; of those that tie, any."
    return (
        f"{start} the first {cut.kept} are kept and no more; where several tie for the last of "
        "these places, any of them."
    )


def tied_in_words(things: str, order: str, cut: Cut) -> str:
    """Say that all rows are kept that tie within the places; see `in_words`."""
    start = f"Of the {things}, ordered by {order},"
    if cut.is_first:
        return f"{start} every one that ties for the first place is kept."
    if cut.passed:
        return f"{start} every one is kept that is in {cut.places()} or ties with one that is."
    return (
        f"{start} the first {cut.kept} are kept, and with them every further one that ties with "
        "the last of them."
    )


def in_any_place(select: exp.Select) -> str:
    """Return why a query may not return several rows where it stands; empty where it may.

    A query that stands for one value may where that is compared for equality: any of several
    values can then be met, or none of them, instead.
    """
    place = place_of(select)
    if place is Place.EXISTENCE:
        return "The query is asked only whether it has rows, which ties do not change."
    if place is Place.VALUE and not isinstance(_comparison(select), exp.EQ | exp.NEQ):
        return "The query stands for one value, which several could not stand for."
    return ""


def _comparison(select: exp.Select) -> exp.Expr | None:
    around = select.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    return around
