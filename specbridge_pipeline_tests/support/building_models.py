"""Scripted models with the roles of construction: they do as their prompt says, and no better."""

from __future__ import annotations

import json
import re
from typing import Any


def build(messages: list[dict[str, Any]], parameters: dict[str, Any]) -> str:
    """Write, review or propose, whatever the prompt asks for.

    A writer gives the phrases of the choice and little else, a reviewer finds all requests fit for
    the first interpretation alone, and a proposer edits what is not in the query.
    """
    prompt = messages[0]["content"]
    if '"place"' in prompt:
        return json.dumps({"place": 1, "old": "what is not in the query", "new": ""})
    if '"request_1"' in prompt:
        verdict = {"first": True, "second": False, "lost": [], "note": "so it seems"}
        return json.dumps({f"request_{number}": verdict for number in (1, 2, 3)})
    a, b, left_open = (
        re.findall(rf"^{name}: (.*)$", prompt, re.M)[-1]
        for name in ("Phrase for A", "Phrase for B", "Open phrase")
    )
    texts = [f"Find {phrase} in the data. Return it." for phrase in (a, b, left_open)]
    if '"edit"' in prompt:
        return json.dumps({"a": texts[0], "edit": {"old": a, "new": b}, "open": texts[2]})
    return json.dumps(dict(zip(("a", "b", "open"), texts, strict=True)))


def refuse(messages: list[dict[str, Any]], parameters: dict[str, Any]) -> str:
    """Say nothing that could be read."""
    return "I would rather not."
