"""Nodes of a query built anew with some of their parts changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from specbridge_pipeline.exact_description.queries.model import child_names, is_node


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a node with each node right below it changed.

    Args:
        node: The node.
        change: Returns what stands in a node's place.

    Returns:
        The node itself where nothing changed.
    """
    changes: dict[str, Any] = {}
    for name in child_names(type(node)):
        old = getattr(node, name)
        if isinstance(old, tuple):
            new: Any = _changed(old, change)
        else:
            new = change(old) if is_node(old) else old
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def _changed(values: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    parts = [
        _changed(each, change)
        if isinstance(each, tuple)
        else change(each)
        if is_node(each)
        else each
        for each in values
    ]
    same = all(new is old for new, old in zip(parts, values, strict=True))
    return values if same else tuple(parts)
