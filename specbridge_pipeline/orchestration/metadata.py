"""What the Dagster UI shows of a cell: counts, hashes, a preview table, charts."""

from __future__ import annotations

from typing import Any

from dagster import MarkdownMetadataValue, MetadataValue, TableColumn, TableSchema

from specbridge_pipeline.evaluation.records import OUTCOMES
from specbridge_pipeline.orchestration.making import MadeCell
from specbridge_pipeline.orchestration.stage import Stage
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.reporting.records import STATISTICS

_PREVIEW_ROWS = 12
_LONGEST_CELL = 80
_PLOTTED = ("both_computable", "both_returned", "named", "false_alarm")


def column_schema(stage: Stage) -> dict[str, Any]:
    """Return the metadata of an asset's definition: its columns with their types."""
    columns = [TableColumn(name, kind) for name, kind in stage.schema.columns.items()]
    return {"dagster/column_schema": TableSchema(columns)}


def cell_metadata(workspace: Workspace, stage: Stage, cell: MadeCell) -> dict[str, Any]:
    """Return the metadata of one materialization."""
    manifest = cell.manifest
    metadata: dict[str, Any] = {
        "dagster/row_count": manifest.rows,
        "content_hash": manifest.content_hash,
        "made_now": cell.made,
        "inputs": MetadataValue.json(manifest.inputs),
        "configuration": MetadataValue.json(manifest.configuration),
    }
    frame = workspace.store.read(stage.schema, cell.partition)
    if stage.preview and frame.height:
        metadata["preview"] = _table(frame.select(stage.preview).head(_PREVIEW_ROWS))
    if stage.schema is STATISTICS and frame.height:
        metadata |= _charts(workspace)
    if stage.name == "report":
        path = workspace.project.report / "report.html"
        metadata["report"] = MetadataValue.url(path.as_uri())
    return metadata


def _charts(workspace: Workspace) -> dict[str, Any]:
    from specbridge_pipeline.reporting.charts import data_uri, outcomes_chart, shares_chart

    store = workspace.store
    names = {name: entry.name for name, entry in workspace.all_models.items()}
    numbers = store.read(STATISTICS, store.partitions(STATISTICS.name)[0])
    charts = {
        "measures": shares_chart(numbers, names),
        "outcomes_of_open_requests": outcomes_chart(store.read_all(OUTCOMES), names),
    }
    return {name: MetadataValue.md(f"![{name}]({data_uri(svg)})") for name, svg in charts.items()}


def _table(frame: Any) -> MarkdownMetadataValue:
    head = "| " + " | ".join(frame.columns) + " |\n|" + "---|" * len(frame.columns)
    lines = ["| " + " | ".join(_cell(value) for value in row) + " |" for row in frame.iter_rows()]
    return MetadataValue.md("\n".join([head, *lines]))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = " ".join(str(value).split())
    shown = text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
    # A reply is data: it must not become a link or break the table.
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#|!" else sign for sign in shown)
