"""A model that reads a catalogue and proposes corrections, which are checked and never obeyed."""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from specbridge_pipeline.catalogue.corrections import (
    ROLE,
    SUM,
    UNIT,
    CheckedCorrection,
    Correction,
    correct,
)
from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn, CatalogueTable, Role
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.quotations import without_marks
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelRequest
from specbridge_pipeline.language_models.structured import ask_structured, one_turn
from specbridge_pipeline.records.canonical import canonical_json

PROMPT = "review.txt"
_MOST_CORRECTIONS = 60
_LONGEST_WHY = 200
_LONGEST_VALUE = 60
_LONGEST_SHOWN = 40
COLUMNS_A_QUESTION = 40
"""A table with more columns is asked about in parts."""

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "corrections": {
            "type": "array",
            "maxItems": _MOST_CORRECTIONS,
            "items": {
                "type": "object",
                "properties": {
                    "column": {"type": "string"},
                    "field": {"enum": [ROLE, UNIT, SUM]},
                    "value": {"type": "string", "maxLength": _LONGEST_VALUE},
                    "why": {"type": "string", "maxLength": _LONGEST_WHY},
                },
                "required": ["column", "field", "value", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["corrections"],
    "additionalProperties": False,
}


class _ReviewedColumn(BaseModel):
    model_config = ConfigDict(extra="ignore")

    column: str
    field: str
    value: str = Field(max_length=_LONGEST_VALUE)
    why: str = ""

    @field_validator("value", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        # Many models write true and not "true".
        return str(value).lower() if isinstance(value, bool) else value


class ReviewReply(BaseModel):
    """A reviewer's reply on one table."""

    model_config = ConfigDict(extra="ignore")

    corrections: list[_ReviewedColumn] = Field(max_length=_MOST_CORRECTIONS)


def review_catalogue(
    catalogue: Catalogue, gateway: Gateway, entry: ModelEntry
) -> tuple[Catalogue, tuple[CheckedCorrection, ...]]:
    """Have a model review a catalogue, and take over what the data do not contradict.

    Args:
        catalogue: The catalogue that rules built.
        gateway: How models are asked; every reply is archived.
        entry: The model.

    Returns:
        The corrected catalogue, and each proposal with why it was refused, if it was. A reply that
        stays malformed proposes nothing.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
    """
    parts = [
        (table, table.columns[start : start + COLUMNS_A_QUESTION])
        for table in catalogue.tables
        if table.rows
        for start in range(0, len(table.columns), COLUMNS_A_QUESTION)
    ]
    replies = ask_structured(
        gateway,
        entry,
        [_request(entry, *part) for part in parts],
        ReviewReply,
        where=f"{catalogue.database}, reviewing the catalogue",
    )
    proposals = [
        Correction(
            table.name,
            each.column,
            each.field,
            " ".join(each.value.split()),
            " ".join(each.why.split())[:_LONGEST_WHY],
        )
        for (table, _), reply in zip(parts, replies, strict=True)
        if reply.value is not None
        for each in reply.value.corrections
    ]
    return correct(catalogue, proposals, entry.name)


def _request(
    entry: ModelEntry, table: CatalogueTable, columns: tuple[CatalogueColumn, ...]
) -> ModelRequest:
    template = Template(
        files("specbridge_pipeline.catalogue").joinpath("prompts", PROMPT).read_text("utf-8")
    )
    text = template.substitute(
        table=_shown(table.name),
        entity=_shown(table.entity, 120),
        columns="\n".join(_line(table, column) for column in columns),
    )
    return one_turn(entry, text, REPLY_SCHEMA)


def _line(table: CatalogueTable, column: CatalogueColumn) -> str:
    profile = column.profile
    return _shown(
        canonical_json(
            {
                "column": column.name,
                "type": _shown(column.declared_type),
                "role": column.role.value,
                "unit": column.unit,
                "sum": column.summable if column.role is Role.MEASURE else None,
                "rows": table.rows,
                "missing": profile.missing,
                "different": profile.distinct,
                "least": _value(profile.minimum),
                "greatest": _value(profile.maximum),
                "document": _shown(column.meaning, 200),
            }
        ),
        2_000,
    )


def _value(value: int | float | str | None) -> int | float | str | None:
    return _shown(value) if isinstance(value, str) else value


def _shown(text: str, length: int = _LONGEST_SHOWN) -> str:
    """Return a text of the database as one short line that cannot end the quotation."""
    return without_marks(" ".join(text.split()))[:length]
