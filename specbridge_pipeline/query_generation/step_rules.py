"""Rules that keep a step from following: on the sorts of values, and against restatements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from specbridge_pipeline.query_generation.plan import Contrast, Fold
from specbridge_pipeline.query_generation.shapes import Move, Shape, Sort


@dataclass(frozen=True, slots=True)
class StepRule:
    """A rule that keeps a step from following.

    Attributes:
        name: What it is called.
        reason: Why there is such a rule.
        forbids: Says for a partial plan and a move whether it does.
    """

    name: str
    reason: str
    forbids: Callable[[Shape, Move], bool]


_BASELINES = ("compare", "filter_above")


_SHARES = ("share", "share_within")


TYPE_RULES = (
    StepRule(
        "a share needs parts",
        "averages, ratios and values below zero do not add up to a whole",
        lambda shape, move: (
            move.kind in _SHARES and not (shape.additive and shape.sort is Sort.QUANTITY)
        ),
    ),
    StepRule(
        "a total needs parts",
        "the values of groups are added up only where they count or total disjoint rows",
        lambda shape, move: move.fold is Fold.TOTAL and not shape.additive,
    ),
    StepRule(
        "a multiple needs a quantity that is never negative",
        "half of an average means nothing where the average can be below zero, and a ratio to an "
        "average of ratios is one that nobody reads",
        lambda shape, move: (
            move.kind == "compare"
            and move.contrast is Contrast.RATIO
            and (shape.sort is not Sort.QUANTITY or not shape.positive)
        ),
    ),
    StepRule(
        "a deviation has no extremes",
        "a signed deviation is averaged; its highest and lowest are those of the groups",
        lambda shape, move: (
            shape.sort is Sort.DIFFERENCE and move.fold in (Fold.HIGHEST, Fold.LOWEST, Fold.TOTAL)
        ),
    ),
    StepRule(
        "multiples are compared over one key only",
        "as a multiple of an average of multiples a value has no unit that anybody names",
        lambda shape, move: (
            shape.sort is Sort.RELATIVE and shape.keys == 2 and move.kind in _BASELINES
        ),
    ),
)
"""Rules on the sorts of values; those on columns lie in `type_rules`."""


RESTATEMENT_RULES = (
    StepRule(
        "nothing but ranking after a comparison with one average",
        "one constant taken from all values, or dividing all, changes no order, no filter, and no "
        "later comparison; the average of the deviations is zero, that of the shares one over all",
        lambda shape, move: shape.settled and move.kind != "top",
    ),
    StepRule(
        "no deviation from an average of deviations",
        "the average of deviations within a group is zero, so each deviates from it by itself",
        lambda shape, move: shape.sort is Sort.DIFFERENCE and move.kind in _BASELINES,
    ),
    StepRule(
        "no share of a share",
        "a share of a total of shares of the same total is that share again",
        lambda shape, move: shape.sort is Sort.SHARE and move.kind in _SHARES,
    ),
    StepRule(
        "no baseline of shares",
        "the average share is one over the number of groups",
        lambda shape, move: shape.sort is Sort.SHARE and move.kind in _BASELINES,
    ),
    StepRule(
        "no filter on what a filter kept",
        "what a second baseline keeps of the first one's groups is better said by one",
        lambda shape, move: (
            shape.filtered and move.kind in ("filter_above", "top_within", "share_within")
        ),
    ),
    StepRule(
        "no top of what a baseline kept",
        "the highest of the groups above average are the highest of all groups, also by what "
        "they differ from an average of theirs",
        lambda shape, move: (shape.filtered or shape.cut) and move.kind == "top",
    ),
    StepRule(
        "no ranking within groups of what was set against the group",
        "by the difference from its group's average, or its share of the group, a value has the "
        "place that it has by itself",
        lambda shape, move: (
            move.kind == "top_within" and shape.sort in (Sort.DIFFERENCE, Sort.RELATIVE, Sort.SHARE)
        ),
    ),
    StepRule(
        "no average of places",
        "in all there are as many first places as were kept of each group",
        lambda shape, move: shape.placed and move.fold in (Fold.AVERAGE, Fold.TOTAL),
    ),
    StepRule(
        "no comparison within groups that a filter cut",
        "an average of only the groups above average is a baseline that restates the first one",
        lambda shape, move: shape.filtered and shape.keys == 2 and move.kind == "compare",
    ),
    StepRule(
        "no comparison of what was ranked within groups",
        "a place within a group says how a value compares there",
        lambda shape, move: (
            shape.ranked_within and move.kind in ("compare", "filter_above", "share", "summary")
        ),
    ),
    StepRule(
        "what was ranked within groups is counted by entity, or put together by group",
        "the highest of the first ones is the highest of all, and there are as many as were kept",
        lambda shape, move: (
            shape.ranked_within
            and move.kind == "reaggregate"
            and move.fold not in ((Fold.AVERAGE, Fold.TOTAL) if move.flag else (Fold.COUNT,))
        ),
    ),
    StepRule(
        "no extreme of what a baseline kept",
        "the highest of the groups above average is the highest of all",
        lambda shape, move: (
            shape.filtered
            and not shape.ranked_within
            and (move.fold is Fold.HIGHEST or (move.fold is Fold.LOWEST and shape.keys == 2))
        ),
    ),
    StepRule(
        "no count of all groups",
        "how many groups there are is how many keys there are",
        lambda shape, move: move.fold is Fold.COUNT and not shape.filtered,
    ),
    StepRule(
        "no total of all groups",
        "the total of the groups' totals is the total of fewer and larger groups",
        lambda shape, move: move.fold is Fold.TOTAL and not shape.filtered,
    ),
    StepRule(
        "no second key kept of all groups",
        "it is the plan with its two keys in the other order",
        lambda shape, move: move.kind == "reaggregate" and move.flag and not shape.filtered,
    ),
    StepRule(
        "no highest of the highest",
        "the highest of the groups' highest values is that of fewer and larger groups",
        lambda shape, move: move.fold is not None and move.fold is shape.extreme,
    ),
    StepRule(
        "no average of averages of averages",
        "what was averaged over groups and then over groups of these has lost what it counts",
        lambda shape, move: shape.averaged and move.fold is Fold.AVERAGE,
    ),
    StepRule(
        "no summary of all groups",
        "the average and number of all groups restate the groups without saying which were kept",
        lambda shape, move: move.kind == "summary" and not shape.filtered,
    ),
)
"""Rules against steps that only say an earlier one again."""


def broken_rules(shape: Shape, move: Move) -> tuple[StepRule, ...]:
    """Return the rules that a move breaks, whichever are at work."""
    return tuple(rule for rule in (*TYPE_RULES, *RESTATEMENT_RULES) if rule.forbids(shape, move))
