"""A model as a reviewer: three requests, each against both interpretations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import quoting_prompt
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelRequest
from specbridge_pipeline.language_models.structured import ask_structured, one_turn
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.request_sets.construction import RequestReview, ReviewSubject
from specbridge_pipeline.request_sets.model_prompts import PROMPTS, items_of
from specbridge_pipeline.request_sets.records import RequestKind, Side

PROMPT = "set_review.txt"

_LONGEST_NOTE = 200
_PLACES = ("request_1", "request_2", "request_3")


class RequestVerdict(BaseModel):
    """What a reviewer says of one request."""

    model_config = ConfigDict(extra="ignore")

    first: bool
    second: bool
    lost: tuple[str, ...] = ()
    note: str = ""


class SetVerdict(BaseModel):
    """A reviewer's reply: its verdict on each request, by the place where it was shown."""

    model_config = ConfigDict(extra="ignore")

    request_1: RequestVerdict
    request_2: RequestVerdict
    request_3: RequestVerdict


@dataclass(frozen=True, slots=True)
class _Shown:
    """The order in which a set is shown.

    A reviewer is not told which request was written for which interpretation, and no place is
    always that of the same one: who prefers the first does not prefer A.

    Attributes:
        kinds: The requests.
        sides: The interpretations.
    """

    kinds: tuple[RequestKind, ...]
    sides: tuple[Side, ...]


class ModelReviewer:
    """Asks a model for its verdict on each set.

    Args:
        gateway: How models are asked.
        entry: The reviewer.
    """

    def __init__(self, gateway: Gateway, entry: ModelEntry) -> None:
        self.name = entry.id
        self._gateway = gateway
        self._entry = entry

    def review_all(
        self, subjects: Sequence[ReviewSubject], *, where: str
    ) -> list[tuple[RequestReview, ...]]:
        """Judge each of the three requests of each set; see `construction.Reviewer`.

        A reply that stays malformed after its repair turn is no verdict, so that the reviewer keeps
        nothing of the set.

        Raises:
            MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
        """
        orders = [_order(subject) for subject in subjects]
        replies = ask_structured(
            self._gateway,
            self._entry,
            [self._request(*each) for each in zip(subjects, orders, strict=True)],
            SetVerdict,
            where=where,
        )
        return [
            _unread(reply.problem) if reply.value is None else _reviews(reply.value, subject, shown)
            for reply, subject, shown in zip(replies, subjects, orders, strict=True)
        ]

    def _request(self, subject: ReviewSubject, shown: _Shown) -> ModelRequest:
        first, second = (subject.descriptions[side] for side in shown.sides)
        text = quoting_prompt(
            PROMPTS,
            PROMPT,
            first=first,
            second=second,
            items=items_of(subject.items),
            **{
                place: subject.requests[kind]
                for place, kind in zip(_PLACES, shown.kinds, strict=True)
            },
        )
        return one_turn(self._entry, text, _reply_schema([item.id for item in subject.items]))


def _order(subject: ReviewSubject) -> _Shown:
    digest = int(content_hash([*subject.descriptions.values(), str(subject.choice_type)]), 16)
    kinds = list(RequestKind)
    turned = digest % len(kinds)
    sides = tuple(Side)
    return _Shown(
        (*kinds[turned:], *kinds[:turned]),
        sides if (digest // len(kinds)) % 2 else sides[::-1],
    )


def _reply_schema(items: Sequence[str]) -> dict[str, Any]:
    verdict = {
        "type": "object",
        "properties": {
            "first": {"type": "boolean"},
            "second": {"type": "boolean"},
            "lost": {
                "type": "array",
                "items": {"type": "string", "enum": list(items)},
                "maxItems": len(items),
            },
            "note": {"type": "string", "maxLength": _LONGEST_NOTE},
        },
        "required": ["first", "second", "lost", "note"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": dict.fromkeys(_PLACES, verdict),
        "required": list(_PLACES),
        "additionalProperties": False,
    }


def _unread(problem: str) -> tuple[RequestReview, ...]:
    note = f"the reviewer's reply cannot be read: {problem}"
    return tuple(RequestReview(kind, None, None, None, (note,)) for kind in RequestKind)


def _reviews(
    verdict: SetVerdict, subject: ReviewSubject, shown: _Shown
) -> tuple[RequestReview, ...]:
    by_kind = dict(
        zip(shown.kinds, (verdict.request_1, verdict.request_2, verdict.request_3), strict=True)
    )
    return tuple(_review(kind, by_kind[kind], subject, shown) for kind in RequestKind)


def _review(
    kind: RequestKind, verdict: RequestVerdict, subject: ReviewSubject, shown: _Shown
) -> RequestReview:
    accepts = dict(zip(shown.sides, (verdict.first, verdict.second), strict=True))
    stated = {item.id: item.text for item in subject.items}
    # An id that the plan has not is no reason to think that nothing is lost.
    lost = [
        f"lost or changed: {each[:_LONGEST_NOTE]}"
        + (f" ({stated[each]})" if each in stated else "")
        for each in dict.fromkeys(verdict.lost)
    ]
    wrong = []
    if accepts != {side: kind.side in (None, side) for side in Side}:
        wrong.append(
            "is not understood to fit both interpretations"
            if kind.side is None
            else "is not understood to ask for its own interpretation alone"
        )
    said = (
        [verdict.note.strip()[:_LONGEST_NOTE]] if (lost or wrong) and verdict.note.strip() else []
    )
    return RequestReview(kind, accepts[Side.A], accepts[Side.B], not lost, (*lost, *wrong, *said))
