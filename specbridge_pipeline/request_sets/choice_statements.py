"""Reading what a request says of a choice, whatever the queries do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from specbridge_pipeline.request_sets.tagged_words import Nouns, TaggedWords


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a request says about a choice.

    Attributes:
        label: What: "once", "each time", "different", "rows" (what is counted are they), "nested",
            "pooled", "ratio of averages", "only so many", "all tied", or how a condition is read:
            "ends in", "ends out", "cutoff in", "cutoff out", "all left out", "some left out",
            "one record", "any records", "zeros in", "zeros out"; of what has no value
            "missing out", "missing in a group" or "missing as zero".
        nouns: What it says it of; empty where it names nothing known.
        text: Its words.
    """

    label: str
    nouns: Nouns
    text: str


def read_statements(words: TaggedWords) -> tuple[list[Statement], str]:
    """Read what a request says about choices.

    Args:
        words: The request.

    Returns:
        The statements, and the tagged line without those that only say how things are counted:
        "counting each player only once" names no group.
    """
    found: list[Statement] = []

    def taking(label: str) -> Callable[[re.Match[str]], str]:
        def take(match: re.Match[str]) -> str:
            parts = match.groupdict()
            noun, said = parts.get("noun") or "", label
            if label == "once" and parts.get("again"):
                # "Once for each game" is each time.
                noun, said = parts["again"], "each time"
            found.append(Statement(said, words.named_at_all(noun), words.spoken(match[0])))
            return match[0] if label in _STAYING else " "

        return take

    line = re.sub(r"(?:rather than|instead of|as opposed to|, not) [^.,;?]*", " ", words.line)
    for label, patterns in _STATEMENTS.items():
        for pattern in patterns:
            line = pattern.sub(taking(label), line)
    found += _tie_statements(line, words)
    found += _condition_statements(words)
    return found, re.sub(r"  +", " ", line)


_STAYING = frozenset({"nested", "pooled", "ratio of averages", "different", "rows", "missing out"})
"""Statements that also name quantities and groups."""

_EACH = r"(?:each|every|a|an|the same|all|any)(?: of the| the| different| individual| single)*"
_ONCE = r"(?:only |just |exactly )?(?:once|one time|equally|the same|alike)"
_AGAIN = r"(?: (?:for|per) (?P<again>(?:each |every |a |any |the )?(?:time|<\d+>|\w+)))?"
_COUNTS = r"(?:counts?|counted|counting|weighs?|weighted|weight|given|treated)"
_EQUAL_WEIGHT = r"(?:an |the )?(?:equal|same) weight"
_AVERAGE = r"(?:averages?|averaged|averaging|mean)"
_QUANTITY = r"(?:averages?|totals?|sums?|means?)"
_WHOLE = r"(?:all|every|each|the individual)(?: of| the| individual| single)*"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


_LEAVES_OUT = (
    r"(?:leav(?:e|es|ing) out|ignor(?:e|es|ing)|exclud(?:e|es|ing)|dropp?(?:ing|s)?"
    r"|skipp?(?:ing|s)?|omitt?(?:ing|s)?|disregard(?:ing)?)"
)
_LEFT_OUT = r"(?:left out|ignored|excluded|dropped|skipped|omitted|disregarded|not counted)"
_KEEPS = r"(?:keep(?:ing|s)?|includ(?:e|es|ing)|retain(?:ing|s)?)"
_WITHOUT = (
    r"(?:without|with no|ha(?:s|ve|d) no|lack(?:s|ing)?|(?:with(?: an?)? )?(?:missing|unknown))"
    r" (?:a |an |any |the |recorded |known |given )*(?P<noun><\d+>)"
)
_ON = r"(?:[^.;,? ]+ )"

_STATEMENTS = {
    "missing in a group": _compiled(
        rf"{_KEEPS} {_ON}{{0,6}}?{_WITHOUT}(?: {_ON}{{0,3}}?groups?(?: of (?:its|their) own)?)?",
        rf"{_WITHOUT} {_ON}{{0,6}}?(?:(?:its|their|an) own group|group of (?:its|their) own)",
    ),
    "missing as zero": _compiled(
        rf"(?:count\w* |tak\w+ |treat\w* )?{_ON}{{0,4}}?{_WITHOUT} {_ON}{{0,4}}?(?:as|with|for) #0",
        rf"#0 (?:for|where|when|if) {_ON}{{0,6}}?{_WITHOUT}",
    ),
    "missing out": _compiled(
        rf"{_LEAVES_OUT} {_ON}{{0,6}}?{_WITHOUT}",
        rf"{_WITHOUT} {_ON}{{0,3}}?{_LEFT_OUT}",
        rf"only {_ON}{{0,3}}?(?:with|that have|which have|whose|having) (?:a |an |any |recorded "
        rf"|known )*(?P<noun><\d+>)",
    ),
    "once": _compiled(
        rf",? ?(?:so that |with |and |by )?count(?:ing|ed|s)? {_EACH} (?P<noun><\d+>|\w+)"
        rf" {_ONCE}{_AGAIN}",
        rf",? ?(?:so that |with |and )?(?:each|every|a|all)(?: individual| single)?"
        rf" (?P<noun><\d+>(?: and <\d+>)?|\w+)(?: is| are| being| has| gets| only| carries| have)*"
        rf" {_COUNTS} {_ONCE}{_AGAIN}",
        rf",? ?(?:so that |with )?(?:each|every) (?P<noun><\d+>)"
        rf" (?:has|having|gets|getting|with|carries|given) {_EQUAL_WEIGHT}",
        r",? ?with (?:equal|the same) weight (?:for|to) (?:each|every) (?P<noun><\d+>)",
    ),
    "each time": _compiled(
        r",? ?(?:and )?count(?:ing|ed)? (?:every|each|all)(?: of| the| single)*"
        r" (?P<noun><\d+>|\w+)(?! once| only| just)(?: separately)?",
        r"(?:each|every) time (?:it|they|he|<\d+>)?",
        rf",? ?count(?:ing|ed|s)? {_EACH} (?:<\d+>|\w+) (?:again|anew|separately) (?:for|in)"
        r" (?:each|every) (?P<noun><\d+>|\w+)",
        r"(?:as often as|as many times as|more than once|repeatedly|(?:with|including) repeats)",
    ),
    "rows": _compiled(
        r"(?:how many|(?:number|count) of|count(?:ing)?)(?: all| the| all the)? (?P<noun><\d+>)"
    ),
    "different": _compiled(r"(?:different|distinct|unique)(?: \w+)? (?P<noun><\d+>)"),
    "nested": _compiled(
        rf"{_AVERAGE} (?:(?:of|over|across|the|their|these|those|all|its|each|every) )+"
        r"(?:(?!(?:divided|by|and|over|to|per|of|all|is|are|above|below)\b)"
        r"(?:\w+|(?P<noun><\d+>)) ){0,4}"
        r"(?:averages?|means|ratios?|rates?|quotients)\b",
        r"(?:average|averaged|averaging|mean of) (?:these|those|them)\b",
        r"(?:then|before|afterwards) (?:\w+ )?(?:averag\w+|the average of)",
        r"(?:for|within|in|per|of) (?:each|every) (?:\w+ )?(?P<noun><\d+>) first",
        r"first (?:[^.;? ]+ ){0,6}(?:for|within|in|per|of) (?:each|every) (?P<noun><\d+>)",
        r"\b(?:unweighted|simple average)",
        r"(?:average|mean) (?:over|across|of) (?:all |the )*<\d+> of (?:each|every)"
        r" (?P<noun><\d+>|\w+)",
    ),
    "pooled": _compiled(
        rf"{_AVERAGE} (?:(?!averag|of each|of every)[^.;? ]+ ){{0,6}}?(?:over|across|of|from)"
        rf" {_WHOLE} (?P<noun><\d+>)(?! averages?| means?)",
        r"all (?:of )?(?:the |individual )*(?:\w+ )?(?P<noun><\d+>)(?: [^.;? ]+){0,4}"
        r" (?:together|at once|directly)",
        r"(?:pooled|pooling|taken together)",
        r"(?:whatever|regardless of|irrespective of) (?:the |its |their |which )*<\d+>",
    ),
    "ratio of averages": _compiled(
        rf"{_QUANTITY} (?:[^.;? ]+ ){{0,6}}?(?:divided by|over|to|per) (?:the |its |their |of )*"
        rf"{_QUANTITY}",
        rf"(?:divid(?:e|ing)|ratio of|quotient of) (?:the |its |their )*{_QUANTITY}",
    ),
}

_TIED = (
    r"(?:ties?|tied|tying|shares? (?:it|that|this|the)|sharing"
    r"|(?:the same|an equal) (?:value|number|count|place|rank|total|average|score))"
)
_EXTREME = r"(?:highest|most|largest|lowest|fewest|smallest|greatest)"

_SO_MANY = _compiled(
    r"\b(?:exactly|only|just|precisely|no more than|at most)(?: the| top| first)*"
    r" (?:#\d+|one|a single)\b",
    r"\b(?:one|a) single\b",
)
_ANY_OF_THEM = _compiled(
    r"\b(?:any|whichever|either|some)(?: one)?(?: of (?:them|these|those|the))?"
    r" (?:may|will|can|is|are|fill|do|of)\b",
    r"\bany(?: one)? of (?:them|these|those)\b",
    r"\barbitrar\w+|\bat random\b",
    r"\b(?:break|cut|drop|ignor|resolv)\w* [^.;]{0,20}\btie",
)
_ALL_OF_THEM = _compiled(
    rf"\b(?:every|all|any|each|everyone)\b[^.;]{{0,40}}\b{_TIED}\b",
    r"\ball of them\b",
    r"\b(?:includ|keep|retain)\w*\b[^.;]{0,20}\bties?\b",
    r"\bties? (?:\w+ )?(?:included|kept)",
    r"\b(?:plus|also|including|and) (?:\w+ ){0,3}(?:every|all|any)\b",
    rf"\b(?:every|all|each) (?:\w+ |<\d+> ){{0,4}}(?:with|that|having|has|have|who)\b.*"
    rf"\b{_EXTREME}\b",
)


_VALUE = r"(?:#\d+(?:\.\d+)?|\"\d+\")"
_NEAR_VALUE = rf"(?:\w+ |<\d+> ){{0,3}}?{_VALUE}"
_BOTH = r"both(?: the| of the)?(?: ends?| limits| dates| days| years| <\d+>)?"
_IN = r"(?:included?|counted|in|inclusive)"
_OUT = r"(?:excluded?|left out|not counted|out|exclusive)"
_SOME_RECORD = (
    r"(?:one(?: and the same)?|the same|a single)(?: \w+){0,2} (?:<\d+>|record|row|entry)"
)

_CONDITIONS = {
    "ends in": _compiled(
        rf"\b{_BOTH} (?:are |being |of them )*{_IN}\b",
        rf"\b(?:including|counting) {_BOTH}\b",
        r"\binclusive\b|\bthrough \W?\d",
        rf"\bon or (?:after|before) {_NEAR_VALUE}",
    ),
    "ends out": _compiled(
        rf"\b{_BOTH} (?:are |being |of them )*{_OUT}\b",
        rf"\b(?:excluding|leaving out|without) {_BOTH}\b",
        r"\bexclusive\b|\bstrictly (?:between|within|after|before)\b",
    ),
    "cutoff in": _compiled(
        r"\b(?:at least|no less than|no fewer than|not less than|not below|minimum of)"
        rf" {_NEAR_VALUE}",
        rf"{_VALUE} (?:or|and) (?:more|above|over|higher|greater|longer|later|up)\b",
        r">=|≥",
    ),
    "cutoff out": _compiled(
        r"(?<!no )(?<!not )\b(?:(?:more|greater|higher|longer|larger) than|above|over|beyond"
        rf"|exceeding|exceeds?) {_NEAR_VALUE}",
    ),
    "all left out": _compiled(
        r"\b(?:leaving out|excluding|without) (?:all|every|any|each|the whole)(?: the)? <\d+>"
        r" (?:that|which|who|with)\b",
        r"\b(?:that|which|who) (?:have|has|had) (?:no|never)\b|\bnone of (?:whose|their|its)\b",
        r"\bnever\b",
    ),
    "some left out": _compiled(
        r"\b(?:leaving out|excluding) (?:only|just)\b",
        r"\bother than\b|\bthemselves\b",
        rf"\b(?:is|are) not {_VALUE}",
    ),
    "one record": _compiled(rf"\b(?:in|on|within|by) {_SOME_RECORD}"),
    "any records": _compiled(
        r"\b(?:in|on|by) any(?: one)? of (?:the|their|its)\b",
        r"\bnot necessarily\b|\bseparately\b",
        r"\bin (?:the same or|different)\b",
    ),
    "zeros in": _compiled(
        r"\b(?:counting|count|counts|as|with|at|of) (?:#0|zero|nought)\b",
        r"\bincluding (?:those|<\d+>) (?:without|with no)\b|\bwhether or not\b|\beven if\b",
    ),
    "zeros out": _compiled(
        r"\b(?:leaving out|ignoring|excluding|without counting|not) (?:the |all |those |any )*"
        r"(?:<\d+> )?(?:without|with no|that have no)\b",
        r"\bonly (?:the |those )*(?:<\d+> )?(?:with|that have|which have) (?:any|some|at least)\b",
    ),
}


def _condition_statements(words: TaggedWords) -> list[Statement]:
    """Read how a condition is to be taken; what is ruled out says nothing."""
    line = re.sub(r"(?:rather than|instead of|as opposed to|, not) [^.,;?]*", " ", words.line)
    return [
        Statement(label, Nouns(), words.spoken(match[0]))
        for label, patterns in _CONDITIONS.items()
        for pattern in patterns
        for match in pattern.finditer(line)
    ]


def _tie_statements(line: str, words: TaggedWords) -> list[Statement]:
    """Read what becomes of tied rows, clause by clause.

    "If several tie" only raises the question; what the clause beside it says is the answer.
    """
    found = []
    for sentence in re.split(r"[.?]", line):
        speaks_of_ties = re.search(rf"\b{_TIED}\b", sentence) is not None
        for clause in re.split(r"[;,:()]| but ", sentence):
            label = _tie_label(clause, speaks_of_ties=speaks_of_ties)
            if label:
                found.append(Statement(label, Nouns(), words.spoken(clause)))
    return found


def _tie_label(clause: str, *, speaks_of_ties: bool) -> str:
    """Return what a clause says becomes of tied rows; empty where it says nothing."""

    def says(patterns: tuple[re.Pattern[str], ...]) -> bool:
        return any(pattern.search(clause) for pattern in patterns)

    if says(_SO_MANY) and "once" not in clause:
        return "only so many"
    if speaks_of_ties and says(_ANY_OF_THEM):
        return "only so many"
    return "all tied" if speaks_of_ties and says(_ALL_OF_THEM) else ""
