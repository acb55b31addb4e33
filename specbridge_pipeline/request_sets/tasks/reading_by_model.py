"""A model as a reader of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import quoting_prompt
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelRequest
from specbridge_pipeline.language_models.structured import ask_structured, one_turn
from specbridge_pipeline.request_sets.tasks.task import Task

PROMPT = "task_review.txt"

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "faults": {"type": "array", "items": {"type": "string", "maxLength": 400}, "maxItems": 20}
    },
    "required": ["faults"],
    "additionalProperties": False,
}


class ReviewReply(BaseModel):
    """A reviewer's reply."""

    model_config = ConfigDict(extra="ignore")

    faults: tuple[str, ...]


class ModelReader:
    """Asks a model for the faults of each text.

    Args:
        gateway: How models are asked.
        entry: The reviewer.
    """

    def __init__(self, gateway: Gateway, entry: ModelEntry) -> None:
        self._gateway = gateway
        self._entry = entry

    @property
    def name(self) -> str:
        """How the reviewer is called in stored rows: its registry id."""
        return self._entry.id

    def read(self, tasks: Sequence[Task], *, where: str) -> list[tuple[str, ...]]:
        """Say what each text lacks, changes or adds; see `TaskReader`.

        Raises:
            MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
            SpecBridgeError: A reply stays malformed after its repair turn; what was not read must
                not become a verdict.
        """
        replies = ask_structured(
            self._gateway,
            self._entry,
            [self._request(task) for task in tasks],
            ReviewReply,
            where=f"{where}, reading tasks",
        )
        found = []
        for reply in replies:
            if reply.value is None:
                raise SpecBridgeError(
                    f"the reviewer's reply cannot be read: {reply.problem}",
                    where=f"reviewer {self.name}, {where}",
                    advice="choose another reviewer in the profile's task_reviewers",
                )
            found.append(tuple(fault for fault in reply.value.faults if fault.strip()))
        return found

    def _request(self, task: Task) -> ModelRequest:
        text = quoting_prompt(
            "specbridge_pipeline.request_sets.tasks",
            PROMPT,
            engine=task.schema.engine.label,
            # Names and values of a database stand in both.
            sql=task.sql,
            description=task.description,
        )
        return one_turn(self._entry, text, REPLY_SCHEMA)
