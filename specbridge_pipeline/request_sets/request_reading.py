"""Reading a request: its words are tagged, and what they say is read off the tagged line.

The reader knows English patterns and the names in the catalogue. It does not know the queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.request_sets.choice_statements import Statement, read_statements
from specbridge_pipeline.request_sets.tagged_words import Nouns, TaggedWords

Phrase = tuple[Nouns, ...]
"""Nouns that stand together, as in "each team and year"."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A number or a name that a request mentions as a condition.

    Attributes:
        value: The number, or the text.
        operator: = > >= < or <= as far as words say it.
        text: Its words.
    """

    value: float | str
    operator: str
    text: str


@dataclass(frozen=True, slots=True)
class StatedQuantity:
    """A quantity that a request mentions, as "average salary" or "number of flights".

    Attributes:
        kind: "average", "total", "number", "lowest" or "highest": the last one before the noun.
        nouns: What the noun can refer to.
        text: Its words.
    """

    kind: str
    nouns: Nouns
    text: str


@dataclass(frozen=True, slots=True)
class StatedItem:
    """One item of the list of what is to be returned.

    Attributes:
        nouns: What its nouns can refer to.
        kinds: Kinds of quantity that it names.
        contrasts: "difference", "ratio" or "share" where it names one.
        text: Its words.
    """

    nouns: Nouns
    kinds: frozenset[str]
    contrasts: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader understands of a request.

    Attributes:
        statements: What it says about choices.
        values: The conditions' values.
        present: Nouns whose values must be recorded.
        quantities: Quantities.
        groups: What stands after "for each", "per" and their like.
        begun: Those of them after "for each", which say that what follows is one value each.
        scopes: Nouns after "within each", "for the same" and their like.
        among: What stands after "across" and "by", before "averages", and names ranked rows.
        limits: Numbers of rows asked for, and places.
        ranked_by: For each "highest" and its like, the kinds and contrasts named after it.
        filtered_by: The same for each value that must be above another one.
        directions: "highest" and "lowest", as far as named.
        items: What is returned, item by item; empty where no list was found.
        all_values: How many values it asks for where it says "these two values"; else 0.
        kinds: Kinds of quantity, once for each time that one is named.
        folds: Kinds of quantity taken of values named before, as in "the average of these totals".
        divides: Whether it divides something by something, or speaks of a rate.
        contrasts: "difference", "ratio", "share", "above", "below": the comparisons that it names.
        nouns: All nouns, each with its words.
        strange: Words that restrict rows and are not understood.
        line: The tagged line that all of this was read from.
    """

    statements: tuple[Statement, ...]
    values: tuple[StatedValue, ...]
    present: tuple[Nouns, ...]
    quantities: tuple[StatedQuantity, ...]
    groups: tuple[Phrase, ...]
    begun: tuple[Phrase, ...]
    scopes: tuple[Nouns, ...]
    among: tuple[Phrase, ...]
    limits: tuple[int, ...]
    ranked_by: tuple[frozenset[str], ...]
    filtered_by: tuple[frozenset[str], ...]
    directions: frozenset[str]
    items: tuple[StatedItem, ...]
    all_values: int
    kinds: tuple[str, ...]
    folds: tuple[str, ...]
    divides: bool
    contrasts: frozenset[str]
    nouns: tuple[tuple[str, Nouns], ...]
    strange: tuple[str, ...]
    line: str


def read_request(text: str, catalogue: Catalogue) -> Reading:
    """Read a request.

    Args:
        text: The request.
        catalogue: The database, whose names are the nouns that the reader knows.
    """
    return _Reader(TaggedWords(text, catalogue)).reading()


_COMMON = """
a about above across after again all along also always among amount amounts an and any are as at
average averaged averages averaging be been before being below between both but by calculate
combination combinations combined compare compared comparing compute computed consider considered
count counted counting counts difference differences different directly distinct divide divided do
does each either equal equally every exactly far fill find first for from full further get gets give
given gives greater greatest group grouped groups had has have having higher highest how if in
include included includes including individual individually into is it its just keep keeping kept
known largest last least leave left less list long lower lowest many matter may maximum maximums
mean means measure minimum minimums more most much name no not number numbers of off often on once
one only or order other others out over overall own per percentage place places plus portion
possible present rank ranked rate rates ratio ratios record recorded records regardless remaining
report respective result return returned row rows same separately several share shared shares should
show simple single smallest so some such sum sums take taken than that the their them then there
these they this those tie tied ties times to together too top total totals treat under unique up use
used using value values was way weight were what when where whether which while who whole whose will
with within without work worth year zero
cutoff ends excluded exclusive high inclusive leaving strictly such taking themselves
"""
COMMON_WORDS = frozenset(_COMMON.split())
"""Words in which requests are made, whatever they ask for."""

_MONTH_NAMES = (
    "January February March April May June July August September October November December"
)
_MONTHS = {name: float(number) for number, name in enumerate(_MONTH_NAMES.split(), start=1)}

_KINDS = {
    "average": r"averages?|averaged|averaging|means?",
    "total": r"totals?|totall?ed|sums?|summed|combined|add(?:ed|ing)? up",
    "number": r"numbers? of|counts? of|how many",
    "lowest": r"lowest|smallest|minimum|fewest|(?<!at )least|shortest|earliest",
    "highest": r"highest|largest|maximum|(?<!at )most|greatest|longest|latest|biggest|top",
}
_KIND = "|".join(_KINDS.values())

_CONTRASTS = {
    "above": r"above|more than|higher than|greater than|exceed\w*|larger than|over the|beat\w*",
    "below": r"below|less than|lower than|smaller than|fewer than|under",
    "difference": r"differences?|minus|subtract\w*|deviat\w+|gap|margin|how far|how much"
    r"|exceeds? .* by|by how",
    "ratio": r"ratios?|rates?|divided by|divide|times|relative to|multiple|quotient|as a fraction",
    # "If several share it" is no share.
    "share": r"(?:the|that|what|a|its|each|these|highest|lowest|largest) shares?|shares? of"
    r"|fractions?|percentages?|percent|proportions?",
}

_LEAST = (
    r"at least|no less than|no fewer than|not less than|minimum of|since|starting (?:in|from|with)"
    r"|>=|≥"
)
_MORE = (
    r"(?:more|greater|higher|larger|longer|later|bigger) than|above|over|after|exceeding|exceeds?"
    r"|>|beyond"
)
_LESS = r"(?:less|fewer|lower|smaller|shorter|earlier) than|below|under|before|<"
_MOST = r"at most|no more than|up to|until|not more than|maximum of|<=|≤"
_OR_MORE = (
    r"(?:or|and) (?:more|later|above|higher|greater|longer|after|over|up|onwards?|beyond)|onwards?"
    r"|on(?! average)"
)
_OR_LESS = r"(?:or|and) (?:less|fewer|earlier|below|lower|before|under)"
_OPERATORS = (
    (">=", _LEAST, _OR_MORE),
    ("<=", _MOST, _OR_LESS),
    (">", _MORE, ""),
    ("<", _LESS, ""),
)

_NOUN = r"<(\d+)>"
_OWNER = r"(?: of (?:the|its|their|a) <\d+>)?"
_LINK = r"(?: ,| and| , and)(?: the| each| every| a| its| their)*"
_NOUNS = (
    r"(?:(?:the|a|each|every|different|distinct|single|same|combination of|pair of|its|their) )*"
    rf"<\d+>{_OWNER}(?:{_LINK} <\d+>{_OWNER})*"
)
_FOR_EACH = (
    r"for each|for every|for all|in each|in every|of each|of every|per|each|every|grouped by"
)
_AMONG = (
    r"\b(?:across(?: all)?|over(?: all)?|within|among|between|by|combinations? of|pairs? of"
    rf"|different) (?P<nouns>{_NOUNS})",
    r"(?P<nouns><\d+>(?: and <\d+>)?) "
    r"(?:averages?|means?|totals?|sums?|counts?|ratios?|rates?|values?|level|figures?|numbers?)\b",
    r"(?:#\d+|one|single|top|which|what|the|every|a|are the) (?:\w+ )?"
    rf"(?P<nouns><\d+>(?:{_LINK} <\d+>)*)(?: pairs?| combinations?)?"
    r" (?:with|that|whose|having|have|has|who|is|are|tied|by)\b",
    rf"#\d+ (?:\w+ )?(?P<nouns><\d+>(?:{_LINK} <\d+>)*)",
)
_SCOPE = (
    r"\b(?:same|within (?:each|every|the|its|their)|(?:its|their|that) own|own|for that|in that"
    rf"|of that|of its|for its|in its|inside each) (?P<nouns>{_NOUNS})"
)

_SMALL = (
    "of|the|a|an|its|their|these|those|this|that|all|each|every|overall|individual|such|single|in"
    "|for|number of|different|distinct|unique|recorded|known"
)
_BETWEEN = rf"(?: (?:(?:{_SMALL}|{_KIND})\b|\"\d+\"))*"
"""What can stand between a kind and its noun; a value too: "the most 'Gold Glove' awards"."""
_QUANTITY = re.compile(rf"\b(?:{_KIND})\b{_BETWEEN} {_NOUN}")
_COUNTED = re.compile(rf"\b(?:count(?:ing)?{_BETWEEN}|how many times(?: [a-z]+)?) {_NOUN}")
_FOLD = re.compile(
    rf"\b({_KIND})(?: (?:of|all|these|those|the|their|each|that|its|such))+ "
    r"(?:numbers|averages|totals|values|rates|maximums|minimums|differences|ratios|shares|counts"
    r"|sums|means|amounts|figures)\b"
)

_IS = r"(?:is |are |was |were |has been |being )?"
_SOME = r"(?:a |an |any |recorded |known |missing |their |its )*"
_PRESENT = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_NOUN} {_IS}(?:not )?"
        r"(?:recorded|known|available|given|missing|null|present|reported|stated|unknown)",
        rf"(?:without|missing|unknown|recorded|known) {_SOME}{_NOUN}",
        rf"\b(?:no|a) {_SOME}{_NOUN}(?= {_IS}"
        r"(?:recorded|known|left out|ignored|excluded|missing|given|available)|$| [.,;)]| or )",
        rf"(?:that|which|who) (?:have|has|had) {_SOME}{_NOUN}",
        rf"with (?:a |an ){_SOME}{_NOUN}",
    )
)

_RETURN = re.compile(
    r"(?:^|[.;?:,] |then |and |please )"
    r"(?:return|list|give|show|report|output|display|provide|present|include) "
)
_CUT = re.compile(
    r" (?:for|of|from|among) (?:(?:exactly|only|just|the|top|first|every|all) )*"
    r"(?:#\d+|one single|single)(?: \w+)? (<\d+>).*"
)
_ITEM_END = re.compile(r" ?(?:, and|,|;|:| and also| and| along with| together with| with| plus) ")
_DESCRIBES = re.compile(r" ?(?:those|which|who|that (?:has|have)|all of|each|every) ")

_RESTRICTS = re.compile(
    r"\b(?:only|whose|where|except|excluding|(?:who|that|which) (?:are|is|were|was))"
    r"((?: (?:[a-z]+|<\d+>)){1,4})"
)
_ADJECTIVE_ENDS = ("ed", "er", "an", "ic", "al", "ive", "ous", "ish", "ese")


class _Reader:
    """Reads one request."""

    def __init__(self, words: TaggedWords) -> None:
        self._words = words
        self._line = words.line
        self._read_numbers: set[int] = set()

    def reading(self) -> Reading:
        words = self._words
        statements, rest = read_statements(words)
        limits, all_values = self._limits(), self._all_values()
        return Reading(
            statements=tuple(statements),
            values=tuple(self._stated_values()),
            present=tuple(
                noun
                for pattern in _PRESENT
                for match in pattern.finditer(rest)
                for noun in words.named(match[0])
            ),
            quantities=tuple(self._quantities(rest)),
            groups=tuple(self._phrases(rf"\b(?:{_FOR_EACH}) (?P<nouns>{_NOUNS})", rest)),
            begun=tuple(self._phrases(rf"\bfor (?:each|every) (?P<nouns>{_NOUNS})", rest)),
            scopes=tuple(noun for phrase in self._phrases(_SCOPE, rest) for noun in phrase),
            among=tuple(phrase for pattern in _AMONG for phrase in self._phrases(pattern, rest)),
            limits=tuple(limits),
            ranked_by=tuple(_ranked_by(rest)),
            filtered_by=tuple(_filtered_by(rest)),
            directions=_kinds(rest) & {"highest", "lowest"},
            items=tuple(self._items(rest)),
            all_values=all_values,
            kinds=tuple(_kind_of(word) for word in re.findall(rf"\b(?:{_KIND})\b", self._line)),
            folds=tuple(_kind_of(match[1]) for match in _FOLD.finditer(self._line)),
            divides=re.search(r"\b(?:per|divid\w+|ratios?|rates?|quotient|over)\b", self._line)
            is not None,
            contrasts=_compared(rest),
            nouns=tuple(words.nouns),
            strange=tuple(_strange(rest)),
            line=self._line,
        )

    def _limits(self) -> list[int]:
        """Read how many rows are wanted, and mark those numbers as read."""
        limits = []
        for match in re.finditer(r"#(\d+)(?![.\d])", self._line):
            before, after = self._line[: match.start()], self._line[match.end() :]
            if self._is_limit(before, after):
                limits.append(int(match[1]))
                self._read_numbers.add(match.start())
        limits += [int(place) for place in re.findall(r"@(\d+)", self._line)]
        if re.search(r"\b(?:one|a) single\b", self._line):
            limits.append(1)
        return limits

    def _is_limit(self, before: str, after: str) -> bool:
        # "No more than ten teams" is a limit, "more than ten wins" is not.
        compared = rf"(?<!no )(?:{_LEAST}|{_MORE}|{_LESS}|up to|until|<=)(?: \w+)?(?: <\d+>)? $"
        if re.search(compared, before):
            return False
        if re.match(rf" (?:<\d+> )?(?:{_OR_MORE}|{_OR_LESS})", after):
            return False
        if re.search(r"(?:\bin|\bof|=|equals?|\bis) $", before) and not re.match(
            r" (?:\w+ )?<\d+>", after
        ):
            return False
        if re.search(r"\b(?:top|exactly|only|just|first|best|limit\w*(?: to)?) (?:the )?$", before):
            return True
        if re.match(r" (?:rows?|results?)\b", after):
            return True
        sentence = re.split(r"[.?]", before)[-1] + re.split(r"[.?]", after)[0]
        ranks = _kinds(sentence) & {"highest", "lowest"} or re.search(r"\brank", sentence)
        return bool(ranks and re.match(r"(?: \w+){0,2} (?:<\d+>|of them)", after))

    def _all_values(self) -> int:
        found = re.search(r"(?:these|those|all|both) #(\d+) (?:values|figures|numbers)", self._line)
        if found is None:
            return 0
        self._read_numbers.add(found.start() + found[0].index("#"))
        return int(found[1])

    def _stated_values(self) -> Iterator[StatedValue]:
        for match in re.finditer(r"#(?P<number>\d+(?:\.\d+)?)|\"(?P<value>\d+)\"", self._line):
            if match.start() in self._read_numbers:
                continue
            before, after = self._line[: match.start()], self._line[match.end() :]
            if match["number"] == "0" and re.search(
                r"\b(?:counting|counts?(?: with)?|count of|as) $", before
            ):
                # What is counted as zero is no condition.
                continue
            around = f"{' '.join(before.split()[-4:])} {match[0]} {' '.join(after.split()[:2])}"
            value: float | str
            if match["number"]:
                value = float(match["number"])
            else:
                name = self._words.values[int(match["value"])]
                value = _MONTHS.get(name, name)
            yield StatedValue(value, _operator(before, after), self._words.spoken(around))

    def _quantities(self, line: str) -> Iterator[StatedQuantity]:
        for match in _QUANTITY.finditer(line):
            nouns, text = self._words.named_at_all(match[0]), self._words.spoken(match[0])
            kinds = [_kind_of(word) for word in re.findall(rf"\b(?:{_KIND})\b", match[0])]
            yield StatedQuantity(kinds[-1], nouns, text)
            # "The average number of wins" is an average too.
            if kinds[-1] == "number" and len(kinds) > 1:
                yield StatedQuantity(kinds[-2], nouns, text)
        for match in _COUNTED.finditer(line):
            nouns, text = self._words.named_at_all(match[0]), self._words.spoken(match[0])
            yield StatedQuantity("number", nouns, text)

    def _phrases(self, pattern: str, line: str) -> Iterator[Phrase]:
        """Return the nouns of each match, without those that only say whose they are."""
        for match in re.finditer(pattern, line):
            named = re.sub(r" of (?:the|its|their|a) <\d+>", "", match["nouns"])
            yield tuple(self._words.named(named))

    def _items(self, line: str) -> list[StatedItem]:
        items: list[StatedItem] = []
        sentences = re.split(r"(?<=[.?;]) ", line)
        # "List the teams … Return their names." says in its last sentence what is returned.
        plain = [each for each in sentences if re.match(r"(?:please )?return ", each)]
        for sentence in plain or sentences:
            start = _RETURN.search(sentence)
            if start is None:
                continue
            # A cut says which rows are wanted, not what of them: "the codes of the ten teams".
            listed = sentence[start.end() :]
            cut = _CUT.search(listed)
            if cut is not None:
                before = listed[: cut.start()]
                listed = before if "<" in before else f"{before} of {cut[1]}"
            for part in _ITEM_END.split(f"{listed} "):
                nouns, kinds = self._words.named_at_all(part), _kinds(part)
                if re.search(r"\b(?:count|number|how many)\b", part):
                    kinds |= {"number"}
                contrasts = _contrasts(part) - {"above", "below"}
                describes = items and _DESCRIBES.match(part)
                if (nouns or kinds or contrasts) and not describes:
                    items.append(StatedItem(nouns, kinds, contrasts, self._words.spoken(part)))
        return items


def _kind_of(word: str) -> str:
    return next(kind for kind, words in _KINDS.items() if re.fullmatch(words, word))


def _kinds(text: str) -> frozenset[str]:
    return frozenset(kind for kind, words in _KINDS.items() if re.search(rf"\b(?:{words})\b", text))


def _contrasts(text: str) -> frozenset[str]:
    return frozenset(
        name for name, words in _CONTRASTS.items() if re.search(rf"\b(?:{words})\b", text)
    )


def _compared(line: str) -> frozenset[str]:
    """Return the contrasts of a text; "how far it is above" compares, and keeps no rows apart."""
    apart = re.sub(r"\bhow (?:far|much)\b[^,.;?]*|\babove or below\b|\bbelow or above\b", " ", line)
    return (_contrasts(line) - {"above", "below"}) | (_contrasts(apart) & {"above", "below"})


def _operator(before: str, after: str) -> str:
    for operator, words, following in _OPERATORS:
        if following and re.match(rf" (?:<\d+> )?(?:{following})\b", after):
            return operator
        if re.search(rf"(?:^|\s)(?:{words})(?: (?:the|a|year|<\d+>))* $", before):
            return operator
    return "="


def _ranked_by(line: str) -> Iterator[frozenset[str]]:
    """Return for each superlative the kinds and contrasts that are named after it."""
    # A maximum is a quantity; the highest maximum ranks by it.
    ends = "highest|largest|greatest|biggest|most|top|lowest|smallest|fewest|least"
    stops = "with|if|in|and|over|for|is|are|above|of"
    for match in re.finditer(rf"\b(?:{ends})((?: (?!(?:{stops})\b)[a-z]+){{1,4}})", line):
        yield _named_values(match[1])


def _filtered_by(line: str) -> Iterator[frozenset[str]]:
    """Return the kinds and contrasts of each value by which some groups are kept."""
    above = r"(?:is |are )?(?:above|below|higher|lower|more|less|greater|larger|smaller|exceed\w*)"
    for match in re.finditer(
        rf"\b(?:whose|have an?|has an?|with an?|have|has)((?: [a-z]+| <\d+>){{1,6}}?) {above}", line
    ):
        yield _named_values(match[1])


def _named_values(text: str) -> frozenset[str]:
    """Return kinds and contrasts by their nouns alone: "rate", not "divided by"."""
    named = set(_kinds(text))
    for word, name in (("number", "number"), ("rate", "ratio")):
        if re.search(rf"\b{word}s?\b", text):
            named.add(name)
    named |= {
        contrast
        for contrast in ("difference", "ratio", "share")
        if re.search(rf"\b{contrast}s?\b", text)
    }
    return frozenset(named)


def _strange(line: str) -> Iterator[str]:
    """Return unknown words that restrict rows: before a noun, or after "only" and its like."""
    for match in _RESTRICTS.finditer(line):
        yield from (word for word in match[1].split() if _is_strange(word))
    for match in re.finditer(r"\b([a-z]+) <\d+>", line):
        if match[1].endswith(_ADJECTIVE_ENDS) and _is_strange(match[1]):
            yield match[1]


def _is_strange(word: str) -> bool:
    return word.isalpha() and word not in COMMON_WORDS
