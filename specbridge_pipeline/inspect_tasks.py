"""What Inspect AI loads: the request sets of an edition as a task that our scorer scores.

Needs the extra `inspect`. One sample is one request. The model is asked as the method `explained`
asks, its one repair turn included, and its reply is run, compared and judged as any response is.
"""

from __future__ import annotations

import atexit
import math
from functools import partial

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.exchange.harness import (
    CUT_OFF,
    FINISHED,
    Conversation,
    ScoredReply,
    after_reply,
    measured,
    opening,
    score_reply,
)
from specbridge_pipeline.language_models.requests import Message
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side
from specbridge_pipeline.settings import find_project

_CONVERSATION = "conversation"
_SAMPLES_OF_A_SET = tuple(RequestKind)


@task
def request_sets(
    edition: str | None = None,
    project: str | None = None,
    profile: str = "default",
    database: str | None = None,
) -> Task:
    """Put the requests of an edition to a model.

    Args:
        edition: The edition; by default the profile's.
        project: The project's folder; by default $SPECBRIDGE_HOME, else the current folder.
        profile: The profile, which names who reads explanations and what a query may use.
        database: Only sets on this database.

    Returns:
        The task. The three requests of a set follow one another, so that `--limit 3` is one set.

    Raises:
        ConfigurationError: There is no such project, profile or edition, or it has no set on the
            database.
    """
    workspace = Workspace(find_project(project), profile_name=profile, edition=edition)
    atexit.register(workspace.close)
    sets = [each for each in workspace.edition.sets if database in (None, each.database)]
    if not sets:
        raise ConfigurationError(
            f"edition '{workspace.edition.id}' has no set on a database '{database}'",
            advice=f"its databases: {', '.join(workspace.edition.databases)}",
        )
    return Task(
        dataset=MemoryDataset(
            [_sample(workspace, each, kind) for each in sets for kind in _SAMPLES_OF_A_SET],
            name=workspace.edition.id,
        ),
        solver=explained(),
        scorer=execution(workspace),
        name="request_sets",
        version=workspace.edition.record.digest,
        metadata={"edition": workspace.edition.id, "judge": workspace.judge.name},
    )


@solver
def explained() -> Solver:
    """Ask once, and once more where the reply cannot be read."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        conversation = _conversation(state)
        again = True
        while again:
            state = await generate(state)
            conversation, again = after_reply(
                conversation, state.output.completion, _finish_reason(state)
            )
            state.store.set(_CONVERSATION, conversation.replies)
            if again:
                state.messages = [_message(each) for each in conversation.messages]
        return state

    return solve


@metric
def measures() -> Metric:
    """Work out the measures of the headline table over the sets that were asked whole."""

    def compute(scores: list[SampleScore]) -> Value:
        replies = [_scored_reply(each.score) for each in scores]
        _, counted = measured(each for each in replies if each is not None)
        return {
            name: numerator / denominator if denominator else math.nan
            for name, (numerator, denominator) in counted.items()
        }

    return compute


@scorer(metrics=[measures()])
def execution(workspace: Workspace) -> Scorer:
    """Score a reply by running its queries and by reading its explanation.

    Args:
        workspace: The project with the edition and its databases.
    """
    sets = {each.id: each for each in workspace.edition.sets}

    async def score(state: TaskState, target: Target) -> Score:
        request_set = sets[state.metadata["set_id"]]
        scored = await anyio.to_thread.run_sync(
            partial(
                score_reply,
                Conversation((), tuple(map(tuple, state.store.get(_CONVERSATION)))),
                request_set,
                RequestKind(state.metadata["request"]),
                model=str(state.model),
                edition=workspace.edition.id,
                tier=workspace.edition.tier_of(request_set),
                run_many=partial(workspace.run_many, request_set.database),
                engine=workspace.engine(request_set.database),
                judge=workspace.judge,
                run_reference=workspace.run_on(request_set.database),
            )
        )
        return Score(
            value=dict(scored.values()),
            answer=scored.response["sql"],
            explanation=_explanation(scored),
            metadata={
                "request_set": scored.request_set,
                "response": scored.response,
                "scores": list(scored.scores),
                "judgement": scored.judgement,
            },
        )

    return score


def _sample(workspace: Workspace, each: RequestSet, kind: RequestKind) -> Sample:
    wanted = [kind.side] if kind.side is not None else list(Side)
    asked = opening(workspace.context(each.database), each.request(kind))
    return Sample(
        id=f"{each.id}/{kind}",
        input=[_message(message) for message in asked.messages],
        target=[each.interpretations[side].sql for side in wanted],
        metadata={
            "set_id": each.id,
            "request": kind.value,
            "database": each.database,
            "choice_type": each.choice_type.value,
            "tier": workspace.edition.tier_of(each),
        },
    )


def _message(message: Message) -> ChatMessage:
    kinds: dict[str, type[ChatMessage]] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return kinds[message.role](content=message.content)


def _conversation(state: TaskState) -> Conversation:
    return Conversation(tuple(Message(each.role, each.text) for each in state.messages))


def _finish_reason(state: TaskState) -> str:
    return CUT_OFF if state.output.stop_reason in ("max_tokens", "model_length") else FINISHED


def _explanation(scored: ScoredReply) -> str:
    """Say in words how the queries fared."""
    lines = [
        f"{row['query']} for {row['interpretation'].upper()}: {row['verdict']}"
        + (f" ({row['reason']})" if row["reason"] else "")
        for row in scored.scores
    ]
    named = "names the choice" if scored.judgement["names_choice"] else "does not name the choice"
    return "\n".join([*lines, f"{named}, read by {scored.judgement['judge']}"])


def _scored_reply(score: Score) -> ScoredReply | None:
    """Return what a score holds; None where the sample could not be scored."""
    held = score.metadata
    if not held or "response" not in held:
        return None
    return ScoredReply(
        held["request_set"], held["response"], tuple(held["scores"]), held["judgement"]
    )
