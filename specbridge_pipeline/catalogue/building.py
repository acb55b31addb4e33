"""Building a database's catalogue: measured, judged by rules, corrected by what documents say."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from specbridge_pipeline.catalogue.column_context import ColumnContext
from specbridge_pipeline.catalogue.documents import ColumnMeaning, ColumnMeanings
from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    Evidence,
    Relationship,
    Role,
)
from specbridge_pipeline.catalogue.naming import (
    CODE_WORDS,
    IDENTIFIER_WORDS,
    column_noun,
    plural,
    row_noun,
    singular,
    words_of,
)
from specbridge_pipeline.catalogue.profiles import Run, measure_table
from specbridge_pipeline.catalogue.quantities import Measure, is_exposure, judge_measure
from specbridge_pipeline.catalogue.relationships import (
    Facts,
    find_key,
    find_relationships,
    referenced_columns,
)
from specbridge_pipeline.catalogue.roles import Judgement, judge
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.databases.schema import Schema, Table
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules

_logger = logging.getLogger(__name__)


def build_catalogue(
    database: str,
    schema: Schema,
    run: Run,
    *,
    meanings: ColumnMeanings | None = None,
    at_once: int = AT_ONCE,
) -> Catalogue:
    """Catalogue a database.

    Views are left out: they repeat rows of tables under other names.

    Args:
        database: Its registry id.
        schema: Its schema.
        run: Runs a query on it.
        meanings: What documents and the project's catalogue file say of it.
        at_once: How many tables, and then relationships, are measured at a time; `run` is called
            from as many threads.

    Returns:
        The catalogue; the same database and meanings always give the same one.

    Raises:
        CatalogueError: A query that measures it fails.
    """
    said = meanings or ColumnMeanings()
    for note in said.notes:
        _logger.warning("%s: %s", database, note)
    rules = rules_of(schema.engine)
    views = _views(schema, run, rules)
    tables = [table for table in schema.tables if table.name not in views and table.columns]
    referenced = referenced_columns(tables)
    facts = for_each(
        tables,
        lambda table: [_facts(table, tables, referenced, run, rules, at_once)],
        description=database,
        progress=None,
        at_once=at_once,
    )
    relationships = find_relationships(facts, run, rules, at_once=at_once)
    nouns = {each.table.name: _row_noun(each, relationships, said) for each in facts}
    return Catalogue(
        database,
        tuple(_table(each, relationships, nouns, said) for each in facts),
        relationships,
        schema.engine,
    )


def _views(schema: Schema, run: Run, rules: EngineRules) -> frozenset[str]:
    if rules.views is None:
        return frozenset(table.name for table in schema.tables if table.is_view)
    outcome = run(rules.views)
    # Where it cannot be asked, a view is catalogued like a table.
    if isinstance(outcome, QueryFailure):
        return frozenset()
    return frozenset(str(row[0]) for row in outcome.rows)


def _facts(
    table: Table,
    tables: Iterable[Table],
    referenced: Mapping[str, Collection[str]],
    run: Run,
    rules: EngineRules,
    at_once: int,
) -> Facts:
    measures = measure_table(table, run, rules, at_once=at_once)
    others = {row_noun(each.name, links=False)[0].lower() for each in tables if each is not table}
    of_table = referenced.get(table.name.lower(), ())
    return find_key(table, measures, of_table, run, rules, nouns=others)


def _row_noun(
    facts: Facts, relationships: Iterable[Relationship], said: ColumnMeanings
) -> tuple[str, str]:
    given = said.rows.get(facts.table.name.lower())
    if given is not None:
        return given
    if len(facts.key) == 1:
        # A document that writes the key out says what the table's short name stands for.
        phrase = said.of(facts.table.name, facts.key[0]).phrase
        if _names_key(phrase) and words_of(facts.key[0])[:-1] == words_of(facts.table.name):
            one = singular(phrase.rpartition(" ")[0])
            return one, plural(one)
    referring = {
        name
        for each in relationships
        if each.child == facts.table.name and len(each.child_columns) == 1
        for name in each.child_columns
    }
    links = len(facts.key) > 1 and set(facts.key) <= referring
    return row_noun(facts.table.name, links=links)


def _table(
    facts: Facts,
    relationships: tuple[Relationship, ...],
    nouns: dict[str, tuple[str, str]],
    said: ColumnMeanings,
) -> CatalogueTable:
    one, several = nouns[facts.table.name]
    own = [each for each in relationships if each.child == facts.table.name]
    columns = tuple(
        _column(facts, place, own, nouns, said.of(facts.table.name, column.name))
        for place, column in enumerate(facts.table.columns)
    )
    return CatalogueTable(
        name=facts.table.name,
        rows=facts.measures.rows,
        singular=one,
        plural=several,
        key=facts.key,
        key_evidence=facts.key_evidence,
        columns=columns,
        key_reason=facts.key_reason,
        entity=_entity(one, [each for each in columns if each.name in facts.key], facts.key),
    )


def _entity(row: str, columns: Iterable[CatalogueColumn], key: tuple[str, ...]) -> str:
    """Say what one row is: "one salary record for each player and year"."""
    by_name = {column.name: column for column in columns}
    if not key:
        return f"one {row}; nothing tells two of them apart"
    if len(key) == 1:
        return f"one {row}, told apart by {by_name[key[0]].phrase}"
    *first, last = (by_name[name].singular for name in key)
    return f"one {row} for each {', '.join(first)} and {last}"


def _column(
    facts: Facts,
    place: int,
    references: list[Relationship],
    nouns: dict[str, tuple[str, str]],
    said: ColumnMeaning,
) -> CatalogueColumn:
    column, measures = facts.table.columns[place], facts.measures.columns[place]
    own_key = facts.key == (column.name,)
    sole = [each for each in references if each.child_columns == (column.name,)]
    shared = [each for each in references if column.name in each.child_columns]
    context = ColumnContext(
        column=column,
        measures=measures,
        rows=facts.measures.rows,
        words=words_of(said.phrase or column.name),
        table_words=words_of(facts.table.name),
        sole_key=facts.key_evidence if own_key else None,
        refers=_evidence(sole or shared),
        refers_to=(sole or shared)[0].parent if shared else "",
        in_key=facts.key_evidence if column.name in facts.key else None,
        other_nouns=frozenset(
            noun.lower() for table, (noun, _) in nouns.items() if table != facts.table.name
        ),
        meaning=said.meaning,
        is_first=place == 0,
    )
    judgement = judge(context)
    if said.role is not None:
        judgement = Judgement(said.role, Evidence.DOCUMENT, "the catalogue file says so")
    identifies = judgement.role is Role.IDENTIFIER
    # "location of branch" for a reference names what it stands for, not the reference itself.
    usable = said.phrase if not identifies or said.singular or _names_key(said.phrase) else ""
    phrase, one, several = column_noun(
        usable or column.name,
        nouns[facts.table.name],
        identifies=identifies,
        own_key=own_key,
        stands_for=nouns[sole[0].parent][0] if sole else None,
    )
    if usable:
        phrase = usable
    if judgement.role is Role.FLAG:
        one = several = phrase
    one = said.singular or one
    measure = _measure(context, said) if judgement.role is Role.MEASURE else None
    return CatalogueColumn(
        name=column.name,
        declared_type=column.declared_type,
        role=judgement.role,
        role_evidence=judgement.evidence,
        phrase=phrase,
        singular=one,
        plural=said.plural or (plural(one) if said.singular else several),
        unit=measure.unit if measure else "",
        summable=measure.summable if measure else False,
        denominator=measure.denominator if measure else False,
        meaning=said.meaning,
        profile=measures.profile,
        dimension=measure.dimension if measure else None,
        role_reason=judgement.reason,
        unit_reason=measure.unit_reason if measure else "",
        summable_reason=measure.summable_reason if measure else "",
    )


def _names_key(phrase: str) -> bool:
    words = phrase.lower().split()
    return len(words) > 1 and words[-1] in IDENTIFIER_WORDS | CODE_WORDS


def _measure(context: ColumnContext, said: ColumnMeaning) -> Measure:
    """Return what is judged of a measure, with what the catalogue file says in its place."""
    found = judge_measure(context, unit=said.unit)
    if said.summable is not None:
        found = replace(
            found,
            summable=said.summable,
            summable_reason="the catalogue file says so",
            denominator=said.summable and is_exposure(context),
        )
    if said.denominator is not None:
        found = replace(found, denominator=said.denominator)
    return found


def _evidence(references: list[Relationship]) -> Evidence | None:
    if not references:
        return None
    declared = any(each.evidence is Evidence.DECLARED for each in references)
    return Evidence.DECLARED if declared else references[0].evidence
