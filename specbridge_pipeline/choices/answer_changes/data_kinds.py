"""Kinds of data on which an unstated choice changes an answer, counted on a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    Relationship,
    Role,
)
from specbridge_pipeline.choices.conventions.proving import Run
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.sql.engines import rules_of


class DataKind(StrEnum):
    """A kind of data on which a choice matters; the value is its name in stored rows."""

    REPEATING_JOINS = "joins that repeat rows"
    UNEQUAL_GROUPS = "groups of different sizes"
    UNMATCHED_PARENTS = "rows that nothing refers to"
    UNMATCHED_CHILDREN = "rows that refer to nothing"
    SEVERAL_LINKS = "tables linked in several ways"
    MISSING_VALUES = "columns with missing values"
    SHARED_EXTREMES = "extremes shared by several rows"
    SHARED_NAMES = "names shared by several rows"
    SPELLINGS = "texts that differ in case or blanks alone"


CHOICES_ON: dict[DataKind, tuple[ChoiceType, ...]] = {
    DataKind.REPEATING_JOINS: (
        ChoiceType.COUNTING_UNIT,
        ChoiceType.NEGATION,
        ChoiceType.CONDITION_LINKAGE,
    ),
    DataKind.UNEQUAL_GROUPS: (ChoiceType.AGGREGATION_LEVEL,),
    DataKind.UNMATCHED_PARENTS: (ChoiceType.POPULATION_SCOPE,),
    DataKind.UNMATCHED_CHILDREN: (ChoiceType.POPULATION_SCOPE,),
    DataKind.SEVERAL_LINKS: (ChoiceType.RELATIONSHIP_ROLE,),
    DataKind.MISSING_VALUES: (ChoiceType.MISSING_VALUES,),
    DataKind.SHARED_EXTREMES: (ChoiceType.TIES,),
    DataKind.SHARED_NAMES: (ChoiceType.COUNTING_UNIT, ChoiceType.REFERENT_COLUMN),
    DataKind.SPELLINGS: (ChoiceType.VALUE_MATCHING,),
}
"""Kind of data → the choice types that it makes matter."""

_RANKED = (Role.MEASURE, Role.DATE)


@dataclass(frozen=True, slots=True)
class _Place:
    """A column or relationship that could be of a kind, and whether it is."""

    kind: DataKind
    name: str
    present: bool


def data_kinds(
    source: str, catalogue: Catalogue, run: Run, *, at_once: int = AT_ONCE
) -> list[dict[str, Any]]:
    """Count, for each kind of data, the places of a database where it occurs.

    Args:
        source: Where the database is from.
        catalogue: The database's catalogue.
        run: Runs a query on the database; called by several threads.
        at_once: How many columns are measured at a time.

    Returns:
        Rows of DATA_KINDS, one a kind. A column that cannot be measured within the limits counts
        as without the kind.
    """
    places = [
        *_of_relationships(catalogue.relationships),
        *_of_columns(catalogue),
        *for_each(
            list(_measured(catalogue)),
            lambda measured: [measured(run)],
            description=catalogue.database,
            progress=None,
            at_once=at_once,
        ),
    ]
    return [
        _row(source, catalogue.database, kind, [each for each in places if each.kind is kind])
        for kind in DataKind
    ]


def _row(source: str, database: str, kind: DataKind, places: Sequence[_Place]) -> dict[str, Any]:
    present = [each.name for each in places if each.present]
    return {
        "source": source,
        "database": database,
        "kind": kind.value,
        "present": bool(present),
        "count": len(present),
        "of_count": len(places),
        "example": present[0] if present else "",
    }


def _of_relationships(relationships: Sequence[Relationship]) -> Iterator[_Place]:
    for each in relationships:
        name = f"{each.child} → {each.parent}"
        yield _Place(DataKind.REPEATING_JOINS, name, each.most_children > 1)
        yield _Place(DataKind.UNEQUAL_GROUPS, name, each.matched_parents > 1 and _is_uneven(each))
        yield _Place(DataKind.UNMATCHED_PARENTS, name, each.childless_parents > 0)
        yield _Place(
            DataKind.UNMATCHED_CHILDREN, name, each.unmatched_children + each.missing_children > 0
        )
    pairs: dict[tuple[str, str], int] = {}
    for each in relationships:
        pairs[each.child, each.parent] = pairs.get((each.child, each.parent), 0) + 1
    for (child, parent), count in pairs.items():
        yield _Place(DataKind.SEVERAL_LINKS, f"{child} → {parent}", count > 1)


def _is_uneven(each: Relationship) -> bool:
    """Say whether the parents that have children have different numbers of them."""
    return each.most_children * each.matched_parents != each.matched_children


def _of_columns(catalogue: Catalogue) -> Iterator[_Place]:
    for table in catalogue.tables:
        for column in table.columns:
            if not table.rows or column.profile.missing == table.rows:
                continue
            name = f"{table.name}.{column.name}"
            yield _Place(DataKind.MISSING_VALUES, name, column.profile.missing > 0)
            if column.role is Role.FREE_TEXT and (column.name,) != table.key:
                present = table.rows - column.profile.missing
                yield _Place(DataKind.SHARED_NAMES, name, column.profile.distinct < present)


def _measured(catalogue: Catalogue) -> Iterator[Callable[[Run], _Place]]:
    """Yield what has to ask the database, each for one column."""
    rules = rules_of(catalogue.engine)
    for table in catalogue.tables:
        for column in table.columns:
            if table.rows < 2 or column.profile.distinct < 2:
                continue
            if column.role in _RANKED:
                yield _shared_extreme(table, column, rules.quoted)
            elif column.profile.texts and column.role in (Role.FREE_TEXT, Role.CATEGORY):
                yield _spellings(table, column, rules.quoted)


def _shared_extreme(
    table: CatalogueTable, column: CatalogueColumn, quoted: Callable[[str], str]
) -> Callable[[Run], _Place]:
    value, source = quoted(column.name), quoted(table.name)
    sql = (
        f"SELECT SUM(CASE WHEN {value} = (SELECT MAX({value}) FROM {source}) THEN 1 ELSE 0 END), "
        f"SUM(CASE WHEN {value} = (SELECT MIN({value}) FROM {source}) THEN 1 ELSE 0 END) "
        f"FROM {source}"
    )
    name = f"{table.name}.{column.name}"

    def place(run: Run) -> _Place:
        outcome = run(sql)
        counts = outcome.rows[0] if isinstance(outcome, QueryResult) else ()
        shared = any(isinstance(each, int | float) and each > 1 for each in counts)
        return _Place(DataKind.SHARED_EXTREMES, name, shared)

    return place


def _spellings(
    table: CatalogueTable, column: CatalogueColumn, quoted: Callable[[str], str]
) -> Callable[[Run], _Place]:
    value, source = quoted(column.name), quoted(table.name)
    sql = f"SELECT COUNT(DISTINCT {value}), COUNT(DISTINCT LOWER(TRIM({value}))) FROM {source}"
    name = f"{table.name}.{column.name}"

    def place(run: Run) -> _Place:
        outcome = run(sql)
        counts = outcome.rows[0] if isinstance(outcome, QueryResult) else (0, 0)
        return _Place(DataKind.SPELLINGS, name, counts[0] != counts[1])

    return place
