"""Reads lines of a description by the grammar, in every way that it can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.exact_description.way_back.grammar import Rule, Slot, grammar
from specbridge_pipeline.exact_description.way_back.words import Word


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the language as it was read.

    Attributes:
        meaning: SQL with numbered places, or a name; as in the rule, without the @.
        words: What qualifies the name.
        parts: What stood in the slots, in order: nodes, words, tuples of them, or None.
    """

    meaning: str
    words: str = ""
    parts: tuple[Any, ...] = ()


NOTHING = Node("nothing")
"""What says nothing that is not said elsewhere."""


class Unread(Exception):  # noqa: N818
    """A line that cannot be read.

    Args:
        place: How far it can be.
    """

    def __init__(self, place: int) -> None:
        self.place = place
        super().__init__(place)


class Ambiguous(Exception):  # noqa: N818
    """A line that can be read in several ways."""


def read_line(line: str, part: str, words: Mapping[str, Word]) -> Any:
    """Read a line.

    Args:
        line: The line.
        part: The part of the language that it is.
        words: The parts that are words.

    Returns:
        What was read, as in `Node.parts`.

    Raises:
        Unread: It cannot be read.
        Ambiguous: It can be read in more than one way.
    """
    reader = _LineReader(line, words)
    whole: list[Any] = []
    for end, node in reader.read(part, 0):
        if end == len(line) and node not in whole:
            whole.append(node)
    if not whole:
        raise Unread(reader.furthest)
    if len(whole) > 1:
        raise Ambiguous
    return whole[0]


class _LineReader:
    def __init__(self, line: str, words: Mapping[str, Word]) -> None:
        self._line = line
        self._words = words
        self._rules = grammar()
        self._known: dict[tuple[str, int], list[tuple[int, Any]]] = {}
        self.furthest = 0

    def read(self, part: str, at: int) -> list[tuple[int, Any]]:
        """Return where a part that begins at a place can end, and what it is then."""
        found = self._known.get((part, at))
        if found is None:
            word = self._words.get(part)
            found = list(word(self._line, at)) if word is not None else self._by_rules(part, at)
            self._known[part, at] = found
        return found

    def _by_rules(self, part: str, at: int) -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        line = self._line
        for rule in self._rules[part]:
            first = rule.written[0] if rule.written else ""
            if isinstance(first, str) and not line.startswith(first, at):
                continue
            for end, parts in self._written(rule.written, 0, at):
                read = (end, _meant(rule, parts))
                if read not in found:
                    found.append(read)
        return found

    def _written(
        self, written: tuple[str | Slot, ...], place: int, at: int
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        if place == len(written):
            yield at, ()
            return
        expected = written[place]
        if isinstance(expected, str):
            if self._line.startswith(expected, at):
                self.furthest = max(self.furthest, at + len(expected))
                yield from self._written(written, place + 1, at + len(expected))
            return
        ends = self._list(expected, at) if expected.many else self.read(expected.part, at)
        for end, value in ends:
            for last, rest in self._written(written, place + 1, end):
                yield last, (value, *rest)

    def _list(self, slot: Slot, at: int) -> list[tuple[int, tuple[Any, ...]]]:
        key = (f"{slot.part}*{slot.between}*{slot.last}", at)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = list(self._items(slot, at))
        return found

    def _items(self, slot: Slot, at: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield lists that begin at a place."""
        for end, first in self.read(slot.part, at):
            yield end, (first,)
            if slot.last != slot.between and self._line.startswith(slot.last, end):
                for last, item in self.read(slot.part, end + len(slot.last)):
                    yield last, (first, item)
            if self._line.startswith(slot.between, end):
                for last, items in self._list(slot, end + len(slot.between)):
                    if slot.last == slot.between or len(items) > 1:
                        yield last, (first, *items)


def _meant(rule: Rule, parts: tuple[Any, ...]) -> Any:
    if not rule.meaning.startswith("@"):
        return Node(rule.meaning, "", parts)
    name, _, words = rule.meaning[1:].partition(" ")
    match name:
        case "pass":
            return parts[0]
        case "none":
            return None
        case "nothing":
            return NOTHING
        case "word":
            return words
        case "list":
            return tuple(_items(parts))
    return Node(name, words, parts)


def _items(parts: tuple[Any, ...]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        else:
            yield part
