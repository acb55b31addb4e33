"""Reference queries of a question file in Spider's or BIRD's form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from specbridge_pipeline.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class BenchmarkReference:
    """One question's reference query.

    Attributes:
        question_id: The file's own id, or where it gives none the question's place in the file,
            from 0.
        database: The database's id.
        sql: The query.
    """

    question_id: int | str
    database: str
    sql: str


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    question_id: int | str | None = None
    db_id: str
    sql: str = Field(validation_alias=AliasChoices("query", "SQL"))


def read_references(path: Path) -> tuple[BenchmarkReference, ...]:
    """Read a question file.

    Args:
        path: A JSON list of objects with ``db_id`` and with ``query`` (Spider) or ``SQL`` (BIRD);
            ``question_id`` where there is one.

    Returns:
        The references in the order of the file.

    Raises:
        ConfigurationError: The file is not there, or of another form.
    """
    return tuple(
        BenchmarkReference(
            at if entry.question_id is None else entry.question_id, entry.db_id, entry.sql
        )
        for at, entry in enumerate(_read(path))
    )


def _read(path: Path) -> list[_Entry]:
    advice = "give a JSON list of objects with db_id, and query or SQL"
    try:
        return TypeAdapter(list[_Entry]).validate_python(
            json.loads(path.read_text(encoding="utf-8"))
        )
    except OSError as error:
        raise ConfigurationError(
            f"the questions cannot be read: {error.strerror}", path=path, advice=advice
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError("this is no JSON", path=path, advice=advice) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(
            f"this is no question file: {place}: {first['msg']}", path=path, advice=advice
        ) from error
