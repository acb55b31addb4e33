"""Which rules a finished plan breaks, whatever made it."""

from __future__ import annotations

from dataclasses import replace

from specbridge_pipeline.query_generation.look_ahead import possible_moves
from specbridge_pipeline.query_generation.plan import (
    Base,
    Combine,
    Compare,
    FilterAbove,
    Grouped,
    Overall,
    Plan,
    RankedRows,
    Reaggregate,
    Share,
    Summary,
    Top,
    TopWithin,
    keys_of,
    previous_of,
    steps_of,
)
from specbridge_pipeline.query_generation.shapes import Move, Shape, ranked_rows_shape
from specbridge_pipeline.query_generation.step_rules import broken_rules
from specbridge_pipeline.query_generation.type_rules import TypeRules


def broken_rules_of(plan: Plan, rules: TypeRules) -> tuple[str, ...]:
    """Return the names of the rules that a plan breaks.

    Args:
        plan: The plan.
        rules: The type rules of its database.

    Returns:
        The names: first of rules on columns, then of rules on steps, in the order of the steps.
    """
    base, *further = reversed(tuple(steps_of(plan)))
    assert isinstance(base, Base)
    broken = [] if _is_offered(base, rules) else ["columns are not used so"]
    shape = _first_shape(base, rules)
    for step in further:
        move = move_of(step)
        if isinstance(step, Combine) and not (
            isinstance(step.previous, Grouped)
            and _bare(step.other) in map(_bare, rules.partners(step.previous, step.contrast))
        ):
            broken.append("values are not combined so")
        broken += [rule.name for rule in broken_rules(shape, move)]
        after = dict(possible_moves(shape)).get(move)
        if after is None:
            return (*broken, "no such step follows")
        shape = after
    return tuple(broken)


def move_of(step: Plan) -> Move:
    """Return the move that made the last step of a plan.

    Raises:
        ValueError: It reads rows, so that no move made it.
    """
    match step:
        case Reaggregate(previous=previous, key=key, fold=fold):
            keys = keys_of(previous)
            return Move("reaggregate", fold=fold, flag=len(keys) == 2 and key == keys[1])
        case Combine(contrast=contrast):
            return Move("combine", contrast=contrast)
        case Compare(baseline=baseline, contrast=contrast):
            return Move("compare", contrast=contrast, of=baseline.of)
        case FilterAbove(baseline=baseline, difference=difference):
            return Move("filter_above", of=baseline.of, flag=difference)
        case Share(key=key):
            return Move("share" if key is None else "share_within")
        case TopWithin(keeps_ties=keeps_ties):
            return Move("top_within", flag=keeps_ties)
        case Summary():
            return Move("summary")
        case Top(keeps_ties=keeps_ties):
            return Move("top", flag=keeps_ties)
    raise ValueError(f"no move makes a step like {type(step).__name__}")


def _bare(step: Grouped) -> Grouped:
    return replace(step, source=replace(step.source, conditions=()))


def _first_shape(base: Base, rules: TypeRules) -> Shape:
    if isinstance(base, RankedRows):
        return ranked_rows_shape()
    return rules.shape_of(base.source, keys_of(base), base.aggregate)


def _is_offered(base: Base, rules: TypeRules) -> bool:
    assert previous_of(base) is None
    if isinstance(base, Grouped | Overall):
        return rules.allows(base.source, keys_of(base), base.aggregate)
    return any(
        offer.source.table == base.source.table
        and offer.identifiers == base.identifiers
        and base.measure in offer.measures
        for offer in rules.offers
    )
