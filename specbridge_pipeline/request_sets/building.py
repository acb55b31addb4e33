"""From selected choices to reviewed request sets: the rows that each step of building stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import Edit
from specbridge_pipeline.choices.opportunities import occurrence_of
from specbridge_pipeline.choices.registry import CHOICES
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.request_sets.code_checks import check_requests
from specbridge_pipeline.request_sets.construction import (
    RequestPlan,
    Requests,
    Reviewer,
    Writer,
    WritingTask,
)
from specbridge_pipeline.request_sets.draft_sets import request_set_of
from specbridge_pipeline.request_sets.plan import build_plan, plan_json
from specbridge_pipeline.request_sets.records import Side
from specbridge_pipeline.request_sets.reviews import (
    Draft,
    review_rows,
    review_sets,
    review_single_request,
)
from specbridge_pipeline.request_sets.rule_reviewers import RULE_REVIEWERS
from specbridge_pipeline.request_sets.writing import RuleWriter, write_request

Row = Mapping[str, Any]

_UNWRITTEN = Requests("", "", "")
"""What stands in a row where a model's reply could not be read."""


@dataclass(frozen=True, slots=True)
class PlannedChoice:
    """A selected choice with its plan.

    Attributes:
        plan: What the three requests share, and the choice.
        descriptions: Side → exact description of its query.
    """

    plan: RequestPlan
    descriptions: dict[Side, str]


def planned(proposal: Row, schema: Schema, catalogue: Catalogue) -> PlannedChoice:
    """Plan the requests of a selected choice.

    Args:
        proposal: A row of CHOICE_PROPOSALS, or of a stage that has its choice and both queries.
        schema: The database's schema.
        catalogue: Its catalogue.

    Raises:
        UndescribableQueryError: One of the queries cannot be described.
    """
    first = describe(proposal["sql_a"], schema, catalogue)
    second = describe(proposal["sql_b"], schema, catalogue)
    edit = Edit(occurrence_of(proposal), proposal["sql_b"], proposal["side"])
    module = CHOICES[ChoiceType(proposal["choice_type"])]
    one, other = (read_structure(proposal[key], schema) for key in ("sql_a", "sql_b"))
    plan = build_plan(edit, module, one, other, catalogue)
    return PlannedChoice(plan, {Side.A: first.text, Side.B: second.text})


def request_set_rows(
    proposals: Iterable[Row],
    queries: Iterable[Row],
    schema: Schema,
    catalogue: Catalogue,
    *,
    writer: Writer | None = None,
    told: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Write three requests for each selected choice, and check them by code.

    Args:
        proposals: Rows of CHOICE_PROPOSALS.
        queries: Rows of GENERATED_QUERIES and FILTER_QUERIES for the same database.
        schema: The database's schema.
        catalogue: Its catalogue.
        writer: Who writes; by default rules.
        told: Called after each set.

    Returns:
        Rows of REQUEST_SETS, one for each selected choice.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`, where a
            model writes.
    """
    writer = writer or RuleWriter()
    generated = {row["query_id"]: row for row in queries if row["kept"]}
    selected = [proposal for proposal in proposals if proposal["selected"]]
    choices = [planned(proposal, schema, catalogue) for proposal in selected]
    drafts = writer.write_all(
        [WritingTask(choice.plan) for choice in choices],
        catalogue,
        where=f"{catalogue.database}, writing requests",
    )
    rows = []
    for proposal, choice, written in zip(selected, choices, drafts, strict=True):
        query = generated[proposal["query_id"]]
        requests = written.requests or _UNWRITTEN
        problems: tuple[str, ...] = (written.problem,)
        if written.requests is not None:
            problems = check_requests(choice.plan, requests, catalogue)
        wording = choice.plan.wording
        row = {
            "database": proposal["database"],
            "proposal_id": proposal["proposal_id"],
            "query_id": proposal["query_id"],
            "set_id": "",
            "choice_type": proposal["choice_type"],
            "tier": query["tier"],
            "step_depth": query["step_depth"],
            "arithmetic_depth": query["arithmetic_depth"],
            "ordered": choice.plan.ordered,
            "convention": proposal["convention"],
            "meaning_a": wording.meaning_a,
            "meaning_b": wording.meaning_b,
            "request_a": requests.a,
            "request_b": requests.b,
            "request_open": requests.open,
            "sql_a": proposal["sql_a"],
            "sql_b": proposal["sql_b"],
            "plan": plan_json(choice.plan),
            "writer": writer.name,
            "passed": not problems,
            "problems": list(problems),
        }
        if written.requests is not None:
            row["set_id"] = request_set_of(row).id
        rows.append(row)
        told()
    return rows


def set_review_rows(
    request_sets: Iterable[Row],
    proposals: Iterable[Row],
    schema: Schema,
    catalogue: Catalogue,
    *,
    writer: Writer | None = None,
    reviewers: Sequence[Reviewer] | None = None,
    told: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Have two reviewers read each set; one that is not kept gets one revision and is read again.

    The paper, Section 2.4 and Algorithm S1.

    Args:
        request_sets: Rows of REQUEST_SETS.
        proposals: Rows of CHOICE_PROPOSALS for the same database.
        schema: The database's schema.
        catalogue: Its catalogue.
        writer: Who revises; by default rules.
        reviewers: Who reads; by default two sets of rules that share no code.
        told: Called after each set.

    Returns:
        Rows of SET_REVIEWS.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`, where a
            model writes or reads.
    """
    writer = writer or RuleWriter()
    reviewers = reviewers or RULE_REVIEWERS
    by_id = {row["proposal_id"]: row for row in proposals}
    # What could not be read of a model's reply is nothing to review.
    written = [row for row in request_sets if row["set_id"]]
    drafts = []
    for row in written:
        choice = planned(by_id[row["proposal_id"]], schema, catalogue)
        texts = Requests(row["request_a"], row["request_b"], row["request_open"])
        drafts.append(Draft(choice.plan, texts, choice.descriptions))
        told()
    reviewed = review_sets(
        drafts,
        catalogue,
        writer=writer,
        reviewers=reviewers,
        check=check_requests,
        where=catalogue.database,
    )
    return [
        each
        for row, rounds in zip(written, reviewed, strict=True)
        for each in review_rows(row["proposal_id"], request_set_of(row), rounds)
    ]


def natural_request_rows(
    queries: Iterable[Row],
    described: Iterable[Row],
    schema: Schema,
    catalogue: Catalogue,
    *,
    told: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Write one request by rules for each described query, and have both reviewers read it.

    Args:
        queries: Rows of GENERATED_QUERIES.
        described: Rows of EXACT_DESCRIPTIONS for the same database.
        schema: The database's schema.
        catalogue: Its catalogue.
        told: Called after each query.

    Returns:
        Rows of NATURAL_REQUESTS.
    """
    texts = {row["query_id"]: row["description"] for row in described if row["described"]}
    rows = []
    for query in queries:
        if not query["kept"] or query["query_id"] not in texts:
            continue
        try:
            structure = read_structure(query["sql"], schema)
        except UndescribableQueryError:
            # More can be described than requests can be written for by rules.
            continue
        review = review_single_request(
            write_request(structure, catalogue),
            structure,
            texts[query["query_id"]],
            catalogue,
            reviewers=RULE_REVIEWERS,
            revise=partial(write_request, structure, catalogue),
        )
        rows.append(
            {
                "database": query["database"],
                "query_id": query["query_id"],
                "request": review.request,
                "writer": RuleWriter.name,
                "revision": review.revision,
                "accepted": review.accepted,
                "problem": "; ".join(review.problems),
            }
        )
        told()
    return rows
