"""Reads the references of question files for all choices."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.choices.conventions.convention import Decision, decide, make_reference
from specbridge_pipeline.choices.conventions.references.author_groups import author_group
from specbridge_pipeline.choices.conventions.references.verdicts import Verdicts
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.progress import Progress, SilentProgress, Task
from specbridge_pipeline.sql.column_origins import ResolvedQuery, resolve_names
from specbridge_pipeline.sql.parsing import parse_query


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The questions of one file.

    Attributes:
        source: The file's name up to its first full stop, by which its questions are told apart
            from those of the benchmark's other files.
        split: "train" or "dev" where the name begins so; else the source.
        references: Its questions with their references.
        schemas: Database id → its tables.
    """

    source: str
    split: str
    references: tuple[BenchmarkReference, ...]
    schemas: Mapping[str, Schema]


def question_file(
    path: Path,
    references: tuple[BenchmarkReference, ...],
    tables: Sequence[Mapping[str, Schema]],
) -> QuestionFile:
    """Return the questions of a file under its name.

    Args:
        path: The file.
        references: What is in it.
        tables: Files of tables, at least one. Benchmarks share names of databases, so that the
            file counts that knows most of the questions' databases; the first of several.
    """
    source = path.name.split(".")[0]
    split = next((name for name in ("train", "dev") if source.startswith(name)), source)
    wanted = {each.database for each in references}
    schemas = max(tables, key=lambda known: len(wanted & known.keys()))
    return QuestionFile(source, split, references, schemas)


@dataclass(frozen=True, slots=True)
class Unread:
    """A reference that cannot be read.

    Attributes:
        source: Its file.
        question_id: Its id there.
        reason: Why.
    """

    source: str
    question_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Study:
    """What was read.

    Attributes:
        rows: Rows of REFERENCE_CONVENTIONS.
        references: How many references there were.
        unread: Those that could not be read.
    """

    rows: list[dict[str, Any]]
    references: int
    unread: list[Unread]


def study_references(
    files: Sequence[QuestionFile], verdicts: Verdicts, *, progress: Progress | None = None
) -> Study:
    """Decide of each reference which choices occur in it, which are open, and what it takes.

    Args:
        files: The questions.
        verdicts: What readings say of references that take the other side.
        progress: Told about each reference; by default nobody is.

    Returns:
        One row for each reference and choice type that occurs in it, in the order of the files.
    """
    rows: list[dict[str, Any]] = []
    unread: list[Unread] = []
    count = sum(len(file.references) for file in files)
    with (progress or SilentProgress()).task("references", count) as task:
        for file in files:
            _read_file(file, verdicts, rows, unread, task)
    return Study(rows, count, unread)


def _read_file(
    file: QuestionFile,
    verdicts: Verdicts,
    rows: list[dict[str, Any]],
    unread: list[Unread],
    task: Task,
) -> None:
    # Paraphrases of one question follow each other with the same query.
    @lru_cache(maxsize=8)
    def resolved(sql: str, database: str) -> ResolvedQuery:
        return resolve_names(parse_query(sql), file.schemas[database])

    for each in file.references:
        task.advance()
        if each.database not in file.schemas:
            unread.append(_unread(file, each, "its database is in no file of tables"))
            continue
        try:
            query = resolved(each.sql, each.database)
        except UnusableReferenceError as error:
            unread.append(_unread(file, each, error.what))
            continue
        reference = make_reference(each.question, each.evidence, query)
        for convention in CONVENTIONS.values():
            decision = decide(convention, reference)
            if decision is not None:
                rows.append(_row(file, each, decision, verdicts))


def _unread(file: QuestionFile, reference: BenchmarkReference, reason: str) -> Unread:
    return Unread(file.source, str(reference.question_id), reason)


def _row(
    file: QuestionFile, reference: BenchmarkReference, decision: Decision, verdicts: Verdicts
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "benchmark": reference.form,
        "source": file.source,
        "split": file.split,
        "question_id": str(reference.question_id),
        "database": reference.database,
        "author_group": author_group(reference.form, reference.database),
        "query": fingerprint(reference.sql),
        "choice_type": decision.choice_type.value,
        "open": decision.is_open,
        "side": decision.side.value,
        "form": decision.form,
        "could_differ": decision.could_differ,
        "cues": [match.cue for match in decision.cues],
        "verdict": None,
        "reason": None,
    }
    verdict = verdicts.of(row)
    if verdict is not None:
        row["verdict"], row["reason"] = verdict.verdict, verdict.reason
    return row


def fingerprint(sql: str) -> str:
    """Return what tells a query from others without showing it; blanks do not count."""
    return hashlib.sha256(" ".join(sql.split()).encode()).hexdigest()[:12]


def texts_of(files: Sequence[QuestionFile]) -> dict[tuple[str, str, str], BenchmarkReference]:
    """Return the references by benchmark, source and id, to be shown to who reviews them."""
    return {
        (each.form, file.source, str(each.question_id)): each
        for file in files
        for each in file.references
    }
