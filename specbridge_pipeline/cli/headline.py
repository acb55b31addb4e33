"""The headline table: a row a model, a column a measure, over all sets of the edition."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.formatting import share_text
from specbridge_pipeline.reporting.numbers import MEASURES
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline.reporting.wording import CONDITIONAL_MEASURES

_MOST_BESIDE_EACH_OTHER = 4


def headline_rows(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the rows of `statistics` over all sets, in the order of models and measures."""
    if workspace.store.manifest(STATISTICS.name, Partition()) is None:
        return []
    frame = workspace.store.read(STATISTICS, Partition())
    order = {name: index for index, name in enumerate(workspace.all_models)}
    rank = {measure.name: index for index, measure in enumerate(MEASURES)}
    rows = [
        row
        for row in frame.to_dicts()
        if row["scope"] == "all" and not row["compared_with"] and row["model"] in order
    ]
    return sorted(
        rows,
        key=lambda r: (order[r["model"]], r["method"], r["round"], r["judge"], rank[r["measure"]]),
    )


def headline_table(workspace: Workspace) -> tuple[list[str], list[list[str]]]:
    """Return the headline table as text: column names and rows.

    Few models stand beside each other, a row a measure; many below each other, a row a model.
    """
    rows = headline_rows(workspace)
    # What all rows share is not repeated in each title.
    varying = [
        name for name in ("method", "round", "judge") if len({row[name] for row in rows}) > 1
    ]
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        name = workspace.all_models[row["model"]].name
        details = ", ".join(row[each] for each in varying)
        title = f"{name} ({details})" if details else name
        cells.setdefault(title, {})[row["label"]] = str(
            share_text(
                row["numerator"],
                row["denominator"],
                row["low"],
                row["high"],
                conditional=row["measure"] in CONDITIONAL_MEASURES,
            )
        )
    labels = [measure.label for measure in MEASURES]
    if len(cells) <= _MOST_BESIDE_EACH_OTHER:
        columns = ["", *cells]
        return columns, [[label, *(of[label] for of in cells.values())] for label in labels]
    return ["model", *labels], [[title, *of.values()] for title, of in cells.items()]
