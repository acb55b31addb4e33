"""Editing a query so that it takes the other side of a choice at one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, resolve_names
from specbridge_pipeline.sql.engines import rules_of


class Data(Protocol):
    """What an edit may ask of the database; without one, nothing is known."""

    def missing(self, table: Table, column: Column) -> bool | None:
        """Say whether a column has missing values; None where nobody knows."""

    def repeats(self, query: exp.Query) -> bool | None:
        """Say whether a query gives some row more than once; None where nobody knows."""


class NoData:
    """No database: nothing is known beyond the schema."""

    def missing(self, table: Table, column: Column) -> bool | None:
        """Say nothing; see `Data.missing`."""
        return None

    def repeats(self, query: exp.Query) -> bool | None:
        """Say nothing; see `Data.repeats`."""
        return None


@dataclass(frozen=True, slots=True)
class Draft:
    """A copy of a query that an edit may change as it likes, with the place to change.

    Attributes:
        query: The copy, with its names resolved. Its tree can be changed in place; what `query`
            and `scope` say of names holds until then.
        scope: The SELECT that the reading stands in.
        node: The part of the copy that takes the side.
        form: What the SQL writes for the side that it takes, as the reading says.
        is_usual: Whether it takes the usual side.
        data: What is known of the database.
        detail: What the reading says of the question, for the types that have to know.
    """

    query: ResolvedQuery
    scope: Scope
    node: exp.Expr
    form: str
    is_usual: bool
    data: Data
    detail: str = ""

    @property
    def select(self) -> exp.Select:
        """The SELECT that the reading stands in."""
        return self.scope.select


@dataclass(frozen=True, slots=True)
class OtherSide:
    """A query that takes the other side of a choice.

    Attributes:
        tree: Its tree.
        taken: What the query does that was edited, in one sentence that names its columns.
        other: What the edited query does, in one sentence of the same form.
    """

    tree: exp.Query
    taken: str
    other: str


@dataclass(frozen=True, slots=True)
class Unsound:
    """Why a place cannot be edited so that the query means the other side, in one sentence."""

    reason: str


def draft(
    query: ResolvedQuery,
    scope: Scope,
    node: exp.Expr,
    *,
    form: str,
    is_usual: bool,
    data: Data | None = None,
    detail: str = "",
) -> Draft:
    """Copy a query for an edit.

    Args:
        query: The query.
        scope: The SELECT of it that a reading stands in.
        node: The part of its tree that takes the side.
        form: What the SQL writes there.
        is_usual: Whether that is the usual side.
        data: What is known of the database; nothing by default.
        detail: What the reading says of the question.
    """
    at = next(place for place, each in enumerate(query.tree.walk()) if each is node)
    copy = resolve_names(query.tree, query.schema)
    return Draft(
        copy,
        copy.scopes[query.scopes.index(scope)],
        next(each for place, each in enumerate(copy.tree.walk()) if place == at),
        form,
        is_usual,
        data or NoData(),
        detail,
    )


def named(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    """Name a value for a sentence: `table.column` as the schema writes it, or the SQL itself.

    Args:
        query: The query.
        scope: The SELECT in which the value stands.
        node: The value.
    """
    origin = query.origin(scope, node)
    if origin is not None:
        return f"{origin[0].name}.{origin[1].name}"
    shown = node.copy()
    return shown.sql("sqlite")


def replaced(node: exp.Expr, other: exp.Expr) -> None:
    """Put another expression in the place of one, in parentheses where it needs them.

    Args:
        node: What stands in the tree; not its root.
        other: What shall stand there; it has no place in a tree yet.
    """
    around = node.parent
    tight = isinstance(around, exp.Binary | exp.Unary | exp.Not) and not isinstance(
        around, exp.Paren
    )
    if tight and isinstance(other, exp.Binary | exp.Between | exp.In | exp.Not):
        other = exp.Paren(this=other)
    node.replace(other)


Edit = Callable[[Draft], OtherSide | Unsound]
"""A choice type's edit: a private copy of a query → the query that takes the other side."""


def swapped(kinds: Mapping[type[exp.Expr], type[exp.Expr]], node: exp.Expr) -> exp.Expr | None:
    """Return an expression of another kind with the parts of one; None for none of the kinds."""
    other = kinds.get(type(node))
    return None if other is None else other(**dict(node.args))


def conjunction(conditions: Iterable[exp.Expr]) -> exp.Expr | None:
    """Return the conditions joined by AND, each its own copy; None for none."""
    parts = [each.copy() for each in conditions]
    if not parts:
        return None
    joined = exp.and_(*parts, copy=False)
    found: exp.Expr = joined
    return found


def identifier(name: str) -> exp.Identifier:
    """Return a name as a part of a tree, quoted where it would not be read as itself."""
    return exp.Identifier(this=name, quoted=rules_of(Engine.SQLITE).quoted(name) != name)
