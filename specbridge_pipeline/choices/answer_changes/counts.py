"""Counts of open questions whose answer changes under the other interpretation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.choices.answer_changes.answers import COMPARED, Effect
from specbridge_pipeline.choices.answer_changes.moves import Move
from specbridge_pipeline.choices.types import ChoiceType

Row = Mapping[str, Any]

ANY = "any"
"""Stands for the choice type where questions are counted once, whatever choices they leave open."""

PUBLISHED = "published"
"""The same for the choices that the paper's Figure 14 counts."""
PUBLISHED_TYPES = (
    ChoiceType.STRICT_CUTOFF,
    ChoiceType.COUNTING_UNIT,
    ChoiceType.TIES,
    ChoiceType.POPULATION_SCOPE,
    ChoiceType.MISSING_VALUES,
)

_OPEN_RESULT = (Effect.UNDETERMINED, Effect.UNDECIDED)
_NO_RESULT = (Effect.LIMIT, Effect.FAILED)
_WITHOUT_EDIT = (Effect.NOT_PROVED, Effect.NOT_EDITED)
_STRENGTH = (
    *(Effect.CHANGED, Effect.FORMAT_ONLY, Effect.SAME, Effect.UNDETERMINED, Effect.UNDECIDED),
    *(Effect.LIMIT, Effect.FAILED, Effect.NOT_PROVED, Effect.NOT_EDITED, Effect.NO_DATABASE),
)


@dataclass(frozen=True, slots=True)
class ChangeCount:
    """What the other interpretation does to the answers of open questions.

    Attributes:
        open: Open questions.
        with_database: Those whose database is at hand.
        edited: Those of these whose reference has a proved edit.
        compared: Those of these whose two answers could be compared.
        changed: Those of these whose answer changes.
        moves: Move → how many answers change so.
        undetermined: Edited, but one of both queries does not determine its result, or too many
            rows could be paired.
        differing_as_run: Those of these whose two results differ as they came.
        no_result: Edited, but one of both gives no result within the limits.
    """

    open: int
    with_database: int
    edited: int
    compared: int
    changed: int
    moves: Mapping[Move, int]
    undetermined: int
    differing_as_run: int
    no_result: int

    @property
    def share(self) -> float | None:
        """The share of the edited questions whose answer changes; None without any."""
        return self.changed / self.edited if self.edited else None


def count_changes(rows: Iterable[Row]) -> ChangeCount:
    """Count rows of ANSWER_CHANGES of one choice type, or of one row a question."""
    listed = list(rows)
    effects = [Effect(row["effect"]) for row in listed]
    at_hand = [each for each in effects if each is not Effect.NO_DATABASE]
    return ChangeCount(
        open=len(listed),
        with_database=len(at_hand),
        edited=sum(each not in _WITHOUT_EDIT for each in at_hand),
        compared=sum(each in COMPARED for each in effects),
        changed=effects.count(Effect.CHANGED),
        moves={
            move: sum(row["move"] == move and row["effect"] == Effect.CHANGED for row in listed)
            for move in Move
        },
        undetermined=sum(each in _OPEN_RESULT for each in effects),
        differing_as_run=sum(
            each in _OPEN_RESULT and bool(row["differs_as_run"])
            for each, row in zip(effects, listed, strict=True)
        ),
        no_result=sum(each in _NO_RESULT for each in effects),
    )


def one_a_question(rows: Iterable[Row]) -> list[Row]:
    """Return the row of each question that says most: the one whose answer changes, if any.

    Of several that change an answer the one of the farthest move counts.
    """
    best: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        key = (row["benchmark"], row["source"], row["question_id"])
        if key not in best or _strength(row) < _strength(best[key]):
            best[key] = row
    return list(best.values())


def _strength(row: Row) -> tuple[int, int, bool]:
    moves = [each.value for each in Move]
    place = moves.index(row["move"]) if row["move"] else len(moves)
    return (_STRENGTH.index(Effect(row["effect"])), place, not row["differs_as_run"])


def by_type(rows: Sequence[Row]) -> dict[str, ChangeCount]:
    """Count rows of ANSWER_CHANGES: each choice type that occurs, then each question once.

    Returns:
        Choice type, PUBLISHED or ANY → count, in the order of the types.
    """
    found = {
        each.value: count_changes(row for row in rows if row["choice_type"] == each)
        for each in ChoiceType
        if any(row["choice_type"] == each for row in rows)
    }
    if not rows:
        return {}
    published = [row for row in rows if row["choice_type"] in PUBLISHED_TYPES]
    return {
        **found,
        PUBLISHED: count_changes(one_a_question(published)),
        ANY: count_changes(one_a_question(rows)),
    }


def label_of(name: str) -> str:
    """Return how a choice type, PUBLISHED or ANY is called in tables and charts."""
    if name == ANY:
        return "any choice"
    return "any of the paper's five" if name == PUBLISHED else ChoiceType(name).label


def as_json(count: ChangeCount) -> dict[str, Any]:
    """Return a count as plain JSON values."""
    return {
        "open": count.open,
        "with_database": count.with_database,
        "edited": count.edited,
        "compared": count.compared,
        "changed": count.changed,
        "share": count.share,
        "moves": {move.value: number for move, number in count.moves.items()},
        "undetermined": count.undetermined,
        "differing_as_run": count.differing_as_run,
        "no_result": count.no_result,
    }


def reasons(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return why nothing is said of answers: each type, effect, gate and reason, with its count."""
    counted: dict[tuple[str, str, str, str], int] = {}
    for row in rows:
        effect = Effect(row["effect"])
        if effect in COMPARED or effect is Effect.NO_DATABASE:
            continue
        key = (row["choice_type"], row["effect"], row["gate"] or "", row["reason"])
        counted[key] = counted.get(key, 0) + 1
    ordered = sorted(counted.items(), key=lambda pair: (pair[0][0], -pair[1], pair[0]))
    return [
        {"type": name, "effect": effect, "gate": gate, "reason": reason, "count": count}
        for (name, effect, gate, reason), count in ordered
    ]
