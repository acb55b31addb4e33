"""Schemas from a file in the form of Spider's tables.json."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from specbridge_pipeline.benchmarks.entries import read_entries
from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table
from specbridge_pipeline.errors import ConfigurationError


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    db_id: str
    table_names_original: tuple[str, ...]
    column_names_original: tuple[tuple[int, str], ...]
    column_types: tuple[str, ...]
    primary_keys: tuple[int | tuple[int, ...], ...] = ()
    foreign_keys: tuple[tuple[int, int], ...] = ()


def read_schemas(path: Path) -> dict[str, Schema]:
    """Read what tables the databases of a benchmark have.

    The file knows five types only (text, number, time, boolean, others); they become the declared
    ones. Where the database itself is at hand its own schema says more.

    Args:
        path: The file.

    Returns:
        A schema for each database id.

    Raises:
        ConfigurationError: The file is not there, or of another form.
    """
    return {entry.db_id: _schema(entry) for entry in _read(path)}


def _schema(entry: _Entry) -> Schema:
    keys: dict[int, int] = {}
    for key in entry.primary_keys:
        members = (key,) if isinstance(key, int) else key
        keys.update({column: at for at, column in enumerate(members, 1)})
    # Keys of one column that are listed one by one for one table are one key together.
    for table in range(len(entry.table_names_original)):
        own = [at for at in sorted(keys) if entry.column_names_original[at][0] == table]
        keys.update({column: at for at, column in enumerate(own, 1)})
    return Schema(
        tuple(
            Table(
                name,
                tuple(
                    Column(column, entry.column_types[at], False, keys.get(at, 0))
                    for at, (owner, column) in enumerate(entry.column_names_original)
                    if owner == table
                ),
                tuple(
                    _foreign_key(entry, *pair)
                    for pair in entry.foreign_keys
                    if entry.column_names_original[pair[0]][0] == table
                ),
            )
            for table, name in enumerate(entry.table_names_original)
        )
    )


def _foreign_key(entry: _Entry, referring: int, referred: int) -> ForeignKey:
    owner, column = entry.column_names_original[referred]
    return ForeignKey(
        (entry.column_names_original[referring][1],),
        entry.table_names_original[owner],
        (column,),
    )


def _read(path: Path) -> list[_Entry]:
    entries = read_entries(
        path,
        _Entry,
        unread="the tables cannot be read",
        unfit="these are no tables",
        advice="give a file in the form of Spider's tables.json",
    )
    for entry in entries:
        _require_sound(entry, path)
    return entries


def _require_sound(entry: _Entry, path: Path) -> None:
    """Refuse numbers of tables and columns that there are not."""
    columns = len(entry.column_names_original)
    tables = len(entry.table_names_original)
    members = [key for each in entry.primary_keys for key in _members(each)]
    sound = (
        len(entry.column_types) == columns
        and all(-1 <= owner < tables for owner, _ in entry.column_names_original)
        and all(0 <= at < columns for pair in entry.foreign_keys for at in pair)
        and all(0 <= at < columns for at in members)
    )
    if not sound:
        raise ConfigurationError(
            f"the tables of '{entry.db_id}' name columns or tables that are not listed",
            path=path,
            advice="correct the numbers, which count from 0",
        )


def _members(key: int | tuple[int, ...]) -> tuple[int, ...]:
    return (key,) if isinstance(key, int) else key
