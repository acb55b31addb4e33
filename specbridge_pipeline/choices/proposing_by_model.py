"""A model as the proposer: a choice of each query taken the other way by an exact edit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import Edit, Occurrence, Refusal
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.library_examples import LibraryExample
from specbridge_pipeline.choices.opportunities import occurrence_of
from specbridge_pipeline.choices.proposals import GivenEdit, OpenChoiceReviewer, propose
from specbridge_pipeline.choices.registry import FOUND_CHOICES
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import quoting_prompt, without_marks
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelRequest
from specbridge_pipeline.language_models.structured import StructuredReply, ask_structured, one_turn
from specbridge_pipeline.progress import Progress

PROMPTS = "specbridge_pipeline.choices"
PROMPT, EXAMPLE = "choice_proposal.txt", "choice_example.txt"

LONGEST_PIECE = 1500
"""Characters of what an edit takes out of a query or puts into it."""

_MOST_PLACES = 6
_LONGEST_PROBLEM = 400

Row = Mapping[str, Any]


class ProposalReply(BaseModel):
    """A proposer's reply."""

    model_config = ConfigDict(extra="ignore")

    place: int
    old: str = Field(min_length=1, max_length=LONGEST_PIECE)
    new: str = Field(max_length=LONGEST_PIECE)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query that the model is asked about.

    Attributes:
        query_id: Its id.
        sql: The query.
        places: Where the data make a choice matter, rows of CHOICE_OPPORTUNITIES.
        request: What is asked.
    """

    query_id: str
    sql: str
    places: Sequence[Row]
    request: ModelRequest


def propose_by_model(
    queries: Sequence[Row],
    opportunities: Sequence[Row],
    schema: Schema,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    gateway: Gateway,
    entry: ModelEntry,
    examples: Mapping[ChoiceType, LibraryExample],
    seed: int,
    progress: Progress | None = None,
    at_once: int = 1,
    reviewer: OpenChoiceReviewer | None = None,
) -> list[dict[str, Any]]:
    """Have a model propose one edit a query; what fails a check gets one repair.

    The paper, Section 2.4. The edits go through the checks of those by rules (`proposals.propose`),
    and must be of the type that they are proposed for.

    Args:
        queries: Rows of GENERATED_QUERIES.
        opportunities: Rows of CHOICE_OPPORTUNITIES for the same database.
        schema: The database's schema.
        catalogue: Its catalogue.
        run: Runs a query on it, in a sandbox.
        gateway: How models are asked.
        entry: The proposer.
        examples: Choice type → a question that leaves it open; at most one is shown with a query.
        seed: Decides between edits that are equally welcome.
        progress: Told about each query that is checked; by default nobody is.
        at_once: How many queries are checked at a time.
        reviewer: Who finds a choice open; where there is nobody, the last check is by code.

    Returns:
        Rows of CHOICE_PROPOSALS, one for each described query with an opportunity that matters.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
        WorkerError: A query could not be run for a reason of ours.
    """
    asked = _asked(queries, opportunities, schema, catalogue, entry, examples)
    where = f"{catalogue.database}, proposing choices"

    def replies(
        requests: Sequence[ModelRequest], said: str
    ) -> list[StructuredReply[ProposalReply]]:
        return ask_structured(gateway, entry, requests, ProposalReply, where=said)

    def checked(edits: Mapping[str, GivenEdit]) -> list[dict[str, Any]]:
        return propose(
            [query for query in queries if query["query_id"] in edits],
            [],
            schema,
            catalogue,
            run,
            seed=seed,
            progress=progress,
            at_once=at_once,
            given=edits,
            proposer=entry.id,
            reviewer=reviewer,
        )

    first = replies([each.request for each in asked], where)
    edits = {each.query_id: _edit(each, reply) for each, reply in zip(asked, first, strict=True)}
    rows = checked(edits)
    failed = {row["query_id"]: row["problem"] for row in rows if row["problem"]}
    # A reply that cannot be read has had its repair.
    repairs = {
        each.query_id: (each, _repair(each.request, reply.value, failed[each.query_id]))
        for each, reply in zip(asked, first, strict=True)
        if each.query_id in failed and reply.value is not None
    }
    if not repairs:
        return rows
    second = replies([request for _, request in repairs.values()], f"{where}, repairs")
    for (each, _), reply in zip(repairs.values(), second, strict=True):
        edits[each.query_id] = _edit(each, reply)
    return checked(edits)


def _asked(
    queries: Sequence[Row],
    opportunities: Sequence[Row],
    schema: Schema,
    catalogue: Catalogue,
    entry: ModelEntry,
    examples: Mapping[ChoiceType, LibraryExample],
) -> list[_Asked]:
    found = []
    for query in queries:
        places = [
            each
            for each in opportunities
            if query["kept"]
            and each["matters"]
            and each["query_id"] == query["query_id"]
            and ChoiceType(each["choice_type"]) in FOUND_CHOICES
        ][:_MOST_PLACES]
        description = _described(query["sql"], schema, catalogue) if places else None
        if description is None:
            continue
        text = quoting_prompt(
            PROMPTS,
            PROMPT,
            engine=schema.engine.label,
            sql=query["sql"],
            description=description,
            places="\n".join(_place(number, each) for number, each in enumerate(places, start=1)),
        )
        types = [ChoiceType(each["choice_type"]) for each in places]
        example = next((examples[each] for each in types if each in examples), None)
        if example is not None:
            text += quoting_prompt(
                PROMPTS, EXAMPLE, question=example.question, choice=example.choice
            )
        request = one_turn(entry, text, _reply_schema(len(places)))
        found.append(_Asked(query["query_id"], query["sql"], places, request))
    return found


def _described(sql: str, schema: Schema, catalogue: Catalogue) -> str | None:
    """Return what a query computes; None where no description says it, hence no edit of it."""
    try:
        return describe(sql, schema, catalogue).text
    except UndescribableQueryError:
        return None


def _place(number: int, row: Row) -> str:
    """Say where a query takes a side, which, and what the other one would be."""
    choice_type = ChoiceType(row["choice_type"])
    convention = CONVENTIONS[choice_type]
    step = f"the step {row['step']}" if row["step"] else "the last SELECT"
    detail = f" ({row['detail']})" if row["detail"] else ""
    taken, side = (_plain(each) for each in (row["taken"], _other_side(occurrence_of(row))))
    return (
        f"{number}. {choice_type.label} in {step}{detail}: it takes '{taken}', the other side is "
        f"'{side}'. {convention.meaning} {row['evidence']}"
    )


def _plain(side: str) -> str:
    return side.replace("_", " ")


def _other_side(occurrence: Occurrence) -> str:
    sides = FOUND_CHOICES[occurrence.choice_type].sides
    return next(each for each in sides if each != occurrence.taken)


def _edit(asked: _Asked, reply: StructuredReply[ProposalReply]) -> GivenEdit:
    """Return the edit of a reply, or why there is none, at the place that it names."""
    value = reply.value
    if value is None:
        reason = f"the proposer's reply cannot be read: {reply.problem}"
        return GivenEdit(asked.places[0], Refusal(reason))
    if not 1 <= value.place <= len(asked.places):
        return GivenEdit(asked.places[0], Refusal(f"There is no place {value.place}."))
    row = asked.places[value.place - 1]
    occurrence = occurrence_of(row)
    times = asked.sql.count(value.old)
    if times != 1:
        stands = "does not stand in the query" if not times else f"stands in it {times} times"
        return GivenEdit(row, Refusal(f"The text to replace {stands}."))
    sql = asked.sql.replace(value.old, value.new)
    return GivenEdit(row, Edit(occurrence, sql, _other_side(occurrence)))


def _repair(request: ModelRequest, reply: ProposalReply, problem: str) -> ModelRequest:
    return replace(
        request,
        messages=(
            *request.messages,
            Message("assistant", json.dumps(reply.model_dump(), ensure_ascii=False)),
            Message(
                "user",
                f"That edit fails a check: <<<{without_marks(problem[:_LONGEST_PROBLEM])}>>>. "
                "Answer once more in the same form, with an edit that does not fail it.",
            ),
        ),
    )


def _reply_schema(places: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "place": {"type": "integer", "enum": list(range(1, places + 1))},
            "old": {"type": "string", "minLength": 1, "maxLength": LONGEST_PIECE},
            "new": {"type": "string", "maxLength": LONGEST_PIECE},
        },
        "required": ["place", "old", "new"],
        "additionalProperties": False,
    }
