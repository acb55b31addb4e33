"""Aggregation level: each part is worked out first and then averaged, or all rows are pooled.

The type is bounded as in the paper's Table S7. It has two forms here: the mean of ratios against
the ratio of the means (Equation 1), and the mean of groups' means against the mean over all their
rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.base_steps import (
    always_there,
    named_steps,
    never_zero,
    numbers_alone,
    reads_tables,
    same_rows,
)
from specbridge_pipeline.choices.choice import (
    ChoiceWording,
    Edit,
    Occurrence,
    Opportunity,
    Phrases,
    Refusal,
)
from specbridge_pipeline.choices.english import listed, row_word
from specbridge_pipeline.choices.statement import Statement, emit, read_statement
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Expression,
    Literal,
    Rank,
    Step,
    StepSource,
    StepValue,
    Structure,
)
from specbridge_pipeline.sql.engines import rules_of

EACH_FIRST = "each_first"
POOLED = "pooled"

RATIOS = "ratios"
"""`detail` of an occurrence in which ratios are averaged, or averages divided."""
GROUPS = "groups"
"""`detail` of an occurrence in which groups' averages are averaged, or all their rows."""

choice_type: ChoiceType = ChoiceType.AGGREGATION_LEVEL
sides: tuple[str, str] = (EACH_FIRST, POOLED)
convention: str | None = None


@dataclass(frozen=True, slots=True)
class _Ratio:
    """An average of ratios or a ratio of averages, by its columns."""

    side: str
    numerator: ColumnValue
    denominator: ColumnValue


@dataclass(frozen=True, slots=True)
class _Levels:
    """An average that can be taken of rows, or of the averages of finer groups of these rows.

    Attributes:
        side: Which of them the step takes.
        finer: Index of the step that has the finer groups.
        value: Position of their averages among its outputs.
        measure: The column that is averaged.
        parts: The keys that only the finer groups have.
    """

    side: str
    finer: int
    value: int
    measure: ColumnValue
    parts: tuple[ColumnValue, ...]


def occurrences(sql: str, structure: Structure, catalogue: Catalogue) -> tuple[Occurrence, ...]:
    """Find averages of ratios and of averages; see `ChoiceModule.occurrences`."""
    found = []
    for index, step in named_steps(structure):
        for position, output in enumerate(step.outputs):
            ratio = _ratio(step, output.value)
            if ratio is not None:
                found.append(Occurrence(choice_type, step.name, position, ratio.side, RATIOS))
            levels = _levels(structure, index, position)
            if levels is not None:
                found.append(Occurrence(choice_type, step.name, position, levels.side, GROUPS))
    return tuple(found)


def opportunity(
    occurrence: Occurrence,
    sql: str,
    structure: Structure,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
) -> Opportunity:
    """Compare both averages, or the sizes of the groups; see `ChoiceModule.opportunity`."""
    statement = read_statement(sql, catalogue.engine)
    if statement is None or occurrence.output is None:
        return Opportunity(False, "The step cannot be measured by itself.")
    if occurrence.detail == RATIOS:
        return _ratios_differ(occurrence, structure, statement, run)
    return _groups_differ(occurrence, structure, statement, run)


def edit(
    occurrence: Occurrence, sql: str, structure: Structure, catalogue: Catalogue
) -> Edit | Refusal:
    """Average at the other level; see `ChoiceModule.edit`."""
    statement = read_statement(sql, catalogue.engine)
    if statement is None or occurrence.output is None:
        return Refusal("The query is not written as steps, each of them one SELECT.")
    if occurrence.detail == RATIOS:
        edited = _edit_ratio(occurrence, structure, statement, catalogue)
    else:
        edited = _edit_levels(occurrence, structure, statement, catalogue)
    if isinstance(edited, Refusal):
        return edited
    return Edit(occurrence, edited.sql(), POOLED if occurrence.taken == EACH_FIRST else EACH_FIRST)


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word the average; see `ChoiceModule.wording`."""
    occurrence = edit.occurrence
    index = structure.index(occurrence.step)
    if occurrence.detail == RATIOS:
        texts, left_open = _ratio_words(structure, index, occurrence, catalogue, phrases)
    else:
        texts, left_open = _level_words(structure, index, occurrence, catalogue, phrases)
    (a, meaning_a), (b, meaning_b) = texts[occurrence.taken], texts[edit.side]
    return ChoiceWording(index, occurrence.output, a, b, left_open, meaning_a, meaning_b)


_CUES = {
    EACH_FIRST: re.compile(
        r"""
        \b(?:average|mean)\ (?:over|across|of)\ (?:all\ )?(?:the\ )?(?:[\w-]+\ ){1,4}
            of\ (?:each|every)\ [\w-]+(?:\ [\w-]+){0,2}(?:'s|s')
        | \b(?:average|mean)\ (?:over|across)\ (?:[\w-]+\ ){1,4}
            of\ (?:the|their|its)\ (?:[\w-]+\ ){0,2}(?:averages|means|ratios|rates)\b
        | \b(?:average|mean)\ of\ (?:each|every|all|the|these|those)?\ ?
            (?:[\w-]+(?:'s|s')?\ ){0,5}(?:averages?|means?|ratios?|rates?|quotients?)\b
        | \baverag(?:e|es|ed|ing)\ (?:the\ |these\ |those\ )?(?:[\w-]+(?:'s|s')?\ ){0,3}
            (?:averages|means|ratios|rates|quotients)\b
        | \bunweighted\b | \bmean\ of\ (?:the\ )?ratios\b
        | \b(?:work\w*\ out|comput\w+|calculat\w+|averag\w+|divid\w+)\b[^.;]{0,70}
            \b(?:first|then\ averag\w+|before\ averaging)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    POOLED: re.compile(
        r"""
        \bdivided\ by\ (?:the\ |their\ |its\ )?(?:average|mean|total|sum)\b
        | \bdivid\w+\ the\ (?:average|mean|total|sum)\b
        | \btotal\ (?:[\w-]+\ ){1,4}(?:over|per|by)\ total\b
        | \bratio\ of\ (?:the\ )?(?:averages|means|totals|sums)\b
        | \b(?:average|averaged|averages|averaging|mean)\b[^.;]{0,60}\b(?:over|across)\ all\b
            (?![^.;,]*\b(?:averages|means|ratios|rates)\b)
        | \bpooled\b | \bpooling\b | (?<!un)\bweighted\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the level for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))


def _ratio(step: Step, value: Expression) -> _Ratio | None:
    if not reads_tables(step):
        return None
    if (
        isinstance(value, Aggregate)
        and value.function is AggregateFunction.AVERAGE
        and isinstance(value.argument, Arithmetic)
        and value.argument.operator == "/"
        and not value.argument.whole
    ):
        numerator, denominator = _bare(value.argument.left), value.argument.right
        if isinstance(numerator, ColumnValue) and isinstance(denominator, ColumnValue):
            return _Ratio(EACH_FIRST, numerator, denominator)
    if isinstance(value, Arithmetic) and value.operator == "/":
        averaged, divided = _averaged(value.left), _averaged(value.right)
        if averaged is not None and divided is not None:
            return _Ratio(POOLED, averaged, divided)
    return None


def _bare(value: Expression) -> Expression:
    """Return a value without the factor 1.0 that keeps the fraction of a division."""
    if isinstance(value, Arithmetic) and value.operator == "*":
        if value.left == Literal(1.0):
            return value.right
        if value.right == Literal(1.0):
            return value.left
    return value


def _averaged(value: Expression) -> ColumnValue | None:
    if (
        isinstance(value, Aggregate)
        and value.function is AggregateFunction.AVERAGE
        and isinstance(value.argument, ColumnValue)
    ):
        return value.argument
    return None


def _levels(structure: Structure, index: int, position: int) -> _Levels | None:
    step = structure.steps[index]
    value = step.outputs[position].value
    if not isinstance(value, Aggregate) or value.function is not AggregateFunction.AVERAGE:
        return None
    if not _only_keys_beside(step, position) or step.group_conditions or step.distinct:
        return None
    if isinstance(value.argument, StepValue):
        return _averaged_groups(structure, step, value.argument)
    if isinstance(value.argument, ColumnValue) and reads_tables(step):
        return _averaged_rows(structure, index, value.argument)
    return None


def _only_keys_beside(step: Step, position: int) -> bool:
    """Say whether a step returns, beside one value, its keys and at most its place by the value."""
    value = step.outputs[position].value
    return all(
        at == position
        or output.value in step.keys
        or (
            isinstance(output.value, Rank)
            and not output.value.partition
            and all(key.value == value or key.value in step.keys for key in output.value.order)
        )
        for at, output in enumerate(step.outputs)
    )


def _averaged_groups(structure: Structure, step: Step, averaged: StepValue) -> _Levels | None:
    if step.sources != (StepSource(averaged.step),) or step.conditions:
        return None
    finer = structure.steps[averaged.step]
    measure = _averaged(finer.outputs[averaged.output].value)
    if measure is None or not _plain_groups(finer):
        return None
    kept = []
    for key in step.keys:
        if not isinstance(key, StepValue) or key.step != averaged.step:
            return None
        kept.append(finer.outputs[key.output].value)
    if any(key not in finer.keys for key in kept):
        return None
    parts = tuple(key for key in finer.keys if key not in kept and isinstance(key, ColumnValue))
    if not parts or len(parts) + len(set(kept)) != len(finer.keys):
        return None
    return _Levels(EACH_FIRST, averaged.step, averaged.output, measure, parts)


def _averaged_rows(structure: Structure, index: int, measure: ColumnValue) -> _Levels | None:
    """Find an earlier step that averages the same column of the same rows in finer groups."""
    step = structure.steps[index]
    for at, finer in enumerate(structure.steps[:index]):
        if not finer.name or not same_rows(step, finer) or not _plain_groups(finer):
            continue
        returned = {output.value for output in finer.outputs}
        if any(key not in finer.keys or key not in returned for key in step.keys):
            continue
        parts = tuple(
            key for key in finer.keys if key not in step.keys and isinstance(key, ColumnValue)
        )
        if not parts or len(parts) + len(step.keys) != len(finer.keys):
            continue
        for position, output in enumerate(finer.outputs):
            if _averaged(output.value) == measure:
                return _Levels(POOLED, at, position, measure, parts)
    return None


def _plain_groups(step: Step) -> bool:
    """Say whether a step returns one row for each group of its rows and leaves none out."""
    return (
        reads_tables(step)
        and bool(step.keys)
        and not step.group_conditions
        and not step.distinct
        and step.limit is None
        and not step.offset
    )


def _edit_ratio(
    occurrence: Occurrence, structure: Structure, statement: Statement, catalogue: Catalogue
) -> Statement | Refusal:
    step = structure.steps[structure.index(occurrence.step)]
    position, select = occurrence.output or 0, statement.select(occurrence.step)
    ratio = _ratio(step, step.outputs[position].value)
    if ratio is None or select is None:
        return Refusal("The step is not written as one SELECT with an average of columns.")
    for value in (ratio.numerator, ratio.denominator):
        if not always_there(step, value, catalogue):
            return Refusal(
                f"{value.table}.{value.column} is missing in some rows: which of them enter the "
                "average would be a second difference."
            )
        if not numbers_alone(value, catalogue):
            return Refusal(f"{value.table}.{value.column} does not hold numbers alone.")
    if not never_zero(step, ratio.denominator, catalogue):
        return Refusal(
            f"{ratio.denominator.table}.{ratio.denominator.column} is zero in some rows: their "
            "ratios are missing, and leaving them out would be a second difference."
        )
    old = select.expressions[position].unalias().copy()
    columns = _ratio_columns(old)
    if columns is None or sum(item.unalias() == old for item in select.expressions) > 1:
        return Refusal("The step does not write the average as one quotient of two columns.")
    new: exp.Expr
    if ratio.side == POOLED:
        new = exp.Avg(this=_divided(*columns, statement.engine))
    else:
        new = _divided(exp.Avg(this=columns[0]), exp.Avg(this=columns[1]), statement.engine)
    _replace_everywhere(select, old, new)
    return statement.with_step(occurrence.step, select)


def _divided(numerator: exp.Expr, denominator: exp.Expr, engine: Engine) -> exp.Expr:
    """Return the division of two columns, or of two averages of columns, with its fraction."""
    rules = rules_of(engine)
    sides = [emit(each, engine) for each in (numerator, denominator)]
    # The engine's parser knows how its engine divides; a tree made by hand would get casts.
    if isinstance(numerator, exp.Avg):
        return sqlglot.parse_one(" / ".join(sides), read=rules.dialect)
    return sqlglot.parse_one(rules.divided(*sides), read=rules.dialect)


def _ratio_columns(value: exp.Expr) -> tuple[exp.Column, exp.Column] | None:
    quotient = value.find(exp.Div)
    if quotient is None:
        return None
    numerator, denominator = quotient.this.find(exp.Column), quotient.expression.find(exp.Column)
    if numerator is None or denominator is None:
        return None
    return numerator.copy(), denominator.copy()


def _replace_everywhere(select: exp.Select, old: exp.Expr, new: exp.Expr) -> None:
    """Put one expression in the place of another, also where it orders rows or ranks them."""
    for found in [each for each in select.find_all(type(old)) if each == old]:
        found.replace(new.copy())


def _edit_levels(
    occurrence: Occurrence, structure: Structure, statement: Statement, catalogue: Catalogue
) -> Statement | Refusal:
    index = structure.index(occurrence.step)
    levels = _levels(structure, index, occurrence.output or 0)
    if levels is None:
        return Refusal("The step averages neither rows nor the averages of their groups.")
    finer = structure.steps[levels.finer]
    inner, select = statement.select(finer.name), statement.select(occurrence.step)
    if inner is None or select is None or not finer.name:
        return Refusal("The query is not written as steps, each of them one SELECT.")
    for value in (levels.measure, *(key for key in finer.keys if isinstance(key, ColumnValue))):
        if not always_there(finer, value, catalogue):
            return Refusal(
                f"{value.table}.{value.column} is missing in some rows: whether they count would "
                "be a second difference."
            )
    if not numbers_alone(levels.measure, catalogue):
        return Refusal(
            f"{levels.measure.table}.{levels.measure.column} does not hold numbers alone."
        )
    if levels.side == EACH_FIRST:
        return _pool(occurrence.step, finer, inner, select, statement)
    return _average_groups(occurrence.step, finer, inner, select, statement, levels)


def _pool(
    name: str, finer: Step, inner: exp.Select, select: exp.Select, statement: Statement
) -> Statement | Refusal:
    """Let a step average the rows whose groups' averages it averaged."""
    written = {
        item.alias_or_name.lower(): item.unalias().args.get("this")
        if isinstance(item.unalias(), exp.Avg)
        else item.unalias()
        for item in inner.expressions
    }
    _rename(select, written)
    for part in ("from_", "joins", "where"):
        taken = inner.args.get(part)
        select.set(part, [each.copy() for each in taken] if isinstance(taken, list) else taken)
    changed = statement.with_step(name, select)
    # A step that no other reads any more would stay as a riddle to the reader.
    return changed if changed.readers(finer.name) else changed.without(finer.name)


def _average_groups(
    name: str,
    finer: Step,
    inner: exp.Select,
    select: exp.Select,
    statement: Statement,
    levels: _Levels,
) -> Statement | Refusal:
    """Let a step average the averages of groups that an earlier step has computed."""
    returned = {output.value: output.name for output in finer.outputs}
    renamed: dict[str, exp.Expr] = {}
    for item, output in zip(inner.expressions, finer.outputs, strict=True):
        if isinstance(output.value, ColumnValue) and output.value in returned:
            renamed[item.unalias().sql().lower()] = exp.column(exp.to_identifier(output.name))
    measure = inner.expressions[levels.value].find(exp.Column)
    if measure is None:
        return Refusal("The finer step does not average a column.")
    average = exp.column(exp.to_identifier(finer.outputs[levels.value].name))
    for call in list(select.find_all(exp.Avg)):
        if call.this == measure:
            call.set("this", average.copy())
    aliases = {item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)}
    for found in list(select.find_all(exp.Column)):
        if found == average or found.find_ancestor(exp.Join, exp.Where) is not None:
            continue
        if not found.table and found.name.lower() in aliases:
            continue
        new = renamed.get(found.sql().lower())
        if new is None:
            return Refusal(f"The step uses {found.sql()}, which the finer groups do not return.")
        found.replace(new.copy())
    select.set("from_", exp.From(this=exp.to_table(finer.name)))
    select.set("joins", None)
    select.set("where", None)
    return statement.with_step(name, select)


def _rename(select: exp.Select, written: dict[str, exp.Expr]) -> None:
    """Put expressions in the place of the names of an earlier step's outputs; keep output names."""
    names = [item.alias_or_name for item in select.expressions]
    aliases = {item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)}
    for found in list(select.find_all(exp.Column)):
        inside_order = found.find_ancestor(exp.Order) is not None
        inside_window = found.find_ancestor(exp.Window) is not None
        if inside_order and not inside_window and not found.table and found.name.lower() in aliases:
            continue
        new = written.get(found.name.lower())
        if new is not None:
            found.replace(new.copy())
    items = [
        item if item.alias_or_name == wanted else exp.alias_(item.unalias(), wanted)
        for item, wanted in zip(select.expressions, names, strict=True)
    ]
    select.set("expressions", items)


def _ratios_differ(
    occurrence: Occurrence,
    structure: Structure,
    statement: Statement,
    run: Callable[[str], Outcome],
) -> Opportunity:
    select = statement.select(occurrence.step)
    columns = None
    if select is not None:
        columns = _ratio_columns(select.expressions[occurrence.output or 0].unalias())
    if select is None or columns is None:
        return Opportunity(False, "The step cannot be measured by itself.")
    engine = statement.engine
    rules = rules_of(engine)
    numerator, denominator = (emit(each, engine) for each in columns)
    for part in ("order", "limit", "having"):
        select.set(part, None)
    select.set("expressions", [])
    select = select.select(
        f"AVG({rules.divided(numerator, denominator)}) AS x",
        f"AVG({numerator}) / AVG({denominator}) AS y",
        dialect=rules.dialect,
    )
    outcome = run(
        "SELECT COUNT(*), COUNT(CASE WHEN ABS(x - y) > 1e-9 * ABS(y) THEN 1 END), "
        "MAX(ABS(x - y) / NULLIF(ABS(y), 0)) "
        f"FROM ({emit(select, engine)}) AS specbridge_groups"
    )
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The averages cannot be compared: {outcome.message}")
    groups, differing, largest = outcome.rows[0]
    apart = f", by at most {100 * largest:.3g} %" if isinstance(largest, float) else ""
    return Opportunity(
        bool(differing),
        f"The mean of the ratios and the ratio of the means differ in {differing or 0!r} of "
        f"{groups!r} groups{apart}.",
    )


def _groups_differ(
    occurrence: Occurrence,
    structure: Structure,
    statement: Statement,
    run: Callable[[str], Outcome],
) -> Opportunity:
    levels = _levels(structure, structure.index(occurrence.step), occurrence.output or 0)
    inner = None if levels is None else statement.select(structure.steps[levels.finer].name)
    if inner is None:
        return Opportunity(False, "The step cannot be measured by itself.")
    for part in ("order", "limit"):
        inner.set(part, None)
    inner.set("expressions", [exp.alias_(exp.Count(this=exp.Star()), "n")])
    listed_groups = emit(inner, statement.engine)
    outcome = run(f"SELECT COUNT(*), MIN(n), MAX(n) FROM ({listed_groups}) AS specbridge_groups")
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The groups cannot be counted: {outcome.message}")
    groups, smallest, largest = outcome.rows[0]
    matters = smallest is not None and smallest != largest
    return Opportunity(matters, f"{groups!r} groups have from {smallest!r} to {largest!r} rows.")


def _ratio_words(
    structure: Structure,
    index: int,
    occurrence: Occurrence,
    catalogue: Catalogue,
    phrases: Phrases,
) -> tuple[dict[str, tuple[str, str]], str]:
    step = structure.steps[index]
    ratio = _ratio(step, step.outputs[occurrence.output or 0].value)
    assert ratio is not None
    numerator = catalogue.column(ratio.numerator.table, ratio.numerator.column).phrase
    column = catalogue.column(ratio.denominator.table, ratio.denominator.column)
    denominator, unit = column.phrase, column.singular
    record, records = phrases.source(index)
    rate = f"{numerator} per {unit}"
    texts = {
        EACH_FIRST: (
            f"the average {rate}, worked out for each {record} first",
            f"The {rate} is worked out for each {record} first, and these ratios are averaged.",
        ),
        POOLED: (
            f"the average {numerator} divided by the average {denominator}",
            f"The average {numerator} is divided by the average {denominator}, so that {records} "
            f"with more {denominator.removeprefix('number of ')} weigh more.",
        ),
    }
    return texts, f"the average {rate}"


def _level_words(
    structure: Structure,
    index: int,
    occurrence: Occurrence,
    catalogue: Catalogue,
    phrases: Phrases,
) -> tuple[dict[str, tuple[str, str]], str]:
    levels = _levels(structure, index, occurrence.output or 0)
    assert levels is not None
    finer = structure.steps[levels.finer]
    value = phrases.value(levels.finer, finer.outputs[levels.value].value)
    record, records = phrases.source(levels.finer)
    columns = [catalogue.column(part.table, part.column) for part in levels.parts]
    parts = [column.singular for column in columns]
    parts_of = columns[0].plural if len(columns) == 1 else f"combinations of {listed(parts)}"
    each = parts[0] if len(parts) == 1 else f"combination of {listed(parts)}"
    whose = f"each {each}'s {value}" if len(parts) == 1 else f"the {value} of each {each}"
    part = parts[0] if len(parts) == 1 else "combination"
    texts = {
        EACH_FIRST: (
            f"the average of {whose}, so that every {part} counts once",
            f"The {value} of each {each} is worked out first, and these averages are averaged, so "
            f"that every {part} counts once however many {records} it has.",
        ),
        POOLED: (
            f"the {value} over all {records}, so that every {row_word(record)} counts once",
            f"The {value} is taken over all {records} at once, so that {parts_of} with more "
            f"{records} weigh more.",
        ),
    }
    # Where the finer groups' values are returned or compared they are named beside the average;
    # elsewhere the open request must name the parts, or nobody would think of them.
    is_named = any(
        StepSource(levels.finer) in step.sources
        for at, step in enumerate(structure.steps)
        if at != index
    )
    across = "" if is_named else f" across {parts_of}"
    return texts, f"the {value}{across}"
