"""Whether two queries differ in one step, and in which."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.spelling import without_spelling
from specbridge_pipeline.sql.steps import NamedStep, named_steps

MAIN = ""
"""The name under which a statement's main query stands among its steps."""


@dataclass(frozen=True, slots=True)
class StepDifference:
    """What tells two queries apart, step by step.

    Steps are called by the names of their WITH entries as A has them (as B has them for `added`);
    the empty name is the main query.

    Attributes:
        changed: Steps of both with another text, in A's order.
        added: Steps of B alone, in B's order.
        removed: Steps of A alone, in A's order.
        one_step: Whether the queries differ in exactly one calculation step.
        reason: Why they do not; empty where they do.
    """

    changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    one_step: bool
    reason: str


def step_difference(sql_a: str, sql_b: str, engine: Engine = Engine.SQLITE) -> StepDifference:
    """Compare two queries step by step.

    Steps are matched by the names of their WITH entries and compared by their syntax trees, so that
    formatting, comments, the case of names and redundant parentheses make no difference. The
    queries differ in one step when exactly one step of both has another text and keeps the names
    of its outputs, B has at most one step more, which serves only the changed one, and every step
    that A has more served only the changed one. So a step that becomes two, or two that become
    one, is still one step: a main SELECT with a LIMIT against a ranking entry with a filter on the
    place.

    Args:
        sql_a: Interpretation A's query.
        sql_b: Interpretation B's query.
        engine: The engine that both are for.

    Raises:
        UnusableReferenceError: One of them cannot be parsed.
    """
    first, second = _Steps(sql_a, engine), _Steps(sql_b, engine)
    changed = tuple(
        key for key in first.names if key in second.names and first.trees[key] != second.trees[key]
    )
    added = tuple(key for key in second.names if key not in first.names)
    removed = tuple(key for key in first.names if key not in second.names)
    reason = _reason(first, second, changed, added, removed)
    return StepDifference(
        changed=tuple(first.names[key] for key in changed),
        added=tuple(second.names[key] for key in added),
        removed=tuple(first.names[key] for key in removed),
        one_step=not reason,
        reason=reason,
    )


class _Steps:
    """The named steps of one statement, by their names in lower case."""

    def __init__(self, sql: str, engine: Engine) -> None:
        listed = named_steps(parse_query(sql, engine))
        self.steps: dict[str, NamedStep] = {step.name.lower(): step for step in listed}
        self.names = {key: step.name for key, step in self.steps.items()}
        self.trees = {key: _normalized(step) for key, step in self.steps.items()}

    def serves_only(self, step: str, reader: str) -> bool:
        """Whether a step is read, and every way from the result to it leads through a reader."""
        return self._reaches(MAIN, step, None) and not self._reaches(MAIN, step, reader)

    def _reaches(self, start: str, step: str, without: str | None) -> bool:
        waiting, seen = [start], set()
        while waiting:
            key = waiting.pop()
            if key == step:
                return True
            if key in seen or key == without:
                continue
            seen.add(key)
            waiting += self.steps[key].reads
        return False


def _reason(
    first: _Steps,
    second: _Steps,
    changed: tuple[str, ...],
    added: tuple[str, ...],
    removed: tuple[str, ...],
) -> str:
    if not changed:
        if added or removed:
            extra = ", ".join(_quoted(key) for key in (*added, *removed))
            return f"no step changes; {extra} is in one of the queries and serves nothing"
        return "the queries are the same"
    if len(changed) > 1:
        return f"{len(changed)} steps differ: {', '.join(map(_quoted, changed))}"
    [step] = changed
    if len(added) > 1:
        return f"B has {len(added)} more steps: {', '.join(map(_quoted, added))}"
    for key in added:
        if not second.serves_only(key, step):
            return f"{_quoted(key)}, which only B has, does not serve {_quoted(step)} alone"
    for key in removed:
        if not first.serves_only(key, step):
            return f"{_quoted(key)}, which only A has, did not serve {_quoted(step)} alone"
    return _renamed(first.steps[step], second.steps[step])


def _renamed(first: NamedStep, second: NamedStep) -> str:
    names = [_output_names(step) for step in (first, second)]
    if names[0] is None or names[1] is None:
        return ""
    if len(names[0]) != len(names[1]):
        return f"{_quoted(first.name)} has another number of outputs"
    for one, other in zip(*names, strict=True):
        if one != other and one is not None and other is not None:
            return f"an output of {_quoted(first.name)} is called '{one}' in A and '{other}' in B"
    return ""


def _output_names(step: NamedStep) -> list[str | None] | None:
    """Return the output names in lower case; None where an output, or all of them, have none."""
    if step.columns:
        return [name.lower() for name in step.columns]
    outputs = step.query.selects
    if any(output.is_star for output in outputs):
        return None
    return [output.alias_or_name.lower() or None for output in outputs]


def _quoted(name: str) -> str:
    return f"'{name}'" if name else "the main SELECT"


def _normalized(step: NamedStep) -> tuple[exp.Expr, tuple[str, ...]]:
    """Return a step's tree without what makes no difference, and the names of its columns."""
    tree = step.query.copy()
    without_spelling(tree)
    return tree, tuple(name.lower() for name in step.columns)
