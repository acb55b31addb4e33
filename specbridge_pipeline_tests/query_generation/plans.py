"""All plans that the grammar has on a catalogue, and plans drawn from them by Hypothesis."""

from functools import cache

from hypothesis import strategies

from specbridge_pipeline.query_generation.drawing import step_after
from specbridge_pipeline.query_generation.look_ahead import moves
from specbridge_pipeline.query_generation.plan import (
    Combine,
    Grouped,
    Overall,
    RankedRows,
    Top,
    TopWithin,
    keys_of,
)
from specbridge_pipeline.query_generation.shapes import ranked_rows_shape
from specbridge_pipeline.query_generation.type_rules import TypeRules


@cache
def rules_of_catalogue(catalogue):
    """Return the type rules of a catalogue, worked out once."""
    return TypeRules(catalogue)


def first_steps(catalogue):
    """Yield every step that a plan can begin with, without conditions, and its shape."""
    rules = rules_of_catalogue(catalogue)
    for offer in rules.offers:
        for keys in offer.keys:
            for aggregate in offer.aggregates:
                if not rules.fits(offer.source, keys, aggregate):
                    continue
                source = offer.source
                step = Grouped(source, keys, aggregate) if keys else Overall(source, aggregate)
                yield step, rules.shape_of(source, keys, aggregate)
        for measure in offer.measures if offer.identifiers else ():
            yield RankedRows(offer.source, offer.identifiers, measure), ranked_rows_shape()


def followed(plan, move, catalogue):
    """Return a plan after a move; tops keep two rows, and the first partner is combined with."""
    match move.kind:
        case "top":
            return Top(plan, 2, move.flag)
        case "top_within":
            return TopWithin(plan, keys_of(plan)[1], 2, move.flag)
        case "combine":
            other, *_ = rules_of_catalogue(catalogue).partners(plan, move.contrast)
            return Combine(plan, other, move.contrast)
    return step_after(plan, move)


def completions(plan, shape, catalogue):
    """Yield all complete plans that a plan can become, itself among them, with their shapes."""
    if shape.complete:
        yield plan, shape
    for move, after in moves(shape):
        yield from completions(followed(plan, move, catalogue), after, catalogue)


@strategies.composite
def plans(draw, catalogue):
    """Draw a complete plan."""
    plan, shape = draw(strategies.sampled_from(list(first_steps(catalogue))))
    while True:
        options = list(moves(shape))
        if shape.complete:
            options.append(None)
        chosen = draw(strategies.sampled_from(options))
        if chosen is None:
            return plan
        plan, shape = followed(plan, chosen[0], catalogue), chosen[1]
