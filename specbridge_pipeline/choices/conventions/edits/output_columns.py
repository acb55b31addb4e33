"""The columns that a SELECT returns, and names for what an edit adds to a query."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import identifier
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.places import is_star, own_nodes, written_names


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column that a SELECT returns.

    Attributes:
        value: Its value, as an expression of its own.
        name: Its name; of a value without one, the SQL, which is what SQLite calls it.
        inner_name: A name to carry it by through a nested query: different from all the others.
    """

    value: exp.Expr
    name: str
    inner_name: str

    def carried(self) -> exp.Expr:
        """Return the value under the name that it is carried by."""
        if isinstance(self.value, exp.Column) and self.value.name == self.inner_name:
            return self.value.copy()
        return exp.alias_(self.value.copy(), identifier(self.inner_name))

    def read(self) -> exp.Expr:
        """Return the name that it is carried by, under the name of the output."""
        column = exp.column(identifier(self.inner_name))
        if self.inner_name == self.name:
            return column
        return exp.alias_(column, identifier(self.name))


def output_columns(query: ResolvedQuery, scope: Scope) -> list[OutputColumn] | None:
    """Return the columns of a SELECT, those of a star one by one.

    Args:
        query: The query.
        scope: The SELECT.

    Returns:
        The columns in their order; None where nobody knows what a star stands for.
    """
    found: list[tuple[exp.Expr, str]] = []
    for item in scope.select.expressions:
        if is_star(item):
            columns = _star_columns(scope, item)
            if columns is None:
                return None
            found += columns
        else:
            value = item.unalias()
            named = isinstance(item, exp.Alias | exp.Column)
            found.append((value, item.alias_or_name if named else emit(value)))
    names = [name.lower() for _, name in found]
    taken = names_in_use(query)
    outputs = []
    for value, name in found:
        inner = name if names.count(name.lower()) == 1 else free_name(name, taken)
        taken.add(inner.lower())
        outputs.append(OutputColumn(value, name, inner))
    return outputs


def _star_columns(scope: Scope, item: exp.Expr) -> list[tuple[exp.Expr, str]] | None:
    joins = scope.select.args.get("joins") or ()
    if any(join.args.get("using") or join.args.get("method") for join in joins):
        return None
    wanted = item.table.lower() if isinstance(item, exp.Column) else ""
    found: list[tuple[exp.Expr, str]] = []
    for source in scope.sources:
        if wanted and source.name != wanted:
            continue
        names = _column_names(source)
        if not names:
            return None
        qualifier = None if len(scope.sources) == 1 else identifier(source.name)
        found += [(exp.column(identifier(name), table=qualifier), name) for name in names]
    return found


def _column_names(source: Source) -> tuple[str, ...]:
    if source.table is not None:
        return tuple(column.name for column in source.table.columns)
    written = written_names(source.query) if source.query is not None else None
    if written is not None and tuple(name.lower() for name in written) == source.columns:
        return written
    return source.columns if all(source.columns) else ()


def names_in_use(query: ResolvedQuery) -> set[str]:
    """Return the names that a query writes and those of the tables it could read, in lower case."""
    used = {node.name.lower() for node in query.tree.find_all(exp.Identifier)}
    for table in query.schema.tables:
        used.add(table.name.lower())
        used |= {column.name.lower() for column in table.columns}
    return used


def free_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is not in use, with a number where the wanted one is.

    Args:
        wanted: The name.
        taken: The names in use, in lower case.
    """
    name, number = wanted, 1
    while name.lower() in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def column_of(select: exp.Select, source: Source, name: str) -> exp.Column:
    """Return a name for a column of a source, with the source written as the SELECT writes it.

    Args:
        select: The SELECT.
        source: The source.
        name: The column.
    """
    for node in own_nodes(select):
        if isinstance(node, exp.Column) and node.table.lower() == source.name:
            return exp.column(identifier(name), table=node.args["table"].copy())
    return exp.column(identifier(name), table=identifier(source.name))
