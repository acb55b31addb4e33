"""Generating queries: each at the depths asked for, run, checked, and like no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure, Row
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.query_generation.data_checks import (
    MOST_ROWS_OF_ONE,
    Reason,
    StepResults,
    check_size,
    check_step,
    fitting_cuts,
    same_rows,
)
from specbridge_pipeline.query_generation.drawing import Drawing, step_after
from specbridge_pipeline.query_generation.look_ahead import Shape, Target, moves
from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.other_sides import WantedChoice, other_sides
from specbridge_pipeline.query_generation.plan import (
    GRAMMAR,
    Grouped,
    Plan,
    Step,
    Top,
    base_of,
    kind_of,
    plan_to_json,
    question_of,
    steps_of,
)
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.requests import QueryRequest
from specbridge_pipeline.query_generation.values import Values
from specbridge_pipeline.records.canonical import canonical_json, content_hash, plain_cell
from specbridge_pipeline.sql.depth import measure_depth

_ATTEMPTS = 40
_UNFIT_KEYS = (
    Reason.FEW_GROUPS,
    Reason.SMALL_GROUPS,
    Reason.MANY_GROUPS,
    Reason.KEY_DETERMINED,
)
_QUERY_ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request.

    Attributes:
        request: Position of the request, from 0.
        tier: The request's tier.
        reason: Why it was rejected; empty where it was kept.
        sql: The query; empty where the attempt ended before there was one. So for the rest.
        plan: Its plan.
        step_depth: Its step depth, measured from the SQL.
        arithmetic_depth: Its arithmetic depth, measured from the SQL.
        operations: What it does, sorted.
        rows: Number of its result's rows.
        result_hash: Hash of its result's rows as a bag.
    """

    request: int
    tier: str
    reason: str
    sql: str = ""
    plan: Plan | None = None
    step_depth: int | None = None
    arithmetic_depth: int | None = None
    operations: tuple[str, ...] = ()
    rows: int | None = None
    result_hash: str = ""

    @property
    def kept(self) -> bool:
        """Whether the query is delivered."""
        return not self.reason


def generate(
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    requests: Sequence[QueryRequest],
    seed: int,
    progress: Progress | None = None,
    attempts_per_request: int = _ATTEMPTS,
    mechanisms: Mechanisms = ALL,
) -> Iterator[Attempt]:
    """Generate queries on a database (the paper, Section 2.2 and Appendix E).

    Args:
        catalogue: What is known of the database.
        run: Runs a query on it.
        requests: What is wanted, one query each.
        seed: Decides all that is left to chance, together with the database's id, the grammar and
            the position of the request; the same arguments on the same data give the same queries.
        progress: Told about each request that is done; by default nobody is.
        attempts_per_request: After how many rejected attempts a request is given up. With 1 each
            request gives one attempt, which is what the ablation counts.
        mechanisms: Which mechanisms are at work; a study switches some of them off.

    Yields:
        Every attempt in order; at most one a request is kept.
    """
    generator = _Generator(catalogue, run)
    with (progress or SilentProgress()).task(catalogue.database, len(requests)) as task:
        for position, request in enumerate(requests):
            chance = Random(f"{seed}/{catalogue.database}/grammar {GRAMMAR}/{position}")
            yield from generator.attempts(position, request, chance, attempts_per_request)
            task.advance()


def query_id(database: str, sql: str) -> str:
    """Return the content id of a query on a database."""
    return content_hash([database, sql])[:_QUERY_ID_LENGTH]


def generation_rows(database: str, attempts: Iterable[Attempt]) -> Iterator[dict[str, Any]]:
    """Return attempts as rows of the frame `GENERATED_QUERIES`.

    Args:
        database: Registry id.
        attempts: Them, in order.

    Yields:
        One row an attempt.
    """
    for number, attempt in enumerate(attempts):
        yield {
            "database": database,
            "query_id": query_id(database, attempt.sql) if attempt.sql else None,
            "attempt": number,
            "kept": attempt.kept,
            "reason": attempt.reason or None,
            "tier": attempt.tier,
            "sql": attempt.sql or None,
            "plan": None if attempt.plan is None else plan_to_json(attempt.plan),
            "step_depth": attempt.step_depth,
            "arithmetic_depth": attempt.arithmetic_depth,
            "operations": list(attempt.operations),
            "rows": attempt.rows,
            "result_hash": attempt.result_hash or None,
            "grammar": GRAMMAR,
        }


class _Rejected(Exception):  # noqa: N818 - it ends an attempt, which is no error
    def __init__(self, reason: Reason, plan: Plan | None = None) -> None:
        self.reason = reason
        self.plan = plan
        super().__init__(reason.value)


class _Generator:
    def __init__(self, catalogue: Catalogue, run: Callable[[str], Outcome]) -> None:
        self._catalogue = catalogue
        self._results = StepResults(catalogue, run)
        self._drawing = Drawing(catalogue, Values(catalogue, self._results.run))
        self._questions: set[Plan] = set()
        self._answers: set[tuple[tuple[str, ...], str]] = set()

    def attempts(
        self, position: int, request: QueryRequest, chance: Random, limit: int
    ) -> Iterator[Attempt]:
        for _ in range(limit):
            targets = [each for each in request.targets() if self._drawing.can_start(each)]
            if not targets:
                yield Attempt(position, request.tier, Reason.UNREACHABLE.value)
                return
            try:
                attempt = self._attempt(position, request, chance.choice(targets), chance)
            except _Rejected as rejected:
                plan = rejected.plan
                sql = "" if plan is None else render(plan, self._catalogue)
                yield Attempt(position, request.tier, rejected.reason.value, sql, plan)
                continue
            yield attempt
            if attempt.kept:
                return

    def _attempt(
        self, position: int, request: QueryRequest, target: Target, chance: Random
    ) -> Attempt:
        plan, shape = self._draw(request, target, chance)
        question = question_of(plan)
        if question in self._questions or self._was_asked(plan, request.choice):
            raise _Rejected(Reason.DUPLICATE, plan)
        sql = render(plan, self._catalogue)
        outcome = self._results.run(sql)
        if isinstance(outcome, QueryFailure):
            raise _Rejected(Reason.FAILED, plan)
        too_much = check_size(plan, len(outcome.rows))
        if too_much is not None:
            raise _Rejected(too_much, plan)
        kinds = tuple(kind_of(each) for each in steps_of(plan))
        answer = (kinds, rows_digest(outcome.rows))
        if answer in self._answers:
            raise _Rejected(Reason.DUPLICATE, plan)
        if request.choice is not None and not self._matters(plan, request.choice):
            raise _Rejected(Reason.NO_EFFECT, plan)
        depths = measured_depths(sql, self._catalogue.engine)
        if depths != (shape.steps, shape.arithmetic):
            raise _Rejected(Reason.DEPTH_DIFFERS, plan)
        self._questions.add(question)
        self._answers.add(answer)
        self._drawing.use(base_of(plan))
        return Attempt(
            position,
            request.tier,
            "",
            sql,
            plan,
            depths[0],
            depths[1],
            tuple(sorted(operation.value for operation in shape.operations)),
            len(outcome.rows),
            answer[1],
        )

    def _draw(self, request: QueryRequest, target: Target, chance: Random) -> tuple[Plan, Shape]:
        drawn = self._drawing.base(target, chance)
        if drawn is None:
            raise _Rejected(Reason.UNREACHABLE)
        step: Step = drawn[0]
        shape = drawn[1]
        while True:
            found = check_step(step, self._catalogue, self._results)
            if found is not None and isinstance(step, Grouped):
                self._drawing.avoid(step, whatever_value=found in _UNFIT_KEYS)
            if found is not None:
                raise _Rejected(found, step if shape.complete else None)
            rows = len(self._results.rows(step) or ())
            move = self._drawing.next(shape, target, rows, chance)
            if move is None:
                return step, shape
            shape = dict(moves(shape))[move]
            if move.kind == "top":
                tied = request.choice is WantedChoice.TIES
                return self._top(step, keeps_ties=move.flag, tied=tied, chance=chance), shape
            step = step_after(step, move)

    def _top(self, step: Step, *, keeps_ties: bool, tied: bool, chance: Random) -> Top:
        cuts = fitting_cuts(step, self._catalogue, self._results, tied=tied)
        if isinstance(cuts, Reason):
            raise _Rejected(cuts)
        # "The one with the most" is what ties are overlooked in most easily.
        weights = [2.0 if tied and cut == 1 else 1.0 for cut in cuts]
        return Top(step, chance.choices(cuts, weights)[0], keeps_ties)

    def _matters(self, plan: Plan, choice: WantedChoice) -> bool:
        taken = self._results.rows(plan)
        for other in other_sides(plan, choice, self._catalogue):
            rows = self._results.rows(other)
            if taken is None or not rows or same_rows(taken, rows):
                continue
            if choice is not WantedChoice.COUNTING_UNIT or self._counts_alike(plan, other):
                return True
        return False

    def _was_asked(self, plan: Plan, choice: WantedChoice | None) -> bool:
        """Say whether a query that takes the other side was made: both would give one set."""
        if choice is None:
            return False
        others = other_sides(plan, choice, self._catalogue)
        return any(question_of(other) in self._questions for other in others)

    def _counts_alike(self, plan: Plan, other: Plan) -> bool:
        """Say whether two counts lie near enough for one phrase to mean either."""
        sizes = []
        for each in (plan, other):
            counts = [row[-1] for row in self._results.rows(base_of(each)) or ()]
            sizes.append(sum(count for count in counts if isinstance(count, int)))
        return max(sizes) <= MOST_ROWS_OF_ONE * min(sizes)


def measured_depths(sql: str, engine: Engine = Engine.SQLITE) -> tuple[int, int]:
    """Return a query's step depth and arithmetic depth, measured from its text."""
    depth = measure_depth(sql, engine)
    return depth.step, depth.arithmetic


def rows_digest(rows: Iterable[Row]) -> str:
    """Return a hash of a result's rows, whatever order they come in."""
    return content_hash(sorted(canonical_json([plain_cell(cell) for cell in row]) for row in rows))
