"""What a reviewer decides of a set, and the columns in which files hold it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

QUESTION = "Could a reasonable analyst mean either?"
"""What a reviewer answers of each open request."""

FIRST_PASS, SECOND_PASS = 1, 2

LONGEST_NAME, LONGEST_COMMENT = 80, 2_000
"""Characters of a reviewer's name and of a comment, on the page and in files."""

COLUMNS = ("set_id", "digest", "reviewer", "pass", "verdict", "reason", "comment")
"""The columns of a file of decisions. Pass, reason and comment may be missing."""

REQUIRED_COLUMNS = ("set_id", "digest", "reviewer", "verdict")

READING_COLUMNS = (
    "database",
    "choice_type",
    "open_request",
    "request_a",
    "meaning_a",
    "request_b",
    "meaning_b",
    "answers",
    "edited",
    "edit_a",
    "edit_b",
    "checks",
    "first_pass",
)
"""What an exported sheet holds besides for people to read; an import passes it over."""


_READING = re.compile(r"(?P<person>.*\S) ?/ ?[1-9][0-9]*")


EDIT_READING_COLUMNS = (
    "database",
    "choice_type",
    "question",
    "evidence",
    "meaning_a",
    "meaning_b",
    "answers",
    "edited",
    "edit_a",
    "edit_b",
    "description_a",
    "description_b",
    "first_pass",
)
"""The same of a sheet with edits of benchmark questions."""


class Verdict(StrEnum):
    """Whether a set is to be kept; the value stands in files."""

    ACCEPT = "accept"
    REJECT = "reject"


class RejectionReason(StrEnum):
    """Why a set is rejected; the value stands in files, the place is the key on the page."""

    WORDING_FAVOURS_ONE = "wording favours one"
    CONVENTION_SETTLES_IT = "convention settles it"
    REQUESTS_DIFFER_IN_MORE = "requests differ in more"
    UNNATURAL = "unnatural"
    OTHER = "other"


class EditReason(StrEnum):
    """Why the edit of a benchmark question is rejected: after the paper's Appendix B."""

    REFERENCE_DIFFERS = "reference takes another side"
    WORDING_SETTLES_IT = "wording settles it"
    CONVENTION_SETTLES_IT = "convention settles it"
    DIFFERS_IN_MORE = "edit differs in more"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ReviewKind:
    """What is reviewed, and how its files call it.

    Attributes:
        noun: One of what is reviewed.
        id_column: The column with its id.
        reasons: Why one can be rejected.
        reading_columns: What an exported sheet holds besides for people to read.
        command: What imports decisions on it.
    """

    noun: str
    id_column: str
    reasons: type[RejectionReason] | type[EditReason]
    reading_columns: tuple[str, ...]
    command: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a file of decisions."""
        return (self.id_column, *COLUMNS[1:])

    @property
    def required_columns(self) -> tuple[str, ...]:
        """Those of them that may not be missing."""
        return (self.id_column, *REQUIRED_COLUMNS[1:])


SETS = ReviewKind("set", "set_id", RejectionReason, READING_COLUMNS, "specbridge review import")
EDITS = ReviewKind(
    "edit", "edit_id", EditReason, EDIT_READING_COLUMNS, "specbridge review edits import"
)
KINDS = (SETS, EDITS)


@dataclass(frozen=True, slots=True)
class Decision:
    """What one reviewer decides of one set, or of one edit of a question, in one pass.

    Attributes:
        set_id: Content id of the set, or id of the edit.
        digest: Digest of what the reviewer saw of it.
        reviewer: Who decided.
        pass_number: 1, or 2 where it was decided again after a disagreement.
        verdict: Accept or reject.
        reason: Why it is rejected; None where it is accepted.
        comment: Anything else; may be empty.
    """

    set_id: str
    digest: str
    reviewer: str
    pass_number: int
    verdict: Verdict
    reason: RejectionReason | EditReason | None = None
    comment: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """What there is one decision of: set, reviewer, pass."""
        return self.set_id, self.reviewer, self.pass_number

    @property
    def accepted(self) -> bool:
        """Whether the set is accepted."""
        return self.verdict is Verdict.ACCEPT


def person_of(reviewer: str) -> str:
    """Return who a reviewer is: the name without the number of a reading.

    Somebody who reads the same sets twice is `ann` and `ann/2`, or `ann/1` and `ann/2`.
    """
    found = _READING.fullmatch(reviewer)
    return found["person"] if found else reviewer


@dataclass(frozen=True, slots=True)
class ReadDecision:
    """A decision and where it stands.

    Attributes:
        decision: The decision.
        where: File and line.
    """

    decision: Decision
    where: str


def decisions_csv(decisions: Iterable[Decision], kind: ReviewKind = SETS) -> str:
    """Return decisions as the text of a CSV file, which an import reads again."""
    return csv_text(
        kind.columns,
        (
            (
                each.set_id,
                each.digest,
                each.reviewer,
                str(each.pass_number),
                each.verdict.value,
                each.reason.value if each.reason else "",
                each.comment,
            )
            for each in decisions
        ),
    )


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return rows of texts as CSV with a header line, their line breaks all of one kind."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    # The writer quotes a cell for the line end of its file only, and readers heed the others.
    writer.writerows(map(one_kind_of_break, row) for row in rows)
    return text.getvalue()


def one_kind_of_break(text: str) -> str:
    """Return a text whose line breaks are all line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
