"""The choice library: choices of meaning that benchmarks' questions leave open, as records.

A record names the question, the step and what is edited there, but quotes neither question nor
query: their text is read from the user's copy of the benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from specbridge_pipeline.choices.answer_changes.answers import Effect
from specbridge_pipeline.choices.answer_changes.moves import Move
from specbridge_pipeline.choices.conventions.convention import Side
from specbridge_pipeline.choices.conventions.proving import Gate
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.configuration_files import StrictModel
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.records.canonical import canonical_json
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.records.schemas import FrameSchema

FORMAT = 1
"""Version of the file's form."""


class Origin(StrEnum):
    """Where a choice was found."""

    FAILURE = "failure"
    """A model's answer to the question as worded failed, and a diagnosis found the choice."""
    REFERENCE = "reference"
    """The edit of a benchmark's reference to the other interpretation changes its answer."""


class ReviewedAs(StrEnum):
    """What reviewers say of a question and a choice; contested counts as open."""

    OPEN = "open"
    CONTESTED = "contested"
    SETTLED = "settled"


class Confidence(StrEnum):
    """Who vouches for a record."""

    RULES = "rules"
    """Cues and gates by code alone."""
    READ = "read"
    """Somebody has read the question and the reference, and confirmed the side that it takes."""


class LibraryEdit(StrictModel):
    """What an edit does, without any SQL: the form that a query has and the one that it gets."""

    taken: str
    other: str
    gates: tuple[Gate, ...]


class Evidence(StrictModel):
    """How the answer changes on the benchmark's database."""

    move: Move
    relative_move: float | None
    reference_rows: int
    other_rows: int
    rows_lost: int
    rows_gained: int


class LibraryRecord(StrictModel):
    """One choice of one question.

    `step` is the SELECT of the reference in which the choice stands, from 1. `open_by_reviewers`
    is None where no reviewer was asked; the two readings of "open" are never mixed.
    """

    id: str
    type: ChoiceType
    benchmark: str
    source: str
    question_id: str
    database: str
    query: str
    step: int
    side: Side
    edit: LibraryEdit
    origin: Origin
    open_by_cues: bool
    open_by_reviewers: ReviewedAs | None
    confidence: Confidence
    evidence: Evidence


class ChoiceLibrary(StrictModel):
    """A version of the library; records in the order of their ids."""

    format: int = FORMAT
    records: tuple[LibraryRecord, ...]


CHOICE_LIBRARY = FrameSchema(
    name="choice_library",
    version=1,
    columns={
        "record_id": "text",
        "choice_type": "text",
        "benchmark": "text",
        "source": "text",
        "question_id": "text",
        "database": "text",
        "query": "text",
        "step": "integer",
        "side": "text",
        "taken": "text",
        "other": "text",
        "origin": "text",
        "open_by_cues": "boolean",
        "open_by_reviewers": "text",
        "confidence": "text",
        "evidence": "text",
    },
    key=("record_id",),
)
"""One row a record of the choice library; `evidence` is JSON."""


def library_of_references(rows: Iterable[Mapping[str, Any]]) -> ChoiceLibrary:
    """Return the choices of references whose answer changes.

    Args:
        rows: Rows of ANSWER_CHANGES.

    Returns:
        A record for each whose effect is that the answer changes.
    """
    records = [_record(row) for row in rows if row["effect"] == Effect.CHANGED]
    return ChoiceLibrary(records=tuple(sorted(records, key=lambda each: each.id)))


def _record(row: Mapping[str, Any]) -> LibraryRecord:
    return LibraryRecord(
        id="/".join(row[name] for name in ("benchmark", "source", "question_id", "choice_type")),
        type=ChoiceType(row["choice_type"]),
        benchmark=row["benchmark"],
        source=row["source"],
        question_id=row["question_id"],
        database=row["database"],
        query=row["query"],
        step=row["step"],
        side=Side(row["side"]),
        edit=LibraryEdit(taken=row["form"], other=row["other_form"], gates=tuple(Gate)),
        origin=Origin.REFERENCE,
        open_by_cues=True,
        open_by_reviewers=None,
        confidence=Confidence.READ if row["confirmed"] else Confidence.RULES,
        evidence=Evidence(
            move=Move(row["move"]),
            relative_move=row["relative_move"],
            reference_rows=row["reference_rows"],
            other_rows=row["other_rows"],
            rows_lost=row["rows_lost"],
            rows_gained=row["rows_gained"],
        ),
    )


def library_rows(library: ChoiceLibrary) -> list[dict[str, Any]]:
    """Return a library as rows of CHOICE_LIBRARY."""
    return [
        {
            "record_id": each.id,
            "choice_type": each.type.value,
            "benchmark": each.benchmark,
            "source": each.source,
            "question_id": each.question_id,
            "database": each.database,
            "query": each.query,
            "step": each.step,
            "side": each.side.value,
            "taken": each.edit.taken,
            "other": each.edit.other,
            "origin": each.origin.value,
            "open_by_cues": each.open_by_cues,
            "open_by_reviewers": None
            if each.open_by_reviewers is None
            else each.open_by_reviewers.value,
            "confidence": each.confidence.value,
            "evidence": canonical_json(each.evidence.model_dump(mode="json")),
        }
        for each in library.records
    ]


def write_library(path: Path, library: ChoiceLibrary) -> None:
    """Write a library as JSON, a record a line, so that versions can be compared."""
    records = ",\n".join(canonical_json(each.model_dump(mode="json")) for each in library.records)
    write_text(path, f'{{"format": {library.format}, "records": [\n{records}\n]}}\n')


def read_library(path: Path) -> ChoiceLibrary:
    """Read a library.

    Raises:
        ConfigurationError: The file is not there, or of another form.
    """
    try:
        return ChoiceLibrary.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(
            f"the choice library cannot be read: {error.strerror}", path=path
        ) from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in fault["loc"])
        raise ConfigurationError(
            f"this is no choice library: {where}: {fault['msg']}",
            path=path,
            advice="write it again: specbridge study answer-changes --library FILE",
        ) from error


def counts_of_failures(library: ChoiceLibrary) -> dict[ChoiceType, tuple[int, int]]:
    """Count what the library's columns of the paper's Table S1 count.

    Records of references are not among them: those columns count mined failures alone.

    Args:
        library: The library.

    Returns:
        Choice type → how many failures reviewers call open (or contested), and how many settled.
    """
    failures = [each for each in library.records if each.origin is Origin.FAILURE]
    return {
        choice_type: (
            sum(
                each.type is choice_type
                and each.open_by_reviewers in (ReviewedAs.OPEN, ReviewedAs.CONTESTED)
                for each in failures
            ),
            sum(
                each.type is choice_type and each.open_by_reviewers is ReviewedAs.SETTLED
                for each in failures
            ),
        )
        for choice_type in ChoiceType
    }
