"""What another harness needs to ask the requests of sets and to have its replies scored here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.evaluation.context import DatabaseContext
from specbridge_pipeline.evaluation.judging import Judge
from specbridge_pipeline.evaluation.methods import explained
from specbridge_pipeline.evaluation.outcomes import outcome_rows
from specbridge_pipeline.evaluation.scoring import MAIN
from specbridge_pipeline.evaluation.stages import judgement_rows, response_row, score_rows
from specbridge_pipeline.language_models.requests import (
    FIRST_ROUND,
    Message,
    ModelReply,
    ModelRequest,
)
from specbridge_pipeline.language_models.structured import read_reply, repair_request
from specbridge_pipeline.reporting.numbers import MEASURES, counts
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side

Row = dict[str, Any]

CUT_OFF, FINISHED = "length", "stop"
"""Why a reply ended: at the token limit, or by itself."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a model is to be asked, and what it has replied so far.

    Attributes:
        messages: The conversation.
        replies: The model's replies in it, each with why it ended.
    """

    messages: tuple[Message, ...]
    replies: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredReply:
    """A reply as rows of the stages of evaluation.

    Attributes:
        request_set: What `outcomes` needs to know of its set.
        response: Its row of `responses`.
        scores: Its rows of `scores`.
        judgement: Its row of `judgements`.
    """

    request_set: Row
    response: Row
    scores: tuple[Row, ...]
    judgement: Row

    def values(self) -> dict[str, float]:
        """Return what the reply is worth, as numbers 0 and 1.

        `accepted_a` and `accepted_b` say whether a query of it is accepted for A and for B,
        `main_a` and `main_b` whether the main query is, and `names_choice` whether its words say
        that the choice is open.
        """
        found: dict[str, float] = {}
        for side in Side:
            equal = {
                row["query"]
                for row in self.scores
                if row["interpretation"] == side and row["verdict"] == "equal"
            }
            found[f"accepted_{side}"] = float(bool(equal))
            found[f"main_{side}"] = float(MAIN in equal)
        found["names_choice"] = float(self.judgement["names_choice"])
        return found


def opening(context: DatabaseContext, request: str) -> Conversation:
    """Return what the method `explained` asks a model.

    Args:
        context: The database.
        request: The words of the request.
    """
    return Conversation(
        (Message("system", context.render(explained.PROMPT)), Message("user", request))
    )


def after_reply(
    conversation: Conversation, text: str, finish_reason: str
) -> tuple[Conversation, bool]:
    """Take a reply into a conversation.

    Args:
        conversation: What was asked.
        text: The reply.
        finish_reason: Why it ended; CUT_OFF where it reached the token limit.

    Returns:
        The conversation with the reply, and whether the model is to be asked again: the one repair
        turn of a reply that cannot be read.
    """
    replies = (*conversation.replies, (text, finish_reason))
    reply = ModelReply.made_elsewhere(text, finish_reason)
    read = read_reply(reply, explained.ExplainedReply)
    if read.value is not None or len(replies) > 1:
        return Conversation(conversation.messages, replies), False
    asked = ModelRequest(model="", revision="", messages=conversation.messages)
    return Conversation(repair_request(asked, reply, read.problem).messages, replies), True


def score_reply(
    conversation: Conversation,
    request_set: RequestSet,
    kind: RequestKind,
    *,
    model: str,
    edition: str,
    tier: str,
    run_many: Callable[[Sequence[str]], Sequence[Outcome]],
    engine: Engine,
    judge: Judge,
    run_reference: Callable[[str], Outcome] | None = None,
) -> ScoredReply:
    """Score the last reply of a conversation as the stages of evaluation do.

    Args:
        conversation: What was asked and replied.
        request_set: The set.
        kind: Which of its requests was asked.
        model: Who replied.
        edition: The set's edition.
        tier: The set's tier in it.
        run_many: Runs queries on the set's database.
        engine: The engine of its database.
        judge: Who reads explanations.
        run_reference: As for `score_responses`.

    Raises:
        UnusableReferenceError, WorkerError: As `score_responses`.
    """
    text, finish_reason = conversation.replies[-1]
    response = response_row(
        request_set,
        kind,
        explained.read_response([ModelReply.made_elsewhere(text, finish_reason)]),
        model,
        edition,
        explained.NAME,
        FIRST_ROUND,
    )
    [judgement] = judgement_rows(judge, [request_set], [response], where=request_set.database)
    scores = score_rows(run_many, [request_set], [response], engine, run_reference=run_reference)
    return ScoredReply(
        {
            "edition": edition,
            "set_id": request_set.id,
            "choice_type": request_set.choice_type.value,
            "tier": tier,
        },
        response,
        tuple(scores),
        judgement,
    )


def measured(replies: Iterable[ScoredReply]) -> tuple[list[Row], Mapping[str, tuple[int, int]]]:
    """Work out the measures of a model over the sets of which it answered all three requests.

    Args:
        replies: The scored replies of one model.

    Returns:
        Rows of `outcomes`, and measure → numerator and denominator over them.
    """
    listed = list(replies)
    sets = {each.request_set["set_id"]: each.request_set for each in listed}
    rows = outcome_rows(
        sets.values(),
        [each.response for each in listed],
        [row for each in listed for row in each.scores],
        [each.judgement for each in listed],
    )
    return rows, {measure.name: counts(measure, rows) for measure in MEASURES}
