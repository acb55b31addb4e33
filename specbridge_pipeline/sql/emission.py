"""Writing a tree back as SQL that means what the statement it was read from meant."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines import rules_of


def emit(node: exp.Expr, engine: Engine = Engine.SQLITE) -> str:
    """Write a part of a query as SQL.

    The generator replaces casts to types that an engine does not have by calls of its date
    functions or by other types, which gives other values: such casts are written as they were
    read. What else may go wrong only a run can show, so compare the result of the whole query
    written back with the result of its own text before anything is derived from it.

    Args:
        node: The query or a part of one; it is not changed.
        engine: The engine to write for.

    Returns:
        The SQL.
    """
    rewritten = rules_of(engine).rewritten_casts
    if any(_is_to(cast, rewritten) for cast in node.find_all(exp.Cast)):
        node = node.copy()
        for cast in node.find_all(exp.Cast):
            if _is_to(cast, rewritten):
                name = cast.args["to"].this.value
                cast.set("to", exp.DataType(this=exp.DType.USERDEFINED, kind=name))
    return node.sql(engine)


def _is_to(cast: exp.Cast, types: frozenset[str]) -> bool:
    target = cast.args.get("to")
    return (
        isinstance(target, exp.DataType)
        and isinstance(target.this, exp.DType)
        and target.this.value in types
    )
