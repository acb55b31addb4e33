"""The tables of docs/answer-changes.md, from the rows that ship.

`python -m specbridge_pipeline_tests.support.answer_change_tables` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.reporting.answer_changes import (
    answer_change_counts,
    answer_changes,
    kinds_of_data,
)
from specbridge_pipeline.reporting.report_answer_changes import arrange_answer_changes
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import CHECKOUT
from specbridge_pipeline_tests.support.study_tables import BLOCK, markdown_table

DOCUMENT = CHECKOUT / "docs" / "answer-changes.md"


def tables(nowhere: Path) -> dict[str, str]:
    """Return each table as markdown, from shipped rows alone."""
    store, project = CellStore(nowhere), Project(CHECKOUT)
    counts = answer_change_counts(answer_changes(store, project, []))
    arranged = arrange_answer_changes(counts, kinds_of_data(store, project))
    assert arranged is not None
    return {
        **{
            name.replace(" ", "_").lower(): markdown_table(table, "choice")
            for name, table in arranged.by_questions
        },
        "kinds": markdown_table(arranged.kinds, "database"),
    }


if __name__ == "__main__":
    fresh = tables(Path("nowhere"))
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(
        BLOCK.sub(lambda found: f"<!-- table: {found[1]} -->\n{fresh[found[1]]}<!-- end -->", text),
        "utf-8",
    )
