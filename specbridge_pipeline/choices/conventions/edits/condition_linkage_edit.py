"""The edit of conditions on several rows of a thing: met by one of them, or each by some."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    conjunction,
    identifier,
)
from specbridge_pipeline.choices.conventions.edits.condition_merging import merge_members
from specbridge_pipeline.choices.conventions.edits.linked_conditions import (
    bound_columns,
    is_many_side,
    joined_twice,
    linkage_sentences,
    said_once,
)
from specbridge_pipeline.choices.conventions.edits.selects import (
    columns_read,
    has_star,
    joins_plainly,
    numbered_name,
    qualify,
    source_node,
)
from specbridge_pipeline.choices.conventions.shapes import shown_sources
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import conjuncts, row_conditions, unique_keys
from specbridge_pipeline.sql.repetition import ignores_repeats

_NOT_PLAIN = "The tables are joined in another way than by conditions that every row meets."
_USED = "The query uses more of the row than the conditions that it must meet."
_REPEATED = (
    "The query returns a thing once for each row that meets the conditions, and nothing says how "
    "often it would be returned for conditions met by different rows."
)

_EACH_ONCE = "; each different row is returned once"


class _CannotEditError(Exception):
    """The query is of a form that the edit would change more of; the message says which."""


def edit(draft: Draft) -> OtherSide | Unsound:
    """Link conditions in the other way; see `editing.Edit`."""
    if isinstance(draft.node, exp.Intersect):
        return merge_members(draft, draft.node)
    if not joins_plainly(draft.scope):
        return Unsound(_NOT_PLAIN)
    if has_star(draft.scope):
        return Unsound(_USED)
    each_once = False
    if not ignores_repeats(draft.select):
        if (
            draft.select is not draft.query.tree
            or draft.data.repeats(draft.query.tree) is not False
        ):
            return Unsound(_REPEATED)
        each_once = True
    try:
        taken, other = _split(draft) if draft.is_usual else _merge(draft)
    except _CannotEditError as reason:
        return Unsound(str(reason))
    if each_once:
        # No row is returned more than once as it is; the edit keeps it so.
        draft.select.set("distinct", exp.Distinct())
        taken, other = (
            f"{each[:-1]}; each different row is returned once." for each in (taken, other)
        )
    return OtherSide(draft.query.tree, taken, other)


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What each row of a SELECT meets, so far as it concerns some of the sources.

    Attributes:
        links: Equalities that join them with each other or with further sources.
        own: The conditions on one of them, with the words for the columns that each is on.
        outside: The sources beyond that the links name.
    """

    links: tuple[exp.Expr, ...]
    own: tuple[tuple[exp.Expr, frozenset[str]], ...]
    outside: frozenset[int]


def _conditions_on(draft: Draft, main: Source, all_sources: Iterable[Source]) -> _Conditions:
    """Sort out the conditions that name some sources, of which only one has its own.

    Raises:
        _CannotEditError: The sources are used for anything else.
    """
    scope = draft.scope
    positions = {source.position for source in all_sources}
    names = {id(node): source for node, source in columns_read(draft.query, scope)}
    links: list[exp.Expr] = []
    own: list[tuple[exp.Expr, frozenset[str]]] = []
    outside: set[int] = set()
    seen: set[int] = set()
    for condition in row_conditions(scope):
        found = [(node, names[id(node)]) for node in condition.walk() if id(node) in names]
        used = {source.position for _, source in found}
        if not used & positions:
            continue
        seen |= {id(node) for node, _ in found}
        if used == {main.position}:
            own.append((condition, frozenset(said_once(node.name.lower()) for node, _ in found)))
        elif isinstance(condition, exp.EQ) and len(found) == 2 and len(used) == 2:
            links.append(condition)
            outside |= used - positions
        else:
            raise _CannotEditError(_USED)
    if any(source.position in positions and node not in seen for node, source in names.items()):
        raise _CannotEditError(_USED)
    return _Conditions(tuple(links), tuple(own), frozenset(outside))


def _split(draft: Draft) -> tuple[str, str]:
    """Let each condition be met by a row of its own: the table is joined once for each."""
    scope = draft.scope
    bound = bound_columns(scope)
    main = next(
        scope.sources[at]
        for at, columns in bound.items()
        if len(columns) > 1 and is_many_side(scope, scope.sources[at])
    )
    chain = _chain(draft, main)
    conditions = _conditions_on(draft, main, chain)
    groups = _groups(conditions.own)
    if len(groups) < 2:
        raise _CannotEditError("The conditions are all on what one column says of a row.")
    sentences = linkage_sentences(draft, main, [condition for each in groups for condition in each])
    qualify(draft.query, scope)
    tables = [source_node(scope, source) for source in reversed(chain)]
    for group in groups[1:]:
        if any(condition.find(exp.Query) for condition in group):
            raise _CannotEditError("A nested query stands in a condition that must be moved.")
        _join_again(draft, tables, conditions.links, group)
    return sentences


def _chain(draft: Draft, main: Source) -> list[Source]:
    """Return a source and those through which a thing has several rows of it, nearest last.

    Raises:
        _CannotEditError: A thing has one row only, or the way to it forks.
    """
    scope = draft.scope
    shown = {source.position for source in shown_sources(scope)}
    chain = [main]
    while True:
        links = _conditions_on(draft, main, chain)
        if len(links.outside) != 1:
            raise _CannotEditError("The row is joined with several tables at once.")
        last = chain[-1]
        key = {
            node.name.lower()
            for link in links.links
            for node in link.find_all(exp.Column)
            for column in [scope.own_column(node)]
            if column is not None
            and column.source == last
            and not {
                other.source.position
                for each in link.find_all(exp.Column)
                for other in [scope.own_column(each)]
                if other is not None
            }
            <= {each.position for each in chain}
        }
        if not any(unique <= key for unique in unique_keys(scope, last)):
            return chain
        [beyond] = links.outside
        if beyond in shown or scope.sources[beyond].table is None:
            raise _CannotEditError("A thing that is returned has one such row only.")
        chain.append(scope.sources[beyond])


def _groups(own: Iterable[tuple[exp.Expr, frozenset[str]]]) -> list[list[exp.Expr]]:
    """Put conditions together that are on one column; those with a nested query come first."""
    groups: list[tuple[set[str], list[exp.Expr]]] = []
    for condition, columns in own:
        touched = [each for each in groups if each[0] & columns]
        groups = [each for each in groups if not each[0] & columns]
        groups.append(
            (
                set(columns).union(*(each[0] for each in touched)),
                [*(one for each in touched for one in each[1]), condition],
            )
        )
    members = [conditions for _, conditions in groups]
    order = [id(condition) for condition, _ in own]
    members.sort(key=lambda each: min(order.index(id(one)) for one in each))
    return sorted(members, key=lambda each: not any(one.find(exp.Query) for one in each))


def _join_again(
    draft: Draft,
    tables: list[exp.Expr | None],
    links: tuple[exp.Expr, ...],
    group: list[exp.Expr],
) -> None:
    """Join some tables once more, and let a group of conditions hold for the new ones."""
    select = draft.select
    names: dict[str, str] = {}
    left = list(links)
    waiting = {each.alias_or_name.lower() for each in tables if each is not None}
    for written in tables:
        if not isinstance(written, exp.Table):
            raise _CannotEditError(_NOT_PLAIN)
        new = numbered_name(draft.query, written.alias_or_name)
        names[written.alias_or_name.lower()] = new
        waiting.discard(written.alias_or_name.lower())
        ready = [link for link in left if not _names_in(link) & waiting]
        left = [link for link in left if _names_in(link) & waiting]
        table = exp.Table(this=written.this.copy(), alias=exp.TableAlias(this=identifier(new)))
        on = conjunction(_renamed(link, names) for link in ready)
        select.append("joins", exp.Join(this=table, on=on))
    where = select.args.get("where")
    moved: list[exp.Expr] = []
    for condition in group:
        if where is not None and any(node is where for node in _ancestors(condition)):
            condition.replace(_renamed(condition, names))
        else:
            moved.append(_renamed(condition, names))
            remove(select, [condition])
    if moved:
        last = select.args["joins"][-1]
        last.set("on", conjunction([*conjuncts(last.args.get("on")), *moved]))


def _names_in(condition: exp.Expr) -> set[str]:
    return {node.table.lower() for node in condition.find_all(exp.Column)}


def _ancestors(node: exp.Expr) -> Iterable[exp.Expr]:
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def _renamed(condition: exp.Expr, names: dict[str, str]) -> exp.Expr:
    found = condition.copy()
    for node in found.find_all(exp.Column):
        new = names.get(node.table.lower())
        if new is not None:
            node.set("table", identifier(new))
    return found


def remove(select: exp.Select, conditions: list[exp.Expr]) -> None:
    """Take conditions out of the clause of a SELECT that they stand in."""
    gone = {id(each) for each in conditions}
    clauses = [(select.args.get("where"), "this")]
    clauses += [(join, "on") for join in select.args.get("joins") or ()]
    for clause, part in clauses:
        written = None if clause is None else clause.args.get(part)
        if clause is None or written is None:
            continue
        members = list(conjuncts(written))
        kept = [each for each in members if id(each) not in gone]
        if len(kept) == len(members):
            continue
        rest = conjunction(kept)
        if rest is None and clause is select.args.get("where"):
            select.set("where", None)
        else:
            clause.set(part, rest)


def _merge(draft: Draft) -> tuple[str, str]:
    """Let one row meet the conditions of a table that is joined twice."""
    scope = draft.scope
    found = joined_twice(scope, bound_columns(scope))
    if found is None:
        raise _CannotEditError(_USED)
    one, other = found
    kept, gone = (_conditions_on(draft, each, [each]) for each in (one, other))
    if len(gone.outside) != 1 or _ways(scope, kept, one, other) != _ways(scope, gone, other, one):
        raise _CannotEditError("The two rows are joined in different ways, and cannot be one.")
    qualify(draft.query, scope)
    written, dropped = source_node(scope, one), source_node(scope, other)
    if written is None or dropped is None:
        raise _CannotEditError(_NOT_PLAIN)
    conditions = [condition for condition, _ in (*kept.own, *gone.own)]
    taken, merged = reversed(linkage_sentences(draft, one, conditions))
    names = {other.name: written.alias_or_name}
    moved = [_renamed(condition, names) for condition, _ in gone.own]
    select = draft.select
    remove(select, [*gone.links, *(condition for condition, _ in gone.own)])
    where = select.args.get("where")
    members = list(conjuncts(where.this)) if where is not None else []
    _drop_join(select, dropped)
    select.set("where", exp.Where(this=conjunction([*members, *moved])))
    return taken, merged


def _ways(
    scope: Scope, conditions: _Conditions, one: Source, other: Source
) -> set[tuple[str, str, str]]:
    """Return how a source is joined: its own column, and what that equals."""
    ways: set[tuple[str, str, str]] = set()
    for link in conditions.links:
        columns = [scope.own_column(node) for node in link.find_all(exp.Column)]
        mine = next(each for each in columns if each is not None and each.source == one)
        theirs = next(each for each in columns if each is not None and each.source != one)
        if theirs.source != other:
            ways.add((mine.name, str(theirs.source.position), theirs.name))
        elif theirs.name != mine.name:
            ways.add((mine.name, "", theirs.name))
    return ways


def _drop_join(select: exp.Select, source: exp.Expr) -> None:
    """Take a source out of a FROM; conditions that are left of its join come to the next one."""
    joins = list(select.args["joins"])
    at = next((at for at, join in enumerate(joins) if join.this is source), None)
    if at is None:
        raise _CannotEditError(_NOT_PLAIN)
    left = list(conjuncts(joins[at].args.get("on")))
    del joins[at]
    select.set("joins", joins)
    if left:
        where = select.args.get("where")
        members = list(conjuncts(where.this)) if where is not None else []
        select.set("where", exp.Where(this=conjunction([*left, *members])))
