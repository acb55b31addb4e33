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
from specbridge_pipeline.reporting.files import report_path
from specbridge_pipeline.reporting.records import REPORT, STATISTICS
from specbridge_pipeline.reporting.report_data import (
    MeasuredDatabase,
    MeasuredModel,
    ReportData,
    ResultPreview,
)
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
        statistics=workspace.store.read(STATISTICS, Partition()),
        sets=sets,
        responses=responses,
        scores=_rows_of_edition(workspace, SCORES),
        judgements=_rows_of_edition(workspace, JUDGEMENTS),
        outcomes=_rows_of_edition(workspace, OUTCOMES),
        results=_results(workspace, sets),
    )


def _rows_of_edition(workspace: Workspace, schema: FrameSchema) -> pl.DataFrame:
    return workspace.store.read_all(schema).filter(pl.col("edition") == workspace.edition.id)


def _results(workspace: Workspace, sets: pl.DataFrame) -> dict[tuple[str, str], ResultPreview]:
    previews = {}
    for name in sets["database"].unique().sort():
        keys = [
            (row["set_id"], side.value, row[f"sql_{side}"])
            for row in sets.filter(pl.col("database") == name).to_dicts()
            for side in Side
        ]
        outcomes = workspace.run_many(name, [sql for _, _, sql in keys])
        for (set_id, side, _), outcome in zip(keys, outcomes, strict=True):
            if isinstance(outcome, QueryResult):
                rows = outcome.rows[:_PREVIEW_ROWS]
                previews[set_id, side] = ResultPreview(outcome.columns, rows, len(outcome.rows))
    return previews


def _intact(workspace: Workspace, partition: Partition) -> bool:
    path = report_path(workspace.project)
    if not path.is_file():
        return False
    stored = workspace.store.read(REPORT, partition)["sha256"].item()
    return bool(hashlib.sha256(path.read_bytes()).hexdigest() == stored)


STAGE = Stage(
    schema=REPORT,
    version=1,
    dimensions=(),
    upstream=(
        "database_files",
        "edition_sets",
        "responses",
        "scores",
        "judgements",
        "outcomes",
        "statistics",
    ),
    group="statistics",
    description="One self-contained HTML report: headline, charts, and a browser of the sets.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    intact=_intact,
    preview=("edition", "file", "characters", "sha256"),
)
