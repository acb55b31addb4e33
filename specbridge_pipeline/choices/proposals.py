"""Proposals: each choice that matters taken the other way, checked, and one kept for each query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.assignment import assigned_type
from specbridge_pipeline.choices.choice import Edit, Occurrence, Refusal
from specbridge_pipeline.choices.filter_steps import first_step
from specbridge_pipeline.choices.opportunities import occurrence_of
from specbridge_pipeline.choices.registry import FOUND_CHOICES
from specbridge_pipeline.choices.selection import Candidate, select
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.many_queries import for_each
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import SpecBridgeError, WorkerError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.progress import Progress
from specbridge_pipeline.query_generation.filter_forms import FilterForm
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.parsing import parse_query, shorten
from specbridge_pipeline.sql.step_difference import step_difference

PROPOSER = "rules/edits"
"""Who proposes: code that edits every occurrence it knows, no model."""

FILTER_PROPOSER = "rules/filters"
"""The same for choices that lie in a filter: code that adds the filter and builds both sides."""

CHOICE_OF_FORM = {
    FilterForm.DATE_RANGE: ChoiceType.TIME_SCOPE,
    FilterForm.CUTOFF: ChoiceType.STRICT_CUTOFF,
    FilterForm.WITHOUT: ChoiceType.NEGATION,
    FilterForm.TWO_CATEGORIES: ChoiceType.CONDITION_LINKAGE,
    FilterForm.PER_ENTITY: ChoiceType.POPULATION_SCOPE,
}
"""The choice type that each form of a filter belongs to (the paper, Appendix D)."""

ID_LENGTH = 12

_CHECKS = ("applies", "runs", "disjoint", "described", "one_step")
"""The checks by code, in their order."""

Row = Mapping[str, Any]


class OpenChoiceReviewer(Protocol):
    """Who says of proposals whether the choice is open (the paper, Figure 5)."""

    name: str
    """A model's id, or 'rules/…'."""

    def objections(self, proposals: Sequence[Row]) -> Sequence[str]:
        """Say why a request cannot leave the choice open, one text a proposal; empty where it can.

        Args:
            proposals: Rows of CHOICE_PROPOSALS that pass every check by code.
        """


@dataclass(frozen=True, slots=True)
class GivenEdit:
    """An edit that somebody else than the rules made.

    Attributes:
        place: Where the query takes a side, a row of CHOICE_OPPORTUNITIES.
        edit: The edit to the other side, or why there is none.
    """

    place: Mapping[str, Any]
    edit: Edit | Refusal


class _FailedError(Exception):
    """A check that a proposal does not pass."""

    def __init__(self, check: str, problem: str) -> None:
        super().__init__(problem)
        self.check = check
        self.problem = problem


def propose(
    queries: Sequence[Mapping[str, Any]],
    opportunities: Sequence[Mapping[str, Any]],
    schema: Schema,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    seed: int,
    progress: Progress | None = None,
    at_once: int = 1,
    given: Mapping[str, GivenEdit] | None = None,
    proposer: str = PROPOSER,
    reviewer: OpenChoiceReviewer | None = None,
) -> list[dict[str, Any]]:
    """Edit every occurrence that matters, check each edit, and select one for each query.

    The checks, in their order (the paper, Figure 5): the edit applies; both queries run, and the
    query written anew from its syntax tree still gives its own result; no answer can be accepted
    for both, and each result is accepted for its own query alone; both have an exact description,
    and not the same; they differ in one step; a reviewer finds the choice open. How one is
    selected: `selection.select`.

    Args:
        queries: Rows of GENERATED_QUERIES.
        opportunities: Rows of CHOICE_OPPORTUNITIES for the same database.
        schema: The database's schema.
        catalogue: Its catalogue.
        run: Runs a query on it.
        seed: Decides between edits that are equally welcome.
        progress: Told about each query that is done; by default nobody is.
        at_once: How many queries are checked at a time; with more than one, several threads call
            `run`.
        given: Query id → its edit by somebody else, which is checked in the place of those by
            rules, and must be of the type that it is for; there is a row for each of them alone.
        proposer: Who proposes.
        reviewer: Who finds a choice open; where there is nobody, the last check is by code.

    Returns:
        Rows of CHOICE_PROPOSALS, one for each occurrence that matters, of the types that queries
        are edited for.

    Raises:
        WorkerError: A query could not be run for a reason of ours.
    """
    kept = {query["query_id"]: query for query in queries if query["kept"]}
    mattering: dict[str, list[Mapping[str, Any]]] = {}
    for each in opportunities:
        edited = ChoiceType(each["choice_type"]) in FOUND_CHOICES
        if edited and each["matters"] and each["query_id"] in kept:
            mattering.setdefault(each["query_id"], []).append(each)

    def of_query(query: str) -> list[dict[str, Any]]:
        checks = _Checks(kept[query]["sql"], schema, catalogue, run)
        if given is not None:
            return [_proposal(given[query].place, checks, proposer, given[query].edit)]
        return [_proposal(each, checks, proposer) for each in mattering[query]]

    proposed = for_each(
        list(mattering if given is None else given),
        of_query,
        description="choice proposals",
        progress=progress,
        at_once=at_once,
    )
    # Two places can lead to one and the same other query.
    distinct = {row["proposal_id"]: row for row in reversed(proposed)}
    rows = _reviewed(list(reversed(distinct.values())), reviewer)
    candidates = [
        Candidate(
            row["proposal_id"],
            row["query_id"],
            kept[row["query_id"]]["tier"],
            row["choice_type"],
            row["convention"],
        )
        for row in rows
        if _passes(row)
    ]
    selected = select(candidates, seed)
    return [row | {"selected": row["proposal_id"] in selected} for row in rows]


def _reviewed(rows: Sequence[Row], reviewer: OpenChoiceReviewer | None) -> list[dict[str, Any]]:
    """Return proposals with what a reviewer says of those that pass every check by code."""
    asked = [row for row in rows if row["one_step"]] if reviewer is not None else []
    said = {
        row["proposal_id"]: objection
        for row, objection in zip(
            asked, reviewer.objections(asked) if reviewer else (), strict=True
        )
    }
    return [
        {
            **row,
            "found_open": not said[row["proposal_id"]],
            "reviewer": reviewer.name,
            "problem": said[row["proposal_id"]],
        }
        if reviewer is not None and row["proposal_id"] in said
        else {**row, "found_open": None, "reviewer": None}
        for row in rows
    ]


def _passes(row: Row) -> bool:
    """Say whether a proposal passes the checks by code, and its reviewer where it has one."""
    return bool(row["one_step"] and row["found_open"] is not False)


def check_filter_queries(
    queries: Sequence[Mapping[str, Any]],
    schema: Schema,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    progress: Progress | None = None,
    at_once: int = 1,
    reviewer: OpenChoiceReviewer | None = None,
) -> list[dict[str, Any]]:
    """Check queries whose choice lies in a filter as every other proposal is checked.

    Both of their sides were built together, so that there is nothing to edit and nothing to select.

    Args:
        queries: Rows of FILTER_QUERIES; those that were not kept are passed over.
        schema: The database's schema.
        catalogue: Its catalogue.
        run: Runs a query on it.
        progress: Told about each query that is done; by default nobody is.
        at_once: How many queries are checked at a time; with more than one, several threads call
            `run`.
        reviewer: Who finds a choice open; where there is nobody, the last check is by code.

    Returns:
        Rows of CHOICE_PROPOSALS, one for each query.
    """

    def checked(query: Mapping[str, Any]) -> list[dict[str, Any]]:
        checks = _Checks(query["sql_a"], schema, catalogue, run)
        failed = checks.failed(query["sql_b"])
        identity = [query["database"], query["sql_a"], query["sql_b"]]
        return [
            {
                "database": query["database"],
                "query_id": query["query_id"],
                "proposal_id": content_hash(identity)[:ID_LENGTH],
                "proposer": FILTER_PROPOSER,
                "choice_type": CHOICE_OF_FORM[FilterForm(query["form"])].value,
                "step": checks.first_step,
                "output": None,
                "detail": query["detail"],
                "taken": query["taken"],
                "side": query["side"],
                "sql_a": query["sql_a"],
                "sql_b": query["sql_b"],
                "convention": None,
                **_outcomes(failed),
                "selected": False,
                "problem": "" if failed is None else failed.problem,
            }
        ]

    proposed = for_each(
        [query for query in queries if query["kept"]],
        checked,
        description="choices of filters",
        progress=progress,
        at_once=at_once,
    )
    return [row | {"selected": _passes(row)} for row in _reviewed(proposed, reviewer)]


def _outcomes(failed: _FailedError | None) -> dict[str, bool | None]:
    """Return the checks with what became of each; None for those after one that failed."""
    passed = _CHECKS if failed is None else _CHECKS[: _CHECKS.index(failed.check)]
    outcomes: dict[str, bool | None] = {check: check in passed or None for check in _CHECKS}
    if failed is not None:
        outcomes[failed.check] = False
    return outcomes


def _proposal(
    opportunity: Mapping[str, Any],
    checks: _Checks,
    proposer: str,
    given: Edit | Refusal | None = None,
) -> dict[str, Any]:
    occurrence = occurrence_of(opportunity)
    module = FOUND_CHOICES[occurrence.choice_type]
    edited = checks.edited(occurrence, given)
    failed = checks.failed(edited.sql) if isinstance(edited, Edit) else _FailedError(*edited)
    if isinstance(edited, Edit) and given is not None and failed is None:
        failed = checks.other_choice(edited)
    sql_b = edited.sql if isinstance(edited, Edit) else None
    side = next(each for each in module.sides if each != occurrence.taken)
    named = {key: opportunity[key] for key in ("database", "query_id")}
    place = {key: opportunity[key] for key in ("choice_type", "step", "output", "detail", "taken")}
    # Without a second query, the place tells the proposals of one query apart.
    identity = [named["database"], checks.sql, sql_b or place]
    return {
        **named,
        "proposal_id": content_hash(identity)[:ID_LENGTH],
        "proposer": proposer,
        **place,
        "side": side,
        "sql_a": checks.sql,
        "sql_b": sql_b,
        "convention": {occurrence.taken: "a", side: "b"}.get(module.convention or ""),
        **_outcomes(failed),
        "selected": False,
        "problem": "" if failed is None else failed.problem,
    }


class _Checks:
    """The checks of one query's proposals; what a query gives is kept for the next proposal."""

    def __init__(
        self, sql: str, schema: Schema, catalogue: Catalogue, run: Callable[[str], Outcome]
    ) -> None:
        self.sql = sql
        self._schema = schema
        self._engine = schema.engine
        self._catalogue = catalogue
        self._structure = read_structure(sql, schema)
        self._run_anew = run
        self._outcomes: dict[str, Outcome] = {}
        self._original: ReferenceExtension | _FailedError | None = None

    @property
    def first_step(self) -> str:
        """The name of the step that reads tables."""
        return first_step(self._structure)[1].name

    def edited(
        self, occurrence: Occurrence, given: Edit | Refusal | None
    ) -> Edit | tuple[str, str]:
        """Return the edit of an occurrence, or the check that fails with the reason.

        Where none is given, rules make it.
        """
        edited = given
        if edited is None:
            module = FOUND_CHOICES[occurrence.choice_type]
            edited = module.edit(occurrence, self.sql, self._structure, self._catalogue)
        if isinstance(edited, Refusal):
            return "applies", edited.reason
        try:
            read_structure(edited.sql, self._schema)
        except SpecBridgeError as error:
            return "applies", f"The edited query cannot be read again: {error.what}"
        return edited

    def failed(self, sql_b: str) -> _FailedError | None:
        """Return the first check that an edited query fails; None where it passes all."""
        try:
            self._require_disjoint(self._reference_a(), self._reference(sql_b), sql_b)
            self._require_descriptions(sql_b)
            difference = step_difference(self.sql, sql_b, self._engine)
            if not difference.one_step:
                raise _FailedError("one_step", difference.reason)
        except _FailedError as failed:
            return failed
        return None

    def other_choice(self, edited: Edit) -> _FailedError | None:
        """Say which other choice an edit takes than the one that it is for; None where none."""
        found = assigned_type(self.sql, edited.sql, self._schema)
        if found is edited.occurrence.choice_type:
            return None
        named = "no known choice" if found is None else found.label
        return _FailedError("one_step", f"The queries differ in {named}.")

    def _reference_a(self) -> ReferenceExtension:
        """Return what the generated query accepts, once its tree is known to mean the same."""
        if self._original is None:
            try:
                self._original = self._reference(self.sql)
                tree = parse_query(self.sql, self._engine)
                again = self._run(tree.sql(rules_of(self._engine).dialect))
                verdict = compare(self._original, again)
                if verdict.kind is not VerdictKind.EQUAL:
                    raise _FailedError(
                        "runs",
                        f"Written anew from its tree, A gives another result: {verdict.reason}",
                    )
            except _FailedError as failed:
                self._original = failed
        if isinstance(self._original, _FailedError):
            raise self._original
        return self._original

    def _reference(self, sql: str) -> ReferenceExtension:
        try:
            return build_reference(self._run, sql, self._engine)
        except WorkerError:
            raise
        except SpecBridgeError as error:
            raise _FailedError("runs", str(error)) from error

    def _require_disjoint(self, a: ReferenceExtension, b: ReferenceExtension, sql_b: str) -> None:
        if not a.row_count or not b.row_count:
            raise _FailedError("disjoint", "One of the queries gives no row.")
        apart = disjoint(a, b)
        if not apart.disjoint:
            raise _FailedError("disjoint", apart.reason)
        for own, other, sql, name in ((a, b, self.sql, "A"), (b, a, sql_b, "B")):
            outcome = self._run(sql)
            verdict = compare(own, outcome)
            if verdict.kind is not VerdictKind.EQUAL:
                raise _FailedError("disjoint", f"{name} against itself: {verdict.reason}")
            crossed = compare(other, outcome)
            if crossed.kind is not VerdictKind.NOT_EQUAL:
                raise _FailedError("disjoint", f"{name} is {crossed.kind} for the other side.")

    def _require_descriptions(self, sql_b: str) -> None:
        texts = []
        for name, sql in (("A", self.sql), ("B", sql_b)):
            try:
                texts.append(describe(sql, self._schema).text)
            except SpecBridgeError as error:
                raise _FailedError("described", f"{name}: {error.what}") from error
        if texts[0] == texts[1]:
            raise _FailedError("described", "Both queries have the same exact description.")

    def _run(self, sql: str) -> Outcome:
        if sql not in self._outcomes:
            outcome = self._run_anew(sql)
            if isinstance(outcome, QueryFailure) and outcome.kind is FailureKind.WORKER_LOST:
                raise WorkerError(
                    f"a query could not be run: {outcome.message}",
                    where=shorten(sql),
                    advice="run it again",
                )
            self._outcomes[sql] = outcome
        return self._outcomes[sql]
