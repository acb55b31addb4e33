"""Rows of the stages `statistics`, `construction_funnel` and `report`."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

STATISTICS = FrameSchema(
    name="statistics",
    version=1,
    columns={
        "number_id": "text",
        "edition": "text",
        "method": "text",
        "round": "text",
        "judge": "text",
        "measure": "text",
        "label": "text",
        "model": "text",
        "compared_with": "text",
        "scope": "text",
        "numerator": "integer",
        "denominator": "integer",
        "value": "float",
        "low": "float",
        "high": "float",
        "standard_error": "float",
        "interval": "text",
        "p_value": "float",
        "formula": "text",
        "source": "text",
        "row_keys": "texts",
    },
    key=("number_id",),
)
"""One row a reported number. `value` is numerator / denominator, NaN for an empty denominator;
`low` and `high` bound it at 95% by `interval` (wilson, bootstrap, n/a). `row_keys` are the keys, in
the view `source`, of the rows that make the denominator. `scope` is `all`, `tier=…`,
`choice_type=…`, `review=read` (the sets that people have judged) or `review=kept` (those that all
of them accept); `compared_with` is empty unless the number compares two models."""

REVIEW_NUMBERS = FrameSchema(
    name="review_numbers",
    version=1,
    columns={
        "number_id": "text",
        "place": "integer",
        "edition": "text",
        "label": "text",
        "between": "text",
        "first": "text",
        "second": "text",
        "numerator": "integer",
        "denominator": "integer",
        "kappa": "float",
        "formula": "text",
    },
    key=("number_id",),
)
"""One row a number of the review of the evaluated edition, `place` in order. Counts of sets are of
those above them: `review/read` of the edition's sets; `review/kept`, `review/rejected`,
`review/disagreement` and `review/reason=…` of the sets that were read. `review/agreement/…` is how
many verdicts of `first` and `second` are alike, with Cohen's κ (NaN where it is not defined);
`between` is `passes` where the two are readings of one person, `reviewers` otherwise. `formula` is
the query that lists the rows behind it: the numerator of a count, the denominator of an
agreement."""

CONSTRUCTION_FUNNEL = FrameSchema(
    name="construction_funnel",
    version=1,
    columns={
        "number_id": "text",
        "place": "integer",
        "stage": "text",
        "label": "text",
        "unit": "text",
        "database": "text",
        "scope": "text",
        "count": "integer",
        "of_stage": "text",
        "of_count": "integer",
        "formula": "text",
    },
    key=("number_id",),
)
"""One row a count of the draft: a stage of construction (`place` in order), on a `database` (empty:
on all of them) and in a `scope`: `all`, `tier=…`, `source=filter`, `choice_type=…`, or `reason=…`
for rejected attempts. `unit` says what is counted: query, choice or set. `of_stage` is the stage
that it is a part of, with `of_count` rows, and empty for the first of a unit. `formula` is the
query of the warehouse that lists the rows behind it; `count` is their number."""

GENERATION_STUDIES = FrameSchema(
    name="generation_studies",
    version=1,
    columns={
        "study": "text",
        "place": "integer",
        "item": "text",
        "label": "text",
        "measure": "text",
        "count": "integer",
        "of_count": "integer",
        "databases": "integer",
        "detail": "text",
        "origin": "text",
    },
    key=("study", "item", "measure"),
)
"""One row a count of a study of the generator: `ablation` (item: a configuration, measure: a class
of attempts), `coverage` (a feature; allowed, delivered or accepted, of the usable databases; the
item `usable`, of those that are not empty; and a database that is not usable, with the reason as
`detail`), or `construction` (a source of databases). `place` orders the items, `databases` is how
many were studied, and `origin` says whether the rows were counted `here` or `shipped`."""

CONVENTION_COUNTS = FrameSchema(
    name="convention_counts",
    version=1,
    columns={
        "choice_type": "text",
        "author_group": "text",
        "split": "text",
        "usual": "integer",
        "other": "integer",
        "unread": "integer",
        "dropped": "integer",
        "usual_that_could_differ": "integer",
        "settled": "integer",
        "origin": "text",
    },
    key=("choice_type", "author_group", "split"),
)
"""One row a choice type, group of authors and split of benchmarks' questions: how many open ones
have a reference of the usual side and of the other (`unread` of these nobody has read), how many
of the other side were `dropped` after a reading, and how many questions settle the choice.
`origin` says whether the references were read `here` or their decisions are `shipped`."""

ANSWER_CHANGE_COUNTS = FrameSchema(
    name="answer_change_counts",
    version=1,
    columns={
        "choice_type": "text",
        "benchmark": "text",
        "split": "text",
        "open": "integer",
        "with_database": "integer",
        "edited": "integer",
        "compared": "integer",
        "changed": "integer",
        "over_half": "integer",
        "tenth_to_half": "integer",
        "under_a_tenth": "integer",
        "missing_value": "integer",
        "another_value": "integer",
        "other_rows": "integer",
        "undetermined": "integer",
        "differing_as_run": "integer",
        "no_result": "integer",
        "origin": "text",
    },
    key=("benchmark", "split", "choice_type"),
)
"""One row a choice type, benchmark and split: of its `open` questions those whose database is at
hand, of these those whose reference has a proved edit, of these those whose two answers could be
compared, and of these those whose answer `changed`, by how. `undetermined` and `no_result` are the
edited ones that could not be compared; of the undetermined, `differing_as_run` gave two results
that differ. The choice type `any` counts each question once, `published` once for the choices of
the paper's Figure 14. `origin` says whether the rows were made `here` or are `shipped`."""

REPORT = FrameSchema(
    name="report",
    version=1,
    columns={"edition": "text", "file": "text", "sha256": "text", "characters": "integer"},
    key=("edition",),
)
"""One row: the HTML report that was written, and its checksum."""
