"""Keys and relationships: the declared ones, those that names and data show, all measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import TypeVar

from specbridge_pipeline.catalogue.first_rows import FirstRows
from specbridge_pipeline.catalogue.model import ColumnProfile, Evidence, Relationship
from specbridge_pipeline.catalogue.naming import (
    CODE_WORDS,
    IDENTIFIER_WORDS,
    singular,
    words_of,
)
from specbridge_pipeline.catalogue.profiles import (
    Run,
    TableMeasures,
    count_distinct,
    fetch_row,
    whole,
)
from specbridge_pipeline.catalogue.vocabulary import (
    ADDED_UP,
    CALENDAR_WORDS,
    DATE_WORDS,
    GROUPING_WORDS,
    NEVER_SUMMED,
    REFERENCE_WORDS,
    WORDS_OF_ANOTHER,
)
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.databases.schema import Column, ForeignKey, Table
from specbridge_pipeline.sql.engines.rules import NUMERIC_KINDS, TEXT_KINDS, EngineRules

_MOST_UNMATCHED = 0.01
"""Share of a child's rows that may lack a parent in a relationship that is not declared."""

_KEY_WIDTHS = (2, 3, 4)
_MOST_KEY_COLUMNS = 7
_MOST_KEY_TESTS = 40
_FEWEST_ROWS_FOR_WIDE_KEY = 5
"""In a smaller table almost any columns together look like a key."""

_KEY_RANKS = {
    0: "a declared reference or its name says that it is the key",
    1: "its name ends in an identifier",
    2: "its name says that it is a code",
    3: "it names what a row is",
    4: "it is the first column",
}
"""Why a unique column is taken for a key, the best reason first."""

_GENERIC = frozenset(
    {
        "id",
        "name",
        "code",
        "number",
        "title",
        "type",
        "year",
        "date",
        "key",
        "status",
        "rank",
        "value",
        "description",
        "index",
        "order",
        "position",
        "level",
        "time",
    }
)
"""Names that columns of unrelated tables share."""

_LIKENESS = {
    4: "it is named like {parent}.{column}",
    3: "it is named for the key {parent}.{column}",
    2: "its name ends as that of {parent}.{column}",
    1: "its name stands for {parent}.{column}",
}
"""How a column's name is like that of a key, the closest last."""

_KEY_ENDING = re.compile(r"(?:number|num|nbr|no|nr|id|code)$")
_SHORTEST_KEY_NAME = 3
_FEWEST_VALUES_OF_ROLE = 3
"""Fewer small numbers occur in any key."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Facts:
    """A table with what was measured of it and its key.

    Attributes:
        table: The table as the schema declares it.
        measures: What was measured.
        key: Its key's columns; empty without one.
        key_evidence: Where the key comes from; None without one.
        key_reason: Why these columns are the key, in words; empty without one.
    """

    table: Table
    measures: TableMeasures
    key: tuple[str, ...]
    key_evidence: Evidence | None
    key_reason: str = ""

    @property
    def noun(self) -> tuple[str, ...]:
        """The words of the table's name, the last in the singular."""
        return tuple(singular(" ".join(words_of(self.table.name))).lower().split())

    def is_unique(self, place: int) -> bool:
        """Tell whether each row has another value in the column at a place."""
        profile = self.measures.columns[place].profile
        return self.measures.rows > 0 and profile.distinct == self.measures.rows

    def place(self, name: str) -> int:
        """Return a column's place by its name in any case.

        Raises:
            ValueError: The table has no such column.
        """
        names = [column.name.lower() for column in self.table.columns]
        return names.index(name.lower())


def find_key(
    table: Table,
    measures: TableMeasures,
    referenced: Collection[str],
    run: Run,
    rules: EngineRules,
    *,
    nouns: Collection[str] = (),
) -> Facts:
    """Find a table's key: the declared one, else columns that are unique and never missing.

    Args:
        table: The table.
        measures: What was measured of it.
        referenced: Its columns, in lower case, that a declared foreign key refers to alone.
        run: Runs a query on its database.
        rules: What holds for its engine.
        nouns: What the rows of other tables are, in lower case: a column named so refers to one.

    Returns:
        The table with its key, where that comes from and why; no columns without a key.

    Raises:
        CatalogueError: A query fails.
    """
    if table.primary_key:
        return Facts(
            table, measures, table.primary_key, Evidence.DECLARED, "it is declared as primary key"
        )
    facts = Facts(table, measures, (), None)
    if measures.rows < 2:
        return facts
    unique = [place for place in range(len(table.columns)) if facts.is_unique(place)]
    ranked = [
        (rank, place)
        for place in unique
        if (rank := _key_rank(facts, place, referenced)) is not None
    ]
    if ranked:
        rank, place = min(ranked)
        reason = f"each row has its own value, none is missing, and {_KEY_RANKS[rank]}"
        return replace(
            facts, key=(table.columns[place].name,), key_evidence=Evidence.DATA, key_reason=reason
        )
    if measures.rows >= _FEWEST_ROWS_FOR_WIDE_KEY:
        candidates = _key_columns(facts, nouns)
        first = FirstRows(table.name, [table.columns[each].name for each in candidates], run, rules)
        for names in _wide_keys(facts, candidates):
            if first.repeat(names):
                continue
            if count_distinct(table.name, names, run, rules) == measures.rows:
                reason = "together they are unique and never missing, and no fewer columns are"
                return replace(facts, key=names, key_evidence=Evidence.DATA, key_reason=reason)
    return facts


def find_relationships(
    tables: Sequence[Facts], run: Run, rules: EngineRules, *, at_once: int = AT_ONCE
) -> tuple[Relationship, ...]:
    """Return the relationships between tables, measured.

    A declared one is left out where its parent's columns do not exist or are not unique in the
    data: joining along it would repeat rows. One that is not declared is found where a column is
    named like a key, and nearly all its values occur there, or where it is named for somebody's
    role, and all its values occur in the key of one table alone.

    Args:
        tables: The tables.
        run: Runs a query on their database.
        rules: What holds for its engine.
        at_once: How many relationships are measured at a time.

    Returns:
        Them, sorted by child, its columns, parent.

    Raises:
        CatalogueError: A query fails.
    """
    by_name = {facts.table.name.lower(): facts for facts in tables}
    declared = [
        (child, *resolved)
        for child in tables
        for foreign_key in child.table.foreign_keys
        if (resolved := _resolved(child, foreign_key, by_name)) is not None
    ]

    def measure(each: tuple[Facts, tuple[str, ...], Facts, tuple[str, ...]]) -> list[Relationship]:
        child, columns, parent, parent_columns = each
        if not _are_unique(parent, parent_columns, run, rules):
            return []
        found = _measured(child, columns, parent, parent_columns, Evidence.DECLARED, run, rules)
        return [replace(found, reason="it is declared as a foreign key")]

    def all_of(
        work: Callable[[_Item], list[Relationship]], items: Sequence[_Item]
    ) -> list[Relationship]:
        return for_each(items, work, description="relationships", progress=None, at_once=at_once)

    found = all_of(measure, declared)
    taken = {(each.child, each.child_columns) for each in found}
    columns = [
        (child, column)
        for child in tables
        for column in child.table.columns
        if (child.table.name, (column.name,)) not in taken
    ]
    found += all_of(lambda each: _of_column(*each, tables, run, rules), columns)
    wide = [
        (child, parent, names)
        for child in tables
        for parent in _wide_parents(child, tables, rules)
        if (child.table.name, names := _names_in(child, parent.key)) not in taken
    ]
    found += all_of(lambda each: _of_columns(*each, run, rules), wide)
    by_columns: dict[tuple[str, tuple[str, ...], str, tuple[str, ...]], Relationship] = {}
    for each in found:
        by_columns.setdefault(
            (each.child, each.child_columns, each.parent, each.parent_columns), each
        )
    return tuple(by_columns[key] for key in sorted(by_columns))


def _of_column(
    child: Facts, column: Column, tables: Sequence[Facts], run: Run, rules: EngineRules
) -> list[Relationship]:
    """Return the reference that a column's name and values show, if they show one."""
    for parent, parent_column, likeness in _candidates(child, column, tables, rules):
        if _lies_outside(child, (column.name,), parent, (parent_column,), run, rules):
            continue
        each = _measured(child, (column.name,), parent, (parent_column,), Evidence.NAME, run, rules)
        if _holds(each, child):
            words = _LIKENESS[likeness].format(parent=parent.table.name, column=parent_column)
            return [replace(each, reason=f"{words}, and {_shown(each)}")]
    return _of_role(child, column, tables, run, rules)


def _of_role(
    child: Facts, column: Column, tables: Sequence[Facts], run: Run, rules: EngineRules
) -> list[Relationship]:
    """Return the reference of a column named for a role, if its values fit one table's key only.

    An advisor's number is some person's, and which table has the persons its values say: all of
    them must occur in the key of exactly one table.
    """
    words = _lowered(column.name)
    stem = words[:-1] if words[-1:] and words[-1] in IDENTIFIER_WORDS else words
    profile = child.measures.columns[child.place(column.name)].profile
    if not stem or stem[-1] not in REFERENCE_WORDS or profile.distinct < _FEWEST_VALUES_OF_ROLE:
        return []
    if profile.reals or profile.texts or child.key == (column.name,):
        return []
    fitting: list[Relationship] = []
    for parent in tables:
        if len(parent.key) != 1 or not _may_hold(profile, parent, parent.key[0]):
            continue
        each = _measured(child, (column.name,), parent, parent.key, Evidence.DATA, run, rules)
        if each.most_children and not each.unmatched_children:
            fitting.append(each)
    if len(fitting) != 1:
        return []
    return [
        replace(fitting[0], reason=f'"{stem[-1]}" is somebody\'s role, and {_shown(fitting[0])}')
    ]


def _may_hold(profile: ColumnProfile, parent: Facts, name: str) -> bool:
    """Tell whether a key has the extent to hold a column's values."""
    place = parent.place(name)
    target = parent.measures.columns[place].profile
    numbers = (profile.minimum, profile.maximum, target.minimum, target.maximum)
    if target.reals or target.texts or not parent.is_unique(place):
        return False
    if not all(isinstance(each, int) for each in numbers):
        return False
    least, greatest, lowest, highest = (int(str(each)) for each in numbers)
    return lowest <= least and greatest <= highest and profile.distinct <= target.distinct


def _of_columns(
    child: Facts, parent: Facts, names: tuple[str, ...], run: Run, rules: EngineRules
) -> list[Relationship]:
    """Return the reference of columns that are named like a key of several columns, if it holds."""
    if _lies_outside(child, names, parent, parent.key, run, rules):
        return []
    each = _measured(child, names, parent, parent.key, Evidence.NAME, run, rules)
    if not _holds(each, child):
        return []
    return [
        replace(
            each, reason=f"they are named like the key of {parent.table.name}, and {_shown(each)}"
        )
    ]


def _names_in(child: Facts, names: Sequence[str]) -> tuple[str, ...]:
    """Return columns of a table as it spells them."""
    return tuple(child.table.columns[child.place(name)].name for name in names)


def _shown(each: Relationship) -> str:
    """Say how many of a child's values have a parent."""
    if not each.unmatched_children:
        return "all its values occur there"
    return f"all but {each.unmatched_children:,} of its rows find a row there"


def referenced_columns(tables: Sequence[Table]) -> dict[str, set[str]]:
    """Return, by table, the columns that declared foreign keys refer to alone, in lower case."""
    found: dict[str, set[str]] = {}
    for table in tables:
        for key in table.foreign_keys:
            if len(key.referenced_columns) == 1:
                name = key.referenced_columns[0].lower()
                found.setdefault(key.referenced_table.lower(), set()).add(name)
    return found


def _key_rank(facts: Facts, place: int, referenced: Collection[str]) -> int | None:
    """Return how good a unique column is as a key, 0 best; None where it is none."""
    column = facts.table.columns[place]
    if column.name.lower() in referenced:
        return 0
    words = _lowered(column.name)
    if not words or facts.measures.columns[place].profile.reals:
        return None
    if words[-1] in IDENTIFIER_WORDS:
        return 0 if words[:-1] in ((), facts.noun, facts.noun[-1:]) else 1
    if words[-1] in CODE_WORDS and "of" not in words:
        return 2
    if _is_quantity(words) or words[-1] in DATE_WORDS:
        return None
    if words[-1] in ("name", "title", "abbreviation") or words == facts.noun:
        return 3
    return 4 if place == 0 else None


def _key_columns(facts: Facts, nouns: Collection[str]) -> list[int]:
    """Return the places of columns that may be part of a key, a limited number."""
    return [
        place
        for place, column in enumerate(facts.table.columns)
        if _may_be_part_of_key(column, facts, place, nouns)
    ][:_MOST_KEY_COLUMNS]


def _wide_keys(facts: Facts, places: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield the columns that may be a key together, the likeliest first, a limited number."""
    tests = 0
    for width in _KEY_WIDTHS:
        for chosen in combinations(places, width):
            kinds = [facts.measures.columns[place].profile.distinct for place in chosen]
            if prod(kinds) < facts.measures.rows:
                continue
            tests += 1
            if tests > _MOST_KEY_TESTS:
                return
            yield tuple(facts.table.columns[place].name for place in chosen)


def _may_be_part_of_key(column: Column, facts: Facts, place: int, nouns: Collection[str]) -> bool:
    profile = facts.measures.columns[place].profile
    words = _lowered(column.name)
    if profile.missing or profile.reals or profile.distinct < 2 or not words:
        return False
    if words[-1] in IDENTIFIER_WORDS | CODE_WORDS | DATE_WORDS | GROUPING_WORDS | {"year", "name"}:
        return True
    if words[-1] in CALENDAR_WORDS or " ".join(words) in nouns:
        return True
    if any(column.name in key.columns for key in facts.table.foreign_keys):
        return True
    return profile.texts > 0 and facts.measures.columns[place].longest <= 60


def _resolved(
    child: Facts, key: ForeignKey, by_name: Mapping[str, Facts]
) -> tuple[tuple[str, ...], Facts, tuple[str, ...]] | None:
    """Return a declared reference with the names as the tables spell them, if it leads anywhere."""
    parent = by_name.get(key.referenced_table.lower())
    if parent is None:
        return None
    referenced = key.referenced_columns or parent.key
    if len(referenced) != len(key.columns):
        return None
    try:
        columns = tuple(child.table.columns[child.place(name)].name for name in key.columns)
        others = tuple(parent.table.columns[parent.place(name)].name for name in referenced)
    except ValueError:
        return None
    # A column that refers to itself says nothing.
    return None if (child is parent and columns == others) else (columns, parent, others)


def _are_unique(parent: Facts, columns: tuple[str, ...], run: Run, rules: EngineRules) -> bool:
    if len(columns) == 1:
        profile = parent.measures.columns[parent.place(columns[0])].profile
        return profile.distinct == parent.measures.rows - profile.missing
    lowered = {name.lower() for name in columns}
    if lowered == {name.lower() for name in parent.key}:
        return True
    # Rows that lack one of the values cannot be referred to, so they may repeat.
    names = " OR ".join(f"{rules.quoted(name)} IS NULL" for name in columns)
    sql = f"SELECT COUNT(*) FROM {rules.quoted(parent.table.name)} WHERE {names}"
    missing = whole(fetch_row(sql, run, f"table '{parent.table.name}'")[0])
    return count_distinct(parent.table.name, columns, run, rules) == parent.measures.rows - missing


def _candidates(
    child: Facts, column: Column, tables: Sequence[Facts], rules: EngineRules
) -> list[tuple[Facts, str, int]]:
    """Return the keys that a column may refer to by its name, the likeliest first, and how alike.

    Its own table is among them where the name says that a row has another one of them.
    """
    place = child.place(column.name)
    profile = child.measures.columns[place].profile
    if not profile.distinct or profile.reals:
        return []
    ranked = []
    for order, parent in enumerate(tables):
        for other_place, other in enumerate(parent.table.columns):
            target = parent.measures.columns[other_place].profile
            if not parent.is_unique(other_place) or target.reals:
                continue
            if (profile.texts > 0) != (target.texts > 0) or profile.distinct > target.distinct:
                continue
            if not _comparable(column, other, rules):
                continue
            if parent is child:
                likeness = _names_another(column.name, parent, other.name)
            elif _is_better_parent(child, place, parent, other_place, tables):
                continue
            else:
                likeness = _name_match(column.name, parent, other.name)
            if likeness:
                ranked.append((-likeness, order, other_place, parent, other.name))
    return [(each[3], each[4], -each[0]) for each in sorted(ranked, key=lambda each: each[:3])]


def _names_another(name: str, facts: Facts, key: str) -> int:
    """Return how well a column is named for another row of its own table; 0 for not at all."""
    words, target = _lowered(name), _lowered(key)
    if facts.key != (key,) or words == target or len(words) < 2:
        return 0
    rest = words[: -len(target)] if words[-len(target) :] == target else ()
    # A "manager id" is an "employee id", and a "parent entry id" a "catalogue entry id".
    if not rest and words[-1] in IDENTIFIER_WORDS and words[1:] == target[1 - len(words) :]:
        rest = words[:1]
    return 3 if rest and rest[0] in WORDS_OF_ANOTHER else 0


def _name_match(child_column: str, parent: Facts, parent_column: str) -> int:
    """Return how well a column is named for another table's column; 0 for not at all."""
    words, target = _lowered(child_column), _lowered(parent_column)
    if not words or not target:
        return 0
    is_key = parent.key == (parent_column,)
    names_key = target[-1] in IDENTIFIER_WORDS | CODE_WORDS
    same = child_column.lower() == parent_column.lower()
    if same and target[-1] not in _GENERIC and not _is_quantity(target):
        # The name of a text column may be shared by chance unless it is the other table's key.
        return 4 if names_key or is_key else 0
    if same and len(target) > 1 and names_key:
        return 4
    stem, tail = words[:-1], words[-1]
    if tail in IDENTIFIER_WORDS | CODE_WORDS and stem:
        own = target in ((tail,), (*parent.noun, tail)) or (
            is_key and target[-1] in IDENTIFIER_WORDS and tail in IDENTIFIER_WORDS
        )
        if own and stem == parent.noun:
            return 3
        if own and stem[-len(parent.noun) :] == parent.noun:
            return 2
        if len(target) > 1 and target[-1] == tail and words[-len(target) :] == target:
            return 2
    if is_key and names_key and words == parent.noun:
        return 1
    return 1 if is_key and _ends_alike(child_column, parent_column) else 0


def _ends_alike(child_column: str, parent_column: str) -> bool:
    """Tell whether a short form or a longer form of a key's name is meant.

    "Dno" is short for "Dnumber", and "mgr_ssn" is the "ssn" of somebody.
    """
    name, target = child_column.lower(), parent_column.lower()
    if target in _GENERIC or name == target or len(target) < _SHORTEST_KEY_NAME:
        return False
    if name.endswith(target):
        return True
    forms = [_KEY_ENDING.sub("", each.replace("_", "")) for each in (name, target)]
    # What is left must be what both have in common, and both must end like keys.
    return forms[0] == forms[1] != "" and all(_KEY_ENDING.search(each) for each in (name, target))


def _is_better_parent(
    child: Facts, place: int, parent: Facts, other_place: int, tables: Sequence[Facts]
) -> bool:
    """Tell whether, of two tables with the same key, the child is rather the parent."""
    if not child.is_unique(place) or not parent.is_unique(other_place):
        return False
    order = list(tables)

    def merit(facts: Facts, column: str) -> tuple[bool, int, int]:
        words = _lowered(column)
        named = words[:-1] == facts.noun or words == facts.noun
        return named, facts.measures.rows, -order.index(facts)

    own = child.table.columns[place].name
    other = parent.table.columns[other_place].name
    return merit(child, own) > merit(parent, other)


def _wide_parents(child: Facts, tables: Sequence[Facts], rules: EngineRules) -> Iterator[Facts]:
    """Yield tables whose key of several columns the child repeats by name."""
    names = {column.name.lower() for column in child.table.columns}
    own_key = {name.lower() for name in child.key}
    for parent in tables:
        key = {name.lower() for name in parent.key}
        if parent is child or len(key) < 2 or not key <= names or own_key <= key:
            continue
        pairs = (
            (child.table.columns[child.place(name)], parent.table.columns[parent.place(name)])
            for name in parent.key
        )
        if not all(_comparable(own, other, rules) for own, other in pairs):
            continue
        if any(_lowered(name)[-1:] and _lowered(name)[-1] in IDENTIFIER_WORDS for name in key):
            yield parent


def _comparable(column: Column, other: Column, rules: EngineRules) -> bool:
    """Tell whether the engine compares the values of two columns at all."""
    if not rules.strict_types:
        return True
    kinds = {rules.kind_of(each.declared_type) for each in (column, other)}
    return len(kinds) == 1 or kinds <= NUMERIC_KINDS or kinds <= TEXT_KINDS


def _measured(
    child: Facts,
    columns: tuple[str, ...],
    parent: Facts,
    parent_columns: tuple[str, ...],
    evidence: Evidence,
    run: Run,
    rules: EngineRules,
) -> Relationship:
    names = [rules.quoted(name) for name in columns]
    others = [rules.quoted(name) for name in parent_columns]
    places = [f"key_{place}" for place in range(len(names))]
    child_name, parent_name = (rules.quoted(each.table.name) for each in (child, parent))
    present = " AND ".join(f"{name} IS NOT NULL" for name in names)
    keys = ", ".join(f"{name} AS {place}" for name, place in zip(names, places, strict=True))
    matches = " AND ".join(
        f"referred.{place} = parent.{other}" for place, other in zip(places, others, strict=True)
    )
    sql = (
        f"WITH referred AS (SELECT {keys}, COUNT(*) AS children FROM {child_name} "
        f"WHERE {present} GROUP BY {', '.join(names)}) "
        f"SELECT SUM(children), COUNT(CASE WHEN parent.{others[0]} IS NOT NULL THEN 1 END), "
        f"SUM(CASE WHEN parent.{others[0]} IS NULL THEN children END), "
        f"MAX(CASE WHEN parent.{others[0]} IS NOT NULL THEN children END) "
        f"FROM referred LEFT JOIN {parent_name} AS parent ON {matches}"
    )
    where = f"{child.table.name}({', '.join(columns)}) → {parent.table.name}"
    referring, matched, unmatched, most = map(whole, fetch_row(sql, run, where))
    return Relationship(
        child=child.table.name,
        child_columns=columns,
        parent=parent.table.name,
        parent_columns=parent_columns,
        evidence=evidence,
        unmatched_children=unmatched,
        missing_children=child.measures.rows - referring,
        childless_parents=parent.measures.rows - matched,
        most_children=most,
        matched_children=referring - unmatched,
        matched_parents=matched,
    )


def _lies_outside(
    child: Facts,
    columns: Sequence[str],
    parent: Facts,
    parent_columns: Sequence[str],
    run: Run,
    rules: EngineRules,
) -> bool:
    """Tell whether more rows lie outside what a key's numbers span than may lack a parent.

    Awards that are given since 1983 are no parents of the batting of 1871: to know that takes a
    glance at the rows, and to match all of them takes sorting them.
    """
    outside = []
    for name, other in zip(columns, parent_columns, strict=True):
        own, key = _span(child, name), _span(parent, other)
        if own is None or key is None:
            continue
        (least, greatest), (lowest, highest) = own, key
        if least < lowest:
            outside.append(f"{rules.quoted(name)} < {lowest}")
        if greatest > highest:
            outside.append(f"{rules.quoted(name)} > {highest}")
    if not outside:
        return False
    present = " AND ".join(f"{rules.quoted(name)} IS NOT NULL" for name in columns)
    sql = (
        f"SELECT COUNT(*) FROM {rules.quoted(child.table.name)} "
        f"WHERE {present} AND ({' OR '.join(outside)})"
    )
    where = f"{child.table.name}({', '.join(columns)}) → {parent.table.name}"
    return whole(fetch_row(sql, run, where)[0]) > _MOST_UNMATCHED * child.measures.rows


def _span(facts: Facts, name: str) -> tuple[int, int] | None:
    """Return the least and the greatest value of a column of whole numbers, and nothing else."""
    profile = facts.measures.columns[facts.place(name)].profile
    if profile.integers != facts.measures.rows - profile.missing:
        return None
    if not isinstance(profile.minimum, int) or not isinstance(profile.maximum, int):
        return None
    return profile.minimum, profile.maximum


def _holds(each: Relationship, child: Facts) -> bool:
    referring = child.measures.rows - each.missing_children
    return each.most_children > 0 and each.unmatched_children <= _MOST_UNMATCHED * referring


def _is_quantity(words: Sequence[str]) -> bool:
    return words[-1] in ADDED_UP | NEVER_SUMMED | CALENDAR_WORDS.keys() | {"year"}


def _lowered(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in words_of(name))
