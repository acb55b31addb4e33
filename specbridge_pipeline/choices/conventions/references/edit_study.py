"""The study of edits: are the queries of a benchmark edited soundly, and where not, why?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.choices.conventions.convention import make_reference
from specbridge_pipeline.choices.conventions.proving import (
    DatabaseData,
    Gate,
    NotProved,
    Run,
    prove,
)
from specbridge_pipeline.choices.conventions.references.study import QuestionFile
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.exact_description.proofs.findings import reason_without_names
from specbridge_pipeline.progress import Progress
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.parsing import parse_query


@dataclass(frozen=True, slots=True)
class EditFinding:
    """What became of the edit of a query at one reading; it holds nothing of the query's text.

    Attributes:
        choice_type: The type.
        source: The file of questions.
        question_id: The first question whose reference the query is.
        database: The database's id.
        form: What the SQL writes for the side that it takes.
        gate: The first gate that the edit failed; None where it passed all.
        reason: Why it failed; empty where it passed.
        ran: Whether it was run on the database.
    """

    choice_type: ChoiceType
    source: str
    question_id: str
    database: str
    form: str
    gate: Gate | None
    reason: str
    ran: bool


def study_edits(
    files: Sequence[QuestionFile],
    databases: Mapping[str, Path],
    runner: QueryRunner,
    *,
    found: Callable[[EditFinding], None] | None = None,
    progress: Progress | None = None,
    at_once: int = AT_ONCE,
) -> list[EditFinding]:
    """Edit every reference at each of its readings, and pass the edits through all gates.

    Args:
        files: The questions.
        databases: The database files at hand, by id.
        runner: What runs queries on them.
        found: Told of each finding as it is made, in any order and from any thread.
        progress: Told about each reference that is done.
        at_once: How many are studied at a time.

    Returns:
        A finding for each different reading, in the order of the files: a query that is the
        reference of several questions is edited once at a place.

    Raises:
        DatabaseUnavailableError: A database cannot be read.
        WorkerError: A worker was lost.
    """
    runs: dict[str, Run] = {name: partial(runner.run, path) for name, path in databases.items()}
    data = {name: DatabaseData(run) for name, run in runs.items()}

    def work(item: tuple[QuestionFile, list[BenchmarkReference]]) -> list[EditFinding]:
        file, references = item
        name = references[0].database
        findings = _findings(file, references, runs.get(name), data.get(name))
        for finding in findings:
            if found is not None:
                found(finding)
        return findings

    items = [(file, same) for file in files for same in _same_queries(file)]
    return for_each(items, work, description="references", progress=progress, at_once=at_once)


def _same_queries(file: QuestionFile) -> list[list[BenchmarkReference]]:
    grouped: dict[tuple[str, str], list[BenchmarkReference]] = {}
    for each in file.references:
        if each.database in file.schemas:
            grouped.setdefault((each.database, " ".join(each.sql.split())), []).append(each)
    return list(grouped.values())


def _findings(
    file: QuestionFile,
    references: Sequence[BenchmarkReference],
    run: Run | None,
    data: DatabaseData | None,
) -> list[EditFinding]:
    first = references[0]
    try:
        query = resolve_names(parse_query(first.sql), file.schemas[first.database])
    except UnusableReferenceError:
        return []
    places = {id(node): at for at, node in enumerate(query.tree.walk())}
    findings: list[EditFinding] = []
    seen: set[tuple[ChoiceType, str, int]] = set()
    for each in references:
        reference = make_reference(each.question, each.evidence, query)
        for convention in CONVENTIONS.values():
            if convention.read is None or not convention.cues.asked(reference.texts):
                continue
            for reading in convention.read(reference):
                key = (convention.choice_type, reading.form, places[id(reading.node)])
                if key in seen:
                    continue
                seen.add(key)
                gate: Gate | None = Gate.EDITED
                reason, ran = convention.unedited, False
                if convention.edit is not None:
                    proof = prove(convention, reference, reading, each.sql, run=run, data=data)
                    failed = isinstance(proof, NotProved)
                    gate = proof.gate if isinstance(proof, NotProved) else None
                    reason = proof.reason if isinstance(proof, NotProved) else ""
                    ran = not failed and run is not None
                findings.append(
                    EditFinding(
                        convention.choice_type,
                        file.source,
                        str(each.question_id),
                        each.database,
                        reading.form,
                        gate,
                        _nameless(reason_without_names(reason), query.schema),
                        ran,
                    )
                )
    return findings


_VALUE = re.compile(r"^\w+\(.*\)(?= (?:would|can)\b)")
"""A value of a query at the beginning of a reason."""


def _nameless(reason: str, schema: Schema) -> str:
    """Return a reason without the tables and columns that it names."""
    for table in schema.tables:
        name = re.escape(table.name)
        columns = "|".join(
            re.escape(each.name) for each in sorted(table.columns, key=lambda each: -len(each.name))
        )
        reason = re.sub(rf"(?<!\w){name}\.(?:{columns})(?!\w)", "…", reason)
        reason = re.sub(rf"\b(but|of|to|table) {name}(?!\w)", r"\1 …", reason)
    return _VALUE.sub("…", reason)


def edit_counts(findings: Sequence[EditFinding]) -> dict[str, Any]:
    """Count what became of edits.

    Args:
        findings: A finding for each reading.

    Returns:
        A tree for JSON: `types`, for each type the `readings`, those with a `proved` edit, how
        many of these `ran` on a database, those that the edit `refused`, and those that `failed`
        a later gate; `forms`, the same for each form that a type reads; `reasons`, for each type
        the ids by gate and reason.
    """
    types = [each for each in CONVENTIONS if any(one.choice_type is each for one in findings)]
    return {
        "readings": len(findings),
        "types": [
            {"type": each.value, **_numbers([one for one in findings if one.choice_type is each])}
            for each in types
        ],
        "forms": [
            {"type": each.value, "form": form, **_numbers(of_form)}
            for each in types
            for form, of_form in sorted(
                _grouped(one for one in findings if one.choice_type is each).items()
            )
        ],
        "reasons": {
            each.value: _reasons([one for one in findings if one.choice_type is each])
            for each in types
        },
        "unedited": {
            choice_type.value: convention.unedited
            for choice_type, convention in CONVENTIONS.items()
            if convention.edit is None
        },
    }


def _grouped(findings: Any) -> dict[str, list[EditFinding]]:
    groups: dict[str, list[EditFinding]] = {}
    for each in findings:
        groups.setdefault(each.form, []).append(each)
    return groups


def _numbers(findings: Sequence[EditFinding]) -> dict[str, int]:
    gates = Counter(each.gate for each in findings)
    return {
        "readings": len(findings),
        "proved": gates[None],
        "ran": sum(each.ran for each in findings),
        "refused": gates[Gate.EDITED],
        "failed": len(findings) - gates[None] - gates[Gate.EDITED],
    }


def _reasons(findings: Sequence[EditFinding]) -> list[dict[str, Any]]:
    ids: dict[tuple[Gate, str], list[str]] = {}
    for each in findings:
        if each.gate is not None:
            ids.setdefault((each.gate, each.reason), []).append(f"{each.source}/{each.question_id}")
    ordered = sorted(ids.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [
        {"gate": gate.value, "reason": reason, "count": len(listed), "questions": listed}
        for (gate, reason), listed in ordered
    ]
