"""Corrections of a catalogue that somebody proposes, each checked against what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    ColumnProfile,
    Dimension,
    Evidence,
    Quantity,
    Role,
)
from specbridge_pipeline.catalogue.unit_words import NOT_ADDED_QUANTITIES
from specbridge_pipeline.catalogue.units import dimension_of_unit, known_unit

ROLE, UNIT, SUM = "role", "unit", "sum"
_MOST_VALUES_OF_CATEGORY = 1_000
_FEWEST_VALUES_OF_MEASURE = 3
_FEWEST_NAMES = 0.1
"""Share of the rows that must differ in an identifier which refers to nothing."""
_MOST_PERCENT = 1_000
_YEARS = (1000, 2200)
_SETTLED = {Evidence.DECLARED: "the schema says", Evidence.DOCUMENT: "a document says"}
_STATED = ("the document says", "the catalogue file")
"""How reasons begin that a model's opinion does not outweigh."""
_SMALLEST_DAY_AS_NUMBER = 10_000


@dataclass(frozen=True, slots=True)
class Correction:
    """A field of a column that somebody wants to be otherwise.

    Attributes:
        table: The column's table.
        column: The column.
        field: `role`, `unit` or `sum`.
        value: What it should be: a role, a unit in words, "true" or "false".
        why: What they say for it.
    """

    table: str
    column: str
    field: str
    value: str
    why: str


@dataclass(frozen=True, slots=True)
class CheckedCorrection:
    """A correction with what became of it.

    Attributes:
        correction: What was proposed.
        refusal: Why it is not taken over; empty where it is.
    """

    correction: Correction
    refusal: str

    def __str__(self) -> str:
        """Say it in one line."""
        asked = self.correction
        what = f"{asked.table}.{asked.column}: {asked.field} {asked.value}"
        return f"{what} – refused: {self.refusal}" if self.refusal else f"{what} – taken over"


def correct(
    catalogue: Catalogue, proposals: Iterable[Correction], proposer: str
) -> tuple[Catalogue, tuple[CheckedCorrection, ...]]:
    """Take over the corrections that the data do not contradict.

    Args:
        catalogue: The catalogue.
        proposals: The corrections in order; a later one meets what earlier ones have changed.
        proposer: Who proposes them, for the reasons.

    Returns:
        The corrected catalogue, and each correction with why it was refused, if it was.
    """
    checked: list[CheckedCorrection] = []
    for proposal in proposals:
        try:
            table = catalogue.table(proposal.table)
            column = table.column(proposal.column)
        except KeyError:
            checked.append(CheckedCorrection(proposal, "there is no such column"))
            continue
        refusal = _refusal(catalogue, table, column, proposal)
        checked.append(CheckedCorrection(proposal, refusal))
        if not refusal:
            catalogue = _with(catalogue, table, _corrected(column, proposal, proposer))
    return catalogue, tuple(checked)


def _refusal(
    catalogue: Catalogue, table: CatalogueTable, column: CatalogueColumn, proposal: Correction
) -> str:
    if proposal.field == ROLE:
        return _refused_role(catalogue, table, column, proposal.value)
    if proposal.field == UNIT:
        return _refused_unit(column, proposal.value)
    if proposal.field == SUM:
        return _refused_sum(column, proposal.value)
    return f"a catalogue has no field '{proposal.field}' to correct"


def _refused_role(
    catalogue: Catalogue, table: CatalogueTable, column: CatalogueColumn, value: str
) -> str:
    if value not in [role.value for role in Role]:
        return f"'{value}' is no role"
    role, profile = Role(value), column.profile
    if role is column.role:
        return "it has this role already"
    if column.role_evidence in _SETTLED:
        return f"{_SETTLED[column.role_evidence]} what it is"
    present = table.rows - profile.missing
    if not present and role is not Role.OTHER:
        return "it has no values"
    if role is Role.IDENTIFIER:
        return _refused_identifier(catalogue, table, column, present)
    if role is Role.MEASURE:
        if profile.texts or profile.integers + profile.reals < present:
            return f"{present - profile.integers - profile.reals:,} of its values are no numbers"
        few = profile.distinct < _FEWEST_VALUES_OF_MEASURE
        return f"it has {profile.distinct} different values" if few else ""
    if role is Role.CATEGORY:
        if profile.distinct > _MOST_VALUES_OF_CATEGORY:
            return f"it has {profile.distinct:,} different values"
        return "its values hardly repeat" if 2 * profile.distinct > present else ""
    if role is Role.FLAG:
        return "" if profile.distinct <= 2 else f"it has {profile.distinct:,} different values"
    if role is Role.DATE:
        return "" if _may_be_dates(profile) else "its values are no days, times or years"
    if role is Role.FREE_TEXT:
        return "" if profile.texts == present else "it holds values that are no texts"
    return ""


def _refused_identifier(
    catalogue: Catalogue, table: CatalogueTable, column: CatalogueColumn, present: int
) -> str:
    profile = column.profile
    if profile.reals:
        return "it holds numbers with fractions"
    refers = any(
        column.name in each.child_columns for each in catalogue.relationships_of(table.name)
    )
    if not refers and profile.distinct < _FEWEST_NAMES * present:
        return f"{present:,} rows share {profile.distinct:,} values, and it refers to no table"
    return ""


def _may_be_dates(profile: ColumnProfile) -> bool:
    low, high = profile.minimum, profile.maximum
    if isinstance(low, str) and isinstance(high, str):
        return any(letter.isdigit() for letter in low) and any(letter.isdigit() for letter in high)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return low >= _SMALLEST_DAY_AS_NUMBER or (_YEARS[0] <= low and high <= _YEARS[1])


def _refused_unit(column: CatalogueColumn, value: str) -> str:
    if column.role is not Role.MEASURE:
        return "only a measure has a unit"
    unit = known_unit(value)
    if not unit:
        return f"'{value}' is not known as a unit"
    if unit == column.unit:
        return "it has this unit already"
    if column.unit and column.unit_reason.startswith(_STATED):
        return column.unit_reason
    profile, dimension = column.profile, dimension_of_unit(unit)
    known = column.dimension
    if (
        dimension is not None
        and known is not None
        and Quantity.UNKNOWN is not known.quantity
        and (dimension.quantity, dimension.per) != (known.quantity, known.per)
    ):
        return f"it is a number of {known}, and {unit} are a number of {dimension}"
    if unit == "percent" and _greatest(profile) > _MOST_PERCENT:
        return f"its greatest value is {profile.maximum}"
    return ""


def _refused_sum(column: CatalogueColumn, value: str) -> str:
    if value.lower() not in ("true", "false"):
        return f"'{value}' is neither true nor false"
    wanted = value.lower() == "true"
    if column.role is not Role.MEASURE or column.dimension is None:
        return "only a measure is added up"
    if wanted is column.summable:
        return "it says so already"
    if column.summable_reason.startswith(_STATED):
        return column.summable_reason
    if not wanted:
        return ""
    if column.dimension.is_rate:
        return "one quantity per another does not add up"
    return NOT_ADDED_QUANTITIES.get(column.dimension.quantity, "")


def _corrected(column: CatalogueColumn, proposal: Correction, proposer: str) -> CatalogueColumn:
    reason = f"{proposer} says: {proposal.why}" if proposal.why else f"{proposer} says so"
    if proposal.field == UNIT:
        unit = known_unit(proposal.value)
        dimension = dimension_of_unit(unit) or column.dimension
        return replace(column, unit=unit, dimension=dimension, unit_reason=reason)
    if proposal.field == SUM:
        summable = proposal.value.lower() == "true"
        return replace(
            column,
            summable=summable,
            summable_reason=reason,
            denominator=column.denominator and summable,
        )
    role = Role(proposal.value)
    return replace(
        column,
        role=role,
        role_evidence=Evidence.MODEL,
        role_reason=reason,
        unit="",
        unit_reason="",
        dimension=Dimension(Quantity.UNKNOWN) if role is Role.MEASURE else None,
        summable=False,
        summable_reason="nothing says that its values add up" if role is Role.MEASURE else "",
        denominator=False,
    )


def _with(catalogue: Catalogue, table: CatalogueTable, column: CatalogueColumn) -> Catalogue:
    columns = tuple(column if each.name == column.name else each for each in table.columns)
    changed = replace(table, columns=columns)
    tables = tuple(changed if each.name == table.name else each for each in catalogue.tables)
    return replace(catalogue, tables=tables)


def _greatest(profile: ColumnProfile) -> float:
    return float(profile.maximum) if isinstance(profile.maximum, int | float) else 0.0
