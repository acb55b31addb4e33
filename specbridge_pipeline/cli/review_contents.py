"""What a review shows of a project's sets, and how it is written to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.request_sets.records import RequestSet, Side

if TYPE_CHECKING:
    from specbridge_pipeline.reporting.review_page import Review
    from specbridge_pipeline.request_sets.human_review.decisions import Decision

REVIEW_FORMATS = (".html", ".csv", ".jsonl")
"""How a file's name can end that a review is written to."""


def source_name(workspace: Workspace, draft: bool) -> str:
    """Name what sets are reviewed: the edition's id, or "draft"."""
    return "draft" if draft else workspace.edition.id


def review_digests(workspace: Workspace, sets: Sequence[RequestSet]) -> dict[str, str]:
    """Return set id → digest of the set as it is now."""
    from specbridge_pipeline.request_sets.human_review.drawing import review_digest

    hashes = {
        name: workspace.files.content_hash(workspace.databases[name])
        for name in sorted({each.database for each in sets})
    }
    return {each.id: review_digest(each, hashes[each.database]) for each in sets}


def review_of(
    workspace: Workspace,
    sets: Sequence[RequestSet],
    source: str,
    pass_number: int,
    first_pass: Mapping[str, Sequence[Decision]],
) -> Review:
    """Run both queries of each set, check it anew, and arrange it for a reviewer.

    Args:
        workspace: The project.
        sets: The sets in the order in which they are shown.
        source: What they are the sets of.
        pass_number: 1, or 2 for what reviewers disagreed on.
        first_pass: Set id → what was decided before, shown in a second pass.
    """
    from specbridge_pipeline.reporting.review_items import review_item
    from specbridge_pipeline.reporting.review_page import Review
    from specbridge_pipeline.request_sets.recheck import recheck_set

    digests = review_digests(workspace, sets)
    items = []
    with workspace.progress.task("arranging sets", len(sets)) as task:
        for each in sets:
            run = workspace.run_on(each.database)
            engine = workspace.engine(each.database)
            a, b = (run(each.interpretations[side].sql) for side in Side)
            checked = recheck_set(run, each, engine)
            items.append(
                review_item(
                    each, digests[each.id], (a, b), checked, engine, first_pass.get(each.id, ())
                )
            )
            task.advance()
    return Review(source, pass_number, tuple(items))


def check_format(path: Path) -> None:
    """Refuse a file whose name does not say how a review is written to it.

    Raises:
        ConfigurationError: It ends in something else than the formats do.
    """
    if path.suffix.lower() not in REVIEW_FORMATS:
        raise ConfigurationError(
            "the name does not say how to write a review",
            path=path,
            advice=f"let it end in {' or '.join(REVIEW_FORMATS)}",
        )


def write_review(review: Review, path: Path, kind: str = "") -> None:
    """Write a review to a file.

    Args:
        review: The review.
        path: The file.
        kind: One of REVIEW_FORMATS; by default the one with which its name ends.
    """
    from specbridge_pipeline.reporting.review_page import render_review
    from specbridge_pipeline.reporting.review_sheet import review_csv, review_json_lines

    render = {".html": render_review, ".csv": review_csv, ".jsonl": review_json_lines}
    write_text(path, render[kind or path.suffix.lower()](review))
