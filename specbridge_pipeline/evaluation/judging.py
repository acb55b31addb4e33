"""Judges of what a response says in words, and the one that works by rules.

A judge does not know which model answered (the paper, Section 3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.choices.vocabulary import CHOICE_WORDS

_LONGEST_EVIDENCE = 300

_OPENNESS = re.compile(
    r"\bassum\w+|ambigu\w+|unclear|not (?:clear|specified|stated|settled|say)|does not (?:say|state"
    r"|specify|settle)|doesn't (?:say|state|specify)|could (?:also )?(?:mean|be|refer)|"
    r"can (?:also )?be (?:read|interpreted|understood)|may (?:also )?(?:mean|be|refer)|"
    r"might (?:also )?(?:mean|be)|interpret\w*|alternativ\w*|either|whether|"
    r"open (?:to|choice|question)|two (?:ways|readings)|depend\w+ on (?:how|what|whether)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """What a judge is shown of a response.

    Attributes:
        choice_type: The type of the set's choice.
        meanings: What the two interpretations compute, one sentence each.
        request: The words of the request.
        explanation: The response's explanation.
        offered: What the response says of each alternative that it offers.
    """

    choice_type: ChoiceType
    meanings: tuple[str, str]
    request: str
    explanation: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge finds.

    Attributes:
        names_choice: Whether the words say that the set's choice is open.
        evidence: The words that say it; empty where none do.
        calls: Archive keys of the judge's calls; empty for rules.
    """

    names_choice: bool
    evidence: str
    calls: tuple[str, ...] = ()


class Judge(Protocol):
    """Decides whether responses name the choice."""

    @property
    def name(self) -> str:
        """How the judge is called in stored rows."""

    def judge(self, cases: Sequence[JudgeCase], *, where: str) -> list[Judgement]:
        """Return one judgement a case, in order."""


class RuleJudge:
    """Judges by words: a stand-in for a model judge, named as such wherever its output shows.

    A sentence of the explanation names the choice when it says that something is assumed or open
    and speaks of a choice of the set's type. What a response says of an alternative that it offers
    needs only the second, since offering it says that the choice is open.
    """

    @property
    def name(self) -> str:
        """How the judge is called in stored rows."""
        return "rules"

    def judge(self, cases: Sequence[JudgeCase], *, where: str) -> list[Judgement]:
        """Return one judgement a case, in order."""
        return [_judge(case) for case in cases]


def _judge(case: JudgeCase) -> Judgement:
    speaks_of_it = CHOICE_WORDS[case.choice_type]
    for sentence in _SENTENCE.split(case.explanation):
        if _OPENNESS.search(sentence) and speaks_of_it.search(sentence):
            return Judgement(True, sentence.strip()[:_LONGEST_EVIDENCE])
    for sentence in case.offered:
        if speaks_of_it.search(sentence):
            return Judgement(True, sentence.strip()[:_LONGEST_EVIDENCE])
    return Judgement(False, "")
