"""How much of the machine one query may use."""

from __future__ import annotations

from dataclasses import dataclass, fields

_MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits under which a worker runs one query; each must be positive.

    DuckDB has no counterpart of some: there, `steps`, `function_arguments`, `like_pattern_bytes`
    and `instructions` limit nothing, and what takes too long is ended by its time alone.

    Attributes:
        steps: Instructions of SQLite's virtual machine that a query may take. The limit that
            is meant to be reached: unlike a time it is the same on every machine.
        seconds: Elapsed time until the worker interrupts the query, for what takes long in few
            steps.
        grace_seconds: What the parent waits beyond that before it kills the worker; it also
            pays for sending the result.
        rows: Rows that a result may have.
        bytes: Bytes that a result may have: its cells (at least eight each) and its column
            names. With SQLite no single value on the way may be larger either.
        memory: Bytes of heap that the engine may use.
        sql_bytes: Length of the statement in UTF-8.
        expression_depth: Depth of the deepest expression tree.
        compound_selects: Terms of a UNION, INTERSECT or EXCEPT.
        function_arguments: Arguments of one function call.
        like_pattern_bytes: Length of a LIKE or GLOB pattern, whose cost can explode with it.
        instructions: Length of the compiled program.
        file_seconds: Elapsed time for what reads a whole file: its schema or its content hash.

    Raises:
        ValueError: If a limit is not positive.
    """

    steps: int = 500_000_000
    seconds: float = 60.0
    grace_seconds: float = 3.0
    rows: int = 200_000
    bytes: int = 64 * _MEBIBYTE
    memory: int = 1024 * _MEBIBYTE
    sql_bytes: int = 100_000
    expression_depth: int = 500
    compound_selects: int = 200
    function_arguments: int = 127
    like_pattern_bytes: int = 1_000
    instructions: int = 1_000_000
    file_seconds: float = 3_600.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise ValueError(f"limit {field.name} must be positive")
