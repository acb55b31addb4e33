"""The stored form of what the other interpretation does to answers."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

ANSWER_CHANGES = FrameSchema(
    name="answer_changes",
    version=1,
    columns={
        "benchmark": "text",
        "source": "text",
        "split": "text",
        "question_id": "text",
        "database": "text",
        "author_group": "text",
        "query": "text",
        "choice_type": "text",
        "side": "text",
        "confirmed": "boolean",
        "form": "text",
        "other_form": "text",
        "step": "integer",
        "places": "integer",
        "proved": "integer",
        "effect": "text",
        "gate": "text",
        "reason": "text",
        "comparison": "text",
        "differs_as_run": "boolean",
        "move": "text",
        "relative_move": "float",
        "reference_rows": "integer",
        "other_rows": "integer",
        "rows_lost": "integer",
        "rows_gained": "integer",
    },
    key=("benchmark", "source", "question_id", "choice_type"),
)
"""One row an open question and choice type. `side` and `form` are what the reference takes,
`confirmed` whether a reading has confirmed that, `other_form` what its edit takes instead, `step`
which SELECT of the query it stands in, from 1. The reference takes the side at so many `places`, of
which `proved` have an edit that passed every gate; the row is about the first whose answer changes,
else about the first proved one. `effect` is a value of `answers.Effect`; `gate` and `reason` say
why an edit was not proved or why nothing can be said. `comparison` is the verdict on the other
interpretation's result against the reference, `differs_as_run` whether the two results as they came
differ, by rows alone. `move` is a value of `moves.Move` where the answer changes. `rows_lost` rows
of the reference have no counterpart in the other result, `rows_gained` of the other none in the
reference. No text of a benchmark and no value of a database is in it."""

DATA_KINDS = FrameSchema(
    name="data_kinds",
    version=1,
    columns={
        "source": "text",
        "database": "text",
        "kind": "text",
        "present": "boolean",
        "count": "integer",
        "of_count": "integer",
        "example": "text",
    },
    key=("source", "database", "kind"),
)
"""One row a database and kind of data on which an unstated choice changes an answer: how many of
the columns or relationships that could be of this kind (`of_count`) are, and the first of these.
`source` is the benchmark's name, or "registered"."""
