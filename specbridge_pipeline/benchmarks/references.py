"""Reference queries of a question file in Spider's or BIRD's form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from specbridge_pipeline.benchmarks.entries import read_entries


@dataclass(frozen=True, slots=True)
class BenchmarkReference:
    """One question's reference query.

    Attributes:
        question_id: The file's own id, or where it gives none the question's place in the file,
            from 0.
        database: The database's id.
        sql: The query.
        question: The question in words; empty where the file has none.
        evidence: What the file says beside it of the words that it uses; empty for nothing.
        form: Whose form the file has: "spider" or "bird".
    """

    question_id: int | str
    database: str
    sql: str
    question: str = ""
    evidence: str = ""
    form: str = "spider"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    question_id: int | str | None = None
    db_id: str
    sql: str = Field(validation_alias=AliasChoices("query", "SQL"))
    question: str = ""
    evidence: str | None = None


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
            at if entry.question_id is None else entry.question_id,
            entry.db_id,
            entry.sql,
            entry.question,
            entry.evidence or "",
            "spider" if entry.evidence is None else "bird",
        )
        for at, entry in enumerate(
            read_entries(
                path,
                _Entry,
                unread="the questions cannot be read",
                unfit="this is no question file",
                advice="give a JSON list of objects with db_id, and query or SQL",
            )
        )
    )
