"""The study of answer changes: what the other interpretation does to answers of open questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.choices.answer_changes.answers import (
    COMPARED,
    AnswerComparison,
    Effect,
    compare_answers,
)
from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
    make_reference,
)
from specbridge_pipeline.choices.conventions.proving import (
    DatabaseData,
    Gate,
    NotProved,
    ProvedEdit,
    Run,
    prove,
)
from specbridge_pipeline.choices.conventions.references.study import QuestionFile
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.exact_description.proofs.findings import reason_without_names
from specbridge_pipeline.progress import Progress
from specbridge_pipeline.sql.column_origins import ResolvedQuery, resolve_names
from specbridge_pipeline.sql.parsing import parse_query

Row = Mapping[str, Any]

_DOTTED = re.compile(r"\w+\.\S+")
_KEPT = (
    *("benchmark", "source", "split", "question_id", "database", "author_group", "query"),
    *("choice_type", "side"),
)


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """What the other interpretation does to the answer of one question, by one choice type.

    Attributes:
        row: The row of ANSWER_CHANGES.
        reference: The question with its reference, to be shown to a person.
        edit: The edit that the row is about; None where none passed all gates.
    """

    row: dict[str, Any]
    reference: BenchmarkReference
    edit: ProvedEdit | None


@dataclass(frozen=True, slots=True)
class _Tried:
    """The edit of a query at one place, and what it does to the answer."""

    reading: Reading
    proof: ProvedEdit | NotProved
    other_form: str
    compared: AnswerComparison | None


def study_answer_changes(
    files: Sequence[QuestionFile],
    decisions: Iterable[Row],
    runs: Mapping[str, Run],
    *,
    found: Callable[[AnswerChange], None] | None = None,
    progress: Progress | None = None,
    at_once: int = AT_ONCE,
) -> list[AnswerChange]:
    """Edit the references of open questions to the other interpretation, and compare the answers.

    Args:
        files: The questions.
        decisions: Rows of REFERENCE_CONVENTIONS about them; those of open questions are studied
            whose reference was not dropped by a reading.
        runs: Database id → runs a query on it, for the databases at hand; called by several
            threads.
        found: Told of each answer as it is compared, in any order and from any thread.
        progress: Told about each reference that is done.
        at_once: How many are studied at a time.

    Returns:
        One for each of these decisions, in the order of the files.

    Raises:
        DatabaseUnavailableError: A database cannot be read.
        WorkerError: A worker was lost.
    """
    wanted: dict[tuple[str, str, str], list[Row]] = {}
    for row in decisions:
        if row["open"] and row["verdict"] != "dropped":
            key = (row["benchmark"], row["source"], row["question_id"])
            wanted.setdefault(key, []).append(row)
    data = {name: DatabaseData(run) for name, run in runs.items()}

    def work(item: tuple[QuestionFile, list[BenchmarkReference]]) -> list[AnswerChange]:
        file, references = item
        name = references[0].database
        study = _QueryStudy(file, references[0], runs.get(name), data.get(name))
        changes = [
            study.change(each, row) for each in references for row in wanted[_key(file, each)]
        ]
        for change in changes:
            if found is not None:
                found(change)
        return changes

    items = [(file, same) for file in files for same in _same_queries(file, wanted)]
    return for_each(items, work, description="references", progress=progress, at_once=at_once)


def _key(file: QuestionFile, reference: BenchmarkReference) -> tuple[str, str, str]:
    return (reference.form, file.source, str(reference.question_id))


def _same_queries(
    file: QuestionFile, wanted: Mapping[tuple[str, str, str], object]
) -> list[list[BenchmarkReference]]:
    grouped: dict[tuple[str, str], list[BenchmarkReference]] = {}
    for each in file.references:
        if _key(file, each) in wanted:
            grouped.setdefault((each.database, " ".join(each.sql.split())), []).append(each)
    return list(grouped.values())


class _QueryStudy:
    """What is found out about one query, for all questions whose reference it is."""

    def __init__(
        self,
        file: QuestionFile,
        first: BenchmarkReference,
        run: Run | None,
        data: DatabaseData | None,
    ) -> None:
        self._run = run
        self._data = data
        self._sql = first.sql
        # What has a decision could be read.
        self._query = resolve_names(parse_query(first.sql), file.schemas[first.database])
        self._places = {id(node): at for at, node in enumerate(self._query.tree.walk())}
        self._tried: dict[tuple[ChoiceType, str, int], _Tried] = {}

    def change(self, asked: BenchmarkReference, decision: Row) -> AnswerChange:
        """Return what the other interpretation does by the choice type of a decision."""
        convention = CONVENTIONS[ChoiceType(decision["choice_type"])]
        row: dict[str, Any] = {name: decision[name] for name in _KEPT}
        row["confirmed"] = decision["verdict"] == "confirmed"
        if self._run is None:
            return AnswerChange(_row(row, decision["form"], Effect.NO_DATABASE), asked, None)
        if convention.edit is None or convention.read is None:
            effect = Effect.NOT_EDITED
            return AnswerChange(
                _row(row, decision["form"], effect, reason=convention.unedited), asked, None
            )
        reference = make_reference(asked.question, asked.evidence, self._query)
        readings = [each for each in convention.read(reference) if each.side == decision["side"]]
        tried = [self._try(convention, reference, each, self._run) for each in readings]
        proved = [each for each in tried if each.compared is not None]
        if not proved:
            first = next((each.proof for each in tried if isinstance(each.proof, NotProved)), None)
            gate = first.gate.value if first is not None else None
            row = _row(
                row,
                decision["form"],
                Effect.NOT_PROVED,
                places=len(tried),
                gate=gate,
                reason="" if first is None else self._reason(first),
            )
            return AnswerChange(row, asked, None)
        chosen = min(proved, key=_rank)
        assert isinstance(chosen.proof, ProvedEdit)
        assert chosen.compared is not None
        compared, moved = chosen.compared, chosen.compared.moved
        row = _row(
            row,
            chosen.reading.form,
            compared.effect,
            other_form=chosen.other_form,
            step=1 + self._query.scopes.index(chosen.reading.scope),
            places=len(tried),
            proved=len(proved),
            reason=compared.reason,
            comparison=None if compared.comparison is None else compared.comparison.value,
            differs_as_run=compared.differs_as_run,
            move=None if moved is None else moved.move.value,
            relative_move=None if moved is None else moved.relative,
            reference_rows=compared.reference_rows,
            other_rows=compared.other_rows,
            rows_lost=compared.rows_lost,
            rows_gained=compared.rows_gained,
        )
        return AnswerChange(row, asked, chosen.proof)

    def _reason(self, proof: NotProved) -> str:
        """Return why an edit was not proved, in words that many references share."""
        if proof.gate is not Gate.EDITED:
            return reason_without_names(proof.reason)
        names = {table.name for table in self._query.schema.tables}
        words = (
            "…" if word.strip(".,:;") in names or _DOTTED.fullmatch(word.strip(".,:;")) else word
            for word in proof.reason.split()
        )
        return " ".join(words)

    def _try(
        self, convention: Convention, reference: Reference, reading: Reading, run: Run
    ) -> _Tried:
        key = (convention.choice_type, reading.form, self._places[id(reading.node)])
        if key not in self._tried:
            self._tried[key] = self._edited(convention, reference, reading, run)
        return self._tried[key]

    def _edited(
        self, convention: Convention, reference: Reference, reading: Reading, run: Run
    ) -> _Tried:
        proof = prove(convention, reference, reading, self._sql, run=run, data=self._data)
        if not isinstance(proof, NotProved):
            form = _other_form(convention, reference, reading, proof.sql, self._query)
            return _Tried(reading, proof, form, compare_answers(run, self._sql, proof.sql))
        if proof.gate is Gate.EDITED:
            # An edit can be refused because the data leave it nothing to change. That is no fault
            # of the edit here, but an answer that stays.
            other = prove(convention, reference, reading, self._sql, run=run)
            if isinstance(other, ProvedEdit):
                compared = compare_answers(run, self._sql, other.sql)
                if compared.effect is Effect.SAME:
                    form = _other_form(convention, reference, reading, other.sql, self._query)
                    return _Tried(reading, other, form, compared)
        return _Tried(reading, proof, "", None)


def _rank(tried: _Tried) -> tuple[bool, bool]:
    """Order edits of one query: those that change the answer first, then those that compare."""
    assert tried.compared is not None
    effect = tried.compared.effect
    return (effect is not Effect.CHANGED, effect not in COMPARED)


def _other_form(
    convention: Convention, reference: Reference, reading: Reading, sql: str, query: ResolvedQuery
) -> str:
    """Return what the edited query writes for the side that it takes at the edited place."""
    assert convention.read is not None
    wanted = Side.OTHER if reading.side is Side.USUAL else Side.USUAL
    edited = make_reference(
        reference.question, reference.evidence, resolve_names(parse_query(sql), query.schema)
    )
    before, after = (
        Counter(each.form for each in convention.read(one) if each.side is wanted)
        for one in (reference, edited)
    )
    return next(iter(after - before), "")


def _row(row: Mapping[str, Any], form: str, effect: Effect, **more: Any) -> dict[str, Any]:
    return {**empty_row(row, form), "effect": effect.value, **more}


def empty_row(row: Mapping[str, Any], form: str) -> dict[str, Any]:
    """Return a row of ANSWER_CHANGES of which only the question and the choice are known.

    Args:
        row: What is known: the columns from `benchmark` to `confirmed`.
        form: What the reference writes for the side that it takes.
    """
    return {
        **row,
        "form": form,
        "other_form": "",
        "step": None,
        "places": None,
        "proved": 0,
        "effect": "",
        "gate": None,
        "reason": "",
        "comparison": None,
        "differs_as_run": None,
        "move": None,
        "relative_move": None,
        "reference_rows": None,
        "other_rows": None,
        "rows_lost": None,
        "rows_gained": None,
    }
