"""Judges of what a response says in words, and the one that works by rules.

A judge does not know which model answered (the paper, Section 3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.choices.vocabulary import VOCABULARY

_LONGEST_EVIDENCE = 300

_OPENNESS = re.compile(
    r"""
    \bassum(?:e|es|ed|ing|ption|ptions)\b | \bambigu\w+ | \bunclear | \bopen\ (?:to|question)
    | \binterpret(?:s|ed|ing|ation|ations)?\b | \balternative(?:ly|s)?\b
    | (?:\b(?:not|never)\ |n't\ |\bun)(?:(?:explicitly|clearly|fully)\ )?
        (?:clear|specif(?:y|ied)|stated?|settled?|says?|said|mention(?:ed)?|defined?|indicated?
            |address(?:ed)?)\b
    | \bwithout\ (?:saying|specifying|stating)
    | \b(?:could|can|may|might)\ (?:also|instead|either|alternatively)\b
    | \b(?:could|can|may|might)\ (?:mean|refer|include|exclude)\b
    | \b(?:could|can|may|might)\ be\ (?:read|interpreted|understood|taken|meant)\b
    | \b(?:taken|understood|read)\ (?:here\ )?to\ mean\b | \bunderstood\ as\b
    | \b(?:I|we)\ (?:take|took|read)\b
    | \b(?:two|several|both|different|other|another|second)\ (?:ways?|readings?|meanings?)\b
    | \bdepend\w*\ (?:up)?on\ (?:how|what|whether|which)
    | \bif\ (?:you|instead|what\ is|the\ (?:intent|question|request|user|analyst))\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that say that something is assumed, or can be read in another way."""

_NO_OPENNESS = re.compile(
    r"""
    \b(?:no|without|(?:not|n't)\ (?:make\ |need\ |require\ |rely\ on\ )?(?:any|an))[ ]
        (?:(?!single\b)[\w-]+\ ){0,2}
        (?:assumptions?|ambiguit\w+|interpretations?|alternatives?|readings?)
    | \b(?:not|n't)\ (?:ambiguous|unclear|open) | \bun(?:ambiguous\w*)
    | \b(?:whose|where)\ (?:[\w-]+\ ){1,5}(?:is|are|was|were)\ (?:not\ |un)\w+
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that deny it, or say of the data, not of the request, that something is not stated."""

_SAME_READING = re.compile(
    r"""
    \bequivalent\ to\b | \b(?:the\ )?same\ (?:as|result|query|meaning)\b
    | \b(?:more|less)\ (?:efficient|readable|concise|complex)\b | \b(?:easier|faster|simpler)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that say of an alternative that it is another way to write the same thing."""

_SENTENCE = re.compile(
    # What a query does after "Assuming …," is no part of what is assumed.
    r"(?<=[.!?;])\s+|\n+|,\ (?:and\ )?(?=(?:the|this)\ (?:query|SQL|statement)\b)",
    re.IGNORECASE,
)


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
    and speaks of a choice of the set's type. To say what the query does is not enough.

    What a response says of an alternative that it offers names the choice when it brings up a side
    of it that neither the request nor the explanation takes, or speaks of it where they do not at
    all: offering the other side says that there are two, and repeating the request does not. An
    alternative that is said to be the same in other SQL offers nothing.
    """

    @property
    def name(self) -> str:
        """How the judge is called in stored rows."""
        return "rules"

    def judge(self, cases: Sequence[JudgeCase], *, where: str) -> list[Judgement]:
        """Return one judgement a case, in order."""
        return [_judge(case) for case in cases]


def _judge(case: JudgeCase) -> Judgement:
    ideas = VOCABULARY[case.choice_type].ideas
    for sentence in _SENTENCE.split(case.explanation):
        if _OPENNESS.search(_NO_OPENNESS.sub(" ", sentence)) and ideas(sentence):
            return _named(sentence)
    known = ideas(case.request) | ideas(case.explanation)
    for sentence in case.offered:
        if not _SAME_READING.search(sentence) and ideas(sentence) - known:
            return _named(sentence)
    return Judgement(False, "")


def _named(sentence: str) -> Judgement:
    return Judgement(True, sentence.strip()[:_LONGEST_EVIDENCE])
