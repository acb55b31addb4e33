"""A model as the writer of requests without a plan, for comparison: straight from a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import quoting_prompt
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.structured import ask_structured, one_turn
from specbridge_pipeline.request_sets.construction import RequestPlan, Requests, Written
from specbridge_pipeline.request_sets.model_prompts import PROMPTS, choice_of, names_of
from specbridge_pipeline.request_sets.writing_by_model import TEXT_SCHEMA, Text

PROMPT = "direct_request_writing.txt"

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": TEXT_SCHEMA, "b": TEXT_SCHEMA, "open": TEXT_SCHEMA},
    "required": ["a", "b", "open"],
    "additionalProperties": False,
}


class DirectReply(BaseModel):
    """A writer's reply: the three requests."""

    model_config = ConfigDict(extra="ignore")

    a: Text
    b: Text
    open: Text


@dataclass(frozen=True, slots=True)
class DirectTask:
    """What is written from without a plan; its items are not shown.

    Attributes:
        sql: The query, which takes A.
        description: What it computes, exactly.
        plan: What the requests are checked against; the choice and the names are from it.
    """

    sql: str
    description: str
    plan: RequestPlan


def write_directly(
    gateway: Gateway,
    entry: ModelEntry,
    tasks: Sequence[DirectTask],
    catalogue: Catalogue,
    *,
    where: str,
) -> list[Written]:
    """Have a model write the requests of each task from its query, description and choice alone.

    Args:
        gateway: How models are asked.
        entry: The writer.
        tasks: The tasks.
        catalogue: The database.
        where: What needs them, for messages.

    Returns:
        One result a task, in order.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
    """
    requests = [
        one_turn(
            entry,
            quoting_prompt(
                PROMPTS,
                PROMPT,
                names=names_of(task.plan.structure, catalogue),
                sql=task.sql,
                description=task.description,
                choice=choice_of(task.plan.wording),
            ),
            REPLY_SCHEMA,
        )
        for task in tasks
    ]
    return [
        Written(None, f"the writer's reply cannot be read: {reply.problem}")
        if reply.value is None
        else Written(Requests(reply.value.a, reply.value.b, reply.value.open))
        for reply in ask_structured(gateway, entry, requests, DirectReply, where=where)
    ]
