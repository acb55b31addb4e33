"""Calculating with dimensions: what may be added and compared, and what a ratio is in."""

from __future__ import annotations

from specbridge_pipeline.catalogue.model import CatalogueColumn, Dimension, Quantity
from specbridge_pipeline.catalogue.naming import plural, singular

_ARBITRARY_ZERO = frozenset({Quantity.TEMPERATURE, Quantity.ANGLE, Quantity.RANK})
_ABSOLUTE_UNITS = frozenset({"kelvin"})


def are_compatible(first: CatalogueColumn, second: CatalogueColumn) -> bool:
    """Return whether the values of two measures can be subtracted and compared.

    They can where both are numbers of the same kind of thing, in the same unit. Counts of
    different things are of one kind: wins minus losses is a number that people ask for.

    Args:
        first: A measure.
        second: Another one.
    """
    one, other = first.dimension, second.dimension
    if one is None or other is None or Quantity.UNKNOWN in (one.quantity, other.quantity):
        return False
    if (one.quantity, one.per, one.per_of) != (other.quantity, other.per, other.per_of):
        return False
    # The unit of one may be known from a document and that of the other not.
    return first.unit == second.unit or not (first.unit and second.unit)


def are_divisible(numerator: CatalogueColumn, divisor: CatalogueColumn) -> bool:
    """Return whether one measure divided by another is something.

    A rate is divided by nothing further, and two amounts of one kind only in one unit: dollars per
    euro is an exchange rate, whatever was spent. Of what is not known as a number of anything it is
    enough that it is no rate.

    Args:
        numerator: What is divided.
        divisor: What it is divided by.
    """
    one, other = numerator.dimension, divisor.dimension
    if one is None or other is None:
        return False
    if Quantity.UNKNOWN in (one.quantity, other.quantity):
        return not (one.is_rate or other.is_rate)
    if ratio_dimension(one, other) is None:
        return False
    if one.quantity is not other.quantity or one.quantity is Quantity.COUNT:
        return True
    return numerator.unit == divisor.unit or not (numerator.unit and divisor.unit)


def has_true_zero(column: CatalogueColumn) -> bool:
    """Return whether zero of a measure is none of it, so that twice as much means something.

    Twenty degrees are not twice ten, and no direction is half of another one.
    """
    if column.dimension is None:
        return True
    return column.dimension.quantity not in _ARBITRARY_ZERO or column.unit in _ABSOLUTE_UNITS


def is_place(column: CatalogueColumn) -> bool:
    """Return whether a number says where in an order something stands, not how much of it."""
    return column.dimension is not None and column.dimension.quantity is Quantity.RANK


def ratio_dimension(numerator: Dimension, divisor: Dimension) -> Dimension | None:
    """Return the dimension of one quantity divided by another.

    Args:
        numerator: What is divided.
        divisor: What it is divided by.

    Returns:
        A share where both are the same, else the one per the other; None where either is a rate or
        unknown already, since nobody says what the ratio of these is in.
    """
    if numerator.is_rate or divisor.is_rate:
        return None
    if Quantity.UNKNOWN in (numerator.quantity, divisor.quantity):
        return None
    if numerator == divisor:
        return Dimension(Quantity.SHARE)
    return Dimension(numerator.quantity, numerator.of, divisor.quantity, divisor.of)


def ratio_unit(numerator: CatalogueColumn, divisor: CatalogueColumn) -> str:
    """Return the unit of one measure divided by another: "US dollars per day".

    Args:
        numerator: What is divided.
        divisor: What it is divided by.

    Returns:
        The unit in words; empty where they are in the same unit, or one is not known or a rate.
    """
    above, below = _counted_in(numerator), _counted_in(divisor)
    if not above or not below or above == below or " per " in f"{above} {below}":
        return ""
    return f"{above} per {singular(below)}"


def _counted_in(column: CatalogueColumn) -> str:
    if column.unit:
        return column.unit
    dimension = column.dimension
    if dimension is None or dimension.quantity is not Quantity.COUNT or dimension.is_rate:
        return ""
    return plural(dimension.of) if dimension.of else ""
