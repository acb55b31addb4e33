"""Scripted respondents: systems under test whose behaviour is known, asked like any model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

BEHAVIOURS = Path(__file__).parents[1] / "fixtures" / "respondents.yaml"

_QUERIES = {
    "nonsense": "SELECT -1, 'nothing that was asked for', 3",
    "broken": "SELECT FROM WHERE",
    "loop": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "million": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) "
    "SELECT i FROM n",
    "write": "DELETE FROM purchase",
}
_NAMES = {
    "counting_unit": "It is unclear whether repeated rows or distinct customers are counted.",
    "ties": "The request does not say whether tied rows are all returned.",
    "missing_values": "It is unclear whether what has no recorded value is left out.",
    "strict_cutoff": "It is unclear whether a value that equals the cutoff is in.",
    "negation": "It is unclear whether one such record leaves the whole thing out.",
    "aggregation_level": "It is ambiguous whether ratios are averaged or it is a ratio of totals.",
}


def respond(messages: list[dict[str, str]], parameters: dict[str, Any]) -> str:
    """Answer a request as the behaviour named in the parameters does."""
    behaviour = yaml.safe_load(BEHAVIOURS.read_text("utf-8"))[parameters["behaviour"]]
    sets = yaml.safe_load(Path(parameters["sets"]).read_text("utf-8"))["sets"]
    if len(messages) > 2:  # the repair turn
        return "still no JSON"
    request = messages[-1]["content"]
    for each in sets:
        sides = each["interpretations"]
        if request == each["open_request"]:
            return _reply(behaviour["open"], each, {side: sides[side]["sql"] for side in "ab"})
        for side, other in ("ab", "ba"):
            if request == sides[side]["request"]:
                queries = {"own": sides[side]["sql"], "other": sides[other]["sql"]}
                return _reply(behaviour["specific"], each, queries)
    raise AssertionError(f"a request that is in no set: {request}")


def _reply(script: dict[str, Any], each: dict[str, Any], queries: dict[str, str]) -> str:
    if script.get("malformed"):
        return "I would rather not."
    known = _QUERIES | queries
    explanation = _NAMES[each["choice_type"]] if script.get("explanation") == "names" else ""
    return json.dumps(
        {
            "sql": known[script["main"]],
            "explanation": explanation,
            "alternatives": [
                {"interpretation": "", "sql": known[name]}
                for name in script.get("alternatives", [])
            ],
        }
    )
