"""What an export takes from a project: the sets of its edition, and the stored responses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.errors import EditionError, StaleRecordError
from specbridge_pipeline.exchange.exported_sets import DescribedDatabase, set_rows
from specbridge_pipeline.exchange.response_rows import KINDS, ResponseRow, response_row
from specbridge_pipeline.exchange.set_rows import SetRow
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    LABELS_FILE,
    EditionReview,
    read_edition_review,
    review_files,
    review_folder,
)
from specbridge_pipeline.request_sets.human_review.edition_verdicts import edition_verdict_rows
from specbridge_pipeline.request_sets.human_review.importing import recorded_decisions
from specbridge_pipeline.request_sets.human_verdicts import Verdict, read_verdicts, verdict_rows

if TYPE_CHECKING:
    from specbridge_pipeline.records.schemas import FrameSchema


@dataclass(frozen=True, slots=True)
class ExportedReview:
    """What people say of an edition.

    Attributes:
        shipped: The verdicts that ship with it.
        files: The files that hold these, and say whose they are.
        own: The verdicts of this project, on any sets.
        rows: Rows of EDITION_VERDICTS: all of them, as the report counts them.
    """

    shipped: EditionReview
    files: tuple[Path, ...]
    own: tuple[Verdict, ...]
    rows: tuple[dict[str, Any], ...]


def exported_review(workspace: Workspace) -> ExportedReview:
    """Return what people say of the workspace's edition.

    Raises:
        HumanVerdictsError: A file of verdicts has faults, or two contradict each other.
        ConfigurationError: It is not said whose the verdicts are that ship with it.
    """
    edition, project = workspace.edition, workspace.project
    shipped = read_edition_review(edition)
    files = [*review_files(edition), review_folder(edition) / LABELS_FILE]
    own = read_verdicts(project.reviews.glob("*.csv"))
    rows = edition_verdict_rows(edition, shipped, recorded_decisions(project), verdict_rows(own))
    return ExportedReview(
        shipped, tuple(files if shipped.decisions else ()), tuple(own), tuple(rows)
    )


def exported_sets(workspace: Workspace, review: ExportedReview) -> list[SetRow]:
    """Return the sets of the workspace's edition as rows.

    Args:
        workspace: The workspace.
        review: What people say of them.

    Raises:
        EditionError: A database has another content than the one that they were checked on.
    """
    edition = workspace.edition
    described = {}
    for name in edition.databases:
        found = workspace.files.content_hash(workspace.databases[name])
        if found != edition.record.databases[name].content_hash:
            raise EditionError(
                f"its database '{name}' has another content than the one that the sets were "
                "checked on",
                where=f"edition {edition.id}",
                advice="use the database that the edition names",
            )
        # Not the draft's catalogue: an export is to say the same with and without a draft.
        described[name] = DescribedDatabase(
            workspace.engine(name), workspace.schema(name), workspace.measured_catalogue(name)
        )
    return set_rows(edition, described, review.own, review.shipped)


def exported_responses(workspace: Workspace) -> list[ResponseRow]:
    """Return the stored responses to the workspace's edition, in order of model, set and request.

    Raises:
        StaleRecordError: None are stored, or one of them is not scored and judged.
    """
    from specbridge_pipeline.evaluation.records import JUDGEMENTS, RESPONSES, SCORES

    responses, scores, judgements = (
        _rows(workspace, schema) for schema in (RESPONSES, SCORES, JUDGEMENTS)
    )
    if not responses:
        raise StaleRecordError(
            "no responses to this edition are stored",
            where=f"edition {workspace.edition.id}",
            advice=f"evaluate it: specbridge run --no-draft --edition {workspace.edition.id}",
        )
    scores_of: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in scores:
        scores_of[row["response_id"]].append(row)
    judgement_of = {row["response_id"]: row for row in judgements}
    for row in responses:
        if row["response_id"] not in scores_of or row["response_id"] not in judgement_of:
            raise StaleRecordError(
                "it is not scored and judged",
                where=f"response {row['response_id']}",
                advice="run `specbridge run`: the warehouse is not up to date",
            )
    place = {each.id: number for number, each in enumerate(workspace.edition.sets)}
    kinds = list(KINDS.values())
    ordered = sorted(
        (row for row in responses if row["set_id"] in place),
        key=lambda row: (
            row["model"],
            row["method"],
            row["round"],
            row["variant"],
            place[row["set_id"]],
            kinds.index(row["request_kind"]),
        ),
    )
    return [
        response_row(row, scores_of[row["response_id"]], judgement_of[row["response_id"]])
        for row in ordered
    ]


def _rows(workspace: Workspace, schema: FrameSchema) -> list[dict[str, Any]]:
    return [
        row
        for row in workspace.store.read_all(schema).to_dicts()
        if row["edition"] == workspace.edition.id
    ]
