"""Stage `review_numbers`: what the review of the evaluated edition comes to."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.records import REVIEW_NUMBERS
from specbridge_pipeline.reporting.review_numbers import review_numbers
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {"edition": workspace.edition.id, "sets": len(workspace.evaluated.sets)}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    return review_numbers(
        workspace.store.read(EDITION_VERDICTS, Partition()).to_dicts(),
        workspace.edition.id,
        len(workspace.evaluated.sets),
    )


STAGE = Stage(
    schema=REVIEW_NUMBERS,
    version=1,
    dimensions=(),
    upstream=("edition_verdicts",),
    group="human_review",
    description="How many sets of the evaluated edition were judged and kept, and how far "
    "reviewers agree.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("number_id", "numerator", "denominator", "kappa"),
)
