"""Steps of a description as its sentences tell them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from specbridge_pipeline.errors import UnreadableDescriptionError
from specbridge_pipeline.exact_description.way_back.parsing import (
    NOTHING,
    Ambiguous,
    Node,
    Unread,
    read_line,
)
from specbridge_pipeline.exact_description.way_back.words import Word

_STEP = re.compile(r"([0-9]+)\. ")
_OUTPUT = re.compile(r"- |\([0-9]+[a-z]+\) ")
_INDENT = "   "
_LONGEST_QUOTE = 80


@dataclass(slots=True)
class ReadJoin:
    """How a source after the first comes in: a kind of SQL's joins, and what is a match."""

    kind: str
    on: Node | None


@dataclass(slots=True)
class ReadOutput:
    """What a step gives: a name that it returns it under, and a value.

    Attributes:
        name: The name; None where any will do.
        value: The value; None for rows of other steps put together, which have theirs.
    """

    name: str | None
    value: Node | None


@dataclass(slots=True)
class ReadStep:
    """One step as it was read.

    Attributes:
        number: Its number.
        sources: Where its rows come from.
        joins: How the sources after the first come in.
        condition: What its rows must fulfil.
        keys: What rows are grouped by, each with a collation or None.
        group_condition: What groups must fulfil.
        rows: What it gives a row for: none, row, group, all or gained.
        outputs: What it gives.
        distinct: Whether equal rows are given once.
        collations: By which collation values at a place are compared, where equal rows are one.
        parts: The steps whose rows it puts together, each with the operator before it.
        repeats: Whether all parts but the first are repeated for each row that is found.
        listed: Rows that are written out.
        order: Its order; empty for none.
        limit: How many rows it gives at most.
        offset: How many rows it passes over.
        owners: The steps whose current rows it is said to be worked out for.
    """

    number: int
    sources: list[Node] = field(default_factory=list)
    joins: list[ReadJoin] = field(default_factory=list)
    condition: Node | None = None
    keys: tuple[tuple[Node, str | None], ...] = ()
    group_condition: Node | None = None
    rows: str = ""
    outputs: list[ReadOutput] = field(default_factory=list)
    distinct: bool = False
    collations: dict[int, str] = field(default_factory=dict)
    parts: list[tuple[str, int]] = field(default_factory=list)
    repeats: bool = False
    listed: tuple[tuple[Node, ...], ...] = ()
    order: tuple[Node, ...] = ()
    limit: Any = None
    offset: Any = None
    owners: frozenset[int] = frozenset()


def read_steps(text: str, words: Mapping[str, Word]) -> dict[int, ReadStep]:
    """Read the steps of a description.

    Args:
        text: The description in the numbered style.
        words: The parts of the language that are words.

    Returns:
        The steps by number, in order.

    Raises:
        UnreadableDescriptionError: A sentence cannot be read, or can be read in two ways; the
            error names it.
    """
    steps: dict[int, ReadStep] = {}
    numbered = list(_numbered(text))
    if not numbered:
        raise UnreadableDescriptionError("there are no numbered steps in the text")
    for at, (number, lines) in enumerate(numbered, start=1):
        if number != at:
            raise UnreadableDescriptionError(
                "the steps are not numbered from 1 on", where=f"step {number}"
            )
        steps[number] = _step(number, lines, words, last=at == len(numbered))
    return steps


def _step(number: int, lines: Sequence[str], words: Mapping[str, Word], *, last: bool) -> ReadStep:
    step = ReadStep(number)
    builder = _Builder(step)
    for line in lines:
        where = f"step {number}, «{line[:_LONGEST_QUOTE]}»"
        is_output = _OUTPUT.match(line) is not None
        try:
            read = read_line(line, "output" if is_output else "sentences", words)
            for each in [read] if is_output else read:
                builder.add(each)
        except Unread as error:
            rest = line[error.place :][:_LONGEST_QUOTE]
            raise UnreadableDescriptionError(
                f"a sentence cannot be read from «{rest}» on",
                where=where,
                advice="docs/description_grammar.md says how descriptions are written",
            ) from error
        except Ambiguous as error:
            raise UnreadableDescriptionError(
                "a sentence can be read in two ways", where=where
            ) from error
        except LookupError as error:
            raise UnreadableDescriptionError(
                f"a sentence does not agree with the others: {error.args[0]}", where=where
            ) from error
    try:
        builder.finish(last=last)
    except LookupError as error:
        raise UnreadableDescriptionError(
            f"its sentences do not agree: {error.args[0]}", where=f"step {number}"
        ) from error
    return step


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    number, lines = 0, list[str]()
    for line in text.split("\n"):
        found = _STEP.match(line)
        if found:
            if lines:
                yield number, lines
            number, lines = int(found[1]), [line[found.end() :]]
        elif line.startswith(_INDENT) and lines:
            lines.append(line.removeprefix(_INDENT))
        elif line.strip():
            raise UnreadableDescriptionError(
                "a line belongs to no step", where=f"«{line[:_LONGEST_QUOTE]}»"
            )
    if lines:
        yield number, lines


class _Builder:
    """Puts what the sentences of one step say in its place."""

    def __init__(self, step: ReadStep) -> None:
        self._step = step
        self._place = ""
        self._count = ""

    def add(self, node: Node) -> None:
        if node is NOTHING:
            return
        handler = getattr(self, f"_{node.meaning}")
        handler(node.words, *node.parts)

    def finish(self, *, last: bool) -> None:
        """Check that what was said of the step agrees.

        Args:
            last: Whether it is the last step, which alone returns what it gives.

        Raises:
            LookupError: It does not.
        """
        step = self._step
        rows = "none"
        if step.parts or step.listed:
            rows = "gained"
        elif step.keys:
            rows = "group"
        elif step.sources:
            rows = "row"
        alone = step.rows == "all" and rows == "row"
        if not alone and step.rows != rows:
            raise LookupError("what it gives a row for is not what it has")
        if step.group_condition is not None and step.rows not in ("group", "all"):
            raise LookupError("it has no groups")
        if self._place not in ({"last"} if last else {"between"}):
            raise LookupError("only the last step returns what it gives")
        if self._count and (self._count == "one") != (len(step.outputs) == 1):
            raise LookupError("it gives another number of values")
        if not step.outputs:
            raise LookupError("it gives nothing")

    def _owners(self, words: str, owners: tuple[int, ...]) -> None:
        self._step.owners = frozenset(owners)

    def _take(self, words: str, source: Node) -> None:
        self._step.sources.append(source)

    def _pair(self, words: str, each: Node, source: Node) -> None:
        self._step.sources.append(source)
        self._step.joins.append(ReadJoin("INNER", None))

    def _pair_where(self, words: str, each: Node, source: Node, condition: Node) -> None:
        self._step.sources.append(source)
        self._step.joins.append(ReadJoin("INNER", condition))

    def _matches(self, words: str, *later: Node) -> None:
        if not self._step.joins:
            raise LookupError("nothing is matched")
        self._step.joins[-1].kind = words

    def _matches_again(self, words: str) -> None:
        if len(self._step.joins) < 2:
            raise LookupError("nothing was matched before")
        self._step.joins[-1].kind = self._step.joins[-2].kind

    def _keep_rows(self, words: str, condition: Node) -> None:
        self._step.condition = condition

    def _group(self, words: str, key: Node) -> None:
        self._by((key,))

    def _groups(self, words: str, keys: tuple[Node, ...]) -> None:
        if len(keys) < 2:
            raise LookupError("one key is no combination")
        self._by(keys)

    def _by(self, keys: tuple[Node, ...]) -> None:
        self._step.keys = tuple((key.parts[0], key.parts[1]) for key in keys)

    def _keep_groups(self, words: str, condition: Node) -> None:
        self._step.group_condition = condition

    def _for_each(self, words: str, given: Node) -> None:
        self._step.rows = words
        self._place = given.words
        self._count = given.parts[0] if given.parts else ""

    def _start(self, words: str, step: int) -> None:
        self._step.parts = [("", step)]

    def _add(self, words: str, step: int) -> None:
        self._step.parts.append((words, step))

    def _collated_parts(self, words: str, comparings: tuple[Node, ...] | None) -> None:
        for each in comparings or ():
            if each.parts[1]:
                self._step.collations[each.parts[0]] = each.parts[1]

    def _repeat(
        self, words: str, order: tuple[Node, ...] | None, steps: tuple[int, ...], give: Node
    ) -> None:
        self._step.parts += [(words, step) for step in steps]
        self._step.repeats = True
        self._step.order = order or ()

    def _rows(self, words: str, rows: Any) -> None:
        several = isinstance(rows[0], tuple)
        self._step.listed = rows if several else (rows,)

    def _distinct(self, words: str, which: Node, comparings: tuple[Node, ...] | None) -> None:
        self._step.distinct = True
        self._collated_parts(words, comparings)

    def _sort(self, words: str, order: tuple[Node, ...]) -> None:
        self._step.order = order

    def _offset(self, words: str, count: Any) -> None:
        self._step.offset = count

    def _offset_one(self, words: str) -> None:
        self._step.offset = 1

    def _cut(self, words: str, place: str, which: str, count: Any) -> None:
        if (which == "next") != (self._step.offset is not None):
            raise LookupError("rows come next where some were passed over")
        self._any(words, place, count)

    def _cut_one(self, words: str, place: str, which: str) -> None:
        self._cut(words, place, which, 1)

    def _cut_to_nothing(self, words: str, place: str) -> None:
        self._any(words, place, 0)

    def _any_one(self, words: str, place: str) -> None:
        self._any(words, place, 1)

    def _any(self, words: str, place: str, count: Any) -> None:
        if place != self._place:
            raise LookupError("only the last step returns what it gives")
        self._stop(words, count)

    def _stop_at_one(self, words: str) -> None:
        self._stop(words, 1)

    def _stop(self, words: str, count: Any) -> None:
        self._step.limit = count

    # Lines for what a step gives.

    def _named(self, words: str, name: str, value: Node) -> None:
        self._step.outputs.append(ReadOutput(name, _value(value)))

    def _named_by_column(self, words: str, name: str, meaning: None) -> None:
        self._step.outputs.append(ReadOutput(name, Node("column", "", (name, None, None))))

    def _unnamed(self, words: str, value: Node) -> None:
        self._step.outputs.append(ReadOutput(None, _value(value)))

    def _labelled_line(self, words: str, label: tuple[int, int], value: Node) -> None:
        if label != (self._step.number, len(self._step.outputs)):
            raise LookupError("its label is not the next one")
        self._step.outputs.append(ReadOutput(None, _value(value)))


def _value(value: Node) -> Node | None:
    return None if value is NOTHING else value
