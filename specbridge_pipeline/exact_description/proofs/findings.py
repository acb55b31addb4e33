"""What is found out about one reference query of a benchmark, and the counts over many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.exact_description.proofs.mutation_testing import JUDGED, Fate
from specbridge_pipeline.exact_description.proofs.round_trips import Arrival, RoundTrip
from specbridge_pipeline.sql.mutation.kinds import MutationKind

NOT_ASKED_FOR = "no mutants were asked for"
NO_DATABASES = "no databases were given"
# What is quoted, and names that stand bare in the describer's errors.
_NAMES = re.compile(
    r"'[^']*'|\"[^\"]*\"|`[^`]*`"
    r"|^.+(?= is neither grouped by| names no column)"
    r"|(?<=\bno table or step ).+|(?<=\bbegins with ).+"
    r"|(?<=: )\S+(?= is not expected here)"
    r"|(?<=\bthat uses ).+(?= of the SELECT around it)"
)


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that returns something else under the same description.

    Attributes:
        kind: What was changed.
        place: Where in the query, as the first changed character from 1.
    """

    kind: MutationKind
    place: int


@dataclass(frozen=True, slots=True)
class ReferenceFinding:
    """What is found out about one query; it holds nothing of the query's text.

    Attributes:
        question_ids: The questions that it is the reference of.
        database: The database's id.
        not_parsed: Why it cannot be parsed; None where it can.
        not_described: Why it cannot be described; None where it can, or does not parse.
        not_mutated: Why its mutants were left out: it does not run, or its result is not
            determined; None where they were judged.
        fates: How many mutants of each kind had which fate.
        survivors: Those that the description does not tell apart.
        round_trip: What became of it on the way into words and back; None where that was not
            tried.
    """

    question_ids: tuple[int | str, ...]
    database: str
    not_parsed: str | None = None
    not_described: str | None = None
    not_mutated: str | None = None
    fates: tuple[tuple[MutationKind, Fate, int], ...] = ()
    survivors: tuple[Survivor, ...] = ()
    round_trip: RoundTrip | None = None

    @property
    def described(self) -> bool:
        """Whether it has a description."""
        return self.not_parsed is None and self.not_described is None


def reason_without_names(problem: str) -> str:
    """Return why a query cannot be taken without what is quoted from it.

    Args:
        problem: An error's words.

    Returns:
        The words with an ellipsis for each quotation and name.
    """
    return _NAMES.sub("…", " ".join(problem.split()))


def counts(
    findings: Sequence[ReferenceFinding], *, not_mutated: str | None = None
) -> dict[str, Any]:
    """Count what was found out about the references of one file.

    Args:
        findings: A finding for each query.
        not_mutated: Why no mutants were judged at all; None where they were.

    Returns:
        A tree for JSON. Questions are counted, a query of two questions twice; mutants are counted
        once. The ids stand under the reasons why a reference was left out.
    """
    described = [each for each in findings if each.described]
    by_kind: dict[str, Counter[str]] = {}
    left_out: Counter[str] = Counter()
    for finding in findings:
        for kind, fate, number in finding.fates:
            if fate in JUDGED:
                by_kind.setdefault(kind.value, Counter())[fate.value] += number
            else:
                left_out[fate.value] += number
    totals: Counter[str] = sum(by_kind.values(), Counter())
    return {
        "references": _questions(findings),
        "parsed": _questions(each for each in findings if each.not_parsed is None),
        "described": _questions(described),
        "mutants": sum(totals.values()) if not_mutated is None else None,
        "survivors": totals[Fate.SURVIVED.value] if not_mutated is None else None,
        "round_trips": _questions(
            each for each in findings if each.round_trip is not None and each.round_trip.goes_back
        ),
        "round_trips_by_text": _questions(
            each
            for each in findings
            if each.round_trip is not None and each.round_trip.arrival is Arrival.SAME_TEXT
        ),
        **({} if not_mutated is None else {"mutants_reason": not_mutated}),
        "queries": len(findings),
        "queries_mutated": sum(bool(each.fates) for each in findings),
        "mutants_by_kind": {
            kind.value: {fate.value: by_kind[kind.value][fate.value] for fate in JUDGED}
            for kind in MutationKind
            if kind.value in by_kind
        },
        "mutants_left_out": dict(sorted(left_out.items())),
        "not_parsed": _by_reason((each, each.not_parsed) for each in findings),
        "not_described": _by_reason((each, each.not_described) for each in findings),
        "not_mutated": _by_reason((each, each.not_mutated) for each in findings),
        "no_round_trip": _by_reason(
            (each, (each.round_trip.reason or None) if each.round_trip is not None else None)
            for each in findings
        ),
        "surviving_mutants": [
            {"question_ids": list(each.question_ids), "kind": one.kind.value, "place": one.place}
            for each in findings
            for one in each.survivors
        ],
    }


def _questions(findings: Iterable[ReferenceFinding]) -> int:
    return sum(len(each.question_ids) for each in findings)


def _by_reason(
    findings: Iterable[tuple[ReferenceFinding, str | None]],
) -> dict[str, list[int | str]]:
    """Return the ids under each reason, the commonest reason first."""
    ids: dict[str, list[int | str]] = {}
    for finding, reason in findings:
        if reason is not None:
            ids.setdefault(reason, []).extend(finding.question_ids)
    return dict(sorted(ids.items(), key=lambda pair: (-len(pair[1]), pair[0])))
