"""A model as the judge of what responses say in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.evaluation.judging import JudgeCase, Judgement
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import quoting_prompt
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelRequest
from specbridge_pipeline.language_models.structured import ask_structured, one_turn

PROMPTS, PROMPT = "specbridge_pipeline.evaluation", "judge.txt"

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "names_choice": {"type": "boolean"},
        "evidence": {"type": "string", "maxLength": 400},
    },
    "required": ["names_choice", "evidence"],
    "additionalProperties": False,
}


class JudgeReply(BaseModel):
    """A judge's reply."""

    model_config = ConfigDict(extra="ignore")

    names_choice: bool
    evidence: str = ""


class ModelJudge:
    """Asks a model, which does not learn whose response it reads (the paper, Section 3).

    Args:
        gateway: How models are asked.
        entry: The judge.
    """

    def __init__(self, gateway: Gateway, entry: ModelEntry) -> None:
        self._gateway = gateway
        self._entry = entry

    @property
    def name(self) -> str:
        """How the judge is called in stored rows: its registry id."""
        return self._entry.id

    def judge(self, cases: Sequence[JudgeCase], *, where: str) -> list[Judgement]:
        """Return one judgement a case, in order.

        A response that says nothing names nothing, and the model is not asked.

        Raises:
            MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
            SpecBridgeError: The judge's reply stays malformed after its repair turn; an unread
                judgement must not become a verdict about the model that is measured.
        """
        spoken = [case for case in cases if case.explanation.strip() or any(case.offered)]
        replies = iter(
            ask_structured(
                self._gateway,
                self._entry,
                [self._request(case) for case in spoken],
                JudgeReply,
                where=f"{where}, judging",
            )
        )
        judgements = []
        for case in cases:
            if not (case.explanation.strip() or any(case.offered)):
                judgements.append(Judgement(False, ""))
                continue
            reply = next(replies)
            if reply.value is None:
                raise SpecBridgeError(
                    f"the judge's reply cannot be read: {reply.problem}",
                    where=f"judge {self.name}, {where}",
                    advice="choose another judge in the profile",
                )
            judgements.append(
                Judgement(reply.value.names_choice, reply.value.evidence, reply.calls)
            )
        return judgements

    def _request(self, case: JudgeCase) -> ModelRequest:
        text = quoting_prompt(
            PROMPTS,
            PROMPT,
            request=case.request,
            meaning_a=case.meanings[0],
            meaning_b=case.meanings[1],
            explanation=case.explanation,
            offered="\n".join(case.offered),
        )
        return one_turn(self._entry, text, REPLY_SCHEMA)
