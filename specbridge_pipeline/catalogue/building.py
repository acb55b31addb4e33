"""Building a database's catalogue: measured, judged by rules, corrected by what documents say."""

from __future__ import annotations

import logging
from collections.abc import Iterable

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
from specbridge_pipeline.catalogue.relationships import (
    Facts,
    find_key,
    find_relationships,
    referenced_columns,
)
from specbridge_pipeline.catalogue.roles import ColumnContext, Judgement, judge, stated_unit
from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.databases.schema import Schema, Table
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules

_logger = logging.getLogger(__name__)


def build_catalogue(
    database: str, schema: Schema, run: Run, *, meanings: ColumnMeanings | None = None
) -> Catalogue:
    """Catalogue a database.

    Views are left out: they repeat rows of tables under other names.

    Args:
        database: Its registry id.
        schema: Its schema.
        run: Runs a query on it.
        meanings: What documents and the project's catalogue file say of it.

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
    facts = [
        _facts(table, referenced.get(table.name.lower(), set()), run, rules) for table in tables
    ]
    relationships = find_relationships(facts, run, rules)
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


def _facts(table: Table, referenced: set[str], run: Run, rules: EngineRules) -> Facts:
    measures = measure_table(table, run, rules)
    return Facts(table, measures, *find_key(table, measures, referenced, run, rules))


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
    return CatalogueTable(
        name=facts.table.name,
        rows=facts.measures.rows,
        singular=one,
        plural=several,
        key=facts.key,
        key_evidence=facts.key_evidence,
        columns=tuple(
            _column(facts, place, own, nouns, said.of(facts.table.name, column.name))
            for place, column in enumerate(facts.table.columns)
        ),
    )


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
    judgement = judge(
        ColumnContext(
            column=column,
            measures=measures,
            rows=facts.measures.rows,
            words=words_of(said.phrase or column.name),
            table_words=words_of(facts.table.name),
            sole_key=facts.key_evidence if own_key else None,
            refers=_evidence(sole or shared),
            in_key=facts.key_evidence if column.name in facts.key else None,
            meaning=said.meaning,
            is_first=place == 0,
        )
    )
    judgement = _corrected(judgement, said)
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
    return CatalogueColumn(
        name=column.name,
        declared_type=column.declared_type,
        role=judgement.role,
        role_evidence=judgement.evidence,
        phrase=phrase,
        singular=one,
        plural=said.plural or (plural(one) if said.singular else several),
        unit=judgement.unit,
        summable=judgement.summable,
        denominator=judgement.denominator,
        meaning=said.meaning,
        profile=measures.profile,
    )


def _names_key(phrase: str) -> bool:
    words = phrase.lower().split()
    return len(words) > 1 and words[-1] in IDENTIFIER_WORDS | CODE_WORDS


def _corrected(judgement: Judgement, said: ColumnMeaning) -> Judgement:
    """Return the judgement with what documents say in place of what rules thought."""
    role = said.role or judgement.role
    is_measure = role is Role.MEASURE

    def chosen(stated: bool | None, judged: bool) -> bool:
        return is_measure and (judged if stated is None else stated)

    return Judgement(
        role=role,
        evidence=judgement.evidence if said.role is None else Evidence.DOCUMENT,
        unit=(said.unit or judgement.unit or stated_unit(said.meaning)) if is_measure else "",
        summable=chosen(said.summable, judgement.summable),
        denominator=chosen(said.denominator, judgement.denominator),
    )


def _evidence(references: list[Relationship]) -> Evidence | None:
    if not references:
        return None
    declared = any(each.evidence is Evidence.DECLARED for each in references)
    return Evidence.DECLARED if declared else references[0].evidence
