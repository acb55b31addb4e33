"""All plans that the grammar has on a catalogue, and plans drawn from them by Hypothesis."""

from hypothesis import strategies

from specbridge_pipeline.query_generation.drawing import step_after
from specbridge_pipeline.query_generation.look_ahead import base_shape, moves, ranked_rows_shape
from specbridge_pipeline.query_generation.plan import Grouped, Overall, RankedRows, Top
from specbridge_pipeline.query_generation.type_rules import has_negatives, offers


def first_steps(catalogue):
    """Yield every step that a plan can begin with, without conditions, and its shape."""
    for offer in offers(catalogue):
        for keys in offer.keys:
            for aggregate in offer.aggregates:
                source = offer.source
                step = Grouped(source, keys, aggregate) if keys else Overall(source, aggregate)
                negative = has_negatives(aggregate, catalogue)
                yield step, base_shape(aggregate.function, len(keys), negative=negative)
        for measure in offer.measures if offer.identifiers else ():
            yield RankedRows(offer.source, offer.identifiers, measure), ranked_rows_shape()


def followed(plan, move):
    """Return a plan after a move; tops keep two rows."""
    return Top(plan, 2, move.flag) if move.kind == "top" else step_after(plan, move)


def completions(plan, shape):
    """Yield all complete plans that a plan can become, itself among them, with their shapes."""
    if shape.complete:
        yield plan, shape
    for move, after in moves(shape):
        yield from completions(followed(plan, move), after)


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
        plan, shape = followed(plan, chosen[0]), chosen[1]
