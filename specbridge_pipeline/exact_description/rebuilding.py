"""Nodes of a query built anew with some of their parts changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from specbridge_pipeline.exact_description.query import field_names, is_node


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a node with each node right below it changed.

    Args:
        node: The node.
        change: Returns what stands in a node's place.

    Returns:
        The node itself where nothing changed.
    """
    kind = type(node)
    values: list[Any] = []
    changed = False
    for name in field_names(kind):
        old = getattr(node, name)
        new = _changed(old, change)
        changed = changed or new is not old
        values.append(new)
    return kind(*values) if changed else node


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        parts = tuple(_changed(each, change) for each in value)
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else parts
    return change(value) if is_node(value) else value
