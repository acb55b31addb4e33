"""What a plan is worth to a writer: the same tasks written with one and directly, and checked.

The paper, Section 4.1: 60 tasks, 52 drafts against 32 keep the shared requirements, and 49 against
32 pass all checks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.request_sets.building import PlannedChoice
from specbridge_pipeline.request_sets.code_checks import check_requests
from specbridge_pipeline.request_sets.construction import WritingTask, Written
from specbridge_pipeline.request_sets.direct_writing import DirectTask, write_directly
from specbridge_pipeline.request_sets.expected_words import missing_words
from specbridge_pipeline.request_sets.records import RequestKind, Side
from specbridge_pipeline.request_sets.writing_by_model import ModelWriter
from specbridge_pipeline.statistics.paired import (
    McNemar,
    PairedCounts,
    exact_mcnemar,
    paired_counts,
)

Row = Mapping[str, Any]

PLAN, DIRECT = "plan", "direct"
WAYS = (PLAN, DIRECT)
"""The two ways to write."""

OUTCOMES = ("readable", "kept_requirements", "passed")
"""What is counted of a draft, each a part of the one before."""

WRITING_DRAFTS = FrameSchema(
    name="writing_drafts",
    version=1,
    columns={
        "database": "text",
        "proposal_id": "text",
        "choice_type": "text",
        "writer": "text",
        "way": "text",
        "readable": "boolean",
        "kept_requirements": "boolean",
        "passed": "boolean",
        "request_a": "text",
        "request_b": "text",
        "request_open": "text",
        "problems": "texts",
    },
    key=("database", "proposal_id", "writer", "way"),
)
"""One row a task and way of writing it: whether the reply could be read, whether code finds words
for every shared requirement in all three requests, and whether it finds nothing wrong at all."""


@dataclass(frozen=True, slots=True)
class StudyTask:
    """A task that is written in both ways.

    Attributes:
        proposal: The selected choice, a row of CHOICE_PROPOSALS.
        choice: The same, planned.
    """

    proposal: Row
    choice: PlannedChoice


def draw_tasks(proposals: Iterable[Row], count: int, seed: int) -> list[Row]:
    """Draw selected choices at random, as many of each type as there are.

    The types take turns in the order of their names; within a type the seed decides.

    Args:
        proposals: Rows of CHOICE_PROPOSALS, of any databases.
        count: How many; all that there are, where there are fewer.
        seed: The seed of the draw.
    """
    by_type: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(proposals, key=lambda row: (row["database"], row["proposal_id"])):
        if row["selected"]:
            by_type[row["choice_type"]].append(row)
    for name in sorted(by_type):
        Random(f"{seed}/{name}").shuffle(by_type[name])
    turns = zip_longest(*(by_type[name] for name in sorted(by_type)))
    return [row for turn in turns for row in turn if row is not None][:count]


def write_in_both_ways(
    tasks: Sequence[StudyTask], catalogue: Catalogue, gateway: Gateway, entry: ModelEntry
) -> list[dict[str, Any]]:
    """Have a model write each task of a database with a plan and directly, and check the drafts.

    Args:
        tasks: The tasks, all on one database.
        catalogue: The database.
        gateway: How models are asked.
        entry: The writer.

    Returns:
        Rows of WRITING_DRAFTS.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
    """
    where = f"{catalogue.database}, writing requests"
    planned = ModelWriter(gateway, entry).write_all(
        [WritingTask(task.choice.plan) for task in tasks], catalogue, where=where
    )
    direct = write_directly(
        gateway,
        entry,
        [
            DirectTask(task.proposal["sql_a"], task.choice.descriptions[Side.A], task.choice.plan)
            for task in tasks
        ],
        catalogue,
        where=f"{where} directly",
    )
    return [
        _row(task, way, written, catalogue, entry)
        for way, drafts in zip(WAYS, (planned, direct), strict=True)
        for task, written in zip(tasks, drafts, strict=True)
    ]


def paired(rows: Iterable[Row], outcome: str) -> PairedCounts:
    """Pair the drafts of each task: with a plan first, directly second.

    Args:
        rows: Rows of WRITING_DRAFTS of one writer.
        outcome: One of `OUTCOMES`.
    """
    by_task: dict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for row in rows:
        by_task[row["database"], row["proposal_id"]][row["way"]] = row[outcome]
    return paired_counts(*([task[way] for task in by_task.values()] for way in WAYS))


def tested(counts: PairedCounts) -> McNemar:
    """Test whether both ways succeed equally often: the exact McNemar test."""
    return exact_mcnemar(*counts)


def _row(
    task: StudyTask, way: str, written: Written, catalogue: Catalogue, entry: ModelEntry
) -> dict[str, Any]:
    plan, requests = task.choice.plan, written.requests
    row = {
        **{name: task.proposal[name] for name in ("database", "proposal_id", "choice_type")},
        "writer": entry.id,
        "way": way,
    }
    if requests is None:
        texts = {"request_a": "", "request_b": "", "request_open": ""}
        return {**row, **dict.fromkeys(OUTCOMES, False), **texts, "problems": [written.problem]}
    lost = [
        problem
        for kind in RequestKind
        for problem in missing_words(requests[kind], plan.structure, catalogue, plan.wording)
    ]
    problems = check_requests(plan, requests, catalogue)
    return {
        **row,
        "readable": True,
        "kept_requirements": not lost,
        "passed": not problems,
        "request_a": requests.a,
        "request_b": requests.b,
        "request_open": requests.open,
        "problems": list(problems),
    }
