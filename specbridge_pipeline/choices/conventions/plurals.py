"""Whether a question asks for one thing at an extreme or for several."""

from __future__ import annotations

import re

_NO_SUPERLATIVES = (
    "forest|interest|west|test|request|guest|contest|harvest|invest|protest|rest|digest|honest|"
    "everest|arrest|crest|vest|nest|pest|quest|suggest|manifest|chest|northwest|southwest|midwest|"
    "conquest|bequest|est|budapest|divest|attest|detest|infest|ingest|unrest|zest|"
    "behest"
)
_SUPERLATIVE = (
    rf"(?!(?:{_NO_SUPERLATIVES})\b)"
    r"(?:\w{2,}est|most|least|fewest|best|worst|maximum|minimum|max|min|top)"
)
_MEASURING = r"(?:most|least|fewest|maximum|minimum|max|min|highest|lowest|greatest|top|best|worst)"
_PLURAL = (
    r"(?!(?:\w*(?:ss|us|is)|was|has|does|its|this|his|hers|always|series|species|news|sales|gas|"
    r"bus|lens|names?|titles|ids|details|addresses|perhaps|as)\b)"
    r"(?:\w{2,}s|people|children|men|women|persons|ones|those)"
)
_PLAIN = r"(?!(?:in|of|from|by|at|on|to|not|use|one)\b)\w+"
"""A word after which the extreme is still that of the plural noun, not that of another thing."""

_NUMBER = r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty)\b"

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # students who have the highest score; cities with the most parks; lamps whose price is ...
        rf"\b(?!deals ){_PLURAL} (?:with|having|whose|who|that|which) (?:{_PLAIN} ){{0,4}}?"
        rf"{_SUPERLATIVE}\b(?! (?:common|popular|frequent|recent|expensive|used|important))",
        # which cities have the most parks
        rf"\b(?:which|what) (?:(?!do |does |did )\w+ ){{0,2}}?{_PLURAL} "
        r"(?:(?:in|of|from|at) (?:\w+ ){1,3}?)?"
        r"(?:have|has|had|are|were|is|received|got|won)"
        rf" (?:\w+ ){{0,4}}?{_SUPERLATIVE}\b(?! (?:common|popular|frequent|recent|used))",
        # who are the oldest students
        rf"\bwho (?:are|were) the (?:\w+ )?{_SUPERLATIVE}\b",
        # the oldest students, not "the most parks" or "with the highest scores"
        rf"(?<!with )(?<!has )(?<!have )(?<!had )(?<!having )\bthe (?!{_MEASURING}\b){_SUPERLATIVE}"
        rf" (?:\w+ )?{_PLURAL}\b",
        # the most tallest players
        rf"\bmost (?!of\b){_SUPERLATIVE} {_PLURAL}\b",
        r"\bthe most (?:popular|common|expensive|recent|frequent|important|famous|used) "
        rf"{_PLURAL}\b",
    )
)


def extreme_is_plural(question: str) -> bool:
    """Say whether a question names what it asks for at an extreme in the plural.

    "Which cities have the most parks?" asks for all that are tied; "the three oldest" says how
    many there are, and the plural then says no more.

    Args:
        question: The question.
    """
    text = " ".join(re.sub(r"([,.?;])", r" \1 ", question).split())
    return any(
        not re.search(_NUMBER, found.group(0), re.IGNORECASE)
        for pattern in _PATTERNS
        for found in pattern.finditer(text)
    )
