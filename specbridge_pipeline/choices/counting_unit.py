"""Counting unit: every row counts, or each entity that the rows refer to counts once.

The paper, Figure 4 and Table S7: COUNT(*) against COUNT(DISTINCT entity).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from specbridge_pipeline.catalogue.model import Catalogue, Role
from specbridge_pipeline.choices.base_steps import (
    always_there,
    column_of,
    named_steps,
    reads_tables,
)
from specbridge_pipeline.choices.choice import (
    ChoiceWording,
    Edit,
    Occurrence,
    Opportunity,
    Phrases,
    Refusal,
)
from specbridge_pipeline.choices.english import row_word
from specbridge_pipeline.choices.statement import emit, read_statement
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    ColumnValue,
    Comparison,
    Literal,
    Step,
    Structure,
    TableSource,
)
from specbridge_pipeline.query_generation.data_checks import MOST_ROWS_OF_ONE

ROWS = "rows"
ENTITIES = "entities"

choice_type: ChoiceType = ChoiceType.COUNTING_UNIT
sides: tuple[str, str] = (ROWS, ENTITIES)
convention: str | None = ROWS


def occurrences(sql: str, structure: Structure, catalogue: Catalogue) -> tuple[Occurrence, ...]:
    """Find counts of rows that refer to entities; see `ChoiceModule.occurrences`."""
    found = []
    for _, step in named_steps(structure):
        if not reads_tables(step) or step.distinct:
            continue
        candidates = {_detail(value): value for value in entity_columns(step, catalogue)}
        for position, output in enumerate(step.outputs):
            value = output.value
            if not isinstance(value, Aggregate):
                continue
            if value.function is AggregateFunction.COUNT_ROWS:
                found += [
                    Occurrence(choice_type, step.name, position, ROWS, detail)
                    for detail, candidate in candidates.items()
                    if candidate not in _fixed(step)
                    and not _is_repeated(candidate, step)
                    and _can_stand_for_rows(candidate, step, catalogue)
                ]
            elif value.function is AggregateFunction.COUNT_DISTINCT:
                argument = value.argument
                if (
                    isinstance(argument, ColumnValue)
                    and _detail(argument) in candidates
                    and _can_stand_for_rows(argument, step, catalogue)
                ):
                    detail = _detail(argument)
                    found.append(Occurrence(choice_type, step.name, position, ENTITIES, detail))
    return tuple(found)


def entity_columns(step: Step, catalogue: Catalogue) -> Iterator[ColumnValue]:
    """Yield the columns of a step's tables that refer to entities which rows have in common.

    They are identifiers, or refer to another table by themselves, and repeat. A table's own key
    does not repeat; that of a joined parent does, and names the same entities as the child's
    column that refers to it, which is preferred.

    Args:
        step: A step that reads tables.
        catalogue: The database.

    Yields:
        The columns, those of the first table first.
    """
    joined = _joined_twins(step)
    for position, source in enumerate(step.sources):
        if not isinstance(source, TableSource):
            continue
        table = catalogue.table(source.table)
        referring = {
            each.child_columns[0].lower()
            for each in catalogue.relationships_of(table.name)
            if len(each.child_columns) == 1
        }
        for column in table.columns:
            value = ColumnValue(position, table.name, column.name)
            refers = column.name.lower() in referring
            if not refers and column.role is not Role.IDENTIFIER:
                continue
            repeats = column.profile.distinct < table.rows - column.profile.missing
            if (repeats and column.profile.distinct > 1) or _twin_repeats(value, joined, catalogue):
                yield value


def opportunity(
    occurrence: Occurrence,
    sql: str,
    structure: Structure,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
) -> Opportunity:
    """Count rows and entities in each group; see `ChoiceModule.opportunity`.

    The choice matters where both counts differ, yet lie near enough for one phrase to mean either.
    """
    statement = read_statement(sql, catalogue.engine)
    select = None if statement is None else statement.select(occurrence.step)
    entity = _entity_node(occurrence, structure, select)
    if select is None or entity is None:
        return Opportunity(False, "The step cannot be counted by itself.")
    for part in ("order", "limit", "having"):
        select.set(part, None)
    rows, entities = exp.Count(this=exp.Star()), _count_distinct(entity)
    select.set("expressions", [exp.alias_(rows, "n"), exp.alias_(entities, "d")])
    outcome = run(
        "SELECT COUNT(*), COUNT(CASE WHEN n <> d THEN 1 END), SUM(n), SUM(d), MAX(d) FROM "
        f"({emit(select, catalogue.engine)}) AS specbridge_groups"
    )
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The groups cannot be counted: {outcome.message}")
    figures = [cell if isinstance(cell, int) else 0 for cell in outcome.rows[0]]
    groups, differing, counted, different, largest = figures
    measured = (
        f"{counted} rows and {different} different values of {occurrence.detail} in {groups} "
        f"groups, {differing} of which differ"
    )
    if not differing:
        return Opportunity(False, f"{measured}: both counts are the same.")
    if largest == 1:
        return Opportunity(False, f"{measured}: no group has more than one, so none is counted.")
    if counted > MOST_ROWS_OF_ONE * different:
        apart = f"{counted / different:,.0f} rows for one value"
        return Opportunity(False, f"{measured}: {apart}, so no reader takes one for the other.")
    return Opportunity(True, f"{measured}.")


def edit(
    occurrence: Occurrence, sql: str, structure: Structure, catalogue: Catalogue
) -> Edit | Refusal:
    """Count entities for rows, or rows for entities; see `ChoiceModule.edit`."""
    index = structure.index(occurrence.step)
    step, position = structure.steps[index], occurrence.output
    statement = read_statement(sql, catalogue.engine)
    select = None if statement is None else statement.select(occurrence.step)
    node = _entity_node(occurrence, structure, select)
    entity = _entity(occurrence, step)
    if statement is None or select is None or node is None or entity is None or position is None:
        return Refusal("The step is not written as one SELECT that counts.")
    if not always_there(step, entity, catalogue):
        return Refusal(
            f"{occurrence.detail} is missing in some rows: leaving them out would be a second "
            "difference."
        )
    column = column_of(catalogue, entity)
    if column is None or _same_name(column.plural, catalogue, step):
        return Refusal(
            f"{occurrence.detail} has the name of the rows: words cannot tell them apart."
        )
    old = select.expressions[position].unalias().copy()
    if sum(item.unalias() == old for item in select.expressions) > 1:
        return Refusal("The step returns the same count twice: an edit would change both.")
    if occurrence.taken == ROWS:
        side, new = ENTITIES, _count_distinct(node)
    else:
        side, new = ROWS, exp.Count(this=exp.Star(), big_int=True)
    if any(output == step.outputs[position] for output in step.outputs[:position]):
        return Refusal("The step returns the same count twice: an edit would change both.")
    # The same count may also order the rows, or give them their places.
    for found in [each for each in select.find_all(exp.Count) if each == old]:
        found.replace(new.copy())
    return Edit(occurrence, statement.with_step(occurrence.step, select).sql(), side)


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word what is counted; see `ChoiceModule.wording`."""
    occurrence = edit.occurrence
    index = structure.index(occurrence.step)
    record, records = phrases.source(index)
    table, name = occurrence.detail.split(".", 1)
    column = catalogue.column(table, name)
    one, many = column.singular, column.plural
    texts = {
        ROWS: (
            f"the number of {records}, counting every {row_word(record)}",
            f"Every {record} is counted, one and the same {one} once for each {record}.",
        ),
        ENTITIES: (
            f"the number of different {many}, counting each {one} only once",
            f"The different {many} are counted, each {one} only once.",
        ),
    }
    (a, meaning_a), (b, meaning_b) = texts[occurrence.taken], texts[edit.side]
    # The rows are named by what all three requests share.
    left_open = f"the number of {many}"
    return ChoiceWording(index, occurrence.output, a, b, left_open, meaning_a, meaning_b)


_ROW = "record|row|entry|appearance|occurrence"
_ROWS = "records|rows|entries|appearances|occurrences"
_NO_PREPOSITION = r"(?!(?:in|of|from|among|with|on|for|by|to|that|whose|the|who)\b)"

_CUES = {
    ROWS: re.compile(
        rf"""
        \bcount(?:ing|ed|s)?\ (?:every|each|all)\b(?:\ [\w'-]+){{1,4}}?(?=[,.;?)]|$|\ and\b|\ in\b
            |\ for\b|\ separately\b)(?<!\bonce)
        | \bcount(?:ing|ed|s)?\ (?:a|an|the\ same|the|each|every)\ (?:[\w'-]+\ ){{1,3}}
            (?:again|as\ often\ as|as\ many\ times|every\ time|each\ time|repeatedly)
        | \b(?:number|count|total)\ of\ (?:all\ )?(?:{_NO_PREPOSITION}[\w'-]+\ ){{0,3}}(?:{_ROWS})\b
        | \bhow\ many\ (?:{_NO_PREPOSITION}[\w'-]+\ ){{0,3}}(?:{_ROWS})\b
        | \bonce\ (?:for|per)\ (?:each|every)\ (?:[\w'-]+\ )?(?:{_ROW})\b
        | \bwith(?:out\ removing)?\ (?:the\ )?(?:repeats|duplicates)\b
        | \bnot\ (?:distinct|different|unique)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    ENTITIES: re.compile(
        r"""
        (?<!\bnot\ )\b(?:distinct|unique|deduplicated)\b
        | (?<!\ba\ )(?<!\bnot\ )\bdifferent\b(?!\ (?:from|than|way|answer|calculation)s?\b)
        | \b(?:only|just)\ once\b(?!\ (?:for|per|in)\b)
        | \bcount(?:ing|ed|s)?\ (?:each|every)\ (?:[\w'-]+\ ){1,4}once\b(?!\ (?:for|per)\b)
        | \b(?:no\ matter|regardless\ of|however)\ (?:how\ )?(?:often|many)\b[^.;]*\bonce\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the count for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))


def _detail(value: ColumnValue) -> str:
    return f"{value.table}.{value.column}"


def _entity(occurrence: Occurrence, step: Step) -> ColumnValue | None:
    """Return the column that an occurrence counts, at the first source that has it."""
    table, column = occurrence.detail.split(".", 1)
    if occurrence.taken == ENTITIES and occurrence.output is not None:
        value = step.outputs[occurrence.output].value
        if isinstance(value, Aggregate) and isinstance(value.argument, ColumnValue):
            return value.argument
        return None
    for position, source in enumerate(step.sources):
        if isinstance(source, TableSource) and source.table.lower() == table.lower():
            return ColumnValue(position, source.table, column)
    return None


def _entity_node(
    occurrence: Occurrence, structure: Structure, select: exp.Select | None
) -> exp.Column | None:
    """Return the entity's column as the step's SELECT writes it."""
    if select is None or select.args.get("from_") is None or occurrence.output is None:
        return None
    step = structure.steps[structure.index(occurrence.step)]
    entity = _entity(occurrence, step)
    if entity is None:
        return None
    if occurrence.taken == ENTITIES:
        found = select.expressions[occurrence.output].find(exp.Column)
        return found if isinstance(found, exp.Column) else None
    sources = [select.args["from_"].this, *(each.this for each in select.args.get("joins") or ())]
    qualifier = sources[entity.source].alias_or_name if len(sources) > 1 else None
    return exp.column(entity.column, table=qualifier)


def _count_distinct(column: exp.Column) -> exp.Count:
    return exp.Count(this=exp.Distinct(expressions=[column.copy()]), big_int=True)


def _fixed(step: Step) -> frozenset[ColumnValue]:
    """Return the columns that have one value in each group: keys, and those equal to a literal."""
    fixed = {key for key in step.keys if isinstance(key, ColumnValue)}
    for condition in step.conditions:
        if (
            isinstance(condition, Comparison)
            and condition.operator == "="
            and isinstance(condition.left, ColumnValue)
            and isinstance(condition.right, Literal)
        ):
            fixed.add(condition.left)
    twins = _joined_twins(step)
    return frozenset(fixed | {twins[value] for value in fixed if value in twins})


def _joined_twins(step: Step) -> dict[ColumnValue, ColumnValue]:
    """Return columns that a join makes equal, each with the other."""
    twins = {}
    for join in step.joins:
        for condition in join.on:
            if (
                isinstance(condition, Comparison)
                and condition.operator == "="
                and isinstance(condition.left, ColumnValue)
                and isinstance(condition.right, ColumnValue)
            ):
                twins[condition.left] = condition.right
                twins[condition.right] = condition.left
    return twins


def _is_repeated(value: ColumnValue, step: Step) -> bool:
    """Say whether an earlier source has a column that is equal to this one in every row."""
    twin = _joined_twins(step).get(value)
    return twin is not None and twin.source < value.source


def _twin_repeats(
    value: ColumnValue, joined: dict[ColumnValue, ColumnValue], catalogue: Catalogue
) -> bool:
    """Say whether a joined parent's key repeats, since the child's column equal to it does."""
    twin = joined.get(value)
    if twin is None:
        return False
    table, column = catalogue.table(twin.table), catalogue.column(twin.table, twin.column)
    return column.profile.distinct < table.rows - column.profile.missing


def _can_stand_for_rows(value: ColumnValue, step: Step, catalogue: Catalogue) -> bool:
    """Say whether somebody may count rows and call them by this entity.

    A row whose key is (player, year, team) is the player's: it passes for a player, and for a team
    only among the rows of one player. "The number of teams" of all players is never their number.
    """
    key = catalogue.table(value.table).key
    if value.column.lower() not in {name.lower() for name in key[1:]}:
        return True
    leads = catalogue.column(value.table, key[0])
    if leads.role is not Role.IDENTIFIER:
        return True
    return ColumnValue(value.source, value.table, leads.name) in _fixed(step)


def _same_name(plural: str, catalogue: Catalogue, step: Step) -> bool:
    return any(
        catalogue.table(source.table).plural.lower() == plural.lower()
        for source in step.sources[:1]
        if isinstance(source, TableSource)
    )
