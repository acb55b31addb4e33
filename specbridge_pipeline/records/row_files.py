"""Rows of a frame as a CSV file that is kept under version control and read by people.

Long ones are compressed, by the ending `.gz` of the file's name.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.records.files import write_bytes, write_text
from specbridge_pipeline.records.schemas import FrameSchema


def write_rows(path: Path, schema: FrameSchema, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, sorted by the schema's key.

    Args:
        path: The file.
        schema: The form of the rows.
        rows: Them.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(schema.columns)
    ordered = sorted(rows, key=lambda row: [(row[name] is None, row[name]) for name in schema.key])
    for row in ordered:
        writer.writerow([_written(row[name]) for name in schema.columns])
    if path.suffix == ".gz":
        # Without a time in it, the same rows are the same bytes.
        write_bytes(path, gzip.compress(text.getvalue().encode(), 9, mtime=0))
    else:
        write_text(path, text.getvalue())


def read_rows(path: Path, schema: FrameSchema) -> list[dict[str, Any]]:
    """Read rows that `write_rows` wrote.

    Args:
        path: The file.
        schema: The form of the rows.

    Raises:
        ConfigurationError: The file is not there, or a line is not of this form.
    """
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeError) as error:
        raise ConfigurationError(f"the rows cannot be read: {error}", path=path) from error
    reader = csv.reader(io.StringIO(text))
    header = next(reader, [])
    if header != list(schema.columns):
        raise ConfigurationError(
            f"these are no rows of '{schema.name}'",
            path=path,
            line=1,
            advice=f"its columns are {', '.join(schema.columns)}",
        )
    rows = []
    for cells in reader:
        try:
            values = zip(schema.columns.items(), cells, strict=True)
            rows.append({name: _read(cell, kind) for (name, kind), cell in values})
        except ValueError as error:
            raise ConfigurationError(
                f"a row of '{schema.name}' cannot be read: {error}",
                path=path,
                line=reader.line_num,
                advice="write the file again with the command that made it",
            ) from error
    return rows


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return str(value)


def _read(cell: str, kind: str) -> Any:
    if kind == "text":
        return cell
    if kind == "texts":
        return [str(each) for each in json.loads(cell)] if cell else []
    if not cell:
        return None
    if kind == "boolean":
        return _truth(cell)
    return int(cell) if kind == "integer" else float(cell)


def _truth(cell: str) -> bool:
    if cell not in ("true", "false"):
        raise ValueError(f"'{cell}' is neither true nor false")
    return cell == "true"
