"""Opening a SQLite file so that untrusted SQL can only read it.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw

from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.errors import DatabaseUnavailableError

_PROGRESS_INSTRUCTIONS = 10_000
"""Often enough to be punctual to a millisecond or so, rarely enough to cost nothing."""

_EPONYMOUS_TABLES = ("json_each", "json_tree")
"""Table-valued functions that read nothing but their arguments. sqlite_stmt (which shows other
statements), dbstat, sqlite_dbpage and the pragma functions (which show paths) are not here."""

_SCHEMA_TABLES = ("sqlite_schema", "sqlite_master")

_NONDETERMINISTIC = frozenset({"random", "randomblob"})

_FUNCTION_NAMES = """
-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat
concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime
degrees dense_rank exp first_value floor format glob group_concat hex if ifnull iif instr json
json_array json_array_insert json_array_length json_error_position json_extract
json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote
json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_array_insert
jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch
jsonb_remove jsonb_replace jsonb_set julianday lag last_value lead length like likelihood
likely ln log log10 log2 lower ltrim max median min mod nth_value ntile nullif octet_length
percent_rank percentile percentile_cont percentile_disc pi pow power printf quote radians rank
replace round row_number rtrim sign sin sinh sqlite_version sqrt strftime string_agg substr
substring subtype sum tan tanh time timediff total trim trunc typeof unhex unicode unistr
unistr_quote unixepoch unlikely upper zeroblob
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
"""Functions that compute a value from their arguments (or the clock) and touch nothing else.
zeroblob, printf and their like can ask for any amount; the engine's length limit fails those
loudly in the pinned version (a test holds it to that: older ones return NULL instead)."""

_SWITCHES = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 0),
)


@contextmanager
def read_only(path: Path) -> Iterator[apsw.Connection]:
    """Open a database file for reading, in a way that creates no file beside it.

    Args:
        path: The file.

    Yields:
        A connection with every switch of the engine that could do harm turned off; it is closed
        when the context is left.

    Raises:
        DatabaseUnavailableError: If there is no such database, or its journal holds changes that
            are not in the file yet.
    """
    if not path.is_file():
        raise DatabaseUnavailableError("there is no such database file")
    if path.stat().st_size == 0:
        raise DatabaseUnavailableError("the database file is empty")
    for suffix in ("-wal", "-journal"):
        journal = path.with_name(path.name + suffix)
        # `immutable` ignores a journal: it would miss committed rows of a -wal, and read
        # uncommitted ones beside a hot -journal. Without it, reading creates files.
        if journal.exists() and journal.stat().st_size > 0:
            raise DatabaseUnavailableError(
                f"changes of the database are still in its {suffix} file",
                advice="close the program that writes it, or checkpoint it: "
                "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE",
            )
    connection = apsw.Connection(
        f"file:{quote(str(path).encode(errors='surrogateescape'))}?mode=ro&immutable=1",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        statementcachesize=0,
    )
    try:
        for switch, setting in _SWITCHES:
            connection.config(switch, setting)
        # Sorts would spill into the temporary folder.
        connection.pragma("temp_store", 2)
        yield connection
    finally:
        # By force: without it, a cursor that was left in the middle of its text raises.
        connection.close(True)


class Guard:
    """Holds one connection to what a query may do, and remembers what it refused.

    Args:
        connection: An open connection; nothing untrusted may have run on it.
        limits: What a query may use.
        deadline: When to interrupt the query, on the monotonic clock.
    """

    def __init__(self, connection: apsw.Connection, limits: Limits, deadline: float) -> None:
        self.refusal: str | None = None
        """The first thing that was refused, in words."""
        self._connection = connection
        self._limits = limits
        self.used_up_steps = False
        """Whether the query was interrupted because it took too many steps."""
        self._deadline = deadline
        self._steps = 0
        self._readable = {("main", name) for name in (*_EPONYMOUS_TABLES, *_SCHEMA_TABLES)}
        connection.set_progress_handler(self._is_over, _PROGRESS_INSTRUCTIONS)
        self._admit_tables()

    def close_door(self, also_readable: str | None = None) -> None:
        """Refuse from here on all that is not allowed.

        Args:
            also_readable: A temporary view that may be read besides the database's own tables.
        """
        if also_readable is not None:
            self._readable.add(("temp", also_readable.lower()))
        limits = self._limits
        # Setting a limit below the engine's minimum or above its maximum is clipped by it.
        for code, value in (
            (apsw.SQLITE_LIMIT_LENGTH, limits.bytes),
            (apsw.SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes),
            (apsw.SQLITE_LIMIT_EXPR_DEPTH, limits.expression_depth),
            (apsw.SQLITE_LIMIT_COMPOUND_SELECT, limits.compound_selects),
            (apsw.SQLITE_LIMIT_FUNCTION_ARG, limits.function_arguments),
            (apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, limits.like_pattern_bytes),
            (apsw.SQLITE_LIMIT_VDBE_OP, limits.instructions),
            (apsw.SQLITE_LIMIT_ATTACHED, 0),
            (apsw.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
            (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
            (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            self._connection.limit(code, value)
        self._connection.authorizer = self._authorize

    def refuse(self, reason: str) -> None:
        """Remember a refusal; the first one counts.

        Args:
            reason: What is refused, in words.
        """
        if self.refusal is None:
            self.refusal = reason

    def _is_over(self) -> bool:
        self._steps += _PROGRESS_INSTRUCTIONS
        self.used_up_steps = self._steps > self._limits.steps
        return self.used_up_steps or time.monotonic() > self._deadline

    def _admit_tables(self) -> None:
        for name in _EPONYMOUS_TABLES:
            # The first use declares the table, which the authorizer would have to allow.
            self._connection.execute(f"SELECT 1 FROM {name}('[]')")
        for name, sql in self._connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view')"
        ):
            # A virtual table runs an extension's code on content that nobody has vetted.
            if not is_virtual(sql):
                self._readable.add(("main", name.lower()))
        # The authorizer cannot tell dbstat in count(*) from a subquery of that name; without
        # its module there is no such table.
        self._connection.drop_modules(_EPONYMOUS_TABLES)

    def _may_read(self, database: str | None, name: str) -> bool:
        if database is not None:
            return (database, name) in self._readable
        # Without a database, the statement reads no column of what it names (as in count(*)),
        # and the name may be a common table expression's. Names that the engine itself could
        # answer to are refused even so.
        return ("main", name) in self._readable or not name.startswith(("sqlite_", "pragma_"))

    def _authorize(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,
        _inner: str | None,
    ) -> int:
        if action in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE):
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_READ:
            if self._may_read(database, (first or "").lower()):
                return apsw.SQLITE_OK
            self.refuse(f"reading {first} is not allowed")
            return apsw.SQLITE_DENY
        if action == apsw.SQLITE_FUNCTION:
            name = (second or "").lower()
            if name in _FUNCTIONS:
                return apsw.SQLITE_OK
            why = " because its value is random" if name in _NONDETERMINISTIC else ""
            self.refuse(f"function {second} is not allowed{why}")
            return apsw.SQLITE_DENY
        kind = apsw.mapping_authorizer_function.get(action, str(action))
        self.refuse(f"only a SELECT is allowed, not {str(kind).removeprefix('SQLITE_')}")
        return apsw.SQLITE_DENY


def is_virtual(sql: str | None) -> bool:
    """Tell whether a CREATE statement, as the engine stores it, makes a virtual table.

    Args:
        sql: The statement, or None for what the engine made itself.

    Returns:
        Whether it does.
    """
    # The engine stores the statement with these words normalized, whatever was typed.
    return sql is not None and sql.upper().startswith("CREATE VIRTUAL TABLE")
