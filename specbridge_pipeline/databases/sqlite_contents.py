"""Reading a whole SQLite file: its schema and the hash of its content.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import apsw

from specbridge_pipeline.databases.content_digest import ContentDigest
from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table
from specbridge_pipeline.databases.sqlite_guards import is_virtual

_VISIBLE_COLUMNS = (0, 2, 3)
"""Values of PRAGMA table_xinfo's `hidden`: ordinary and generated; 1 is a virtual table's own."""


def read_schema(connection: apsw.Connection) -> Schema:
    """Read the tables and views of a database that a query may read.

    Virtual tables are left out (the guard refuses them), and so are the engine's own tables and
    views that no longer fit the tables they read.

    Args:
        connection: An open connection.

    Returns:
        The schema, in the order in which tables and views were made.

    Raises:
        apsw.Error: If the file cannot be read.
    """
    virtual_or_shadow = {
        name
        for database, name, kind, *_ in connection.execute("PRAGMA main.table_list")
        if database == "main" and kind in ("virtual", "shadow")
    }
    columns: dict[str, tuple[Column, ...]] = {}
    views: set[str] = set()
    for name, kind in list(
        connection.execute(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid"
        )
    ):
        if name in virtual_or_shadow or name.lower().startswith("sqlite_"):
            continue
        if kind == "view":
            views.add(name)
        try:
            columns[name] = _columns(connection, name)
        except apsw.SQLError:
            if kind != "view":
                raise
    keys = {
        name.lower(): Table(name, found, ()).primary_key
        for name, found in columns.items()
        if name not in views
    }
    return Schema(
        tuple(
            Table(name, found, () if name in views else _foreign_keys(connection, name, keys))
            for name, found in columns.items()
        )
    )


def content_hash(connection: apsw.Connection) -> str:
    """Hash what a database says, whatever its file looks like.

    The hash covers the CREATE statements by type and name, then each table's rows by table name
    in the order of a plain scan. It does not see free pages, page order or size, the journal
    mode, or the engine version in the header. The statistics of ANALYZE count as content, since
    they decide the order of rows that no ORDER BY settles.

    Args:
        connection: An open connection.

    Returns:
        SHA-256 in hexadecimal.

    Raises:
        apsw.Error: If the file cannot be read.
    """
    digest = ContentDigest("database content 1")
    statements = list(
        connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL "
            "ORDER BY type, name"
        )
    )
    digest.add_rows(statements)
    for kind, name, _, sql in statements:
        if kind != "table" or is_virtual(sql):
            continue
        digest.begin(name)
        before = digest.copy()
        try:
            digest.add_rows(_rows(connection, name))
        except UnicodeDecodeError:
            # Some text of this table is not UTF-8: read it again as bytes.
            digest = before
            digest.add_rows(_rows_with_undecoded_text(connection, name))
    return digest.hexadecimal()


def quoted(name: str) -> str:
    """Return an identifier in double quotes.

    Args:
        name: The identifier.

    Returns:
        The identifier as SQL.
    """
    return '"' + name.replace('"', '""') + '"'


def _columns(connection: apsw.Connection, table: str) -> tuple[Column, ...]:
    return tuple(
        Column(
            name,
            declared_type or "",
            bool(not_null),
            key_position,
            _collation(connection, table, name),
        )
        for _, name, declared_type, not_null, _, key_position, hidden in connection.execute(
            f"PRAGMA main.table_xinfo({quoted(table)})"
        )
        if hidden in _VISIBLE_COLUMNS
    )


def _collation(connection: apsw.Connection, table: str, column: str) -> str:
    try:
        found = connection.column_metadata("main", table, column)[1].upper()
    except apsw.SQLError:
        # A view declares none.
        return ""
    return "" if found == "BINARY" else found


def _foreign_keys(
    connection: apsw.Connection, table: str, primary_keys: dict[str, tuple[str, ...]]
) -> tuple[ForeignKey, ...]:
    listed = list(connection.execute(f"PRAGMA main.foreign_key_list({quoted(table)})"))
    # The engine numbers a table's foreign keys from the last to the first.
    listed.sort(key=lambda row: (-row[0], row[1]))
    found = []
    for _, group in itertools.groupby(listed, key=lambda row: row[0]):
        pairs = list(group)
        referenced = pairs[0][2]
        own = tuple(pair[3] for pair in pairs)
        others = tuple(pair[4] for pair in pairs if pair[4] is not None)
        if not others:
            key = primary_keys.get(referenced.lower(), ())
            others = key if len(key) == len(own) else ()
        found.append(ForeignKey(own, referenced, others))
    return tuple(found)


def _rows(connection: apsw.Connection, table: str) -> apsw.Cursor:
    # An index that covers the table would change the order with the engine's plans.
    return connection.execute(f"SELECT * FROM main.{quoted(table)} NOT INDEXED")


def _rows_with_undecoded_text(connection: apsw.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    names = [column.name for column in _columns(connection, table)]
    cells = ", ".join(
        f"typeof({name}) = 'text', iif(typeof({name}) = 'text', CAST({name} AS BLOB), {name})"
        for name in map(quoted, names)
    )
    for row in connection.execute(f"SELECT {cells} FROM main.{quoted(table)} NOT INDEXED"):
        yield tuple(
            _text_or_tag(cell) if is_text else cell
            for is_text, cell in zip(row[::2], row[1::2], strict=True)
        )


def text_or_bytes(raw: bytes) -> str | bytes:
    """Return text as text, or as its bytes where they are not UTF-8.

    Args:
        raw: The bytes of a text.

    Returns:
        The text, or the bytes unchanged.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _text_or_tag(raw: bytes) -> str | dict[str, str]:
    text = text_or_bytes(raw)
    # Not as bytes: a blob of the same bytes is another value.
    return text if isinstance(text, str) else {"text": text.hex()}
