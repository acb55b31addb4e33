"""Whether a statement is one SELECT that only computes, judged by DuckDB's own parse of it.

The engine calls much a SELECT that is none (DESCRIBE, SHOW, SUMMARIZE, an INSERT behind WITH), so
what may stand in a statement is listed here, and what is not listed is refused.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from specbridge_pipeline.databases.duckdb_functions import (
    CALLING_BY_NAME,
    FUNCTIONS,
    RANDOM,
    TABLE_FUNCTIONS,
)
from specbridge_pipeline.databases.duckdb_guards import Contents
from specbridge_pipeline.databases.failures import StopError
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind

_EXPRESSIONS = frozenset(
    {
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "FUNCTION",
        "LAMBDA",
        "LAMBDA_REF",
        "OPERATOR",
        "PARAMETER",
        "POSITIONAL_REFERENCE",
        "STAR",
        "SUBQUERY",
        "TYPE",
        "WINDOW",
    }
)
_PARTS = frozenset(
    {
        # queries
        "SELECT_NODE",
        "SET_OPERATION_NODE",
        "RECURSIVE_CTE_NODE",
        # sources of rows
        "BASE_TABLE",
        "EMPTY",
        "EXPRESSION_LIST",
        "JOIN",
        "PIVOT",
        "SUBQUERY",
        "TABLE_FUNCTION",
        # order and limits
        "ASCENDING",
        "DESCENDING",
        "ORDER_DEFAULT",
        "ORDER_ASC",
        "ORDER_DESC",
        "DISTINCT_MODIFIER",
        "LIMIT_MODIFIER",
        "LIMIT_PERCENT_MODIFIER",
        "ORDER_MODIFIER",
    }
)
_WORDS_OF_PARTS = {
    "SHOW_REF": "DESCRIBE, SHOW and SUMMARIZE are",
    "INSERT_QUERY_NODE": "INSERT is",
    "UPDATE_QUERY_NODE": "UPDATE is",
    "DELETE_QUERY_NODE": "DELETE is",
    "COPY_QUERY_NODE": "COPY is",
}

_DEFAULT_SCHEMA = "main"
_ENGINE_PREFIXES = ("duckdb_", "pragma_", "sqlite_", "pg_")
_ENGINE_SCHEMAS = frozenset({"information_schema", "pg_catalog", "system", "temp"})
_RECURRING = "recurring"
"""Qualifies all rows that a recursive common table expression with a key has so far."""
_MARKS_OF_A_FILE = frozenset("/\\.:*?[")


class StatementParser:
    """Parses statements by the engine and judges them.

    Args:
        connection: A guarded connection to an empty database of its own.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        """What parses; to be interrupted by whoever sets a deadline."""

    def single_select(self, sql: str) -> duckdb.Statement:
        """Return the one statement of a text.

        Args:
            sql: The text, trusted in nothing.

        Returns:
            The statement, which is what the engine calls a SELECT.

        Raises:
            StopError: If there is none, more than one, or another kind of statement.
            duckdb.Error: If the text does not parse.
        """
        if "\0" in sql:
            # The engine reads on behind it; other readers of the same text stop there.
            raise StopError(FailureKind.ERROR, "the statement holds a NUL character")
        statements = self.connection.extract_statements(sql)
        if not statements:
            raise StopError(FailureKind.ERROR, "there is no statement in the text")
        if len(statements) > 1:
            raise StopError(FailureKind.REFUSED, "there is more than one statement")
        (statement,) = statements
        if statement.type is not duckdb.StatementType.SELECT:
            kind = str(statement.type).rpartition(".")[2]
            raise StopError(FailureKind.REFUSED, f"only a SELECT is allowed, not {kind}")
        return statement

    def vet(self, sql: str, contents: Contents, limits: Limits) -> None:
        """Refuse a SELECT that does more than compute on the file's tables and views.

        Views that it reads are judged like the statement itself, and so are columns that its
        tables compute.

        Args:
            sql: The statement.
            contents: What the file has.
            limits: What a query may use.

        Raises:
            StopError: If it is refused.
            duckdb.Error: If it does not parse.
        """
        waiting, seen = [sql], set[tuple[str, str]]()
        while waiting:
            for name in _tables_read(self._parsed(waiting.pop()), contents, limits):
                if name in seen:
                    continue
                seen.add(name)
                waiting.extend(f"SELECT {column}" for column in contents.computed.get(name, ()))
                if name in contents.views:
                    view = contents.views[name]
                    if view is None:
                        raise StopError(FailureKind.REFUSED, f"view {name[1]} cannot be judged")
                    waiting.append(self.single_select(view).query)

    def _parsed(self, sql: str) -> list[Any]:
        row = self.connection.execute(
            "SELECT json_serialize_sql(?, skip_null := true, skip_empty := true, "
            "skip_default := true)",
            [sql],
        ).fetchone()
        assert row is not None
        try:
            tree = json.loads(row[0])
        except RecursionError:
            raise StopError(FailureKind.ERROR, "the statement is nested too deeply") from None
        if tree["error"]:
            if tree["error_message"].startswith("Allocation failure"):
                # The parser says it in words where it has no memory left.
                raise MemoryError
            raise StopError(FailureKind.REFUSED, tree["error_message"].split("\n", 1)[0])
        statements = tree["statements"]
        if len(statements) != 1:
            raise StopError(FailureKind.REFUSED, "there is more than one statement")
        return list(statements)


def _tables_read(tree: Any, contents: Contents, limits: Limits) -> Iterator[tuple[str, str]]:
    """Judge every part of a statement; tell which of the file's tables and views it names."""
    for node in _objects(tree):
        if node.get("sample") is not None:
            raise StopError(
                FailureKind.REFUSED, "sampling is not allowed because its rows are random"
            )
        kind = node.get("type")
        if "class" in node:
            if node["class"] not in _EXPRESSIONS:
                raise StopError(FailureKind.REFUSED, f"{node['class']} is not allowed")
            if "function_name" in node:
                _require_function(node, FUNCTIONS)
        elif isinstance(kind, str) and kind not in _PARTS:
            words = _WORDS_OF_PARTS.get(kind, f"{kind} is")
            raise StopError(FailureKind.REFUSED, f"only a SELECT is allowed: {words} not")
        if kind == "SET_OPERATION_NODE" and len(node.get("children", ())) > limits.compound_selects:
            raise StopError(
                FailureKind.ERROR,
                f"a UNION, INTERSECT or EXCEPT has more than {limits.compound_selects} terms",
            )
        if kind == "BASE_TABLE":
            name = _table_read(node, contents)
            if name is not None:
                yield name


def _objects(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object of a parse tree; a table function's call is judged on the way."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            if node.get("type") == "TABLE_FUNCTION":
                call = node["function"]
                _require_function(call, TABLE_FUNCTIONS)
                waiting.extend(call.values())
                waiting.extend(value for key, value in node.items() if key != "function")
                yield {key: value for key, value in node.items() if key != "function"}
                continue
            waiting.extend(node.values())
            yield node


def _require_function(call: Mapping[str, Any], allowed: frozenset[str]) -> None:
    name = call.get("function_name", "").lower()
    if name not in allowed:
        why = " because its value is random" if name in RANDOM else ""
        raise StopError(FailureKind.REFUSED, f"function {name} is not allowed{why}")
    if name in CALLING_BY_NAME:
        arguments = call.get("arguments", [])
        called = arguments[1]["expression"] if len(arguments) > 1 else {}
        called_name = (called.get("literal") or {}).get("text")
        if called.get("class") != "CONSTANT" or str(called_name).lower() not in FUNCTIONS:
            raise StopError(
                FailureKind.REFUSED, f"function {name} may only call an aggregate by its name"
            )


def _table_read(node: Mapping[str, Any], contents: Contents) -> tuple[str, str] | None:
    """Return the table or view of the file that a name means, if it means one."""
    *qualifiers, name = (part.lower() for part in node["qualified_name"]["path"])
    if not qualifiers:
        found = [(_DEFAULT_SCHEMA, name)]
    elif len(qualifiers) == 1:
        # A schema of this name goes before a catalog.
        found = [(qualifiers[0], name)]
        found += [(_DEFAULT_SCHEMA, name)] * (qualifiers[0] == contents.catalog)
    else:
        found = [(qualifiers[-1], name)] * (qualifiers[:-1] == [contents.catalog])
    if not _ENGINE_SCHEMAS.intersection(qualifiers):
        for key in found:
            if key in contents.tables or key in contents.views:
                return key
    full_name = ".".join([*qualifiers, name])
    if name.startswith(_ENGINE_PREFIXES) or _ENGINE_SCHEMAS.intersection(qualifiers):
        raise StopError(FailureKind.REFUSED, f"reading {full_name} is not allowed")
    if not qualifiers and _MARKS_OF_A_FILE.intersection(name):
        raise StopError(FailureKind.REFUSED, "reading a file is not allowed")
    if not qualifiers or qualifiers == [_RECURRING]:
        # The name of a common table expression, or of nothing, which the engine will say.
        return None
    raise StopError(FailureKind.ERROR, f"there is no table {full_name}")
