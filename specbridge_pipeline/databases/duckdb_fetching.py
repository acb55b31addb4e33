"""Running a vetted statement of DuckDB and fetching its rows unchanged.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from specbridge_pipeline.databases.duckdb_guards import Deadline
from specbridge_pipeline.databases.duckdb_values import Reader, carrier_of, read_row
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.result_limits import Allowance
from specbridge_pipeline.databases.results import Cell

_ROWS_A_FETCH = 1_000
CARRYING_VIEW = '"result to be carried"'
"""The temporary view that `carried` makes where it needs one."""
_BEFORE_A_STATEMENT = " \t\n\f\r;"


@dataclass(frozen=True, slots=True)
class CarriedStatement:
    """A statement whose rows can be fetched unchanged.

    Attributes:
        columns: Its output columns.
        types: Their types.
        statement: What is run: it, or a SELECT that casts some of its columns.
        readers: Places of the columns whose fetched values are read, with what reads them.
        is_nested: Whether a cell may be a tuple.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    statement: duckdb.Statement | str
    readers: tuple[tuple[int, Reader], ...]
    is_nested: bool


def carried(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> CarriedStatement:
    """Return what to run so that a statement's rows arrive unchanged.

    Args:
        connection: The connection that it will be run on; it may get a temporary view.
        statement: The statement, vetted.

    Returns:
        What to run.

    Raises:
        StopError: If values of one of its types cannot be carried.
        duckdb.Error: If the statement means nothing in this database.
    """
    described = connection.query(statement.query)
    columns, types = tuple(described.columns), described.types
    del described
    carriers = [carrier_of(kind) for kind in types]
    runs: duckdb.Statement | str = statement
    if any(carrier.is_cast for carrier in carriers):
        # A view, so that no code of ours has to find the statement's end in its text.
        names = [f"c{place}" for place in range(len(columns))]
        connection.execute(
            f"CREATE TEMP VIEW {CARRYING_VIEW}({', '.join(names)}) AS "
            + statement.query.lstrip(_BEFORE_A_STATEMENT)
        )
        cells = ", ".join(
            f"CAST({name} AS {carrier.type_text})" if carrier.is_cast else name
            for name, carrier in zip(names, carriers, strict=True)
        )
        runs = f"SELECT {cells} FROM temp.{CARRYING_VIEW}"
    return CarriedStatement(
        columns=columns,
        types=tuple(map(str, types)),
        statement=runs,
        readers=tuple(
            (place, carrier.read)
            for place, carrier in enumerate(carriers)
            if carrier.read is not None
        ),
        is_nested=any(carrier.is_nested for carrier in carriers),
    )


def fetch(
    connection: duckdb.DuckDBPyConnection,
    plan: CarriedStatement,
    limits: Limits,
    deadline: Deadline,
) -> list[tuple[Cell, ...]]:
    """Run a statement and fetch its rows, as many as it may have.

    Args:
        connection: The connection.
        plan: What `carried` returned for it.
        limits: What it may use.
        deadline: What interrupts it.

    Returns:
        The rows.

    Raises:
        StopError: If there are too many rows or bytes.
        duckdb.Error: If the statement fails.
    """
    allowance = Allowance(limits, plan.columns)
    allowance.require_bytes()
    rows: list[tuple[Cell, ...]] = []
    for row in streamed(connection, plan):
        if deadline.is_over:
            raise duckdb.InterruptException("interrupted between two rows")
        allowance.take(row)
        rows.append(row)
    return rows


def streamed(
    connection: duckdb.DuckDBPyConnection, plan: CarriedStatement
) -> Iterator[tuple[Cell, ...]]:
    """Run a statement and yield its rows as they come.

    Args:
        connection: The connection.
        plan: What `carried` returned for it.

    Yields:
        The rows.

    Raises:
        duckdb.Error: If the statement fails.
    """
    result: Any = connection.execute(plan.statement)
    while chunk := result.fetchmany(_ROWS_A_FETCH):
        for row in chunk:
            yield read_row(row, plan.readers) if plan.readers else row
