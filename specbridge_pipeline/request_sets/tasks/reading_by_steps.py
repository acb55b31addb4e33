"""The reading that follows the steps: does each value come from where the text says it does?

Both the text and the SQL are taken for steps that read tables or earlier steps. For each step it is
compared what is read, and for each value, group, condition and order which columns it is made of.
What is done with them (sum or average, more or less) is for the other reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.tasks.step_outlines import (
    MAYBE,
    Outline,
    References,
    StepOutline,
)
from specbridge_pipeline.request_sets.tasks.steps_of_sql import outline_of_sql
from specbridge_pipeline.request_sets.tasks.steps_of_text import outline_of_text
from specbridge_pipeline.request_sets.tasks.task import RuleReader, Task


def step_faults(task: Task) -> tuple[str, ...]:
    """Say where a text and its query go apart, following each value through the steps.

    Args:
        task: The query and the text.

    Returns:
        A sentence for each value, group, condition or order that is made of something else.
    """
    try:
        computed = outline_of_sql(task.sql, task.schema)
    except UnusableReferenceError as error:
        return (f"the query cannot be read: {error.what}",)
    return tuple(differing_steps(outline_of_text(task.description, task.schema), computed))


def differing_steps(said: Outline, computed: Outline) -> Iterator[str]:
    """Say where two outlines go apart.

    Args:
        said: That of the text.
        computed: That of the query.
    """
    if len(said) != len(computed):
        yield f"has {len(said)} steps, not {len(computed)}"
        return
    pairs = _paired(said, computed)
    if pairs is None:
        yield "its steps read each other in another way"
        return
    for told, meant in sorted(pairs.items()):
        yield from _step(said[told], _renumbered(computed[meant], pairs), told + 1)


def _paired(said: Outline, computed: Outline) -> dict[int, int] | None:
    """Pair the steps from the last one backwards: step of the text → step of the query."""
    pairs: dict[int, int] = {}
    waiting = [(len(said) - 1, len(computed) - 1)]
    while waiting:
        told, meant = waiting.pop()
        if told not in range(len(said)):
            return None
        if pairs.setdefault(told, meant) != meant:
            return None
        sources = (said[told].steps, computed[meant].steps)
        if len(sources[0]) != len(sources[1]):
            return None
        waiting += zip(*sources, strict=True)
    if len(pairs) != len(said) or len(set(pairs.values())) != len(pairs):
        return None
    return pairs


def _renumbered(step: StepOutline, pairs: dict[int, int]) -> StepOutline:
    """Return a step of the query whose references count steps as the text does."""
    return step.renumbered({meant: told for told, meant in pairs.items()})


def _step(said: StepOutline, computed: StepOutline, number: int) -> Iterator[str]:
    if said.tables != computed.tables:
        yield f"step {number} reads {_listed(said.tables)}, not {_listed(computed.tables)}"
    if len(said.outputs) != len(computed.outputs):
        yield (f"step {number} gives {len(said.outputs)} values, not {len(computed.outputs)}")
        return
    for place, (told, meant) in enumerate(zip(said.outputs, computed.outputs, strict=True)):
        if not _agree(told, meant, directed=computed.directed[place]):
            yield (
                f"value {place + 1} of step {number} comes from {_listed(told)}, "
                f"not {_listed(meant)}"
            )
    for part in ("keys", "kept", "matched", "order"):
        told, meant = getattr(said, part), getattr(computed, part)
        if not _agree(told, meant, directed=part == "order"):
            yield f"{part} of step {number}: {_listed(told)}, not {_listed(meant)}"


def _agree(said: References, computed: References, *, directed: bool) -> bool:
    """Say whether both are made of the same; a plain word need not be a column of its name."""
    meant = [
        name.removeprefix(MAYBE)
        for name in said
        if not name.startswith(MAYBE) or name.removeprefix(MAYBE) in computed
    ]
    listed = list(computed)
    return meant == listed if directed else sorted(meant) == sorted(listed)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"


BY_STEPS = RuleReader("rules/steps", step_faults)
"""Follows each value through the steps, in the text and in the query."""
