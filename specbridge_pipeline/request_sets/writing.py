"""The rule-based writer: a plan, or a query by itself, in the words of a request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording
from specbridge_pipeline.choices.english import listed, number_word, place_word
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Expression,
    StepValue,
    Structure,
)
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.request_sets.calculation import (
    Calculation,
    Stage,
    StageKind,
    counts_for_owner,
    is_key,
    origin,
    quotient,
    read_calculation,
    returned,
)
from specbridge_pipeline.request_sets.construction import (
    RequestPlan,
    Requests,
    WritingTask,
    Written,
)
from specbridge_pipeline.request_sets.phrases import CataloguePhrases, Noun
from specbridge_pipeline.request_sets.plan import (
    MOST_WORDS,
    carried_stage,
    compared_value,
    measure,
    structure_json,
)

_PLACE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for the choice's phrase while the shared text is composed."""

_LEVEL_WORDS = re.compile(r"\b(?:averages|rates|ratios)\b")


class RuleWriter:
    """Writes requests by rules."""

    name = "rules"

    def write_all(
        self, tasks: Sequence[WritingTask], catalogue: Catalogue, *, where: str
    ) -> list[Written]:
        """Write the requests of each plan; see `construction.Writer`."""
        return [Written(self.write(task.plan, catalogue, task.notes)) for task in tasks]

    def write(self, plan: RequestPlan, catalogue: Catalogue, notes: Sequence[str] = ()) -> Requests:
        """Write the three requests of a plan.

        They are one text with the choice's phrase in one place. With notes, whatever they say, each
        requirement is spelled out that the first text leaves to the reader.

        Args:
            plan: What they share, and the choice.
            catalogue: The database.
            notes: What checks and reviewers found wrong with the first texts.
        """
        variant = _variant(plan.structure, plan.choice_type.value)
        wording = plan.wording
        written = Requests("", "", "")
        for explicit in (True, False) if notes else (False,):
            text = _Composer(
                plan.structure,
                catalogue,
                wording,
                choice_type=plan.choice_type,
                explicit=explicit,
                variant=variant,
            ).text()
            written = Requests(
                *(_filled(text, each) for each in (wording.a, wording.b, wording.open))
            )
            # What is spelled out must not make it too long to be read.
            if max(len(each.split()) for each in (written.a, written.b)) <= MOST_WORDS:
                break
        return written


def write_request(structure: Structure, catalogue: Catalogue, notes: Sequence[str] = ()) -> str:
    """Write one request for a query by itself, which leaves nothing open.

    Args:
        structure: The query.
        catalogue: The database.
        notes: What reviewers found wrong with the first text.

    Raises:
        UnknownShapeError: The query has a step that the grammar does not know.
    """
    variant = _variant(structure, "")
    composer = _Composer(
        structure, catalogue, None, choice_type=None, explicit=bool(notes), variant=variant
    )
    return _filled(composer.text(), "")


def _variant(structure: Structure, choice: str) -> int:
    """Return a number that decides between ways to say the same; equal queries have equal ones."""
    return int(content_hash([structure_json(structure), choice]), 16)


def _filled(text: str, phrase: str) -> str:
    return text.replace(_PLACE, phrase)


class _Composer:
    """Composes one text from the stages of a calculation.

    Each stage gives one sentence; the last one before the list of outputs asks, unless it cuts. The
    choice's phrase always ends its clause, so that it may have clauses of its own.
    """

    def __init__(
        self,
        structure: Structure,
        catalogue: Catalogue,
        wording: ChoiceWording | None,
        *,
        choice_type: ChoiceType | None,
        explicit: bool,
        variant: int,
    ) -> None:
        self._structure = structure
        self._phrases = CataloguePhrases(structure, catalogue)
        self._calculation: Calculation = read_calculation(structure)
        self._wording = wording
        self._choice_type = choice_type
        self._explicit = explicit
        self._variant = variant
        self._left = False
        self._carried = carried_stage(self._calculation, wording)

    def text(self) -> str:
        stages = list(enumerate(self._calculation.stages))
        if self._carried is not None:
            stages = [each for each in stages if each[0] > self._carried]
        ranking = self._calculation.ranking
        sentences = []
        for position, stage in stages:
            is_last = position == stages[-1][0] and ranking is None
            if ranking is not None and self._is_named_by_ranking(stages, stage):
                continue
            sentences.append(self._sentence(position, stage, is_last))
        if ranking is not None:
            sentences.append(self._cut(bool(sentences)))
        sentences.append(self._outputs())
        return " ".join(_sentence_case(each) for each in sentences)

    def _pick(self, *frames: str) -> str:
        """Return one of several ways to say the same."""
        return frames[self._variant % len(frames)]

    # The stages, one sentence each.

    def _sentence(self, position: int, stage: Stage, is_last: bool) -> str:
        match stage.kind:
            case StageKind.GROUPED | StageKind.OVERALL:
                return self._measured(stage, is_last)
            case StageKind.REAGGREGATED:
                if position - 1 == self._carried:
                    return self._measured(stage, is_last)
                return self._folded(position, stage, is_last)
            case StageKind.SUMMARY:
                return self._summarized(position, stage)
            case StageKind.COMPARED:
                return self._compared(stage, is_last)
            case StageKind.SHARED:
                return self._shared(stage, is_last)
            case StageKind.FILTERED:
                return self._filtered(stage, is_last)
            case StageKind.ROWS:
                return ""

    def _measured(self, stage: Stage, is_last: bool) -> str:
        """Say what is computed from rows of tables, for which groups."""
        phrases, base = self._phrases, self._calculation.base.index
        at, value = self._value(stage)
        each = phrases.each(stage.index)
        rows = self._rows_read(base)
        closing = "," if "," in rows or _PLACE in rows else ""
        if self._is_choice(stage.index, at):
            what = _PLACE
        else:
            what = f"the {measure(phrases, self._structure, stage.index, value)}"
            if _counts_rows(value) and not self._explicit:
                # The rows that are counted name themselves.
                if not each:
                    return f"What is the number of {rows}?" if is_last else f"Count the {rows}."
                if not closing:
                    if is_last:
                        return self._pick(
                            f"For {each}, what is the number of {rows}?",
                            f"How many {rows} are there for {each}?",
                        )
                    return self._pick(
                        f"For {each}, take the number of {rows}.",
                        f"For {each}, count the {rows}.",
                    )
        among = phrases.among(base)
        wording = self._wording
        named = wording is not None and wording.names_rows
        if named or counts_for_owner(self._calculation.base.step):
            return f"For {each}, {'what is' if is_last else 'take'} {what}{'?' if is_last else '.'}"
        if not each:
            if is_last:
                return self._pick(
                    f"{among} the {rows}{closing or ','} what is {what}?",
                    f"{self._all(rows, 'considering')}, what is {what}?",
                )
            return f"{among} the {rows}{closing or ','} take {what}."
        if not is_last and self._has_own_work(value):
            return self._pick(
                f"For {each} {among} the {rows}{closing or ','} take {what}.",
                f"Looking at the {rows}, take for {each} {what}.",
            )
        if is_last:
            return self._pick(
                f"For {each} {among} the {rows}{closing or ','} what is {what}?",
                f"Looking at the {rows}, what is, for {each}, {what}?",
                f"For {each} {among} the {rows}{closing or ','} find {what}.",
            )
        return self._pick(
            f"For {each} {among} the {rows}{closing or ','} take {what}.",
            f"Looking at the {rows}, work out for {each} {what}.",
            f"For {each} {among} the {rows}{closing or ','} work out {what}.",
        )

    def _folded(self, position: int, stage: Stage, is_last: bool) -> str:
        """Say how the values of the stage before become one value a group."""
        phrases = self._phrases
        _, value = self._value(stage)
        assert isinstance(value, Aggregate)
        before = self._calculation.stages[position - 1].index
        one = phrases.each(stage.index, owned=False)
        lost = phrases.lost_keys(before, stage.index)
        start = f"For {one}, " if one else ""
        if value.argument is None:
            counted = lost[0][1] if len(lost) == 1 else phrases.group(before)[1]
            left, self._left = self._left, False
            if is_last or not one:
                return f"{start}how many {counted} {'are left' if left else 'are there'}?"
            return f"{start}count the {counted}{' that are left' if left else ''}."
        over = f" over its {lost[0][1]}" if len(lost) == 1 and one else ""
        if self._explicit and not one:
            over = f" over these {phrases.group(before)[1]}"
        several = self._several(stage.index, value.argument)
        self._left = False
        if value.function is AggregateFunction.AVERAGE:
            several = self._wary(several)
            if one and not is_last:
                return f"{start}average {several}{over}."
        word = {
            AggregateFunction.AVERAGE: "average",
            AggregateFunction.MAXIMUM: "maximum",
            AggregateFunction.MINIMUM: "minimum",
        }.get(value.function, "total")
        if is_last:
            return f"{start}what is the {word} of {several}{over}?"
        return f"{start}take the {word} of {several}{over}."

    def _summarized(self, position: int, stage: Stage) -> str:
        """Ask for the number of groups and the average of their values."""
        before = self._calculation.stages[position - 1]
        plural = self._phrases.group(before.index)[1]
        parts = []
        for at in returned(stage.step):
            value = stage.step.outputs[at].value
            if not isinstance(value, Aggregate):
                continue
            if value.argument is None:
                parts.append(f"how many {plural} {'are left' if self._left else 'are there'}")
            else:
                noun = self._phrases.noun(stage.index, value.argument)
                many = self._wary(noun.many)
                parts.append(f"what is the average of their {many}")
        return f"{listed(parts)}?".replace(" and ", ", and ", 1)

    def _compared(self, stage: Stage, is_last: bool) -> str:
        several = self._several(stage.index, compared_value(stage))
        within, baseline = self._baseline(stage)
        ratio = quotient(self._value(stage)[1]) is not None
        if ratio:
            text = f"divide each of {several} by {baseline}."
        else:
            text = self._pick(
                f"subtract {baseline} from each of {several}."
                if _PLACE not in baseline and "," not in baseline
                else f"from each of {several}, subtract {baseline}.",
                f"how far is each of {several} above or below {baseline}?",
                f"from each of {several}, subtract {baseline}.",
            )
        return f"{within}{text}"

    def _shared(self, stage: Stage, is_last: bool) -> str:
        several = self._several(stage.index, compared_value(stage))
        added = "those that are left" if self._left else f"all {several}"
        divided = f"Divide each of {several} by the sum of {added}."
        if is_last:
            return self._pick(f"What share of their sum is each of {several}?", divided)
        return divided

    def _filtered(self, stage: Stage, is_last: bool) -> str:
        plural = self._phrases.group(stage.index)[1]
        noun = self._phrases.noun(stage.index, compared_value(stage))
        within, baseline = self._baseline(stage)
        left = " that are left" if self._left else ""
        if is_last:
            text = self._pick(
                f"which {plural}{left} have {_a(noun)} above {baseline}?",
                f"which are the {plural}{left} whose {noun.one} is above {baseline}?",
            )
        else:
            text = f"keep only the {plural}{left} whose {noun.one} is above {baseline}."
        self._left = True
        return f"{within}{text}"

    def _several(self, step: int, value: Expression) -> str:
        """Name values of the stage before: "these averages", "the averages that are left"."""
        many = self._phrases.noun(step, value).many
        return f"the {many} that are left" if self._left else f"these {many}"

    def _wary(self, several: str) -> str:
        """Name values so that no word of it settles the choice that the request leaves open.

        "The average of these averages" would, where the level of an average is the choice.
        """
        if self._choice_type is not ChoiceType.AGGREGATION_LEVEL:
            return several
        return _LEVEL_WORDS.sub("values", several)

    def _baseline(self, stage: Stage) -> tuple[str, str]:
        """Name a baseline.

        Returns:
            What must stand before the sentence ("within each year, "), and the baseline.
        """
        phrases, structure = self._phrases, self._structure
        assert stage.baseline is not None
        keys = [phrases.column(key).singular for key in phrases.keys(stage.baseline) or ()]
        step = structure.steps[stage.baseline]
        at, value = next(
            (at, output.value)
            for at, output in enumerate(step.outputs)
            if isinstance(output.value, Aggregate | Arithmetic)
        )
        if self._is_choice(stage.baseline, at):
            return (f"within each {listed(keys)}, " if keys else ""), _PLACE
        same = f" for the same {listed(keys)}" if keys else ""
        if isinstance(value, Aggregate) and isinstance(value.argument, StepValue):
            several = self._wary(self._several(stage.baseline, value.argument))
            every = "" if keys or self._left else "all "
            if self._left:
                several = "those that are left"
            counted = ""
            if self._explicit and self._choice_type is not ChoiceType.AGGREGATION_LEVEL:
                counted = f", each {phrases.group(stage.index)[0]} counting once"
            return "", f"the average of {every}{several}{same}{counted}"
        plural = phrases.source(stage.baseline)[1]
        said = phrases.value(stage.baseline, value)
        of = "of" if self._choice_type is ChoiceType.AGGREGATION_LEVEL else "over"
        return "", f"the {said} {of} all these {plural}{same}, each counting once"

    # The cut and the outputs.

    def _is_named_by_ranking(self, stages: list[tuple[int, Stage]], stage: Stage) -> bool:
        """Say whether the cut's own phrase says all of a stage: what its rows are ranked by."""
        if stage.kind is StageKind.ROWS:
            return True
        if len(stages) > 1 or stage.kind is not StageKind.GROUPED or self._explicit:
            return False
        at, value = self._value(stage)
        return (
            not self._is_choice(stage.index, at)
            and measure(self._phrases, self._structure, stage.index, value)
            == self._phrases.value(stage.index, value)
            and isinstance(value, Aggregate)
        )

    def _cut(self, follows: bool) -> str:
        ranking = self._calculation.ranking
        assert ranking is not None
        last = self._calculation.stages[-1]
        is_choice = self._wording is not None and self._wording.is_cut
        kept = _PLACE if is_choice else self._kept_rows()
        if follows:
            return self._pick(f"Then find {kept}.", f"Of these, find {kept}.", f"Find {kept}.")
        rows = self._rows_read(last.index)
        return self._pick(
            f"Among the {rows}, find {kept}.",
            f"{self._all(rows, 'considering')}, find {kept}.",
        )

    def _all(self, rows: str, word: str) -> str:
        """Say which rows there are: "all flights", but "the flights" where some are left out."""
        whole = "," not in rows and _PLACE not in rows
        return f"{word} all {rows}" if whole else f"among the {rows}"

    def _rows_read(self, step: int) -> str:
        """Name the rows that are read from tables, with the choice's phrase where it is of them."""
        wording = self._wording
        stated = () if wording is None else wording.stated
        # A phrase that names a value stands with the value, whatever rows it leaves out.
        of_rows = wording is not None and bool(stated) and wording.output is None
        return self._phrases.rows_read(step, stated=stated, phrase=_PLACE if of_rows else "")

    def _kept_rows(self) -> str:
        """Name the rows that a cut keeps, where that is not the choice."""
        ranking = self._calculation.ranking
        assert ranking is not None
        phrases = self._phrases
        singular, plural = phrases.rows(self._calculation.stages[-1].index)
        key = ranking.order[0]
        name = phrases.value(ranking.step, key.value)
        if self._wording is not None and self._wording.output is not None:
            name = phrases.noun(ranking.step, key.value).one
        end = "highest" if key.descending else "lowest"
        if phrases.noun(ranking.step, key.value).is_plural:
            end = "most" if key.descending else "fewest"
        count = number_word(ranking.count)
        if ranking.count == 1:
            if ranking.keeps_ties:
                return (
                    f"every {singular} that has the {end} {name}, all of them if several share it"
                )
            return f"the one {singular} with the {end} {name}"
        if ranking.keeps_ties:
            last = place_word(ranking.count)
            return (
                f"the {count} {plural} with the {end} {name}, plus all others tied with the {last}"
            )
        return f"exactly {count} {plural} with the {end} {name}"

    def _outputs(self) -> str:
        structure, phrases = self._structure, self._phrases
        result = structure.result
        index = len(structure.steps) - 1
        names: list[str] = []
        for at in returned(result):
            value = result.outputs[at].value
            found_at, found = origin(structure, index, value)
            if isinstance(found, ColumnValue):
                names.append(f"the {phrases.column(found).phrase}")
                continue
            noun = phrases.noun(found_at, found)
            if self._is_excess() and isinstance(found, Arithmetic) and found.operator == "-":
                names.append("how far it is above")
            else:
                names.append(f"that {noun.one}")
        if len(names) == 1:
            return f"Return only {names[0]}."
        if len(set(names)) < len(names):
            return f"Return these {number_word(len(names))} values in this order."
        order = ", in this order" if self._explicit else ""
        return f"Return {listed(names)}{order}."

    # Small questions about stages.

    def _value(self, stage: Stage) -> tuple[int, Expression]:
        """Return position and expression of the value that a stage computes."""
        for at in reversed(returned(stage.step)):
            value = stage.step.outputs[at].value
            if not isinstance(value, StepValue) and not is_key(self._structure, stage.index, value):
                return at, value
        raise ValueError(f"step {stage.index} computes nothing")

    def _is_choice(self, index: int, output: int) -> bool:
        wording = self._wording
        return wording is not None and (wording.step, wording.output) == (index, output)

    def _has_own_work(self, value: Expression) -> bool:
        """Say whether the words of a value, or of the choice, say what is "worked out" first."""
        return self._phrases.noun(self._calculation.base.index, value).one == "rate"

    def _is_excess(self) -> bool:
        return self._calculation.stages[-1].kind is StageKind.FILTERED


def _counts_rows(value: Expression) -> bool:
    return isinstance(value, Aggregate) and value.function is AggregateFunction.COUNT_ROWS


def _a(noun: Noun) -> str:
    if noun.is_plural:
        return noun.one
    return f"{'an' if noun.one[:1] in 'aeio' else 'a'} {noun.one}"


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]
