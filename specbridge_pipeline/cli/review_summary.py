"""What an import of reviewers' decisions came to, in words and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specbridge_pipeline.cli.terminal import print_table
from specbridge_pipeline.reporting.formatting import counted, kappa_text, percent
from specbridge_pipeline.request_sets.human_review.merging import Standing

if TYPE_CHECKING:
    from specbridge_pipeline.request_sets.human_review.importing import ReviewImport
    from specbridge_pipeline.request_sets.human_review.merging import PairAgreement, ReviewedSet
    from specbridge_pipeline.statistics.agreement import Agreement

_VERBS = {True: "accepts", False: "rejects"}


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What is said of an import.

    Attributes:
        planned: The import.
        sets: How many sets could be decided on.
        reviewed: The sets that were, in this import or before.
        agreements: How far every two reviewers agree.
        written: The file of verdicts; None where nothing was written.
        noun: One of what was decided on.
    """

    planned: ReviewImport
    sets: int
    reviewed: Sequence[ReviewedSet]
    agreements: Sequence[PairAgreement]
    written: Path | None
    noun: str = "set"

    def count(self, standing: Standing) -> int:
        """Return how many sets stand so."""
        return sum(each.standing is standing for each in self.reviewed)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "read": self.planned.read,
            "added": self.planned.added,
            "replaced": self.planned.replaced,
            f"{self.noun}s": {
                "all": self.sets,
                "reviewed": len(self.reviewed),
                "by_one_reviewer": self._by_one(),
                **{standing.value: self.count(standing) for standing in Standing},
            },
            "agreement": [
                {
                    "between": "passes" if each.of_one_person else "reviewers",
                    "reviewers": list(each.reviewers),
                    "first_pass": _agreement_json(each.first_pass),
                    "final": _agreement_json(each.final),
                }
                for each in self.agreements
            ],
            "disagreements": [
                {
                    f"{self.noun}_id": each.set_id,
                    "decisions": [
                        {
                            "reviewer": decision.reviewer,
                            "pass": decision.pass_number,
                            "verdict": decision.verdict.value,
                            "reason": decision.reason.value if decision.reason else "",
                            "comment": decision.comment,
                        }
                        for decision in each.decisions
                    ],
                }
                for each in self._disagreements()
            ],
            "written": None if self.written is None else str(self.written),
        }

    def print(self) -> None:
        """Print it."""
        planned = self.planned
        known = planned.read - planned.added - planned.replaced
        click.echo(
            f"{counted(planned.read, 'decision')} read: {planned.added} new, "
            f"{planned.replaced} in place of another, {known} known before"
        )
        click.echo(
            f"{len(self.reviewed)} of {counted(self.sets, self.noun)} reviewed, "
            f"{self._by_one()} of them by one person: {self.count(Standing.KEPT)} kept, "
            f"{self.count(Standing.REJECTED)} rejected, "
            f"{self.count(Standing.DISAGREEMENT)} open because reviewers disagree"
        )
        if self.agreements:
            print_table(
                [
                    *("agreement", "of", f"{self.noun}s", "agree", "Cohen's κ"),
                    *("agree in the end", "κ in the end"),
                ],
                [
                    [
                        "between passes" if each.of_one_person else "between reviewers",
                        " and ".join(each.reviewers),
                        each.first_pass.items,
                        *_agreement_texts(each.first_pass),
                        *_agreement_texts(each.final),
                    ]
                    for each in self.agreements
                ],
            )
        for each in self._disagreements():
            click.echo(f"  {each.set_id}: {'; '.join(_said(each))}")
        if self.written is None:
            click.echo("nothing was written")
        else:
            click.echo(f"verdicts: {self.written}")

    def _by_one(self) -> int:
        return sum(len(each.reviewers) == 1 for each in self.reviewed)

    def _disagreements(self) -> list[ReviewedSet]:
        return [each for each in self.reviewed if each.standing is Standing.DISAGREEMENT]


def _said(reviewed: ReviewedSet) -> list[str]:
    return [
        f"{each.reviewer} {_VERBS[each.accepted]}"
        + (f" ({each.reason.value})" if each.reason else "")
        for each in reviewed.decisions
    ]


def _agreement_json(agreement: Agreement) -> dict[str, Any]:
    return {"sets": agreement.items, "raw": agreement.raw, "kappa": agreement.kappa}


def _agreement_texts(agreement: Agreement) -> tuple[str, str]:
    agreed = round(agreement.raw * agreement.items)
    share = f"{agreed}/{agreement.items} {percent(agreed, agreement.items)}"
    return share, kappa_text(agreement.kappa)
