"""The database engines that queries run on."""

from __future__ import annotations

from enum import StrEnum


class Engine(StrEnum):
    """The engine that runs a database's queries; its value is also its dialect's name."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"
