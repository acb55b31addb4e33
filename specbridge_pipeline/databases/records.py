"""Rows of the stage `database_files`."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

DATABASE_FILES = FrameSchema(
    name="database_files",
    version=1,
    columns={
        "database": "text",
        "engine": "text",
        "engine_version": "text",
        "content_hash": "text",
        "tables": "integer",
        "columns": "integer",
        "source": "text",
    },
    key=("database",),
)
"""One row a database: engine, hash of its content, number of tables and columns."""
