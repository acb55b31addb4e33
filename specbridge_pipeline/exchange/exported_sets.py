"""The sets of an edition as rows for others, with what code knows of them besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.exchange.set_rows import PlanItemRow, SetRow, VerdictRow
from specbridge_pipeline.request_sets.editions import Edition
from specbridge_pipeline.request_sets.human_review.decisions import FIRST_PASS, person_of
from specbridge_pipeline.request_sets.human_review.decisions import Verdict as Decided
from specbridge_pipeline.request_sets.human_review.edition_reviews import NO_REVIEW, EditionReview
from specbridge_pipeline.request_sets.human_verdicts import Verdict
from specbridge_pipeline.request_sets.plan import requirements
from specbridge_pipeline.request_sets.records import RequestSet, Side

_BY_HAND = "hand"


@dataclass(frozen=True, slots=True)
class DescribedDatabase:
    """A database as exported rows speak of it.

    Attributes:
        engine: Its engine.
        schema: Its schema.
        catalogue: Its catalogue.
    """

    engine: Engine
    schema: Schema
    catalogue: Catalogue


def set_rows(
    edition: Edition,
    databases: Mapping[str, DescribedDatabase],
    verdicts: Sequence[Verdict] = (),
    shipped: EditionReview = NO_REVIEW,
) -> list[SetRow]:
    """Return the sets of an edition as rows, in their order.

    Args:
        edition: The edition.
        databases: Its databases by id.
        verdicts: What people have decided in this project, of any sets.
        shipped: The verdicts that ship with the edition.
    """
    return [
        _row(edition, each, databases[each.database], _said(each.id, verdicts, shipped))
        for each in edition.sets
    ]


def _row(
    edition: Edition,
    each: RequestSet,
    database: DescribedDatabase,
    said: tuple[VerdictRow, ...],
) -> SetRow:
    named = edition.record.databases[each.database]
    a, b = each.interpretations.a, each.interpretations.b
    values: dict[str, Any] = {
        "id": each.id,
        "edition": edition.id,
        "database": each.database,
        "engine": database.engine.value,
        "database_hash": named.content_hash,
        "database_licence": named.licence,
        "tier": edition.tier_of(each),
        "choice_type": each.choice_type,
        "step_depth": each.step_depth,
        "arithmetic_depth": each.arithmetic_depth,
        "ordered": each.ordered,
        "meaning_a": a.meaning,
        "meaning_b": b.meaning,
        "request_a": a.request,
        "request_b": b.request,
        "request_open": each.open_request,
        "sql_a": a.sql,
        "sql_b": b.sql,
        "exact_description_a": _description(a.sql, database),
        "exact_description_b": _description(b.sql, database),
        "plan_items": shared_requirements(each, database),
        "proposer": _proposer(edition),
        "writer": each.provenance.writer,
        "reviewers": each.provenance.reviewers,
        "human_verdict": each.provenance.human_verdict,
        "human_verdicts": said,
    }
    return SetRow(**values)


def _said(
    set_id: str, verdicts: Sequence[Verdict], shipped: EditionReview
) -> tuple[VerdictRow, ...]:
    """Return every verdict on a set, by reviewer and pass, one that stands in two places once."""
    found = [
        VerdictRow(
            reviewer=each.reviewer,
            label=shipped.labels[person_of(each.reviewer)],
            pass_number=1 if each.pass_number == FIRST_PASS else 2,
            verdict=each.verdict,
            reason=each.reason.value if each.reason else "",
            comment=each.comment,
        )
        for each in (read.decision for read in shipped.decisions)
        if each.set_id == set_id
    ]
    known = {each.reviewer for each in found}
    found += [
        VerdictRow(
            reviewer=each.reviewer,
            verdict=Decided.ACCEPT if each.accepted else Decided.REJECT,
            reason=each.reason,
            comment=each.comment,
        )
        for each in sorted(verdicts, key=lambda verdict: (verdict.reviewer, verdict.file))
        if each.set_id == set_id and each.reviewer not in known
    ]
    return tuple(sorted(found, key=lambda row: (row.reviewer, row.pass_number or 0)))


def shared_requirements(
    each: RequestSet, database: DescribedDatabase
) -> tuple[PlanItemRow, ...] | None:
    """Return what both queries of a set require, in the order of A's calculation.

    Whatever only one of them requires is the choice. None where the rules that tell requirements
    do not know queries of this form.
    """
    try:
        structures = [
            read_structure(each.interpretations[side].sql, database.schema) for side in Side
        ]
        a, b = (
            requirements(one, database.catalogue, _stated_by_choice(one, other))
            for one, other in (structures, reversed(structures))
        )
    except (SpecBridgeError, ValueError, LookupError, AssertionError):
        return None
    shared = {item.text for item in b}
    return tuple(
        PlanItemRow(id=item.id, kind=item.kind, text=item.text) for item in a if item.text in shared
    )


def _proposer(edition: Edition) -> str | None:
    """Return who proposed the choices of an edition, where it says so."""
    built_by = edition.record.built_by
    if built_by.startswith("specbridge-pipeline rules"):
        return "rules"
    return _BY_HAND if built_by == _BY_HAND else None


def _stated_by_choice(one: Structure, other: Structure) -> ChoiceWording | None:
    """Return a wording that stands for the conditions that only one of two queries has."""
    everywhere = [condition for step in other.steps for condition in step.conditions]
    for index, step in enumerate(one.steps):
        stated = tuple(each for each in step.conditions if each not in everywhere)
        if stated:
            return ChoiceWording(index, None, "", "", "", "", "", stated)
    return None


def _description(sql: str, database: DescribedDatabase) -> str | None:
    try:
        return describe(sql, database.schema, database.catalogue).text
    except SpecBridgeError:
        return None
