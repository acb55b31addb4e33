"""Catalogues, plans and approved texts of the writer's tests, from their data files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    ColumnProfile,
    Evidence,
    Relationship,
    Role,
)
from specbridge_pipeline.choices.choice import Edit, Occurrence, Refusal
from specbridge_pipeline.choices.registry import CHOICES, FOUND_CHOICES
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.construction import RequestPlan
from specbridge_pipeline.request_sets.plan import build_plan

HERE = Path(__file__).parent


def _load(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


SETS = _load("written_sets.yaml")
SINGLES = _load("written_requests.yaml")
DRAFTS = _load("model_drafts.yaml")
REVIEWS = _load("model_reviews.yaml")


@cache
def catalogue(database: str) -> Catalogue:
    """Return a part of a sample database's catalogue."""
    given = _load("catalogues.yaml")[database]
    tables = tuple(_table(name, table) for name, table in given["tables"].items())
    relationships = tuple(
        Relationship(
            child=each["child"],
            child_columns=tuple(each["columns"]),
            parent=each["parent"],
            parent_columns=tuple(each["parent_columns"]),
            evidence=Evidence.DECLARED,
            unmatched_children=each["unmatched"],
            missing_children=each["missing"],
            childless_parents=each.get("childless", 0),
            most_children=2,
        )
        for each in given["relationships"]
    )
    return Catalogue(database, tables, relationships)


def structure(database: str, sql: str) -> Structure:
    """Read a query on a sample database."""
    schema = Schema(
        tuple(
            Table(
                table.name,
                tuple(
                    Column(column.name, column.declared_type, False, 0) for column in table.columns
                ),
                (),
            )
            for table in catalogue(database).tables
        )
    )
    return read_structure(sql, schema)


@cache
def plan_of(position: int) -> RequestPlan:
    """Build the plan of an approved set by its position in the file."""
    return plan_for(SETS[position])


def plan_for(case: dict[str, Any]) -> RequestPlan:
    """Build the plan of a case: a query, its choice, and the step in which that is."""
    database, sql = case["database"], case["sql"]
    choice = ChoiceType(case["choice"])
    query = structure(database, sql)
    module = CHOICES[choice]
    if "sql_b" in case:
        # A choice of a filter: both queries are made together.
        occurrence = Occurrence(choice, case["step"], None, case["sides"][0])
        edit: Edit | Refusal = Edit(occurrence, case["sql_b"], case["sides"][1])
    else:
        found = FOUND_CHOICES[choice]
        occurrence = next(
            each
            for each in found.occurrences(sql, query, catalogue(database))
            if each.step == case["step"]
        )
        edit = found.edit(occurrence, sql, query, catalogue(database))
    assert isinstance(edit, Edit), edit
    edited = structure(database, edit.sql)
    return build_plan(edit, module, query, edited, catalogue(database))


def _table(name: str, given: dict[str, Any]) -> CatalogueTable:
    rows = given["rows"]
    return CatalogueTable(
        name=name,
        rows=rows,
        singular=given["row"][0],
        plural=given["row"][1],
        key=tuple(given["key"]),
        key_evidence=Evidence.DECLARED if given["key"] else None,
        columns=tuple(_column(each, column) for each, column in given["columns"].items()),
    )


def _column(name: str, given: dict[str, Any]) -> CatalogueColumn:
    return CatalogueColumn(
        name=name,
        declared_type=given["type"],
        role=Role(given["role"]),
        role_evidence=Evidence.NAME,
        phrase=given["phrase"],
        singular=given["singular"],
        plural=given["plural"],
        unit="",
        summable=given.get("summable", False),
        denominator=False,
        meaning="",
        profile=ColumnProfile(
            missing=given.get("missing", 0),
            distinct=given["distinct"],
            minimum=0,
            maximum=1,
            integers=0,
            reals=0,
            texts=given.get("texts", 0),
            negative=0,
            zero=given.get("zero", 0),
        ),
    )
