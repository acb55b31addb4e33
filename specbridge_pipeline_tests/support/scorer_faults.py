"""The cases that other scorers get wrong, and the table of them in the documentation.

`python -m specbridge_pipeline_tests.support.scorer_faults` writes the table anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import apsw
import yaml

from specbridge_pipeline_tests.support.other_scorers import RULES, TITLES
from specbridge_pipeline_tests.support.projects import CHECKOUT

CASES_FILE = CHECKOUT / "specbridge_pipeline_tests" / "comparison" / "scorer_faults.yaml"
PAGE = CHECKOUT / "docs" / "comparison.md"
_BEGIN = "<!-- table of scorer_faults.yaml -->\n"
_END = "<!-- end of the table -->\n"
_CELLS = {"accepts": "✗ accepts", "rejects": "✗ rejects", "late": "✗ far too late"}


@dataclass(frozen=True, slots=True)
class FaultCase:
    """A case of the file.

    Attributes:
        name: What it shows.
        setup: The script of its database.
        reference: The reference.
        candidate: The candidate.
        verdict: The right verdict; `no_reference` where the reference is none.
        wrong: Scorer → `accepts`, `rejects` or `late`.
        why: The reason, for a reader.
        ordered: Whether the request asks for an order.
        checked: Whether the other scorers' verdicts are found by running their rules.
    """

    name: str
    setup: str
    reference: str
    candidate: str
    verdict: str
    wrong: dict[str, str]
    why: str
    ordered: bool = False
    checked: bool = field(default=True)

    def database(self) -> apsw.Connection:
        """Make the case's database in memory."""
        connection = apsw.Connection(":memory:")
        connection.execute(self.setup)
        return connection

    def verdicts_of_others(self) -> dict[str, bool]:
        """Run every scorer's rule, each on a database of its own: scorer → whether it accepts."""
        return {
            name: rule(self.database(), self.reference, self.candidate, self.ordered)
            for name, rule in RULES.items()
        }


def read_cases() -> list[FaultCase]:
    """Read the cases."""
    content: dict[str, Any] = yaml.safe_load(CASES_FILE.read_text("utf-8"))
    return [
        FaultCase(**each | {"setup": content["setups"][each["setup"]]}) for each in content["cases"]
    ]


def table() -> str:
    """The table of cases and scorers, as Markdown."""
    lines = [
        "| case | right verdict | " + " | ".join(TITLES.values()) + " | why |",
        "|---|---|" + "---|" * len(TITLES) + "---|",
    ]
    for case in read_cases():
        cells = [_CELLS[case.wrong[name]] if name in case.wrong else "" for name in TITLES]
        mark = "" if case.checked else " †"
        verdict = case.verdict.replace("_", " ")
        lines.append(f"| {case.name}{mark} | {verdict} | {' | '.join(cells)} | {case.why} |")
    counts = [sum(name in case.wrong for case in read_cases()) for name in TITLES]
    total = len(read_cases())
    lines.append(f"| **wrong, of {total}** | | {' | '.join(map(str, counts))} | |")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """The page with the table as it is today between its marks."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{table()}{_END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
