"""A model as the writer of requests: from a plan, as the paper's Section 2.4 has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationInfo, field_validator

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import quoting_prompt
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelRequest
from specbridge_pipeline.language_models.structured import ask_structured, one_turn
from specbridge_pipeline.request_sets.construction import Requests, WritingTask, Written
from specbridge_pipeline.request_sets.model_prompts import PROMPTS, choice_of, items_of, names_of

PROMPT, REVISION = "request_writing.txt", "request_revision.txt"

SHORTEST, LONGEST = 10, 900
"""Characters of a request."""

LONGEST_PIECE = 400
"""Characters of what an edit takes out of a request or puts into it."""

_MOST_NOTES = 12
_LONGEST_NOTE = 200

TEXT_SCHEMA: dict[str, Any] = {"type": "string", "minLength": SHORTEST, "maxLength": LONGEST}

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": TEXT_SCHEMA,
        "edit": {
            "type": "object",
            "properties": {
                "old": {"type": "string", "minLength": 1, "maxLength": LONGEST_PIECE},
                "new": {"type": "string", "maxLength": LONGEST_PIECE},
            },
            "required": ["old", "new"],
            "additionalProperties": False,
        },
        "open": TEXT_SCHEMA,
    },
    "required": ["a", "edit", "open"],
    "additionalProperties": False,
}

Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=SHORTEST, max_length=LONGEST)
]


class TextEdit(BaseModel):
    """A piece of a text and what is put in its place."""

    model_config = ConfigDict(extra="ignore")

    old: str
    new: str

    def applied(self, text: str) -> str:
        """Return a text with the piece replaced."""
        return text.replace(self.old, self.new).strip()


class PlannedReply(BaseModel):
    """A writer's reply: the request for A, its edit for B, and the open request."""

    model_config = ConfigDict(extra="ignore")

    a: Text
    edit: TextEdit
    open: Text

    @field_validator("edit")
    @classmethod
    def _applies(cls, edit: TextEdit, info: ValidationInfo) -> TextEdit:
        # Where "a" is at fault itself, that is what its repair is about.
        a = info.data.get("a")
        if a is None:
            return edit
        if not edit.old or a.count(edit.old) != 1:
            raise ValueError('the text of "old" does not stand exactly once in the text of "a"')
        if not SHORTEST <= len(edit.applied(a)) <= LONGEST:
            raise ValueError(f"the edited text has not {SHORTEST} to {LONGEST} characters")
        return edit

    def requests(self) -> Requests:
        """Return the three requests."""
        return Requests(self.a, self.edit.applied(self.a), self.open)


class ModelWriter:
    """Asks a model for the three requests of each plan.

    Args:
        gateway: How models are asked.
        entry: The writer.
    """

    def __init__(self, gateway: Gateway, entry: ModelEntry) -> None:
        self.name = entry.id
        self._gateway = gateway
        self._entry = entry

    def write_all(
        self, tasks: Sequence[WritingTask], catalogue: Catalogue, *, where: str
    ) -> list[Written]:
        """Write the three requests of each plan; see `construction.Writer`.

        What the model says is checked like any writer's requests; a reply that stays malformed
        after its repair turn is its own failure, and gives no requests.

        Raises:
            MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
        """
        replies = ask_structured(
            self._gateway,
            self._entry,
            [self._request(task, catalogue) for task in tasks],
            PlannedReply,
            where=where,
        )
        return [
            Written(None, f"the writer's reply cannot be read: {reply.problem}")
            if reply.value is None
            else Written(reply.value.requests())
            for reply in replies
        ]

    def _request(self, task: WritingTask, catalogue: Catalogue) -> ModelRequest:
        plan = task.plan
        text = quoting_prompt(
            PROMPTS,
            PROMPT,
            names=names_of(plan.structure, catalogue),
            items=items_of(plan.items),
            choice=choice_of(plan.wording),
        )
        if task.earlier is not None:
            earlier = task.earlier
            text += quoting_prompt(
                PROMPTS,
                REVISION,
                earlier=f"a: {earlier.a}\nb: {earlier.b}\nopen: {earlier.open}",
                notes="\n".join(f"- {note[:_LONGEST_NOTE]}" for note in task.notes[:_MOST_NOTES]),
            )
        return one_turn(self._entry, text, REPLY_SCHEMA)
