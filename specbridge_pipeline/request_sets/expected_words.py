"""The words that a request must have, for each requirement of its query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn
from specbridge_pipeline.choices import ties
from specbridge_pipeline.choices.choice import ChoiceWording
from specbridge_pipeline.choices.english import number_word
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Condition,
    Expression,
    Literal,
    Membership,
    Missing,
    StepValue,
    Structure,
)
from specbridge_pipeline.request_sets.calculation import (
    Stage,
    StageKind,
    is_key,
    origin,
    quotient,
    read_calculation,
    returned,
)
from specbridge_pipeline.request_sets.phrases import CataloguePhrases, written
from specbridge_pipeline.request_sets.plan import carried_stage

_HIGHEST = r"\b(?:highest|maximum|largest|greatest|most|top|longest)\b"
_LOWEST = r"\b(?:lowest|minimum|smallest|least|fewest)\b"
_NAMED = r"(?! (?:above|below|that|is|are)\b)"
"""Follows no word that only names a value: not "the years with an average above …"."""
_CALCULATIONS = {
    "an average": rf"\b(?:averag(?:e|ed|ing)|mean)\b{_NAMED}",
    "a maximum": _HIGHEST + _NAMED,
    "a minimum": _LOWEST + _NAMED,
    "a total": rf"\b(?:total|sum)\b{_NAMED}",
    "a number": r"\b(?:how many|number of|count)\b",
    "a difference": r"\b(?:subtract|difference|minus|above or below|how far|how much)\b",
    "a ratio": r"\b(?:divid\w+|ratio|multiple)\b",
    "a share": r"\b(?:share|total|sum|fraction)\b",
    "what is above": r"\b(?:above(?! or below)|exceed\w*|greater|higher|more than|larger)\b",
}
_FUNCTIONS = {
    AggregateFunction.AVERAGE: "an average",
    AggregateFunction.MAXIMUM: "a maximum",
    AggregateFunction.MINIMUM: "a minimum",
    AggregateFunction.SUM: "a total",
    AggregateFunction.COUNT_ROWS: "a number",
    AggregateFunction.COUNT_VALUES: "a number",
    AggregateFunction.COUNT_DISTINCT: "a number",
}


def missing_words(
    text: str, structure: Structure, catalogue: Catalogue, wording: ChoiceWording | None = None
) -> tuple[str, ...]:
    """Say which requirements of a query one text has no words for.

    Args:
        text: A request.
        structure: The query; of a set, A.
        catalogue: The database.
        wording: A set's choice, what it says is not looked for; None for a query by itself.

    Returns:
        One sentence for each; empty where words were found for all.
    """
    return tuple(_Expected(text, structure, catalogue, wording).problems())


class _Expected:
    """Looks in one text for the words of each requirement."""

    def __init__(
        self, text: str, structure: Structure, catalogue: Catalogue, wording: ChoiceWording | None
    ) -> None:
        self._text = text.lower()
        self._raw = text
        self._structure = structure
        self._wording = wording
        self._phrases = CataloguePhrases(structure, catalogue)
        self._calculation = read_calculation(structure)
        self._carried = carried_stage(self._calculation, wording)
        asked = max(self._text.rfind(word) for word in (" return ", "return "))
        self._asked = asked if asked > 0 else len(self._text)
        self._end = self._start_of_cut()

    def problems(self) -> Iterator[str]:
        yield from self._rows()
        for position, stage in enumerate(self._calculation.stages):
            if position == self._carried:
                continue
            if stage.kind in (StageKind.GROUPED, StageKind.OVERALL, StageKind.REAGGREGATED):
                yield from self._groups(stage)
            if stage.kind in (StageKind.GROUPED, StageKind.OVERALL):
                yield from self._measure(stage)
            if stage.baseline is not None:
                yield from self._baseline_groups(stage.baseline)
        yield from self._calculations()
        yield from self._ranking()
        yield from self._outputs()

    def _has(self, pattern: str) -> bool:
        return re.search(pattern, self._text) is not None

    def _start_of_cut(self) -> int:
        """Return where the text goes over to the cut, or else to what is returned.

        What rows are ranked by has the name of a stage's value ("the highest ratio"), which does
        not say how it is computed.
        """
        ranking = self._calculation.ranking
        if ranking is None or len(self._calculation.stages) == 1:
            return self._asked
        end = _HIGHEST if ranking.order[0].descending else _LOWEST
        # "The highest maximum" begins with its first word.
        cut = re.compile(rf"{end}(?: (?:maximum|minimum)\b)?")
        starts = [found.start() for found in cut.finditer(self._text[: self._asked])]
        return starts[-1] if starts else self._asked

    def _rows(self) -> Iterator[str]:
        base = self._calculation.base
        if not self._has(_any_of(*self._phrases.source(base.index))):
            yield f"it does not name the {self._phrases.source(base.index)[1]}"
        stated = () if self._wording is None else self._wording.stated
        yield from self._stated()
        for condition in base.step.conditions:
            if condition in stated:
                continue
            if isinstance(condition, Missing):
                if isinstance(condition.value, ColumnValue):
                    name = _names(self._phrases.column(condition.value))
                    pattern = rf"(?:without|no|missing|lack\w*|have|has) (?:an? |recorded )*{name}"
                    if not self._has(pattern):
                        said = self._phrases.absence(base.index, condition)
                        yield f"it does not leave out rows {said}"
            elif isinstance(condition, Comparison) and isinstance(condition.left, ColumnValue):
                yield from self._filter(base.index, condition)
        unmatched = self._phrases.unmatched(base.index)
        noun = re.escape(unmatched.removeprefix("without a matching ").lower())
        lacking = r"\b(?:without|no|unmatched|matching|matched|missing|lack\w*)\b"
        if unmatched and not self._has(rf"{lacking}[^.?]{{0,40}}\b{noun}"):
            yield f"it does not leave out rows {unmatched}"

    def _stated(self) -> Iterator[str]:
        """Check the values and columns that the choice's phrase speaks of for either side."""
        for test in self._tests():
            if isinstance(test.left, ColumnValue) and isinstance(test.right, Literal):
                column, value = self._phrases.column(test.left), str(test.right.value)
                if not re.search(rf"(?<![\w.]){re.escape(value)}(?![\w%]|\.\d)", self._raw):
                    yield f"it does not have the value {value} as it is stored"
                if not self._has(_names(column)):
                    yield f"it does not say that the {column.phrase} is tested"

    def _tests(self) -> Iterator[Comparison]:
        """Yield what the conditions that the choice's phrase states compare with values."""
        if self._wording is None:
            return
        conditions: list[Condition] = list(self._wording.stated)
        for join in self._calculation.base.step.joins:
            conditions += join.on
        for condition in conditions:
            parts = condition.conditions if isinstance(condition, Membership) else (condition,)
            yield from (each for each in parts if isinstance(each, Comparison))

    def _filter(self, step: int, condition: Comparison) -> Iterator[str]:
        left, right = condition.left, condition.right
        if not isinstance(left, ColumnValue) or not isinstance(right, Literal):
            return
        column, value = self._phrases.column(left), written(right)
        if not re.search(rf"(?<![\w.]){re.escape(value)}(?![\w%]|\.\d)", self._raw):
            yield f"it does not have the value {value} as it is stored"
        if not self._has(_names(column)):
            yield f"it does not say that the {column.phrase} is tested"
        bounds = {
            ">=": r"\b(?:at least|or more|on\b|since|or later|or higher)",
            "<=": r"\b(?:at most|or less|up to|until|or earlier|or lower)",
            ">": r"\b(?:above|more than|over|greater|with|after)",
            "<": r"\b(?:below|less than|under|fewer|before)",
        }
        if condition.operator in bounds and not self._has(bounds[condition.operator]):
            yield f"it does not say on which side of {value} the {column.phrase} is"

    def _groups(self, stage: Stage) -> Iterator[str]:
        for key in self._phrases.keys(stage.index) or ():
            column = self._phrases.column(key)
            if not self._has(_names(column)):
                yield f"it does not name the {column.phrase} that groups the rows"

    def _measure(self, stage: Stage) -> Iterator[str]:
        for at, value in self._values(stage):
            if self._is_choice(stage.index, at):
                continue
            said = self._phrases.value(stage.index, value)
            for part in _parts(value):
                if isinstance(part, ColumnValue):
                    if not self._has(_names(self._phrases.column(part))):
                        yield f"it does not say that the {said} is computed"
                elif (
                    isinstance(part, Aggregate)
                    and part.function is AggregateFunction.COUNT_DISTINCT
                    and not self._has(r"\b(?:different|distinct|unique)")
                ):
                    yield f"it does not say that the {said} is computed"

    def _baseline_groups(self, baseline: int) -> Iterator[str]:
        for key in self._phrases.keys(baseline) or ():
            column = self._phrases.column(key)
            if not self._has(rf"\b(?:same|within each|its|that) {_names(column)}"):
                yield f"it does not say that the average is one for each {column.singular}"

    def _calculations(self) -> Iterator[str]:
        """Check that each kind of calculation is named as often as it is made.

        Counting, not the order, tells that a stage was dropped: a sentence may name the last
        stage first.
        """
        shared = self._without_choice()
        for words, needed in self._needed().items():
            found = len(re.findall(_CALCULATIONS[words], shared))
            if found < needed:
                yield f"it asks for {words} {found} times; the calculation has {needed}"

    def _without_choice(self) -> str:
        """Return the text up to the cut, without the phrase of a choice of values."""
        text = self._text[: self._end]
        if self._wording is None or self._wording.is_cut:
            return text
        phrases = (self._wording.a, self._wording.b, self._wording.open)
        for phrase in sorted(phrases, key=len, reverse=True):
            if phrase.lower() in text:
                return text.replace(phrase.lower(), "…", 1)
        return text

    def _needed(self) -> Counter[str]:
        """Return how often each kind of calculation is made, that of the choice left out."""
        needed: Counter[str] = Counter()
        for position, stage in enumerate(self._calculation.stages):
            if position == self._carried:
                continue
            if stage.kind is StageKind.FILTERED:
                needed["what is above"] += 1
            elif stage.kind is StageKind.SHARED:
                needed["a share"] += 1
            elif stage.kind is StageKind.COMPARED:
                ratio = any(quotient(value) for _, value in self._values(stage))
                needed["a ratio" if ratio else "a difference"] += 1
            else:
                for at, value in self._values(stage):
                    if not self._is_choice(stage.index, at):
                        needed.update(_functions(value))
            if stage.baseline is not None and stage.kind is not StageKind.SHARED:
                outputs = self._structure.steps[stage.baseline].outputs
                for at, output in enumerate(outputs):
                    if isinstance(output.value, Aggregate) and not self._is_choice(
                        stage.baseline, at
                    ):
                        needed["an average"] += 1
        return needed

    def _values(self, stage: Stage) -> Iterator[tuple[int, Expression]]:
        """Yield what a stage computes, with the positions of the outputs."""
        for at in returned(stage.step):
            value = stage.step.outputs[at].value
            if not isinstance(value, StepValue) and not is_key(self._structure, stage.index, value):
                yield at, value

    def _ranking(self) -> Iterator[str]:
        ranking = self._calculation.ranking
        if ranking is None:
            return
        key = ranking.order[0]
        counts = _any_of(number_word(ranking.count), str(ranking.count))
        if ranking.count == 1:
            counts = rf"(?:{counts}|\b(?:the|every|single)\b)"
        if not self._has(counts):
            yield f"it does not say that {ranking.count} are returned"
        if not self._has(_HIGHEST if key.descending else _LOWEST):
            yield "it does not say by which end the rows are ranked"
        choice = self._wording is not None and self._wording.is_cut
        if ranking.keeps_ties and not choice and "all_tied" not in ties.settled_by(self._raw):
            yield "it does not say that tied rows are returned too"

    def _outputs(self) -> Iterator[str]:
        asked = self._text[self._asked :]
        if "return" not in asked:
            yield "it does not say what is returned"
            return
        at = 0
        last = len(self._structure.steps) - 1
        for position in returned(self._structure.result):
            value = self._structure.result.outputs[position].value
            step, found = origin(self._structure, last, value)
            if isinstance(found, ColumnValue):
                name = self._phrases.column(found).phrase
                pattern = _any_of(name)
            else:
                noun = self._phrases.noun(step, found)
                name, pattern = noun.one, _any_of(noun.one, noun.many, "value", "how far", "number")
            match = re.compile(pattern).search(asked, at)
            if match is None:
                yield f"it does not say, in its place, that the {name} is returned"
            else:
                at = match.end()

    def _is_choice(self, index: int, output: int) -> bool:
        wording = self._wording
        return wording is not None and (wording.step, wording.output) == (index, output)


def _functions(value: Expression) -> Iterator[str]:
    """Yield the names of the aggregates in a value."""
    for part in _parts(value):
        if isinstance(part, Aggregate):
            yield _FUNCTIONS[part.function]


def _parts(value: Expression) -> Iterator[Expression]:
    """Yield an expression's aggregates and columns."""
    if isinstance(value, Aggregate):
        yield value
        if value.argument is not None:
            yield from _parts(value.argument)
    elif isinstance(value, Arithmetic):
        yield from _parts(value.left)
        yield from _parts(value.right)
    elif isinstance(value, ColumnValue | StepValue):
        yield value


def _names(column: CatalogueColumn) -> str:
    """Return a pattern for anything a column may be called."""
    return _any_of(column.phrase, column.singular, column.plural)


def _any_of(*names: str) -> str:
    longest_first = sorted({name.lower() for name in names}, key=lambda name: (-len(name), name))
    return rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in longest_first)})(?!\w)"
