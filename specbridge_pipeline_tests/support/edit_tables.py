"""The table of edits in docs/conventions.md, from the counts that ship.

`python -m specbridge_pipeline_tests.support.edit_tables` writes it anew.
"""

from __future__ import annotations

import json

from specbridge_pipeline_tests.support.projects import CHECKOUT
from specbridge_pipeline_tests.support.study_tables import BLOCK

DOCUMENT = CHECKOUT / "docs" / "conventions.md"
COUNTS = CHECKOUT / "data" / "derived" / "conventions" / "edits.json"
_MOST_REASONS = 4


def tables() -> dict[str, str]:
    """Return the table of edits as markdown: a row a choice type, with its commonest reasons."""
    counts = json.loads(COUNTS.read_text("utf-8"))
    heads = ("choice type", "readings", "proved", "run", "refused", "failed a gate")
    lines = [f"| {' | '.join(heads)} | why not, most often |", "|---" * (len(heads) + 1) + "|"]
    for each in counts["types"]:
        name = each["type"]
        numbers = [f"{each[key]:,}" for key in ("readings", "proved", "ran", "refused", "failed")]
        reasons = [
            f"{one['count']:,} {_at(one['gate'])}{one['reason'].rstrip('.')}"
            for one in counts["reasons"][name][:_MOST_REASONS]
        ]
        cells = [name.replace("_", " "), *numbers, "; ".join(reasons) or "–"]
        lines.append(f"| {' | '.join(cells)} |")
    for name, reason in counts["unedited"].items():
        cells = [name.replace("_", " "), *("–" * 5), reason]
        lines.append(f"| {' | '.join(cells)} |")
    return {"edits": "\n".join(lines) + "\n"}


def _at(gate: str) -> str:
    return "" if gate == "edited" else f"({gate}) "


if __name__ == "__main__":
    fresh = tables()
    DOCUMENT.write_text(
        BLOCK.sub(
            lambda found: f"<!-- table: {found[1]} -->\n{fresh[found[1]]}<!-- end -->",
            DOCUMENT.read_text("utf-8"),
        ),
        "utf-8",
    )
