"""Generating queries: each at the depths asked for, run, checked, and like no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Cell, Outcome, QueryFailure, Row
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.query_generation.data_checks import (
    CUTS,
    CUTS_WITHIN,
    MOST_ROWS_OF_ONE,
    Reason,
    check_size,
    check_step,
    fitting_cuts,
    fitting_cuts_within,
    same_rows,
)
from specbridge_pipeline.query_generation.drawing import SHARE_OF_CONDITIONS, Drawing, step_after
from specbridge_pipeline.query_generation.look_ahead import moves
from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.other_sides import WantedChoice, other_sides
from specbridge_pipeline.query_generation.plan import (
    GRAMMAR,
    Aggregate,
    Base,
    Grouped,
    Overall,
    Plan,
    Step,
    Top,
    TopWithin,
    base_of,
    keys_of,
    kind_of,
    plan_to_json,
    question_of,
    steps_of,
)
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.requests import QueryRequest
from specbridge_pipeline.query_generation.shapes import Move, Shape, Target
from specbridge_pipeline.query_generation.step_results import StepResults
from specbridge_pipeline.query_generation.type_rules import TypeRules
from specbridge_pipeline.query_generation.values import Values
from specbridge_pipeline.records.canonical import canonical_json, content_hash, plain_cell
from specbridge_pipeline.sql.depth import measure_depth

_ATTEMPTS = 14
_FIRST_STEPS = 3
"""First steps that one attempt draws at the most."""
_DRAWS_TO_FIT = 60
"""First steps that are drawn at the most where not all of them will do."""
_MOST_TAKEN_BACK = 60
"""Steps that one attempt takes back at the most."""
_MORE = 0.01
_MOST_CONDITIONS = 0.85
_UNFIT_KEYS = (
    Reason.FEW_GROUPS,
    Reason.SMALL_GROUPS,
    Reason.MANY_GROUPS,
    Reason.KEY_DETERMINED,
)
_QUERY_ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request: one construction, in which steps can be taken back.

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
        result_hash: Hash of its result's rows as a bag, floats to nine digits.
        taken_back: Why steps were taken back on the way, in order.
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
    taken_back: tuple[str, ...] = ()

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
    generator = QueryGenerator(catalogue, run, mechanisms)
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

    A step that was taken back is a row of its own, before the row of its attempt: what could have
    been a query and is none.

    Args:
        database: Registry id.
        attempts: Them, in order.

    Yields:
        The rows.
    """
    number = count()
    for attempt in attempts:
        for reason in attempt.taken_back:
            taken_back = Attempt(attempt.request, attempt.tier, reason)
            yield _row(database, next(number), taken_back)
        yield _row(database, next(number), attempt)


def _row(database: str, number: int, attempt: Attempt) -> dict[str, Any]:
    return {
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


class QueryGenerator:
    """Makes the queries of one database, each unlike those before it.

    Args:
        catalogue: What is known of the database.
        run: Runs a query on it.
        mechanisms: Which mechanisms are at work.

    Attributes:
        rules: What the rules allow on the database.
        results: What the steps of plans give on its data.
    """

    def __init__(
        self, catalogue: Catalogue, run: Callable[[str], Outcome], mechanisms: Mechanisms = ALL
    ) -> None:
        self._catalogue = catalogue
        self._mechanisms = mechanisms
        self.rules = TypeRules(catalogue, mechanisms)
        self._goes_on_from_known = False
        self.results = StepResults(catalogue, run, self._companions)
        values = Values(catalogue, self.results)
        self._drawing = Drawing(self.rules, values, mechanisms)
        self._seen = SeenQueries()
        self._duplicates = 0

    def attempts(
        self,
        position: int,
        request: QueryRequest,
        chance: Random,
        limit: int,
        fits: Callable[[Base], bool] | None = None,
    ) -> Iterator[Attempt]:
        """Try to make a query.

        Args:
            position: Position of the request.
            request: What is wanted.
            chance: Where chance comes from.
            limit: After how many rejected attempts it is given up.
            fits: Says which first steps will do; by default all.

        Yields:
            The attempts; only the last one can be kept.
        """
        for _ in range(limit):
            targets = [each for each in request.targets() if self._drawing.can_start(each)]
            if not targets:
                yield Attempt(position, request.tier, Reason.UNREACHABLE.value)
                return
            attempt = self._attempt(position, request, chance.choice(targets), chance, fits)
            yield attempt
            if attempt.kept:
                return

    def _attempt(
        self,
        position: int,
        request: QueryRequest,
        target: Target,
        chance: Random,
        fits: Callable[[Base], bool] | None,
    ) -> Attempt:
        construction = _Construction(request, target, chance, fits)
        found = self._begin(construction)
        reasons = tuple(reason.value for reason in construction.taken_back)
        if found is None:
            return Attempt(
                position,
                request.tier,
                reasons[-1] if reasons else Reason.UNREACHABLE.value,
                taken_back=reasons[:-1],
            )
        plan, shape = found
        sql = render(plan, self._catalogue)
        outcome = self.results.result(plan, tied=request.choice is WantedChoice.TIES)
        depths = measured_depths(sql, self._catalogue.engine)
        reason = ""
        if self._mechanisms.step_data_checks and isinstance(outcome, QueryFailure):
            reason = Reason.FAILED.value
        elif self._mechanisms.look_ahead and depths != (shape.steps, shape.arithmetic):
            reason = Reason.DEPTH_DIFFERS.value
        rows = () if isinstance(outcome, QueryFailure) else outcome.rows
        if not reason:
            self._seen.add(plan, rows)
            self._drawing.use(plan)
        return Attempt(
            position,
            request.tier,
            reason,
            sql,
            plan,
            depths[0],
            depths[1],
            tuple(sorted(operation.value for operation in shape.operations)),
            len(rows),
            rows_digest(rows),
            reasons,
        )

    def _begin(self, construction: _Construction) -> tuple[Plan, Shape] | None:
        """Draw first steps until one has a completion that will do."""
        # A query that is to make a choice is not drawn from what happens to be known.
        self._goes_on_from_known = construction.request.choice is None
        known = self.results.known if self._goes_on_from_known else ()
        for _ in range(_FIRST_STEPS):
            # Where all that is asked of whole tables was asked, parts of them are left.
            conditions = min(_MOST_CONDITIONS, SHARE_OF_CONDITIONS + _MORE * self._duplicates)
            drawn = self._first_step(construction, known, conditions)
            if drawn is None:
                construction.taken_back.append(Reason.UNREACHABLE)
                return None
            step, shape = drawn
            reason = self._check(step)
            if reason is None:
                found = self._extend(construction, step, shape)
                if found is not None:
                    return found
            else:
                construction.taken_back.append(reason)
                self._drawing.avoid(step, whatever_value=reason in _UNFIT_KEYS)
            if len(construction.taken_back) >= _MOST_TAKEN_BACK:
                return None
        return None

    def _first_step(
        self, construction: _Construction, known: Sequence[Base], conditions: float
    ) -> tuple[Base, Shape] | None:
        fits = construction.fits
        for _ in range(_DRAWS_TO_FIT if fits else 1):
            drawn = self._drawing.base(
                construction.target, construction.chance, known, conditions=conditions
            )
            if drawn is None or fits is None or fits(drawn[0]):
                return drawn
        return None

    def _companions(self, base: Grouped | Overall) -> tuple[Aggregate, ...]:
        return self._drawing.companions(base) if self._goes_on_from_known else ()

    def _extend(
        self, construction: _Construction, step: Step, shape: Shape
    ) -> tuple[Plan, Shape] | None:
        """Draw what follows a step.

        A step that a check rejects is taken back, and so is the one before it when nothing else
        can follow.
        """
        target, chance = construction.target, construction.chance
        rows = len(self.results.rows(step) or ()) if self._checks else 0
        after = dict(moves(shape, self._mechanisms))
        for move in self._drawing.following(shape, target, rows, chance):
            found: tuple[Plan, Shape] | None = None
            reason: Reason | None = None
            if move is None:
                reason = self._finish(construction, step)
                found = (step, shape)
            elif move.kind == "top":
                top = self._top(construction, step, move)
                reason = top if isinstance(top, Reason) else self._finish(construction, top)
                found = None if isinstance(top, Reason) else (top, after[move])
            else:
                extended = self._step_after(construction, step, move)
                reason = extended if isinstance(extended, Reason) else self._check(extended)
                if reason is None and not isinstance(extended, Reason):
                    deeper = self._extend(construction, extended, after[move])
                    if deeper is not None:
                        return deeper
            if reason is not None:
                construction.taken_back.append(reason)
            elif found is not None:
                return found
            if len(construction.taken_back) >= _MOST_TAKEN_BACK:
                return None
        return None

    @property
    def _checks(self) -> bool:
        return self._mechanisms.step_data_checks

    def _check(self, step: Step) -> Reason | None:
        if not self._checks:
            return None
        return check_step(step, self.results, must_vary=self._mechanisms.must_vary)

    def _step_after(self, construction: _Construction, step: Step, move: Move) -> Step | Reason:
        chance = construction.chance
        if move.kind == "combine":
            assert isinstance(step, Grouped)
            return self._drawing.combination(step, move, chance) or Reason.UNREACHABLE
        if move.kind == "top_within":
            within = keys_of(step)[1]
            cuts: Sequence[int] | Reason = CUTS_WITHIN
            if self._checks:
                cuts = fitting_cuts_within(step, 1, self.results, keeps_ties=move.flag)
            if isinstance(cuts, Reason):
                return cuts
            return TopWithin(step, within, chance.choice(cuts), move.flag)
        return step_after(step, move)

    def _top(self, construction: _Construction, step: Step, move: Move) -> Top | Reason:
        tied = construction.request.choice is WantedChoice.TIES
        cuts: Sequence[int] | Reason = CUTS
        if self._checks:
            cuts = fitting_cuts(step, self.results, tied=tied)
        if isinstance(cuts, Reason):
            return cuts
        # "The one with the most" is what ties are overlooked in most easily.
        weights = [2.0 if tied and cut == 1 else 1.0 for cut in cuts]
        return Top(step, construction.chance.choices(cuts, weights)[0], move.flag)

    def _finish(self, construction: _Construction, plan: Plan) -> Reason | None:
        """Say why a plan that is what was asked for is not to be delivered."""
        choice = construction.request.choice
        rows: tuple[Row, ...] | None = ()
        if self._checks or self._mechanisms.deduplication:
            rows = self.results.rows(plan)
        if self._checks:
            if rows is None:
                return Reason.FAILED
            too_much = check_size(plan, len(rows))
            if too_much is not None:
                return too_much
        if self._mechanisms.deduplication and (
            self._seen.has(plan, rows or ()) or self._was_asked(plan, choice)
        ):
            self._duplicates += 1
            return Reason.DUPLICATE
        if choice is not None and not self._matters(plan, choice):
            return Reason.NO_EFFECT
        return None

    def _matters(self, plan: Plan, choice: WantedChoice) -> bool:
        taken = self.results.rows(plan)
        for other in other_sides(plan, choice, self._catalogue):
            rows = self.results.rows(other)
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
        return any(self._seen.asked(other) for other in others)

    def _counts_alike(self, plan: Plan, other: Plan) -> bool:
        """Say whether two counts lie near enough for one phrase to mean either."""
        sizes = []
        for each in (plan, other):
            counts = [row[-1] for row in self.results.rows(base_of(each)) or ()]
            sizes.append(sum(count for count in counts if isinstance(count, int)))
        return max(sizes) <= MOST_ROWS_OF_ONE * min(sizes)


@dataclass(slots=True)
class _Construction:
    """What one attempt is about, and what it took back so far."""

    request: QueryRequest
    target: Target
    chance: Random
    fits: Callable[[Base], bool] | None
    taken_back: list[Reason] = field(default_factory=list)


class SeenQueries:
    """Queries that were made, known again by what they ask and by what they answer."""

    def __init__(self) -> None:
        self._questions: set[Plan] = set()
        self._answers: set[tuple[tuple[str, ...], str]] = set()

    def add(self, plan: Plan, rows: Sequence[Row]) -> None:
        """Remember a query.

        Args:
            plan: Its plan.
            rows: Its result.
        """
        self._questions.add(question_of(plan))
        self._answers.add(_answer(plan, rows))

    def asked(self, plan: Plan) -> bool:
        """Return whether a query was made that asks the same."""
        return question_of(plan) in self._questions

    def has(self, plan: Plan, rows: Sequence[Row]) -> bool:
        """Return whether a query was made that asks the same, or answers it in the same steps."""
        return self.asked(plan) or _answer(plan, rows) in self._answers


def _answer(plan: Plan, rows: Sequence[Row]) -> tuple[tuple[str, ...], str]:
    return tuple(kind_of(each) for each in steps_of(plan)), rows_digest(rows)


def measured_depths(sql: str, engine: Engine = Engine.SQLITE) -> tuple[int, int]:
    """Return a query's step depth and arithmetic depth, measured from its text."""
    depth = measure_depth(sql, engine)
    return depth.step, depth.arithmetic


def rows_digest(rows: Iterable[Row]) -> str:
    """Return a hash of a result's rows, whatever order they come in, floats to nine digits.

    The last bits of a sum of floats say in which order the engine happened to add them up.
    """
    return content_hash(
        sorted(canonical_json([plain_cell(_digits(cell)) for cell in row]) for row in rows)
    )


def _digits(cell: Cell) -> Cell:
    return float(f"{cell:.9g}") if isinstance(cell, float) else cell
