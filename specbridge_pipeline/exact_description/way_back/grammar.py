"""The grammar of descriptions: rules of what is written and what it means, read from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

GRAMMAR_FILE = Path(__file__).parent / "grammar.yaml"
_SLOT = re.compile(r"\{(?P<part>[a-z ]+)(?P<kind>[*&]?)(?P<between>[^}]*)\}")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a rule where a part of the language stands.

    Attributes:
        part: The part.
        many: Whether there can be several.
        between: What stands between two of them.
        last: What stands before the last one.
    """

    part: str
    many: bool = False
    between: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to write a part of the language.

    Attributes:
        written: Words and slots in order.
        meaning: SQL with numbered places, or a name behind an @ with words that qualify it.
    """

    written: tuple[str | Slot, ...]
    meaning: str


@cache
def grammar() -> dict[str, tuple[Rule, ...]]:
    """Return the rules of each part of the language."""
    sections = yaml.safe_load(GRAMMAR_FILE.read_text(encoding="utf-8"))
    return {
        part: tuple(Rule(_written(text), meaning) for text, meaning in rules.items())
        for part, rules in sections.items()
    }


def _written(text: str) -> tuple[str | Slot, ...]:
    parts: list[str | Slot] = []
    end = 0
    for found in _SLOT.finditer(text):
        if found.start() > end:
            parts.append(text[end : found.start()])
        part, kind = found["part"], found["kind"]
        if kind == "&":
            parts.append(Slot(part, True, ", ", " and "))
        elif kind == "*":
            parts.append(Slot(part, True, found["between"], found["between"]))
        else:
            parts.append(Slot(part))
        end = found.end()
    if end < len(text):
        parts.append(text[end:])
    return tuple(parts)
