"""Relationship role: are two tables joined through the parent that they share, or their link?"""

from __future__ import annotations

from collections.abc import Iterator

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.edits.related_tables import related_tables
from specbridge_pipeline.choices.conventions.edits.relationship_role_edit import edit
from specbridge_pipeline.choices.types import ChoiceType


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        for pair in related_tables(reference.query.schema, scope):
            if pair.linked:
                yield Reading(Side.OTHER, "through the link table", scope, scope.select)
            else:
                yield Reading(Side.USUAL, "through the shared parent", scope, scope.select)


CONVENTION = Convention(
    choice_type=ChoiceType.RELATIONSHIP_ROLE,
    meaning="Are two tables that share a parent joined through it, or through their link table?",
    usual="through the shared parent",
    other="through the link table",
    read=_read,
    cues=read_cues(__file__),
    edit=edit,
)
