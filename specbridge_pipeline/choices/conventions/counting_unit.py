"""Counting unit: does a count over a join count joined rows, or the things counted, each once?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.catalogue.naming import singular, words_of
from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.counted_nouns import counted_nouns
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.edits.counting_unit_edit import (
    SOME,
    VALUES,
    other_count,
)
from specbridge_pipeline.choices.conventions.shapes import group_columns, is_identifier
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import Scope, Source, SourceColumn
from specbridge_pipeline.sql.join_repeats import determined_by, fixed_columns, unique_keys
from specbridge_pipeline.sql.places import is_star, own_nodes


def _read(reference: Reference) -> Iterator[Reading]:
    nouns = counted_nouns(reference.texts.question)
    for scope in reference.query.scopes:
        if len(scope.sources) < 2 or any(source.table is None for source in scope.sources):
            continue
        for node in _counts(scope):
            reading = _count(scope, node, nouns)
            if reading is not None:
                yield reading


def _counts(scope: Scope) -> Iterator[exp.Count]:
    parts = [*scope.select.expressions]
    parts += [
        scope.select.args[name] for name in ("having", "order") if scope.select.args.get(name)
    ]
    for part in parts:
        for node in own_nodes(scope.select, part):
            if isinstance(node, exp.Count):
                yield node


def _count(scope: Scope, node: exp.Count, nouns: tuple[str, ...]) -> Reading | None:
    held = fixed_columns(scope) | frozenset(
        column for column in map(scope.own_column, group_columns(scope)) if column is not None
    )
    counted = node.this
    if isinstance(counted, exp.Distinct):
        return _each_once(scope, node, counted, held, nouns)
    if is_star(counted) or isinstance(counted, exp.Literal):
        detail = _entity_of_rows(scope, held, nouns)
        form = "all joined rows"
    else:
        column = scope.own_column(counted)
        if column is None or column.source.table is None:
            return None
        detail = _repeats(scope, column, held, nouns)
        form = "values in joined rows"
    return Reading(Side.USUAL, form, scope, node, bool(detail), detail)


def _each_once(
    scope: Scope,
    node: exp.Count,
    counted: exp.Distinct,
    held: frozenset[SourceColumn],
    nouns: tuple[str, ...],
) -> Reading | None:
    columns = [scope.own_column(each) for each in counted.expressions]
    if len(columns) != 1 or columns[0] is None:
        return None
    detail = _repeats(scope, columns[0], held, nouns)
    return Reading(Side.OTHER, "distinct values", scope, node, bool(detail), detail)


def _repeats(
    scope: Scope, column: SourceColumn, held: frozenset[SourceColumn], nouns: tuple[str, ...]
) -> str:
    """Say which things, that can come several times among the rows, a column stands for.

    A key stands for the rows of its table, a reference for those of the other table, a column
    that the question counts by its name for its values ("how many continents"), and any other for
    the rows that it describes.
    """
    table = column.source.table
    if table is None or column.column is None:
        return ""
    if column in held:
        return ""
    keyed = any(key == {column.name} for key in unique_keys(scope, column.source))
    if is_identifier(table, column.column) and not keyed:
        many = len(determined_by(scope, None, held | {column})) < len(scope.sources)
        return VALUES if many else ""
    words = words_of(column.column.name)
    if not keyed and words and singular(words[-1].lower()) in nouns:
        return "" if _is_named(column.source, (singular(words[-1].lower()),)) else VALUES
    if not _is_repeated(scope, column.source, held):
        return ""
    return VALUES if keyed else column.source.name


def _is_repeated(scope: Scope, source: Source, held: frozenset[SourceColumn]) -> bool:
    return len(determined_by(scope, source, held)) < len(scope.sources)


def _entity_of_rows(scope: Scope, held: frozenset[SourceColumn], nouns: tuple[str, ...]) -> str:
    """Say which table's things COUNT(*) can count more than once.

    The noun of the question says which table's rows are meant, where it is one's name. Without it
    a thing is counted again where some table's rows are repeated that are not the same for the
    whole group.
    """
    constant = _fixed_sources(scope, held)
    repeated = [
        source
        for source in scope.sources
        if source.position not in constant and _is_repeated(scope, source, held)
    ]
    if not repeated:
        return ""
    named = [source for source in scope.sources if _is_named(source, nouns)]
    if named:
        return next((source.name for source in named if source in repeated), "")
    finest = [source for source in scope.sources if not _is_repeated(scope, source, held)]
    # Where the rows of one table are all different, and no noun speaks of another, they are meant
    # unless that table only links two others.
    if finest and not all(_is_link(source) for source in finest):
        return ""
    things = [source.name for source in repeated if not _is_link(source)]
    return things[0] if len(things) == 1 else SOME


def _fixed_sources(scope: Scope, held: frozenset[SourceColumn]) -> set[int]:
    found: set[int] = set()
    for source in scope.sources:
        names = {column.name for column in held if column.source == source}
        if any(key <= names for key in unique_keys(scope, source)):
            found |= determined_by(scope, source, held)
    return found


def _is_named(source: Source, nouns: tuple[str, ...]) -> bool:
    assert source.table is not None
    names = [source.table.name]
    # What a table of people holds is often said by its key: player_id.
    keys = [each.name for each in source.table.columns if each.primary_key_position]
    names += [re.sub(r"_?(?:id|ID|Id|key|code)$", "", key) for key in keys if len(keys) == 1]
    last = {singular(words_of(name)[-1].lower()) for name in names if words_of(name)}
    return any(noun in last for noun in nouns)


def _is_link(source: Source) -> bool:
    """Say whether a table has little beside references to two others."""
    table = source.table
    if table is None:
        return False
    referring = {name.lower() for key in table.foreign_keys for name in key.columns}
    return len(referring) >= 2 and len(table.columns) - len(referring) <= 2


CONVENTION = Convention(
    choice_type=ChoiceType.COUNTING_UNIT,
    meaning="Does a count over a join count joined rows, or each of the things once?",
    usual="joined rows",
    other="each thing once",
    read=_read,
    cues=read_cues(__file__),
    edit=other_count,
)
