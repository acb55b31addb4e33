"""What an audit says of a query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.choices.audit.answers import ShownAnswer
from specbridge_pipeline.databases.engine import Engine


class Status(StrEnum):
    """How much a finding matters, the gravest first; the value is its name for programs."""

    AGAINST_WORDING = "against_wording"
    """The question, or the team's convention, settles the choice, and the query takes the other
    interpretation."""
    UNSETTLED = "unsettled"
    """Nothing settles the choice, and the answer changes with it."""
    SUSPICIOUS = "suspicious"
    """What hardly anyone means, whatever the question is."""
    NOTED = "noted"
    """It may matter, but cannot be decided from the data."""
    WITHOUT_EFFECT = "without_effect"
    """A choice that the query makes as asked, as nearly everyone would, or without effect here."""

    @property
    def heading(self) -> str:
        """The status as a heading."""
        return _TITLES[self]


_TITLES = {
    Status.AGAINST_WORDING: "Against the wording",
    Status.UNSETTLED: "Unsettled, and the answer changes",
    Status.SUSPICIOUS: "Suspicious without any question",
    Status.NOTED: "Noted: the data cannot tell",
    Status.WITHOUT_EFFECT: "Changes nothing here, or is settled",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a query does, and what else could be meant.

    Attributes:
        status: How much it matters.
        subject: The choice type or kind of suspicion, in words.
        name: The same for programs.
        does: What the query does, in one sentence.
        otherwise: What the other interpretation does, or what is probably meant; empty where it
            cannot be said.
        reason: Why it has its status: the words that settle it, what was measured, why it has no
            effect.
        answer: How the answer changes; None where the other query was not run.
        sql: The query of the other interpretation, ready to run; None where code cannot write it.
    """

    status: Status
    subject: str
    name: str
    does: str
    otherwise: str
    reason: str
    answer: ShownAnswer | None
    sql: str | None

    @property
    def changes_answer(self) -> bool:
        """Whether the answer on this database is another one under the other interpretation."""
        return self.answer is not None and self.answer.changed


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Attributes:
        sql: The query.
        question: The question in words; empty for none.
        engine: The engine that the findings are about: the same text can mean another thing on
            another one.
        findings: The findings, the gravest first.
    """

    sql: str
    question: str
    engine: Engine
    findings: tuple[Finding, ...]

    def of(self, status: Status) -> tuple[Finding, ...]:
        """Return the findings of a status."""
        return tuple(each for each in self.findings if each.status is status)

    @property
    def gravest(self) -> Status:
        """The gravest status of a finding that counts at a gate.

        What is against the wording or unsettled counts where it changes the answer here.
        """
        for finding in self.findings:
            if finding.status is Status.SUSPICIOUS or (
                finding.status in (Status.AGAINST_WORDING, Status.UNSETTLED)
                and finding.changes_answer
            ):
                return finding.status
        return Status.WITHOUT_EFFECT
