"""The tables of docs/generation-studies.md, from the rows that ship."""

from __future__ import annotations

import re
from pathlib import Path

from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.reporting.report_studies import StudyTable, arrange_studies
from specbridge_pipeline.reporting.study_counts import study_counts
from specbridge_pipeline.reporting.study_rows import read_studies
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import CHECKOUT

DOCUMENT = CHECKOUT / "docs" / "generation-studies.md"
BLOCK = re.compile(r"<!-- table: (\w+) -->\n(.*?)<!-- end -->", re.S)


def tables(nowhere: Path) -> dict[str, str]:
    """Return each study's table as markdown, from shipped rows alone."""
    studies = read_studies(CellStore(nowhere), Project(CHECKOUT), [])
    arranged = arrange_studies(study_counts(studies))
    assert arranged is not None
    reasons = [f"| {name} | {reason} |\n" for name, reason in arranged.not_usable]
    return {
        "construction": markdown_table(arranged.construction, "databases of"),
        "ablation": markdown_table(arranged.ablation, "configuration"),
        "coverage": markdown_table(arranged.coverage, "feature"),
        "not_usable": "| database | reason |\n|---|---|\n" + "".join(reasons),
    }


def markdown_table(table: StudyTable | None, what: str) -> str:
    """Return a table of the report as markdown, its note above it."""
    assert table is not None
    lines = [
        table.note,
        "",
        "| " + " | ".join((what, *table.columns)) + " |",
        "|---" * (1 + len(table.columns)) + "|",
        *(f"| {label} | " + " | ".join(cells) + " |" for label, cells in table.rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    fresh = tables(Path("nowhere"))
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(
        BLOCK.sub(lambda found: f"<!-- table: {found[1]} -->\n{fresh[found[1]]}<!-- end -->", text),
        "utf-8",
    )
