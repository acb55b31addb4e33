"""The independent re-check of a finished set, from its texts and its database alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.checks import SetCheck, check_set
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet
from specbridge_pipeline.sql.depth import Depth, measure_depth
from specbridge_pipeline.sql.step_difference import StepDifference, step_difference


@dataclass(frozen=True, slots=True)
class RecheckResult:
    """What a set shows when it is checked anew.

    Attributes:
        difference: How its two queries differ; None where one of them cannot be parsed.
        depth: Depths of A as measured; None where they cannot be.
        depths_agree: Whether they are those that the set states.
        requests_differ: Whether its three requests are three different texts.
        check: What running both queries shows: each accepted for itself and never for the other,
            no answer acceptable for both.
        problems: What is wrong, a sentence each.
    """

    difference: StepDifference | None
    depth: Depth | None
    depths_agree: bool
    requests_differ: bool
    check: SetCheck
    problems: tuple[str, ...]

    @property
    def one_step(self) -> bool:
        """Whether the two queries differ in one step."""
        return self.difference is not None and self.difference.one_step

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def recheck_set(
    run: Callable[[str], Outcome],
    request_set: RequestSet,
    engine: Engine = Engine.SQLITE,
    copies: Sequence[Callable[[str], Outcome]] = (),
) -> RecheckResult:
    """Check a finished set by code that took no part in building it.

    Args:
        run: Runs a query on the set's database.
        request_set: The set.
        engine: The engine of its database.
        copies: Each runs a query on a copy of the database with its rows in another order.

    Raises:
        WorkerError: A query could not be run for a reason of ours, which says nothing of the set.
    """
    sides = request_set.interpretations
    problems = []
    difference: StepDifference | None = None
    try:
        difference = step_difference(sides.a.sql, sides.b.sql, engine)
        if not difference.one_step:
            problems.append(f"the queries do not differ in one step: {difference.reason}")
    except UnusableReferenceError as error:
        problems.append(f"the queries cannot be compared: {error}")
    stated = Depth(request_set.step_depth, request_set.arithmetic_depth)
    depth: Depth | None = None
    try:
        depth = measure_depth(sides.a.sql, engine)
        if depth != stated:
            problems.append(f"its depths are {_depths(depth)}, and it states {_depths(stated)}")
    except UnusableReferenceError as error:
        problems.append(f"its depths cannot be measured: {error}")
    # Blanks and case make no second request.
    texts = {" ".join(request_set.request(kind).lower().split()) for kind in RequestKind}
    if len(texts) < len(RequestKind):
        problems.append("two of its three requests say the same")
    check = check_set(run, request_set, engine, copies)
    if not check.disjoint:
        problems.append(check.problem)
    return RecheckResult(
        difference=difference,
        depth=depth,
        depths_agree=depth == stated,
        requests_differ=len(texts) == len(RequestKind),
        check=check,
        problems=tuple(problems),
    )


def _depths(depth: Depth) -> str:
    return f"{depth.step} (steps) and {depth.arithmetic} (arithmetic)"
