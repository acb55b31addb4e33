"""Stage `report`: one self-contained HTML file."""

from __future__ import annotations

import hashlib
from typing import Any

import polars as pl

from specbridge_pipeline.databases.records import DATABASE_FILES
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.evaluation.records import JUDGEMENTS, OUTCOMES, RESPONSES, SCORES
from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.reporting.answer_changes import (
    kinds_of_data,
    shipped_digest,
    shipped_kinds,
)
from specbridge_pipeline.reporting.answer_difference import answer_difference
from specbridge_pipeline.reporting.construction_rows import read_construction
from specbridge_pipeline.reporting.draft import draft_of
from specbridge_pipeline.reporting.files import report_path
from specbridge_pipeline.reporting.records import (
    ANSWER_CHANGE_COUNTS,
    CONSTRUCTION_FUNNEL,
    CONVENTION_COUNTS,
    GENERATION_STUDIES,
    REPORT,
    REVIEW_NUMBERS,
    STATISTICS,
)
from specbridge_pipeline.reporting.report_data import (
    MeasuredDatabase,
    MeasuredModel,
    ReportData,
    ResultPreview,
)
from specbridge_pipeline.request_sets.edition_sample import sample_line
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS
from specbridge_pipeline.request_sets.records import EDITION_SETS, Side

_PREVIEW_ROWS = 20


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "edition": workspace.edition.id,
        "digest": workspace.edition.record.digest,
        "profile": workspace.profile_name,
        "models": {name: entry.name for name, entry in workspace.all_models.items()},
        "sources": {
            name: workspace.databases[name].entry.source for name in workspace.edition.databases
        },
        "draft": workspace.construction_databases,
        "kinds": shipped_digest(shipped_kinds(workspace.project)),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.reporting.report import render_report

    text = render_report(_report_data(workspace))
    write_text(report_path(workspace.project), text)
    return [
        {
            "edition": workspace.edition.id,
            "file": report_path(workspace.project).name,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "characters": len(text),
        }
    ]


def _report_data(workspace: Workspace) -> ReportData:
    edition = workspace.edition
    sets = _rows_of_edition(workspace, EDITION_SETS)
    responses = _rows_of_edition(workspace, RESPONSES)
    files = {row["database"]: row for row in workspace.store.read_all(DATABASE_FILES).to_dicts()}
    answered = responses.select("model", "round").unique()
    results, differences = _results(workspace, sets)
    return ReportData(
        edition=edition.id,
        title=edition.record.title,
        databases=tuple(
            MeasuredDatabase(
                id=name,
                source=files[name]["source"],
                licence=edition.record.databases[name].licence,
                content_hash=files[name]["content_hash"],
                engine=files[name]["engine_version"],
            )
            for name in sets["database"].unique().sort()
        ),
        models=tuple(
            MeasuredModel(
                id=name,
                name=entry.name,
                identity=entry.identity,
                revision=entry.revision,
                rounds=tuple(answered.filter(pl.col("model") == name)["round"].sort()),
            )
            for name, entry in workspace.all_models.items()
            if name in answered["model"]
        ),
        judge=workspace.profile.judge,
        profile=workspace.profile_name,
        edition_sets=[each.id for each in edition.sets],
        sample=sample_line(len(sets), edition, workspace.profile.seeds.selection),
        statistics=workspace.store.read(STATISTICS, Partition()),
        sets=sets,
        responses=responses,
        scores=_rows_of_edition(workspace, SCORES),
        judgements=_rows_of_edition(workspace, JUDGEMENTS),
        outcomes=_rows_of_edition(workspace, OUTCOMES),
        results=results,
        differences=differences,
        draft=draft_of(
            read_construction(workspace.store, workspace.construction_databases),
            workspace.store.read_all(CONSTRUCTION_FUNNEL).to_dicts(),
        ),
        studies=workspace.store.read_all(GENERATION_STUDIES).to_dicts(),
        conventions=workspace.store.read_all(CONVENTION_COUNTS).to_dicts(),
        answer_changes=workspace.store.read_all(ANSWER_CHANGE_COUNTS).to_dicts(),
        data_kinds=kinds_of_data(workspace.store, workspace.project),
        verdicts=_rows_of_edition(workspace, EDITION_VERDICTS).to_dicts(),
        review=_rows_of_edition(workspace, REVIEW_NUMBERS).to_dicts(),
    )


def _rows_of_edition(workspace: Workspace, schema: FrameSchema) -> pl.DataFrame:
    return workspace.store.read_all(schema).filter(pl.col("edition") == workspace.edition.id)


def _results(
    workspace: Workspace, sets: pl.DataFrame
) -> tuple[dict[tuple[str, str], ResultPreview], dict[str, str]]:
    """Return the first rows of each query's result, and how the two results of a set differ."""
    previews = {}
    differences = {}
    for name in sets["database"].unique().sort():
        rows = sets.filter(pl.col("database") == name).to_dicts()
        outcomes = iter(
            workspace.run_many(name, [row[f"sql_{side}"] for row in rows for side in Side])
        )
        for row in rows:
            found = {side: next(outcomes) for side in Side}
            for side, outcome in found.items():
                if isinstance(outcome, QueryResult):
                    first = outcome.rows[:_PREVIEW_ROWS]
                    preview = ResultPreview(outcome.columns, first, len(outcome.rows))
                    previews[row["set_id"], side.value] = preview
            a, b = found[Side.A], found[Side.B]
            if isinstance(a, QueryResult) and isinstance(b, QueryResult):
                differences[row["set_id"]] = answer_difference(a.columns, a.rows, b.rows)
    return previews, differences


def _intact(workspace: Workspace, partition: Partition) -> bool:
    path = report_path(workspace.project)
    if not path.is_file():
        return False
    stored = workspace.store.read(REPORT, partition)["sha256"].item()
    return bool(hashlib.sha256(path.read_bytes()).hexdigest() == stored)


STAGE = Stage(
    schema=REPORT,
    version=7,
    dimensions=(),
    upstream=(
        "database_files",
        "edition_sets",
        "responses",
        "scores",
        "judgements",
        "outcomes",
        "edition_verdicts",
        "review_numbers",
        "statistics",
        "accepted_request_sets",
        "construction_funnel",
        "generation_studies",
        "convention_counts",
        "answer_change_counts",
        "data_kinds",
    ),
    group="statistics",
    description="One self-contained HTML report: headline, charts, funnel of the draft, "
    "studies of the generator, conventions of references, answers that change, "
    "examples, and a browser of the sets.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    intact=_intact,
    preview=("edition", "file", "characters", "sha256"),
)
