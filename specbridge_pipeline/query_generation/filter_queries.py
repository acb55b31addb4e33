"""Queries with one condition that can be read in two ways, both of them built and checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.query_generation.data_checks import (
    Reason,
    check_plan,
    same_rows,
    varies,
)
from specbridge_pipeline.query_generation.filter_forms import (
    FILTER_SIDES,
    FilteredBases,
    FilterForm,
    FilterForms,
)
from specbridge_pipeline.query_generation.generation import (
    QueryGenerator,
    SeenQueries,
    measured_depths,
    query_id,
)
from specbridge_pipeline.query_generation.plan import (
    GRAMMAR,
    Base,
    Plan,
    base_of,
    plan_to_json,
    with_base,
)
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.requests import NOT_WORDED, QueryRequest, is_reachable
from specbridge_pipeline.query_generation.shapes import Operation

_DEPTHS = ((1, 0), (2, 0), (3, 1), (1, 0), (2, 1), (4, 1))
"""Step and arithmetic depth of the queries, in turn: three short ones for two of the paper's tier
and one between."""
_QUERIES_TRIED = 3
"""Queries that are drawn for one request and form at the most."""
_ATTEMPTS = 6
"""After how many rejected attempts a query is given up."""
_FORBIDDEN = NOT_WORDED | {Operation.POOLED_AVERAGE}
"""What has no words, and what reads the rows twice: the condition would stand there too."""
_REQUIRED = {FilterForm.PER_ENTITY: frozenset({Operation.COUNT_ROWS, Operation.GROUPING})}


@dataclass(frozen=True, slots=True)
class FilterAttempt:
    """A query that was tried with a condition.

    Attributes:
        request: Position of the request, from 0.
        tier: The request's tier.
        form: The form of the condition.
        reason: Why it was rejected; empty where it was kept.
        plans: Its two readings, A first; None where there was no query with such a condition.
        sides: What they do, as in `FILTER_SIDES`; A first.
        detail: The column that the condition tests.
        depths: Step depth and arithmetic depth of A.
        operations: What the query does, sorted.
    """

    request: int
    tier: str
    form: FilterForm
    reason: str
    plans: tuple[Plan, Plan] | None = None
    sides: tuple[str, str] | None = None
    detail: str = ""
    depths: tuple[int, int] | None = None
    operations: tuple[str, ...] = ()


def filter_queries(
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    count: int,
    seed: int,
    progress: Progress | None = None,
) -> Iterator[FilterAttempt]:
    """Make queries with a condition that can be read in two ways (the paper, Appendix D).

    A query is generated as any other; then one condition is drawn from the data and added to its
    first step, on that step's own table. Forms that were used less often come first. Both readings
    must pass what every generated query passes, and give different answers.

    Args:
        catalogue: What is known of the database.
        run: Runs a query on it.
        count: How many queries are wanted.
        seed: Decides all that is left to chance, together with the database's id, the grammar and
            the position of the request.
        progress: Told about each request that is done; by default nobody is.

    Yields:
        Every attempt in order; at most one a request is kept.
    """
    maker = _FilterQueries(catalogue, run)
    depths = cycle(_DEPTHS)
    with (progress or SilentProgress()).task(f"{catalogue.database} · filters", count) as task:
        for position in range(count):
            chance = Random(f"filters {seed}/{catalogue.database}/grammar {GRAMMAR}/{position}")
            yield from maker.attempts(position, next(depths), chance)
            task.advance()


class _FilterQueries:
    def __init__(self, catalogue: Catalogue, run: Callable[[str], Outcome]) -> None:
        self._catalogue = catalogue
        self._generator = QueryGenerator(catalogue, run)
        self._forms = FilterForms(catalogue, self._generator.rules, self._generator.results)
        self._uses: Counter[FilterForm] = Counter()
        self._in_vain: Counter[FilterForm] = Counter()
        self._seen = SeenQueries()

    def attempts(
        self, position: int, depths: tuple[int, int], chance: Random
    ) -> Iterator[FilterAttempt]:
        # What a database hardly allows is not looked for before all else, every time.
        order = sorted(
            chance.sample(list(FilterForm), len(FilterForm)),
            key=lambda form: self._uses[form] + self._in_vain[form],
        )
        for form in order:
            request = QueryRequest(
                *depths,
                required=_REQUIRED.get(form, frozenset()),
                forbidden=_FORBIDDEN,
            )
            if not is_reachable(request):
                continue
            for _ in range(_QUERIES_TRIED):
                for attempt in self._with_form(position, form, request, chance):
                    yield attempt
                    if not attempt.reason:
                        self._uses[form] += 1
                        return
            self._in_vain[form] += 1

    def _with_form(
        self, position: int, form: FilterForm, request: QueryRequest, chance: Random
    ) -> Iterator[FilterAttempt]:
        def fits(base: Base) -> bool:
            return self._forms.allows(form, base)

        made = [*self._generator.attempts(position, request, chance, _ATTEMPTS, fits)]
        plan = made[-1].plan
        if plan is None or not made[-1].kept:
            yield FilterAttempt(position, request.tier, form, made[-1].reason)
            return
        base = self._forms.plain(base_of(plan))
        drawn = None
        for drawn in self._forms.draw(form, base, chance) if base is not None else ():
            attempt = self._read(position, plan, drawn, request, made[-1].operations, chance)
            yield attempt
            if not attempt.reason:
                return
        if drawn is None:
            yield FilterAttempt(position, request.tier, form, Reason.UNREACHABLE.value)

    def _read(
        self,
        position: int,
        plan: Plan,
        drawn: FilteredBases,
        request: QueryRequest,
        operations: tuple[str, ...],
        chance: Random,
    ) -> FilterAttempt:
        """Build both readings of a query with a condition, and check them."""
        order = chance.choice(((0, 1), (1, 0)))
        plans = [with_base(plan, drawn.bases[each]) for each in order]
        sides = [FILTER_SIDES[drawn.form][each] for each in order]
        reason = self._reason(plans[0], plans[1], request)
        depths = measured_depths(render(plans[0], self._catalogue), self._catalogue.engine)
        if reason is None and depths[0] != request.step_depth:
            reason = Reason.DEPTH_DIFFERS
        if reason is None:
            for each in plans:
                self._seen.add(each, self._generator.results.rows(each) or ())
        return FilterAttempt(
            position,
            request.tier,
            drawn.form,
            "" if reason is None else reason.value,
            (plans[0], plans[1]),
            (sides[0], sides[1]),
            drawn.detail,
            depths,
            operations,
        )

    def _reason(self, one: Plan, other: Plan, request: QueryRequest) -> Reason | None:
        results = self._generator.results
        for plan in (one, other):
            found = check_plan(plan, results)
            if found is None and not varies(plan, results):
                found = Reason.CONSTANT
            if found is not None:
                return found
            if self._seen.has(plan, results.rows(plan) or ()):
                return Reason.DUPLICATE
        if same_rows(results.rows(one) or (), results.rows(other) or ()):
            return Reason.NO_EFFECT
        return None


def filter_rows(
    catalogue: Catalogue, attempts: Iterator[FilterAttempt]
) -> Iterator[dict[str, Any]]:
    """Return attempts as rows of the frame `FILTER_QUERIES`.

    Args:
        catalogue: The database's catalogue.
        attempts: Them, in order.

    Yields:
        The rows.
    """
    database = catalogue.database
    for number, attempt in enumerate(attempts):
        plans = attempt.plans
        sql = [None, None] if plans is None else [render(each, catalogue) for each in plans]
        yield {
            "database": database,
            "query_id": None if sql[0] is None else query_id(database, sql[0]),
            "attempt": number,
            "request": attempt.request,
            "kept": not attempt.reason,
            "reason": attempt.reason or None,
            "tier": attempt.tier,
            "form": attempt.form.value,
            "taken": attempt.sides and attempt.sides[0],
            "side": attempt.sides and attempt.sides[1],
            "detail": attempt.detail,
            "sql_a": sql[0],
            "sql_b": sql[1],
            "plan_a": None if plans is None else plan_to_json(plans[0]),
            "plan_b": None if plans is None else plan_to_json(plans[1]),
            "step_depth": attempt.depths and attempt.depths[0],
            "arithmetic_depth": attempt.depths and attempt.depths[1],
            "operations": list(attempt.operations),
            "grammar": GRAMMAR,
        }
