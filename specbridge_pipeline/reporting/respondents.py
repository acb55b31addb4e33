"""Who answered: the models of a frame, told apart by method, round and judge where they must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.evaluation.methods.imported import NAME as IMPORTED

if TYPE_CHECKING:
    import polars as pl

_TOLD_APART_BY = ("model", "method", "round", "variant", "judge")


@dataclass(frozen=True, slots=True)
class Respondent:
    """A model as it was measured.

    Attributes:
        key: Column → value, for the columns of the frame that tell respondents apart.
        label: The model's name, with its method, round, variant or judge where others differ in it.
    """

    key: tuple[tuple[str, str], ...]
    label: str

    @property
    def model(self) -> str:
        """The model's id."""
        return dict(self.key)["model"]


def respondents(frame: pl.DataFrame, names: Mapping[str, str]) -> list[Respondent]:
    """Return who answered, in the order of the names.

    Args:
        frame: Rows with a column `model`, and perhaps others that tell respondents apart.
        names: Model id → name; the order of the models. Others follow by id.

    Returns:
        One respondent a model, method, round, variant and judge. That replies were imported is
        always said.
    """
    columns = [column for column in _TOLD_APART_BY if column in frame.columns]
    order = {model: place for place, model in enumerate(names)}
    keys = sorted(
        {tuple(row[column] or "" for column in columns) for row in frame.iter_rows(named=True)},
        key=lambda key: (order.get(key[0], len(order)), key),
    )
    varying = [i for i in range(1, len(columns)) if len({key[i] for key in keys}) > 1]
    return [
        Respondent(
            tuple(zip(columns, key, strict=True)),
            " · ".join(
                [
                    names.get(key[0], key[0]) or "all models",
                    *(
                        value
                        for i, value in enumerate(key)
                        if i in varying or (columns[i], value) == ("method", IMPORTED)
                    ),
                ]
            ),
        )
        for key in keys
    ]


def answered_by(row: Mapping[str, Any], respondent: Respondent) -> bool:
    """Whether a row belongs to a respondent."""
    return all((row[column] or "") == value for column, value in respondent.key)
