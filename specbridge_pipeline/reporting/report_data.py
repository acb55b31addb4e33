"""What a report is made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.draft import Draft

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class MeasuredDatabase:
    """A database that the sets are on.

    Attributes:
        id: Its id.
        source: Where it comes from, in words.
        licence: The licence of its data, in words.
        content_hash: What identifies its content.
        engine: The engine and its version.
    """

    id: str
    source: str
    licence: str
    content_hash: str
    engine: str


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A model that answered.

    Attributes:
        id: Its id in the registry.
        name: Its name for people.
        identity: What it is behind the name, as the registry says.
        revision: Its revision.
        rounds: The rounds in which it was asked.
    """

    id: str
    name: str
    identity: str
    revision: str
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResultPreview:
    """The first rows of a query's result.

    Attributes:
        columns: Column names.
        rows: The rows that are shown, at most some twenty.
        total: How many rows the whole result has.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    total: int


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that a report shows. Texts and cells are untrusted, frames are as declared.

    Attributes:
        edition: Id of the edition.
        title: Its title.
        databases: The databases of its sets.
        models: The models that answered, in the order in which they are shown.
        judge: Who read the explanations: "rules", or a model's id.
        profile: Name of the profile of the run.
        edition_sets: Ids of all sets of the edition, also those that were not put to models.
        sample: Which of the edition's sets were put to models, in a sentence; empty for all.
        statistics: Rows of STATISTICS.
        sets: Rows of EDITION_SETS.
        responses: Rows of RESPONSES.
        scores: Rows of SCORES.
        judgements: Rows of JUDGEMENTS.
        outcomes: Rows of OUTCOMES.
        results: (set id, "a" or "b") → the first rows of that query's result.
        differences: Set id → how the whole results of its two queries differ, in words.
        draft: The sets that are being built, which are not what was measured; None where nothing
            has been built.
        studies: Rows of GENERATION_STUDIES.
        conventions: Rows of CONVENTION_COUNTS.
        answer_changes: Rows of ANSWER_CHANGE_COUNTS.
        data_kinds: Rows of DATA_KINDS.
        verdicts: Rows of EDITION_VERDICTS.
        review: Rows of REVIEW_NUMBERS.
    """

    edition: str
    title: str
    databases: tuple[MeasuredDatabase, ...]
    models: tuple[MeasuredModel, ...]
    judge: str
    profile: str
    statistics: pl.DataFrame
    sets: pl.DataFrame
    responses: pl.DataFrame
    scores: pl.DataFrame
    judgements: pl.DataFrame
    outcomes: pl.DataFrame
    results: Mapping[tuple[str, str], ResultPreview]
    edition_sets: Collection[str] = ()
    differences: Mapping[str, str] = field(default_factory=dict)
    sample: str = ""
    draft: Draft | None = None
    studies: Sequence[Mapping[str, Any]] = ()
    conventions: Sequence[Mapping[str, Any]] = ()
    answer_changes: Sequence[Mapping[str, Any]] = ()
    data_kinds: Sequence[Mapping[str, Any]] = ()
    verdicts: Sequence[Mapping[str, Any]] = ()
    review: Sequence[Mapping[str, Any]] = ()

    @property
    def names(self) -> dict[str, str]:
        """Model id → name, in the order in which models are shown."""
        return {model.id: model.name for model in self.models}
