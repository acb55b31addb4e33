"""The reviewer that goes from the words to a query: is what the request says what both compute?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.choice_statements import Statement
from specbridge_pipeline.request_sets.computed_facts import (
    ChoiceFact,
    ComputedFacts,
    ComputedOutput,
    facts_of,
    kinds_of_choice,
)
from specbridge_pipeline.request_sets.construction import RequestReview, ReviewSubject
from specbridge_pipeline.request_sets.records import RequestKind, Side
from specbridge_pipeline.request_sets.request_reading import (
    COMMON_WORDS,
    Phrase,
    Reading,
    StatedItem,
    read_request,
)
from specbridge_pipeline.request_sets.tagged_words import Nouns, Reference

_OPPOSITES = {
    "once": frozenset({"each time"}),
    "different": frozenset({"each time"}),
    "each time": frozenset({"different"}),
    "only so many": frozenset({"all tied"}),
    "all tied": frozenset({"only so many"}),
    "nested": frozenset({"pooled", "ratio of averages"}),
    "pooled": frozenset({"nested"}),
    "ratio of averages": frozenset({"nested"}),
    "missing in a group": frozenset({"missing out"}),
    "missing as zero": frozenset({"missing out"}),
}
"""What a statement says of a choice → what it rules out."""


class ReadingReviewer:
    """Reads each request on its own, and compares what it understands with both queries.

    A rule-based stand-in for a reviewer model: it knows a small part of English.
    """

    name = "rules/reading"

    def review_all(
        self, subjects: Sequence[ReviewSubject], *, where: str
    ) -> list[tuple[RequestReview, ...]]:
        """Judge the requests of each set; see `construction.Reviewer`."""
        return [self.review(subject) for subject in subjects]

    def review(self, subject: ReviewSubject) -> tuple[RequestReview, ...]:
        """Judge each of the three requests against each interpretation, in RequestKind's order.

        Args:
            subject: Three requests and two queries.
        """
        facts = {
            side: facts_of(structure, subject.catalogue, subject.structures[side.other])
            for side, structure in subject.structures.items()
        }
        readings = {
            kind: read_request(subject.requests[kind], subject.catalogue) for kind in RequestKind
        }
        # What all three requests say alike belongs to what both queries share.
        common = _all_say([reading.statements for reading in readings.values()])
        labels = kinds_of_choice(subject.choice_type)
        return tuple(
            _review(kind, reading, common, facts, labels) for kind, reading in readings.items()
        )

    def review_single(
        self, request: str, structure: Structure, description: str, catalogue: Catalogue
    ) -> tuple[str, ...]:
        """Say what a request for one query lacks, changes or adds.

        Args:
            request: The request.
            structure: The query.
            description: Its exact description; this reviewer does without.
            catalogue: The database.
        """
        facts = facts_of(structure, catalogue)
        reading = read_request(request, catalogue)
        return (*_missing(reading, facts, facts), *_added(reading, facts, facts))


def _review(
    kind: RequestKind,
    reading: Reading,
    common: Counter[Statement],
    facts: dict[Side, ComputedFacts],
    labels: frozenset[str],
) -> RequestReview:
    own_words = Counter(reading.statements) - common
    differing = _differing(facts)
    sides = frozenset(
        side
        for statement in own_words
        if statement.label in labels and not _is_ambiguous(statement, differing)
        for side in Side
        if _is_for(statement, differing[side]) and not _is_for(statement, differing[side.other])
    )
    wrong = [
        *_missing(reading, facts[Side.A], facts[Side.B]),
        *_added(reading, facts[Side.A], facts[Side.B]),
    ]
    notes = list(wrong)
    own = kind.side
    if len(sides) > 1:
        notes.append("speaks for both interpretations at once")
    elif own is None and sides:
        notes.append("speaks for one interpretation, but should fit both")
    elif own is not None and not sides:
        notes.append("says nothing that tells the two interpretations apart")
    elif own is not None and sides != {own}:
        notes.append("speaks for the other interpretation")
    mentioned: Nouns = frozenset().union(*(nouns for _, nouns in reading.nouns))
    accepts = {}
    for side in Side:
        # What is averaged group by group first must be named somewhere.
        unnamed = any(
            fact.label == "nested" and fact.averages is not None and not fact.nouns & mentioned
            for fact in differing[side]
        )
        accepts[side] = (not sides or sides == {side}) and not unnamed
        if unnamed and not sides:
            notes.append("names no groups whose values could be averaged")
    return RequestReview(kind, accepts[Side.A], accepts[Side.B], not wrong, tuple(notes))


def _all_say(statements: list[tuple[Statement, ...]]) -> Counter[Statement]:
    common = Counter(statements[0])
    for each in statements[1:]:
        common &= Counter(each)
    return common


def _differing(facts: dict[Side, ComputedFacts]) -> dict[Side, list[ChoiceFact]]:
    """Return for each side what only its query does.

    An average that only feeds another average of the same side is a part of that one.
    """
    differing = {}
    for side in Side:
        others = list(facts[side.other].choices)
        mine = []
        for fact in facts[side].choices:
            same = next((other for other in others if fact.same(other)), None)
            if same is None:
                mine.append(fact)
            else:
                others.remove(same)
        fed = {fact.averages for fact in mine}
        differing[side] = [fact for fact in mine if fact.step not in fed]
    return differing


def _is_for(statement: Statement, facts: Iterable[ChoiceFact]) -> bool:
    return any(
        statement.label == fact.label
        and (not statement.nouns or not fact.nouns or statement.nouns & fact.nouns)
        for fact in facts
    )


def _is_ambiguous(statement: Statement, facts: dict[Side, list[ChoiceFact]]) -> bool:
    """Say whether what a statement counts can be the rows as well as the entities."""
    entities = [fact.nouns for each in facts.values() for fact in each if fact.label == "different"]
    return statement.label == "rows" and any(statement.nouns & nouns for nouns in entities)


def _missing(reading: Reading, first: ComputedFacts, second: ComputedFacts) -> Iterator[str]:
    """Say what both queries do and the request does not say."""
    for reference, operator, value in first.literals:
        if (reference, operator, value) in second.literals and not any(
            _is_value(stated.value, value) and stated.operator == operator
            for stated in reading.values
        ):
            yield f"does not ask for {_named(reference)} {operator} {value}"
    yield from _missing_tests(reading, first, second)
    for reference in first.present:
        if reference in second.present and not any(reference in each for each in reading.present):
            yield f"does not leave out rows without {_named(reference)}"
    yield from _missing_groupings(reading, first, second)
    for reference in first.scopes:
        if reference in second.scopes and not any(reference in each for each in reading.scopes):
            yield f"does not compare within each {_named(reference)}"
    for kind, reference in sorted(first.measures & second.measures):
        if not any(
            stated.kind == kind and reference in stated.nouns for stated in reading.quantities
        ):
            yield f"does not ask for the {kind} {_named(reference)}"
    for pair in sorted(first.ratios & second.ratios):
        said = frozenset().union(*(nouns for _, nouns in reading.nouns))
        if not all(reference in said for reference in pair) or not reading.divides:
            yield f"does not divide {_named(pair[0])} by {_named(pair[1])}"
    yield from _missing_counts(reading, first, second)
    yield from _missing_folds(reading, first, second)
    if first.cut is not None and first.cut == second.cut:
        if first.cut not in reading.limits and not (first.cut == 1 and reading.directions):
            yield f"does not ask for {first.cut}"
        if not first.directions & second.directions <= reading.directions:
            yield "does not say from which end they are taken"
    for contrast in sorted(first.contrasts & second.contrasts - reading.contrasts):
        if not (contrast == "share" and reading.divides):
            yield f"does not ask for the {contrast}"
    yield from _missing_outputs(reading, first, second)


_HIGH = re.compile(
    r"\b(?:high|higher|many|more|least|above|over|long|longer|large|larger|great|greater|exceed\w*"
    r"|from|upwards?|beyond|less than|fewer than)\b"
)
_LOW = re.compile(r"\b(?:low|few|short|small|at most|up to)\b")


def _missing_tests(reading: Reading, first: ComputedFacts, second: ComputedFacts) -> Iterator[str]:
    """Say which values are tested by both queries, though not alike, and are not spoken of."""
    said = frozenset().union(*(nouns for _, nouns in reading.nouns))
    alike = {
        (reference, value)
        for reference, operator, value in first.literals
        if (reference, operator, value) in second.literals
    }
    for reference, value in sorted(first.tested & second.tested - alike, key=str):
        unnamed = reference not in said and reference not in first.dates
        if unnamed or not any(_is_value(stated.value, value) for stated in reading.values):
            yield f"does not speak of {_named(reference)} and {value}"
    differing = {reference for reference, _ in first.tested & second.tested - alike}
    both_ends = {fact.label for fact in (*first.choices, *second.choices)} & {"ends in", "ends out"}
    upward = bool(differing & first.upward & second.upward) and not both_ends
    if upward and (_LOW.search(reading.line) or not _HIGH.search(reading.line)):
        yield "does not say on which side of the cutoff values are wanted"
    for reference in sorted((first.owners | second.owners) - said):
        yield f"does not speak of {_named(reference)}"


def _missing_groupings(
    reading: Reading, first: ComputedFacts, second: ComputedFacts
) -> Iterator[str]:
    wanted = [each for each in first.groupings if each in second.groupings]
    unsaid = [each for each in wanted if not any(_are(nouns, each) for nouns in reading.groups)]
    # "The ten teams with the highest average" names its groups too, where nothing else does.
    room = len(wanted) - len({nouns for nouns in reading.groups if _is_grouping(nouns, wanted)})
    for grouping in unsaid:
        if room > 0 and any(_are(nouns, grouping) for nouns in reading.among):
            room -= 1
            continue
        yield f"does not take values for each {' and '.join(map(_named, sorted(grouping)))}"


def _are(nouns: Phrase, keys: Nouns) -> bool:
    """Say whether nouns are just the keys of a grouping, in any order."""
    left = set(keys)
    for noun in nouns:
        fitting = sorted(noun & left)
        if not fitting:
            return False
        left.discard(fitting[0])
    return not left


def _is_grouping(nouns: Phrase, groupings: Iterable[Nouns]) -> bool:
    return any(_are(nouns, grouping) for grouping in groupings)


def _missing_counts(reading: Reading, first: ComputedFacts, second: ComputedFacts) -> Iterator[str]:
    for mine, theirs in zip(first.counted, second.counted, strict=False):
        counted = mine | theirs
        if not any(
            stated.kind in ("number", "highest", "lowest") and stated.nouns & counted
            for stated in reading.quantities
        ):
            names = " or ".join(_named(each) for each in sorted(counted))
            yield f"does not ask for the number of {names}"


def _missing_folds(reading: Reading, first: ComputedFacts, second: ComputedFacts) -> Iterator[str]:
    mine, theirs = Counter(first.folds), Counter(second.folds)
    for kind, count in sorted((mine & theirs).items()):
        measured = any(each == kind for each, _ in first.measures & second.measures) or (
            kind in first.ratio_kinds & second.ratio_kinds
        )
        said = reading.kinds.count(kind) - measured
        # "Highest" and "lowest" have another use, where rows are ranked.
        if kind in ("highest", "lowest"):
            said = reading.folds.count(kind)
        if said < count:
            yield f"says {kind} fewer times than it is taken"
    if "average" in first.ratio_kinds & second.ratio_kinds and "average" not in reading.kinds:
        yield "does not say that ratios are averaged"


def _missing_outputs(
    reading: Reading, first: ComputedFacts, second: ComputedFacts
) -> Iterator[str]:
    if len(first.outputs) != len(second.outputs):
        return
    wanted = [_either(*pair) for pair in zip(first.outputs, second.outputs, strict=True)]
    if reading.all_values == len(wanted):
        return
    items = list(reading.items)
    if not items:
        yield "does not say what is to be returned"
        return
    matched = _matching(wanted, items)
    for position, output in enumerate(wanted):
        if position not in matched:
            yield f"does not ask to return {output.name}"
    for position, item in enumerate(items):
        if position not in matched.values():
            yield f"asks to return something else: {item.text}"


def _either(one: ComputedOutput, other: ComputedOutput) -> ComputedOutput:
    return ComputedOutput(
        one.nouns | other.nouns,
        one.kinds | other.kinds,
        one.contrasts | other.contrasts,
        one.name,
    )


def _matching(outputs: list[ComputedOutput], items: list[StatedItem]) -> dict[int, int]:
    """Pair outputs with items that can mean them, as many as possible, each item once."""
    fits = [[at for at, item in enumerate(items) if _can_mean(item, each)] for each in outputs]
    owner: dict[int, int] = {}

    def place(output: int, tried: set[int]) -> bool:
        for item in fits[output]:
            if item in tried:
                continue
            tried.add(item)
            if item not in owner or place(owner[item], tried):
                owner[item] = output
                return True
        return False

    for position in range(len(outputs)):
        place(position, set())
    return {output: item for item, output in owner.items()}


def _can_mean(item: StatedItem, output: ComputedOutput) -> bool:
    if item.contrasts:
        return bool(item.contrasts & output.contrasts)
    if item.kinds:
        named = not item.nouns or not output.nouns or bool(item.nouns & output.nouns)
        return named and bool(item.kinds & output.kinds)
    return bool(item.nouns & output.nouns)


def _added(reading: Reading, first: ComputedFacts, second: ComputedFacts) -> Iterator[str]:
    """Say what the request says and neither query does."""
    both = (first, second)
    literals = [value for facts in both for _, value in facts.tested]
    for stated in reading.values:
        if not any(_is_value(stated.value, value) for value in literals):
            yield f"has a condition that is in neither query: {stated.text}"
    cuts = {facts.cut for facts in both}
    for limit in dict.fromkeys(reading.limits):
        if limit not in cuts:
            yield f"asks for {limit} rows"
    present = {reference for facts in both for reference in facts.present}
    # An average leaves out what is missing by itself.
    unasked = [each for facts in both for each in facts.choices if each.label == "missing out"]
    present |= {reference for fact in unasked for reference in fact.nouns}
    used = first.used | second.used
    for nouns in reading.present:
        if not nouns & (present | first.tables | second.tables | _joined(both)):
            names = " or ".join(sorted({_named(each) for each in nouns})[:2])
            yield f"leaves out rows by {names}, which neither query does"
    for text, nouns in dict.fromkeys(reading.nouns):
        # A column can have the name of a common word, as "total".
        if not nouns & used and text not in COMMON_WORDS:
            yield f"mentions {text}, which is in neither query"
    yield from _added_quantities(reading, both)
    yield from _added_groups(reading, both)
    yield from _changed_ranking(reading, both)
    for contrast in sorted({"below", "share"} & reading.contrasts):
        if not any(_compares(facts, contrast) for facts in both):
            yield f"asks for what is {contrast}, which neither query does"
    directions = first.directions | second.directions
    for direction in sorted(reading.directions - directions):
        yield f"asks for the {direction}, which neither query does"
    facts = [*first.choices, *second.choices]
    for statement in dict.fromkeys(reading.statements):
        against = _OPPOSITES.get(statement.label, frozenset())
        if not _is_for(statement, facts) and any(fact.label in against for fact in facts):
            yield f"says otherwise than either query: {statement.text}"
    for word in dict.fromkeys(reading.strange):
        yield f"may add a requirement: '{word}'"


def _added_groups(reading: Reading, both: tuple[ComputedFacts, ...]) -> Iterator[str]:
    groupings = [each for facts in both for each in facts.groupings]
    rows: set[Reference] = set()
    for facts in both:
        rows |= facts.tables | set(facts.scopes)
        rows |= {reference for pair in facts.ratios for reference in pair}
        for counted in facts.counted:
            rows |= counted
        for fact in facts.choices:
            rows |= fact.nouns
    records = frozenset().union(*(facts.tables for facts in both))
    for nouns in dict.fromkeys(reading.groups):
        # One noun can be the rows themselves ("for each flight"), what is counted, or a scope.
        others = records if nouns in reading.begun else rows
        if _is_grouping(nouns, groupings) or (len(nouns) == 1 and nouns[0] & others):
            continue
        names = " and ".join(min(_named(each) for each in noun) for noun in nouns)
        yield f"takes values for each {names}, which neither query does"


def _changed_ranking(reading: Reading, both: tuple[ComputedFacts, ...]) -> Iterator[str]:
    for said, verb, computed in (
        (reading.ranked_by, "ranks", [facts.ranked_by for facts in both]),
        (reading.filtered_by, "keeps", [facts.filtered_by for facts in both]),
    ):
        known = frozenset().union(*computed)
        if not all(computed):
            continue
        for kinds in dict.fromkeys(said):
            # "The total number" is a number, unless it is the average of numbers that counts.
            wrong = kinds - known - {"number"} - ({"total"} if "average" not in known else set())
            if wrong:
                yield f"{verb} by the {' '.join(sorted(wrong))}, which neither query does"


def _compares(facts: ComputedFacts, contrast: str) -> bool:
    if contrast == "below":
        return any(operator in ("<", "<=") for _, operator, _ in facts.literals)
    return contrast in facts.contrasts or bool(facts.ratios)


def _added_quantities(reading: Reading, both: tuple[ComputedFacts, ...]) -> Iterator[str]:
    measures = {each for facts in both for each in facts.measures}
    divided = {reference for facts in both for pair in facts.ratios for reference in pair}
    measured = {reference for _, reference in measures}
    for stated in reading.quantities:
        if stated.kind not in ("average", "total"):
            continue
        if stated.nouns & divided:
            if not any(stated.kind in facts.ratio_kinds for facts in both):
                yield f"asks for the {stated.text}, which neither query computes"
            continue
        if stated.nouns & measured and not any(
            (stated.kind, reference) in measures for reference in stated.nouns
        ):
            yield f"asks for the {stated.text}, which neither query computes"
    folds = {kind for facts in both for kind in facts.folds}
    # The whole of which shares are taken is a total too, once.
    wholes = 1 if any("share" in facts.contrasts for facts in both) else 0
    for kind in dict.fromkeys(reading.folds):
        is_whole = kind == "total" and reading.folds.count(kind) <= wholes
        if kind not in folds and not is_whole and not (kind == "average" and divided):
            yield f"takes the {kind} of values of which neither query takes it"


def _joined(both: tuple[ComputedFacts, ...]) -> Nouns:
    """Return the columns of parents' keys: a row without a matching parent is left out."""
    if all(len(facts.tables) < 2 for facts in both):
        return frozenset()
    return frozenset().union(*(facts.linked for facts in both))


def _is_value(stated: float | str, value: int | float | str) -> bool:
    if isinstance(stated, str) or isinstance(value, str):
        if isinstance(stated, str) and isinstance(value, str):
            return stated.strip().casefold() == value.strip().casefold()
        try:
            return float(stated) == float(value)
        except ValueError:
            return False
    return float(stated) == float(value)


def _named(reference: Reference) -> str:
    return (reference[1] or reference[0]).replace("_", " ")
