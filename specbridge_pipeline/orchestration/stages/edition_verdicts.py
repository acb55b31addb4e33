"""Stage `edition_verdicts`: what people say of the sets of the evaluated edition."""

from __future__ import annotations

import hashlib
from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import HUMAN_VERDICTS
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    from specbridge_pipeline.request_sets.human_review.edition_reviews import (
        LABELS_FILE,
        review_files,
        review_folder,
    )

    edition = workspace.edition
    read = [
        *review_files(edition),
        review_folder(edition) / LABELS_FILE,
        *sorted(workspace.project.review_passes.glob("*.csv")),
    ]
    return {
        "edition": edition.id,
        "digest": edition.record.digest,
        **workspace.drawn_sets,
        "files": [
            [path.name, hashlib.sha256(path.read_bytes()).hexdigest()]
            for path in read
            if path.is_file()
        ],
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.human_review.edition_reviews import read_edition_review
    from specbridge_pipeline.request_sets.human_review.edition_verdicts import edition_verdict_rows
    from specbridge_pipeline.request_sets.human_review.importing import recorded_decisions

    return edition_verdict_rows(
        workspace.evaluated,
        read_edition_review(workspace.edition),
        recorded_decisions(workspace.project),
        workspace.store.read(HUMAN_VERDICTS, Partition()).to_dicts(),
    )


STAGE = Stage(
    schema=EDITION_VERDICTS,
    version=1,
    dimensions=(),
    upstream=("human_verdicts",),
    group="human_review",
    description="Verdicts of people on the sets of the evaluated edition: those that ship with it "
    "and those of this project.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("set_id", "reviewer", "pass", "accepted", "reason", "label", "standing"),
)
