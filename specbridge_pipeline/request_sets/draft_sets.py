"""Sets of the draft in the form in which an edition holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.request_sets.records import (
    Interpretation,
    Interpretations,
    Provenance,
    RequestSet,
    Side,
)


def request_set_of(row: Mapping[str, Any]) -> RequestSet:
    """Return a set of the draft with its content id.

    Args:
        row: A row of REQUEST_SETS, or of ACCEPTED_REQUEST_SETS, which also says who read it.
    """
    interpretations = {
        side.value: Interpretation(
            meaning=row[f"meaning_{side}"],
            request=row[f"request_{side}"],
            sql=row[f"sql_{side}"],
        )
        for side in Side
    }
    built = RequestSet(
        database=row["database"],
        choice_type=ChoiceType(row["choice_type"]),
        step_depth=row["step_depth"],
        arithmetic_depth=row["arithmetic_depth"],
        ordered=row["ordered"],
        interpretations=Interpretations(**interpretations),
        open_request=row["request_open"],
        provenance=Provenance(
            writer=row["writer"],
            reviewers=tuple(row.get("reviewers") or ()),
            human_verdict=row.get("human_verdict"),
        ),
    )
    return built.model_copy(update={"id": built.content_id()})
