"""Missing values: what has no value is left out, or it takes part in a way of its own.

The type is bounded as in the paper's Table S7. It has three forms here: groups, where rows without
a key get a group of their own; cells, where a missing value enters an average as zero; and
entities, where rows are counted for each and an entity without rows counts as zero.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.base_steps import column_of, named_steps, reads_tables
from specbridge_pipeline.choices.choice import (
    ChoiceWording,
    Edit,
    Occurrence,
    Opportunity,
    Phrases,
    Refusal,
)
from specbridge_pipeline.choices.english import capitalised, row_word
from specbridge_pipeline.choices.entities_without_rows import (
    CountedEntities,
    childless,
    counted_entities,
    counting_all,
)
from specbridge_pipeline.choices.presence import (
    is_compared,
    is_written,
    presence_condition,
    without_presence,
    written_column,
)
from specbridge_pipeline.choices.statement import emit, read_statement
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    ColumnValue,
    Expression,
    Missing,
    Rank,
    Step,
    StepValue,
    Structure,
    TableSource,
    compared,
    holds_aggregate,
)

LEFT_OUT = "left_out"
TAKEN_IN = "taken_in"

GROUPS = "a group of"
"""`detail` of an occurrence in which rows have no value of a key, before the key."""
CELLS = "zero of"
"""`detail` of an occurrence in which rows have nothing to average, before the column."""
ENTITIES = "rows of"
"""`detail` of an occurrence in which entities have no rows, before the column that names them."""

MOST_WITHOUT_ROWS = 0.9
"""Share of entities without rows from which on nobody counts them as zero."""

choice_type: ChoiceType = ChoiceType.MISSING_VALUES
sides: tuple[str, str] = (LEFT_OUT, TAKEN_IN)
# Of groups references take in what is missing, of averages they leave it out: neither is one.
convention: str | None = None


@dataclass(frozen=True, slots=True)
class _Gap:
    """A column that is missing in some rows of a step, and the one value that the step computes.

    Attributes:
        form: GROUPS, CELLS or ENTITIES.
        column: The column; of entities the one that refers to them.
        output: Position of the computed value.
        condition: The condition that leaves the rows out; None where there is none.
        counted: The entities; None in the other forms.
    """

    form: str
    column: ColumnValue
    output: int
    condition: Missing | None = None
    counted: CountedEntities | None = None

    @property
    def detail(self) -> str:
        """What tells it apart from other gaps of its step."""
        return f"{self.form} {self.column.table}.{self.column.column}"


def occurrences(sql: str, structure: Structure, catalogue: Catalogue) -> tuple[Occurrence, ...]:
    """Find what leaves out rows without a value; see `ChoiceModule.occurrences`."""
    return tuple(
        Occurrence(choice_type, step.name, gap.output, LEFT_OUT, gap.detail)
        for _, step in named_steps(structure)
        for gap in _gaps(step, catalogue)
    )


def opportunity(
    occurrence: Occurrence,
    sql: str,
    structure: Structure,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
) -> Opportunity:
    """Count the rows that are left out; see `ChoiceModule.opportunity`."""
    gap, select = _gap(occurrence, structure, catalogue), None
    statement = read_statement(sql, catalogue.engine)
    if statement is not None:
        select = statement.select(occurrence.step)
    if gap is not None and gap.counted is not None:
        return _childless(gap.counted, catalogue, run)
    if gap is None or select is None or not _opened(select, gap):
        return Opportunity(False, "The step cannot be measured by itself.")
    column = written_column(select, gap.column)
    for part in ("order", "limit", "having", "group"):
        select.set(part, None)
    select.set("expressions", [exp.Count(this=exp.Star()), exp.Count(this=column)])
    outcome = run(emit(select, catalogue.engine))
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The rows cannot be counted: {outcome.message}")
    rows, present = (cell if isinstance(cell, int) else 0 for cell in outcome.rows[0])
    name = f"{gap.column.table}.{gap.column.column}"
    return Opportunity(rows > present, f"{rows - present} of {rows} rows have no {name}.")


def edit(
    occurrence: Occurrence, sql: str, structure: Structure, catalogue: Catalogue
) -> Edit | Refusal:
    """Let rows without a value take part; see `ChoiceModule.edit`."""
    gap, select = _gap(occurrence, structure, catalogue), None
    statement = read_statement(sql, catalogue.engine)
    if statement is not None:
        select = statement.select(occurrence.step)
    if gap is None or statement is None or select is None:
        return Refusal("The step is not written as one SELECT that computes one value.")
    refusal = _unsound(structure, structure.index(occurrence.step), gap)
    if refusal is not None:
        return refusal
    if not _opened(select, gap):
        return Refusal("The condition does not stand by itself in the step.")
    if gap.counted is not None and not counting_all(select, gap.counted, catalogue.engine):
        return Refusal("The step does not write its count as a count of all rows.")
    if gap.form == CELLS:
        for call in list(select.find_all(exp.Avg)):
            if is_written(call.this, select, gap.column):
                zero = exp.Coalesce(this=call.this.copy(), expressions=[exp.Literal.number(0)])
                call.set("this", zero)
    return Edit(occurrence, statement.with_step(occurrence.step, select).sql(), TAKEN_IN)


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word what becomes of rows without a value; see `ChoiceModule.wording`."""
    occurrence = edit.occurrence
    index = structure.index(occurrence.step)
    step, gap = structure.steps[index], _gap(occurrence, structure, catalogue)
    assert gap is not None
    value = f"the {phrases.value(index, step.outputs[gap.output].value)}"
    record, records = phrases.source(index)
    if gap.counted is not None:
        if step.outputs[gap.output].value != Aggregate(AggregateFunction.COUNT_ROWS, None):
            value = f"{value} in the {records}"
        entities = phrases.rows(index)[1]
        lacking, without = (
            f"{entities} without any {record}",
            f"{entities} with no entries among the {records}",
        )
    else:
        absence = phrases.absence(index, Missing(gap.column, negated=True))
        # What records there are has been said before.
        rows = "records" if row_word(record) != record else records
        lacking = f"{rows} {absence}"
        without = f"{records} with no value of the {phrases.value(index, gap.column)}"
    if gap.form != GROUPS:
        taken_in, kept = f"counting {lacking} as zero", "count as zero"
    else:
        own = "as a group of their own" if len(step.keys) == 1 else "in groups of their own"
        taken_in, kept = f"keeping {lacking} {own}", f"are kept, {own}"
    without = capitalised(without)
    texts = {
        LEFT_OUT: (f"{value}, leaving out {lacking}", f"{without} are left out."),
        TAKEN_IN: (f"{value}, {taken_in}", f"{without} {kept}."),
    }
    (a, meaning_a), (b, meaning_b) = texts[occurrence.taken], texts[edit.side]
    stated = () if gap.condition is None else (gap.condition,)
    return ChoiceWording(
        index,
        gap.output,
        a,
        b,
        value,
        meaning_a,
        meaning_b,
        stated,
        names_rows=gap.counted is not None,
    )


_LACKING = r"(?:without|with\ no|ha(?:s|ve)\ no|missing|lacking|unknown)\b(?!\ (?:any\ )?such\b)"

_CUES = {
    LEFT_OUT: re.compile(
        rf"""
        \b(?:leav\w+\ out|ignor\w+|exclud\w+|omit\w*|skip\w*|drop\w*)
            \ (?!those\b|(?:the\ )?ties\b)(?:the\ |all\ )?[\w'-]+(?:\ [\w'-]+){{0,6}}?\ {_LACKING}
        | \b{_LACKING}[^.;,]*?\b(?:left\ out|ignored|excluded|dropped|skipped|omitted)\b
        | \bno\ group\ for\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    TAKEN_IN: re.compile(
        rf"""
        \bgroups?\ of\ (?:its|their)\ own\b | \b(?:its|their)\ own\ groups?\b
        | \b{_LACKING}[^.;,]*?\b(?:as|for|with|to)\ (?:a\ )?(?:zeros?|0)\b
        | \b(?:zero|0)\ (?:for|where|when)\ [^.;,]*?\b{_LACKING}
        | \b(?:includ|keep)\w*\ [^.;,]*?\b{_LACKING}
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the choice for; see `ChoiceModule.settled_by`.

    "Leaving out those without" settles nothing: so requests say what is left out in any case.
    """
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))


def _gap(occurrence: Occurrence, structure: Structure, catalogue: Catalogue) -> _Gap | None:
    step = structure.steps[structure.index(occurrence.step)]
    return next((gap for gap in _gaps(step, catalogue) if gap.detail == occurrence.detail), None)


def _childless(
    counted: CountedEntities, catalogue: Catalogue, run: Callable[[str], Outcome]
) -> Opportunity:
    outcome = run(emit(childless(counted, catalogue.engine), catalogue.engine))
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The entities cannot be counted: {outcome.message}")
    entities, alone = (cell if isinstance(cell, int) else 0 for cell in outcome.rows[0])
    table = counted.relationship.parent
    name = f"{counted.key.table}.{counted.key.column}"
    measured = f"{alone} of {entities} rows of {table} are in no {name}"
    if alone > MOST_WITHOUT_ROWS * entities:
        return Opportunity(False, f"{measured}: a count that is zero for nearly all says nothing.")
    return Opportunity(alone > 0, f"{measured}.")


def _gaps(step: Step, catalogue: Catalogue) -> Iterator[_Gap]:
    """Yield what is missing in rows of tables of which a step computes one value a group."""
    if not reads_tables(step) or step.distinct or step.group_conditions:
        return
    computed = [
        at
        for at, each in enumerate(step.outputs)
        if holds_aggregate(each.value) and not isinstance(each.value, Rank)
    ]
    if len(computed) != 1:
        return
    [output] = computed
    value = step.outputs[output].value
    if not isinstance(value, Aggregate) or not isinstance(value.argument, ColumnValue | None):
        # Of a ratio the words must say how it is averaged, which is another choice.
        return
    for key in step.keys:
        condition = presence_condition(step, key)
        if isinstance(key, ColumnValue) and condition is not None:
            yield _Gap(GROUPS, key, output, condition)
    counted = counted_entities(step, value, catalogue)
    if counted is not None:
        yield _Gap(ENTITIES, counted.key, output, counted=counted)
    averaged = value.argument
    if value.function is not AggregateFunction.AVERAGE or averaged is None:
        return
    column, condition = column_of(catalogue, averaged), presence_condition(step, averaged)
    if column is None or (condition is None and is_compared(step, averaged)):
        return
    # Nobody takes zero for a height: it must be one of the amounts that there are.
    if column.profile.missing and column.profile.zero and column.summable:
        yield _Gap(CELLS, averaged, output, condition)


def _opened(select: exp.Select, gap: _Gap) -> bool:
    """Take the gap's condition out of a step's SELECT; say whether that could be done."""
    return gap.condition is None or without_presence(select, gap.column)


def _unsound(structure: Structure, index: int, gap: _Gap) -> Refusal | None:
    """Say why rows cannot be let in: no words leave it open, or other steps would not follow."""
    own = structure.steps[index]
    others = [each for each in own.keys if each != gap.column]
    if gap.form == GROUPS and any(presence_condition(own, each) for each in others):
        # "Leaving out those without a league, for each league and park" keeps all without a park.
        return Refusal(
            "What has no value of another key is left out in so many words: silence on this one "
            "would mean that it is kept."
        )
    for at, step in enumerate(structure.steps):
        if at != index and any(isinstance(each, TableSource) for each in step.sources):
            return Refusal("Another step reads tables too: the same rows would stay out of it.")
        if gap.form != GROUPS:
            continue
        used: list[Expression | None] = []
        for condition in (on for join in step.joins for on in join.on):
            used += compared(condition)
        if at != index:
            values = [each.value for each in step.outputs]
            used += [each.argument for each in values if isinstance(each, Aggregate)]
        if any(_origin(structure, each) == gap.column for each in used if each is not None):
            return Refusal("A later step uses the key, which leaves out what has none once more.")
    return None


def _origin(structure: Structure, value: Expression) -> Expression:
    while isinstance(value, StepValue):
        value = structure.steps[value.step].outputs[value.output].value
    return value
