"""What is asked of a model, in the canonical form that the archive's keys are made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from specbridge_pipeline.records.canonical import content_hash

FIRST_ROUND = "1"
"""The round of a first evaluation; a scheduled re-evaluation opens one named after its date."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: system, user or assistant.
        content: Its text.
    """

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model. Two requests with equal fields are the same request.

    Attributes:
        model: The model's identity in the registry; never an address.
        revision: The model's revision.
        messages: The conversation.
        parameters: Every sampling parameter.
        response_schema: JSON schema that the reply must satisfy, or None.
        sample_index: 0, or the number of a further sample of the same request.
        round: The round of evaluation.
    """

    model: str
    revision: str
    messages: tuple[Message, ...]
    parameters: dict[str, Any] = field(default_factory=dict)
    response_schema: dict[str, Any] | None = None
    sample_index: int = 0
    round: str = FIRST_ROUND

    def canonical(self) -> dict[str, Any]:
        """Return the request as plain JSON values; its SHA-256 is the archive key."""
        return {
            "model": self.model,
            "revision": self.revision,
            "messages": [[message.role, message.content] for message in self.messages],
            "parameters": self.parameters,
            "response_schema": self.response_schema,
            "sample_index": self.sample_index,
            "round": self.round,
        }

    @property
    def key(self) -> str:
        """The archive key: SHA-256 of the canonical request, in hexadecimal."""
        return content_hash(self.canonical())


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply as the archive keeps it.

    Attributes:
        key: Key of the request that it answers.
        text: The reply's text.
        finish_reason: Why the model stopped: stop, length, …
        input_tokens: Tokens of the prompt, where the provider says.
        output_tokens: Tokens of the reply, where the provider says.
        cost_usd: What it cost, where it is known.
        latency_seconds: From the call to its reply.
        raw: The provider's whole reply as JSON text.
        asked_at: Time of the call, UTC, ISO 8601.
    """

    key: str
    text: str
    finish_reason: str
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_seconds: float
    raw: str
    asked_at: str

    @classmethod
    def made_elsewhere(cls, text: str, finish_reason: str, key: str = "") -> ModelReply:
        """Return a reply of which only its text and why it ended are known, and no call.

        Args:
            text: The reply's text.
            finish_reason: Why the model stopped.
            key: Key of the request that it answers; empty where it is not archived.
        """
        return cls(
            key=key,
            text=text,
            finish_reason=finish_reason,
            input_tokens=None,
            output_tokens=None,
            cost_usd=None,
            latency_seconds=0.0,
            raw="",
            asked_at="",
        )
