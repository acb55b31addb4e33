"""The audit of one query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from specbridge_pipeline.choices.audit.answers import ShownAnswer, show_answer
from specbridge_pipeline.choices.audit.findings import Audit, Finding, Status
from specbridge_pipeline.choices.audit.pairs import Candidate, changing_pairs
from specbridge_pipeline.choices.audit.team_conventions import TeamConventions, beside
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
from specbridge_pipeline.choices.conventions.references.one_percent_rule import keeps
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.suspicions.registry import suspicions
from specbridge_pipeline.choices.suspicions.suspicion import SuspicionKind
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.engine import Engine, engine_of
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.column_origins import ResolvedQuery, resolve_names
from specbridge_pipeline.sql.parsing import parse_query, shorten

_STEPS = 100_000_000
"""Steps of the engine that a query may take here, some seconds: it is run in many forms."""


def audit(
    database: Path | str,
    sql: str,
    question: str | None = None,
    *,
    evidence: str = "",
    conventions: TeamConventions | None = None,
    runner: QueryRunner | None = None,
) -> Audit:
    """Lay open the choices that a query settles silently.

    Each choice is edited to its other interpretation, both queries are run, and the answers are
    compared. No language model is asked.

    Args:
        database: The database: an SQLite or DuckDB file, or a folder of Parquet and CSV files.
        sql: The query.
        question: The question in words that the query answers; None for none.
        evidence: What is said beside the question of the words that it uses.
        conventions: Choices that a team has settled; by default those in `conventions.yaml`
            beside the database, if there is one.
        runner: What runs the queries; by default one of its own.

    Returns:
        The findings, the gravest first.

    Raises:
        DatabaseUnavailableError: The database cannot be read.
        UnusableReferenceError: The query cannot be parsed, or gives no result.
        ConfigurationError: The file beside the database is of another form.
        WorkerError: A worker was lost.
    """
    path = Path(database)
    engine = engine_of(path)
    with ExitStack() as stack:
        running = runner or stack.enter_context(QueryRunner(workers=1))
        schema = running.read_schema(path)
        known = beside(path) if conventions is None else conventions
        run = _remembering(partial(_run_briefly, running, path))
        return _Auditor(schema, engine, run, known).audit(sql, question or "", evidence)


def _run_briefly(runner: QueryRunner, path: Path, sql: str) -> Outcome:
    limits = runner.limits
    return runner.run(path, sql, limits=replace(limits, steps=min(limits.steps, _STEPS)))


def _remembering(run: Run) -> Run:
    """Return what runs a query once, however often it is asked for."""
    known: dict[str, Outcome] = {}

    def once(sql: str) -> Outcome:
        if sql not in known:
            known[sql] = run(sql)
        return known[sql]

    return once


@dataclass(frozen=True, slots=True)
class _Settled:
    """What settles a choice.

    Attributes:
        side: The side that it settles; None where it says that there is no choice.
        words: What settles it, for a reader.
    """

    side: Side | None
    words: str


_SHOWN = (Status.AGAINST_WORDING, Status.UNSETTLED)
_SAID_BY = {
    SuspicionKind.MISSING_FIRST: ChoiceType.MISSING_VALUES.value,
    SuspicionKind.REPEATED_ROWS: ChoiceType.COUNTING_UNIT.value,
}
"""Kind of suspicion → the choice whose finding says the same of a query."""


class _Auditor:
    def __init__(
        self, schema: Schema, engine: Engine, run: Run, conventions: TeamConventions
    ) -> None:
        self._schema = schema
        self._engine = engine
        self._run = run
        self._conventions = conventions
        self._data = DatabaseData(run)

    def audit(self, sql: str, question: str, evidence: str) -> Audit:
        tree = parse_query(sql, self._engine)
        outcome = self._run(sql)
        if isinstance(outcome, QueryFailure):
            raise UnusableReferenceError(
                f"the query gives no result: {outcome.message}",
                where=shorten(sql),
                advice="audit a query that runs on the database",
            )
        reference = make_reference(question, evidence, resolve_names(tree, self._schema))
        findings: list[Finding] = []
        candidates: list[Candidate] = []
        for convention in CONVENTIONS.values():
            for finding, candidate in self._choice(convention, reference, sql):
                findings.append(finding)
                if candidate is not None:
                    candidates.append(candidate)
        findings += changing_pairs(candidates, reference, sql, self._run, self._data)
        findings += self._suspicions(reference.query, sql, findings)
        order = list(Status)
        findings.sort(key=lambda each: (order.index(each.status), not each.changes_answer))
        return Audit(sql, question, self._engine, tuple(findings))

    def _choice(
        self, convention: Convention, reference: Reference, sql: str
    ) -> Iterator[tuple[Finding, Candidate | None]]:
        if convention.read is None:
            return
        if reference.question and not convention.cues.asked(reference.texts):
            return
        readings = tuple(convention.read(reference))
        seen: set[str] = set()
        for reading in readings:
            settled = self._settled(convention, reference, readings, reading)
            proof = self._proof(convention, reference, reading, sql)
            if isinstance(proof, ProvedEdit):
                if proof.sql in seen:
                    continue
                seen.add(proof.sql)
                answer = show_answer(self._run, sql, proof.sql, self._engine)
                asked = bool(reference.question)
                finding = _judged(convention, reading, settled, proof, answer, asked=asked)
                yield finding, Candidate(convention, reading, proof, answer, settled is not None)
            else:
                yield _not_edited(convention, reading, settled, proof), None

    def _suspicions(
        self, query: ResolvedQuery, sql: str, findings: Sequence[Finding]
    ) -> Iterator[Finding]:
        """Yield what is suspicious; what a choice says already is not said again."""
        said = {each.sql for each in findings if each.changes_answer}
        shown = {each.name for each in findings if each.status in _SHOWN}
        for each in suspicions(query, self._run):
            if _SAID_BY.get(each.kind) in shown or each.edited in said - {None}:
                continue
            answer = None
            if each.edited is not None:
                answer = show_answer(self._run, sql, each.edited, self._engine)
            status = Status.NOTED if each.noted else Status.SUSPICIOUS
            reason = each.evidence
            if answer is not None and not answer.changed and not each.noted:
                status, reason = Status.WITHOUT_EFFECT, answer.summary
            yield Finding(
                status,
                each.kind.value.replace("_", " "),
                each.kind.value,
                each.does,
                each.meant,
                reason,
                answer,
                each.edited,
            )

    def _proof(
        self, convention: Convention, reference: Reference, reading: Reading, sql: str
    ) -> ProvedEdit | NotProved | None:
        if convention.edit is None:
            return None
        return prove(convention, reference, reading, sql, run=self._run, data=self._data)

    def _settled(
        self,
        convention: Convention,
        reference: Reference,
        readings: tuple[Reading, ...],
        reading: Reading,
    ) -> _Settled | None:
        team = self._conventions.settling(convention.choice_type, reference.query, reading)
        if team is not None:
            return _Settled(team.side, f"the team's convention settles it: {team.reason}")
        if not reference.question:
            return None
        cues = (
            *convention.cues.settling(reference.texts),
            *convention.further_cues(reference, readings),
        )
        if not cues:
            return None
        words = "the question settles it: " + ", ".join(dict.fromkeys(each.cue for each in cues))
        sides = {each.settles for each in cues} & {each.value for each in Side}
        return _Settled(Side(sides.pop()) if len(sides) == 1 else None, words)


def _judged(
    convention: Convention,
    reading: Reading,
    settled: _Settled | None,
    proof: ProvedEdit,
    answer: ShownAnswer,
    *,
    asked: bool,
) -> Finding:
    status, reason = _status(convention, reading, settled, answer)
    if status is Status.UNSETTLED and not asked:
        reason = "no question is given that could settle it"
    return Finding(
        status,
        convention.choice_type.label,
        convention.choice_type.value,
        proof.taken,
        proof.other,
        reason,
        answer,
        proof.sql,
    )


def _status(
    convention: Convention,
    reading: Reading,
    settled: _Settled | None,
    answer: ShownAnswer,
) -> tuple[Status, str]:
    if settled is not None and settled.side not in (None, reading.side):
        if answer.changed:
            return Status.AGAINST_WORDING, settled.words
        return Status.WITHOUT_EFFECT, f"{settled.words}, the other way; {answer.summary}"
    if settled is not None:
        return Status.WITHOUT_EFFECT, settled.words
    if not answer.changed:
        return Status.WITHOUT_EFFECT, answer.summary
    if reading.side is Side.USUAL and keeps(convention.choice_type) is False:
        return (
            Status.WITHOUT_EFFECT,
            f"nearly every query takes this side: {convention.usual}",
        )
    return Status.UNSETTLED, "no word of the question settles it"


def _not_edited(
    convention: Convention,
    reading: Reading,
    settled: _Settled | None,
    proof: NotProved | None,
) -> Finding:
    side = convention.usual if reading.side is Side.USUAL else convention.other
    reason = convention.unedited if proof is None else proof.reason
    status = Status.WITHOUT_EFFECT
    # What an edit says of a place is why it has no effect there; a gate says that nobody knows.
    plain = proof is not None and proof.gate is Gate.EDITED
    if settled is not None:
        if settled.side not in (None, reading.side):
            status = Status.AGAINST_WORDING
        reason = settled.words
    return Finding(
        status,
        convention.choice_type.label,
        convention.choice_type.value,
        f"{convention.meaning} Here: {side}.",
        "",
        reason if settled is not None or plain else f"not tried: {reason}",
        None,
        None,
    )
