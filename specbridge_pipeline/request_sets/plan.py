"""The plan of a request set: all that its three requests must share, and the one choice."""

from __future__ import annotations

from collections.abc import Iterator

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceModule, ChoiceWording, Edit
from specbridge_pipeline.choices.english import capitalised, listed, number_word
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Expression,
    Membership,
    Missing,
    StepValue,
    Structure,
)
from specbridge_pipeline.records.canonical import canonical_json, plain_tree
from specbridge_pipeline.request_sets.calculation import (
    Calculation,
    Stage,
    StageKind,
    UnknownShapeError,
    counts_for_owner,
    is_key,
    origin,
    quotient,
    read_calculation,
    returned,
)
from specbridge_pipeline.request_sets.construction import PlanItem, RequestPlan
from specbridge_pipeline.request_sets.phrases import CataloguePhrases

MOST_WORDS = 120
"""The most words that a request may have."""


def build_plan(
    choice: Edit,
    module: ChoiceModule,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
) -> RequestPlan:
    """List what the requests for a query and its edit share, and word their choice.

    The paper, Section 2.4: the requests are written from a plan, so that nothing but the choice can
    differ between them.

    Args:
        choice: The edit that turned A into B.
        module: The choice type's module.
        structure: A's structure.
        edited: B's structure.
        catalogue: The database.

    Returns:
        The plan. Its items are all requirements of A but those that the choice's wording states.

    Raises:
        UnknownShapeError: A has a step that the grammar does not know.
    """
    phrases = CataloguePhrases(structure, catalogue)
    wording = module.wording(choice, structure, edited, catalogue, phrases)
    return RequestPlan(
        choice_type=module.choice_type,
        structure=structure,
        edited=edited,
        items=requirements(structure, catalogue, wording),
        wording=wording,
        ordered=False,
    )


def plan_json(plan: RequestPlan) -> str:
    """Return the one JSON text of a plan: choice, items and both structures."""
    return canonical_json(
        {
            "choice_type": plan.choice_type.value,
            "ordered": plan.ordered,
            "items": plain_tree(plan.items, class_key="is"),
            "wording": plain_tree(plan.wording, class_key="is"),
            "structure": plain_tree(plan.structure, class_key="is"),
            "edited": plain_tree(plan.edited, class_key="is"),
        }
    )


def structure_json(structure: Structure) -> str:
    """Return the one JSON text of a query's structure."""
    return canonical_json(plain_tree(structure, class_key="is"))


def carried_stage(calculation: Calculation, wording: ChoiceWording | None) -> int | None:
    """Return the position of a stage that only the choice's wording states; None without one.

    Where the choice is how the values of a stage are averaged, the wording also says what these
    values are: one of its sides does without them.

    Args:
        calculation: A's calculation.
        wording: The choice, or None where a single query is put into words.
    """
    if wording is None or wording.output is None:
        return None
    for position, stage in enumerate(calculation.stages):
        if stage.index == wording.step and stage.kind is StageKind.REAGGREGATED:
            return position - 1
    return None


def requirements(
    structure: Structure, catalogue: Catalogue, wording: ChoiceWording | None = None
) -> tuple[PlanItem, ...]:
    """List what a request for a query must state, in the order of the calculation.

    Args:
        structure: The query.
        catalogue: The database.
        wording: A choice; what its phrase states is left out. None for a query by itself.
    """
    calculation = read_calculation(structure)
    return tuple(_Requirements(structure, catalogue, calculation, wording).items())


class _Requirements:
    def __init__(
        self,
        structure: Structure,
        catalogue: Catalogue,
        calculation: Calculation,
        wording: ChoiceWording | None,
    ) -> None:
        self._structure = structure
        self._calculation = calculation
        self._wording = wording
        self._phrases = CataloguePhrases(structure, catalogue)
        self._carried = carried_stage(calculation, wording)

    def items(self) -> Iterator[PlanItem]:
        yield from self._source()
        for position, stage in enumerate(self._calculation.stages):
            if position != self._carried:
                yield from self._stage(position, stage)
        yield from self._ranking()
        yield from self._outputs()

    def _source(self) -> Iterator[PlanItem]:
        base = self._calculation.base
        phrases, step = self._phrases, base.step
        plural = phrases.source(base.index)[1]
        yield PlanItem("source", "source", f"The rows are {plural}.")
        if len(step.sources) > 1 and not counts_for_owner(base.step):
            noun = phrases.parent_noun(step)
            text = f"Each of the {plural} is taken together with its {noun}."
            unmatched = phrases.unmatched(base.index)
            if unmatched:
                text = f"{text[:-1]}; those {unmatched} are left out."
            yield PlanItem("join", "join", text)
        stated = () if self._wording is None else self._wording.stated
        conditions = [each for each in step.conditions if each not in stated]
        if any(isinstance(each, Membership) for each in conditions):
            raise UnknownShapeError("a condition asks for other rows of a table")
        filters = [each for each in conditions if isinstance(each, Comparison)]
        absences = [each for each in conditions if isinstance(each, Missing)]
        for number, each in enumerate(filters, start=1):
            said = phrases.condition(base.index, each)
            yield PlanItem(f"filter-{number}", "filter", f"Only {plural} {said} count.")
        for number, missing in enumerate(absences, start=1):
            said = phrases.absence(base.index, missing)
            text = f"{capitalised(plural)} {said} are left out."
            yield PlanItem(f"missing-{number}", "missing values", text)

    def _stage(self, position: int, stage: Stage) -> Iterator[PlanItem]:
        name = f"step-{position + 1}"
        match stage.kind:
            case StageKind.ROWS:
                return
            case StageKind.GROUPED | StageKind.OVERALL:
                yield from self._grouping(name, stage)
                for at, value in self._values(stage):
                    if not self._is_choice(stage.index, at):
                        text = f"{capitalised(self._measure(stage, value))} is computed."
                        yield PlanItem(f"{name}-measure", "measure", text)
            case StageKind.REAGGREGATED:
                yield from self._grouping(name, stage)
                for at, value in self._values(stage):
                    if not self._is_choice(stage.index, at):
                        text = f"{capitalised(self._fold(stage, value))} is computed."
                        yield PlanItem(f"{name}-reaggregation", "re-aggregation", text)
            case StageKind.SUMMARY:
                folds = [self._fold(stage, value) for _, value in self._values(stage)]
                text = f"{capitalised(listed(folds))} are computed."
                yield PlanItem(f"{name}-summary", "summary", text)
            case StageKind.SHARED:
                noun = self._set_against(stage)
                text = f"Each {noun} is divided by their total."
                yield PlanItem(f"{name}-share", "share", text)
            case StageKind.COMPARED | StageKind.FILTERED:
                yield from self._baseline(name, stage)
                yield self._comparison(name, stage)
                if stage.kind is StageKind.FILTERED and self._excess(stage):
                    text = f"How far the {self._set_against(stage)} is above is computed."
                    yield PlanItem(f"{name}-difference", "comparison", text)

    def _grouping(self, name: str, stage: Stage) -> Iterator[PlanItem]:
        each = self._phrases.each(stage.index)
        if each:
            yield PlanItem(f"{name}-grouping", "grouping", f"There is one value for {each}.")

    def _baseline(self, name: str, stage: Stage) -> Iterator[PlanItem]:
        assert stage.baseline is not None
        phrases, structure = self._phrases, self._structure
        step = structure.steps[stage.baseline]
        for at, output in enumerate(step.outputs):
            value = output.value
            if not isinstance(value, Aggregate):
                continue
            keys = [phrases.column(key).singular for key in phrases.keys(stage.baseline) or ()]
            within = f" within each {listed(keys)}" if keys else ""
            if self._is_choice(stage.baseline, at):
                if keys:
                    text = f"The baseline is taken{within}."
                    yield PlanItem(f"{name}-baseline", "baseline", text)
                return
            if isinstance(value.argument, StepValue):
                noun = phrases.noun(stage.baseline, value.argument)
                text = f"The baseline is the average of the {noun.many}{within}."
            else:
                plural = phrases.source(stage.baseline)[1]
                said = phrases.value(stage.baseline, value)
                text = f"The baseline is the {said} of all {plural}{within}."
            yield PlanItem(f"{name}-baseline", "baseline", text)

    def _comparison(self, name: str, stage: Stage) -> PlanItem:
        noun = self._set_against(stage)
        if stage.kind is StageKind.FILTERED:
            plural = self._phrases.group(stage.index)[1]
            text = f"Only {plural} whose {noun} is above the baseline are kept."
            return PlanItem(f"{name}-filter", "filter against baseline", text)
        ratio = any(quotient(value) for _, value in self._values(stage))
        text = (
            f"Each {noun} is divided by the baseline."
            if ratio
            else f"The baseline is subtracted from each {noun}."
        )
        return PlanItem(f"{name}-comparison", "comparison", text)

    def _ranking(self) -> Iterator[PlanItem]:
        ranking = self._calculation.ranking
        if ranking is None or (self._wording is not None and self._wording.is_cut):
            return
        phrases = self._phrases
        last = self._calculation.stages[-1].index
        singular, plural = phrases.rows(last)
        noun = phrases.value(ranking.step, ranking.order[0].value)
        if self._wording is not None and self._wording.output is not None:
            # The value's full name may be one that the choice leaves open.
            noun = phrases.noun(ranking.step, ranking.order[0].value).one
        end = "highest" if ranking.order[0].descending else "lowest"
        kept = plural if ranking.count > 1 else singular
        are = "are" if ranking.count > 1 else "is"
        text = f"Only the {number_word(ranking.count)} {kept} with the {end} {noun} {are} returned"
        text += ", with all tied with the last." if ranking.keeps_ties else ", no more."
        yield PlanItem("ranking", "ranking", text)

    def _outputs(self) -> Iterator[PlanItem]:
        positions = returned(self._structure.result)
        for number, at in enumerate(positions, start=1):
            value = self._structure.result.outputs[at].value
            index, found = origin(self._structure, len(self._structure.steps) - 1, value)
            if isinstance(found, ColumnValue):
                name = self._phrases.column(found).phrase
            else:
                name = self._phrases.noun(index, found).one
            text = f"Output {number} is the {name}."
            yield PlanItem(f"output-{number}", "output", text)

    def _measure(self, stage: Stage, value: Expression) -> str:
        return f"the {measure(self._phrases, self._structure, stage.index, value)}"

    def _fold(self, stage: Stage, value: Expression) -> str:
        assert isinstance(value, Aggregate)
        if value.argument is None:
            first = self._calculation.stages[self._position(stage) - 1]
            return f"the number of {self._phrases.group(first.index)[1]}"
        noun = self._phrases.noun(stage.index, value.argument).many
        word = {
            AggregateFunction.AVERAGE: "average",
            AggregateFunction.MAXIMUM: "highest",
            AggregateFunction.MINIMUM: "lowest",
        }.get(value.function, "total")
        return f"the {word} of the {noun}"

    def _position(self, stage: Stage) -> int:
        return self._calculation.stages.index(stage)

    def _values(self, stage: Stage) -> Iterator[tuple[int, Expression]]:
        """Yield the outputs that a stage computes, with their positions."""
        for at in returned(stage.step):
            value = stage.step.outputs[at].value
            if not isinstance(value, StepValue) and not is_key(self._structure, stage.index, value):
                yield at, value

    def _excess(self, stage: Stage) -> bool:
        return any(isinstance(value, Arithmetic) for _, value in self._values(stage))

    def _set_against(self, stage: Stage) -> str:
        return self._phrases.noun(stage.index, compared_value(stage)).one

    def _is_choice(self, index: int, output: int) -> bool:
        wording = self._wording
        return wording is not None and (wording.step, wording.output) == (index, output)


def compared_value(stage: Stage) -> Expression:
    """Return the value that a comparison, share or filter sets against its baseline.

    Args:
        stage: Such a stage.
    """
    for condition in stage.step.conditions:
        if isinstance(condition, Comparison):
            return condition.left
    for output in stage.step.outputs:
        if isinstance(output.value, Arithmetic):
            return output.value.left
    raise ValueError("the stage compares nothing")


def measure(phrases: CataloguePhrases, structure: Structure, step: int, value: Expression) -> str:
    """Say exactly what a step computes from rows of tables, without article.

    Args:
        phrases: Names.
        structure: The query.
        step: Index of the step.
        value: The value.

    Returns:
        "average salary"; for a mean of ratios and a ratio of means, which of them it is.
    """
    if isinstance(value, Aggregate) and value.argument is not None:
        ratio = quotient(value.argument)
        if ratio is not None:
            above, below = ratio
            assert isinstance(above, ColumnValue)
            assert isinstance(below, ColumnValue)
            record, _ = phrases.source(step)
            return f"average {phrases.rate(above, below)}, worked out for each {record} first"
    return phrases.value(step, value)
