"""The edit of how two related tables are joined: through their parent, or their link table."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, identifier
from specbridge_pipeline.choices.conventions.edits.rejoining import rejoin
from specbridge_pipeline.choices.conventions.edits.related_tables import (
    RelatedTables,
    related_tables,
    table_name,
)
from specbridge_pipeline.choices.conventions.edits.selects import (
    columns_read,
    has_star,
    joins_plainly,
    numbered_name,
    qualify,
    source_node,
)
from specbridge_pipeline.databases.schema import ForeignKey, Table
from specbridge_pipeline.sql.column_origins import Source, SourceColumn
from specbridge_pipeline.sql.join_repeats import row_conditions


def edit(draft: Draft) -> OtherSide | Unsound:
    """Join two related tables in the other way; see `editing.Edit`."""
    pairs = [
        each
        for each in related_tables(draft.query.schema, draft.scope)
        if each.linked is not draft.is_usual
    ]
    if len(pairs) > 1:
        return Unsound("Several pairs of tables are joined so, and which is meant is not said.")
    if not joins_plainly(draft.scope):
        return Unsound("The tables are joined in another way than by conditions that are written.")
    if has_star(draft.scope):
        return Unsound("The query returns all columns of what it joins.")
    found = (_through_link if draft.is_usual else _through_parent)(draft, pairs[0])
    if isinstance(found, Unsound):
        return found
    taken, other = found
    return OtherSide(draft.query.tree, taken, other)


def _through_link(draft: Draft, pair: RelatedTables) -> tuple[str, str] | Unsound:
    scope = draft.scope
    one, other = pair.one, pair.other
    if len(pair.links) > 1:
        return Unsound("Several tables link the two, and which is meant is not said.")
    link = next(each for each in draft.query.schema.tables if each.name.lower() in pair.links)
    if any(source.table == link for source in scope.sources):
        return Unsound("The query reads the link table already, for something else.")
    references = [_reference(link, each.table) for each in (one, other)]
    keys = [each for each in references if each is not None]
    if len(keys) < 2:
        return Unsound("The link table refers to one of the two in several columns.")
    ends = {one.position, other.position}
    parents = [
        source
        for source in scope.sources
        if table_name(source) in pair.parents and _equalities(draft, {source.position}, ends)
    ]
    if len(parents) > 1:
        return Unsound("The two tables are joined through several parents.")
    around = {each.position for each in parents}
    joined = [*_equalities(draft, ends, ends), *_equalities(draft, around, ends)]
    if any(set(_ends(each)) == {one, other} and _is_own(each) for each in joined):
        return Unsound("One of the two tables refers to the other itself, and to no parent here.")
    if not all(_is_by_reference(each) for each in joined):
        return Unsound("The tables are joined by other columns than those that refer to a parent.")
    dropped, remark, without = [each[0] for each in joined], "", None
    if parents:
        [parent] = parents
        without = source_node(scope, parent)
        if _is_used(draft, parent, dropped):
            # What is said of the parent is said of that of the table that it is joined to.
            kept = next(each for each in joined if parent in _ends(each))
            [owner] = [each for each in _ends(kept) if each != parent]
            dropped = [each for each in dropped if each is not kept[0]]
            without = None
            remark = f"; the row of {_shown(parent)} is that of {_shown(owner)}"
    via = _via(joined, pair)
    qualify(draft.query, scope)
    nodes = [source_node(scope, each) for each in (one, other)]
    table = exp.Table(this=identifier(link.name))
    taken = {node.name.lower() for node in draft.query.tree.find_all(exp.Identifier)}
    if link.name.lower() in taken:
        name = numbered_name(draft.query, link.name)
        table.set("alias", exp.TableAlias(this=identifier(name)))
    conditions = [
        exp.EQ(
            this=_column(table, key.columns[0]), expression=_column(node, key.referenced_columns[0])
        )
        for key, node in zip(keys, nodes, strict=True)
    ]
    rejoin(
        draft.select,
        without=without,
        added=table,
        before=nodes[1],
        dropped=dropped,
        conditions=conditions,
    )
    start = _start(one, other)
    return (
        f"{start} both belong to the same row of {via}.",
        f"{start} {_by_link(link, keys)}{remark}.",
    )


def _through_parent(draft: Draft, pair: RelatedTables) -> tuple[str, str] | Unsound:
    scope = draft.scope
    one, other = pair.one, pair.other
    links = [
        source
        for source in scope.sources
        if table_name(source) in pair.links
        and all(_equalities(draft, {source.position}, {each.position}) for each in (one, other))
    ]
    if len(links) > 1:
        return Unsound("Several link tables stand between the two.")
    [link] = links
    joined = _equalities(draft, {link.position}, {one.position, other.position})
    dropped = [each[0] for each in joined]
    if link.table is None or not all(_is_by_reference(each) for each in joined):
        return Unsound("The link table is joined by columns that do not refer to the two.")
    if _is_used(draft, link, dropped):
        return Unsound("The query uses the link's row for more than to join the two tables.")
    parents = sorted(pair.parents)
    present = [
        source
        for source in scope.sources
        if table_name(source) in pair.parents
        and all(_equalities(draft, {source.position}, {each.position}) for each in (one, other))
    ]
    direct = [
        each
        for each in _equalities(draft, {one.position}, {other.position})
        if _is_by_reference(each)
    ]
    conditions: list[exp.Expr] = []
    shown = ""
    if present:
        shown = _shown(present[0])
    elif direct:
        shown = _via(direct, pair)
    elif len(parents) > 1:
        return Unsound("The two tables share several parents, and which is meant is not said.")
    keys = [
        [key for key in source.table.foreign_keys if key.referenced_table.lower() in parents]
        for source in (one, other)
        if source.table is not None
    ]
    qualify(draft.query, scope)
    if not shown:
        if any(len(each) != 1 or len(each[0].columns) != 1 for each in keys):
            return Unsound("A table refers to the shared parent in several columns.")
        shown = keys[0][0].referenced_table
        if keys[0][0].referenced_columns != keys[1][0].referenced_columns:
            return Unsound("The two tables refer to different columns of their parent.")
        columns = [
            _column(source_node(scope, end), references[0].columns[0])
            for end, references in zip((one, other), keys, strict=True)
        ]
        conditions = [exp.EQ(this=columns[0], expression=columns[1])]
    used = [
        key
        for end in (one, other)
        for key in link.table.foreign_keys
        if key.referenced_table.lower() == table_name(end)
        and any(key.columns[0].lower() in (each[1].name, each[2].name) for each in joined)
    ]
    rejoin(
        draft.select,
        without=source_node(scope, link),
        dropped=dropped,
        conditions=conditions,
    )
    start = _start(one, other)
    also = f", and both belong to the same row of {shown}" if present or direct else ""
    return (
        f"{start} {_by_link(link.table, used)}{also}.",
        f"{start} both belong to the same row of {shown}.",
    )


def _start(one: Source, other: Source) -> str:
    return f"Rows of {_shown(one)} and of {_shown(other)} go together where"


def _by_link(link: Table, keys: list[ForeignKey]) -> str:
    columns = " and ".join(f"{link.name}.{key.columns[0]}" for key in keys)
    return f"a row of {link.name} links them by {columns}, once for each such row"


def _shown(source: Source) -> str:
    return "" if source.table is None else source.table.name


_Equality = tuple[exp.Expr, SourceColumn, SourceColumn]


def _equalities(draft: Draft, some: set[int], others: set[int]) -> list[_Equality]:
    """Return the conditions that hold a column of some sources equal to one of others."""
    found: list[_Equality] = []
    for condition in row_conditions(draft.scope):
        if not isinstance(condition, exp.EQ):
            continue
        left = draft.scope.own_column(condition.this.unnest())
        right = draft.scope.own_column(condition.expression.unnest())
        if left is None or right is None or left.source == right.source:
            continue
        ends = (left.source.position, right.source.position)
        if (ends[0] in some and ends[1] in others) or (ends[1] in some and ends[0] in others):
            found.append((condition, left, right))
    return found


def _is_by_reference(equality: _Equality) -> bool:
    """Say whether an equality joins a row with the one that it refers to, or two such rows."""
    _, left, right = equality
    return _is_own(equality) or bool(_targets(left) & _targets(right))


def _is_own(equality: _Equality) -> bool:
    """Say whether an equality joins a row with the one that it refers to."""
    _, left, right = equality
    return _refers(left, right) or _refers(right, left)


def _targets(column: SourceColumn) -> set[tuple[str, str]]:
    table = column.source.table
    return {
        (key.referenced_table.lower(), key.referenced_columns[0].lower())
        for key in (() if table is None else table.foreign_keys)
        if len(key.columns) == 1 and key.columns[0].lower() == column.name
    }


def _refers(column: SourceColumn, target: SourceColumn) -> bool:
    return (table_name(target.source), target.name) in _targets(column)


def _via(joined: list[_Equality], pair: RelatedTables) -> str:
    """Return the name of the parent through which two tables are joined."""
    for _, left, right in joined:
        for column in (left, right):
            table = column.source.table
            for key in () if table is None else table.foreign_keys:
                name = key.referenced_table
                if key.columns[0].lower() == column.name and name.lower() in pair.parents:
                    return name
    return " or ".join(sorted(pair.parents))


def _reference(link: Table, table: Table | None) -> ForeignKey | None:
    """Return the one reference of a link table to a table; None where it has several.

    Of several, the one is meant that has the name of the column that it refers to.
    """
    name = "" if table is None else table.name.lower()
    keys = [
        key
        for key in link.foreign_keys
        if key.referenced_table.lower() == name and len(key.columns) == 1
    ]
    if len(keys) > 1:
        keys = [key for key in keys if key.columns[0].lower() == key.referenced_columns[0].lower()]
    return keys[0] if len(keys) == 1 else None


def _is_used(draft: Draft, source: Source, conditions: list[exp.Expr]) -> bool:
    """Say whether a query uses a source for anything but some conditions."""
    inside = {id(node) for each in conditions for node in each.walk()}
    return any(
        owner == source and id(node) not in inside
        for node, owner in columns_read(draft.query, draft.scope)
    )


def _ends(equality: _Equality) -> tuple[Source, Source]:
    return equality[1].source, equality[2].source


def _column(source: exp.Expr | None, name: str) -> exp.Column:
    owner = "" if source is None else source.alias_or_name
    return exp.Column(this=identifier(name), table=identifier(owner))
