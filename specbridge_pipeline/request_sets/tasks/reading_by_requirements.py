"""The reading that goes from the query to the words: is each requirement said, and nothing else?

The requirements are read from the tree of the SQL, and looked for in the text by the words that
English has for them. Nothing here knows how the text was made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.tasks.plain_text import (
    PLAIN_WORDS,
    without_explanations,
    without_reminders,
)
from specbridge_pipeline.request_sets.tasks.task import RuleReader, Task
from specbridge_pipeline.sql.parsing import parse_query

Counts = Counter[str]

_SAID: dict[str, re.Pattern[str]] = {
    "a count of rows": re.compile(r"\bthe number of rows\b(?! in which)"),
    "a count of values": re.compile(r"\bthe number of rows in which\b"),
    "a count of different values": re.compile(r"\bthe number of different values of\b"),
    "a sum": re.compile(r"\bthe (?:sum|total) of\b"),
    "an average": re.compile(r"\bthe (?:average|mean) of\b"),
    "a smallest value": re.compile(r"\bthe (?:smallest|lowest|least)\b"),
    "a largest value": re.compile(r"\bthe (?:largest|highest|greatest)\b"),
    "a place in an order": re.compile(r"\bthe place among\b"),
    "a division": re.compile(r"\bdivided by\b(?! zero)"),
    "a subtraction": re.compile(r"\bminus\b"),
    "an addition": re.compile(r"\bplus\b"),
    "a multiplication": re.compile(r"\btimes\b"),
    "a grouping": re.compile(r"\bone group for each\b"),
    "a single row from all rows": re.compile(r"\b[Ff]rom all these rows together\b"),
    "an order from high to low": re.compile(r"\bin descending order\b"),
    "an order from low to high": re.compile(r"\bin ascending order\b"),
    "a join that leaves unmatched rows out": re.compile(r"rows without a match, on either side,"),
    "a join that keeps unmatched rows": re.compile(r"a row without a match is kept"),
    "a pairing of all rows": re.compile(
        r"\b(?:Beside each|Pair each [^.]*? with every row of [^ .]+\.)"
    ),
    "rows passed over": re.compile(r"\bPass over\b"),
    "different rows only": re.compile(r"\bare given only once\b"),
    "a test for more": re.compile(r"\b(?:is greater than|is after)\b"),
    "a test for at least": re.compile(r"\b(?:is at least|is at or after)\b"),
    "a test for less": re.compile(r"\b(?:is less than|is before)\b"),
    "a test for at most": re.compile(r"\b(?:is at most|is at or before)\b"),
    "a test for the same": re.compile(r"\b(?:equals|is exactly)\b"),
    "a test for another": re.compile(r"\b(?:differs from|is anything but)\b"),
    "a test for a missing value": re.compile(r"(?<!\bvalue )\bis missing\b(?! where| if)"),
    "a test for a known value": re.compile(r"(?<! in which )\b\S+ is not missing\b"),
}
"""What a query can do → how a text says that it does."""

_TABLES = re.compile(
    r"\b(?:Take all rows of|every row of|(?:Take|put) the single row of) (`[^`]+`|[\w.]+)"
)
_LITERAL = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"\\]|\\.)*)\"")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*\w)")
_LABELS = re.compile(r"(?m)^\s*\d+\. |\(\d+[a-z]+\)|\b\d+[a-z]+\b|\bsteps? \d+\b")
_OUTPUT = re.compile(r"(?m)^\s*- (\(any name\)|`[^`]+`|\w+)")
_FIRST_ROW = re.compile(r"\bonly the first row\b")
_WORD = re.compile(r"`([^`]+)`|([^\W\d]\w*)")


def requirement_faults(task: Task) -> tuple[str, ...]:
    """Say what a text lacks or adds, by what its query does.

    Args:
        task: The query and the text.

    Returns:
        A sentence for each thing that the query does more or less often than the text says.
    """
    try:
        query = parse_query(task.sql, task.schema.engine)
    except UnusableReferenceError as error:
        return (f"the query cannot be read: {error.what}",)
    text = without_reminders(without_explanations(task.description))
    needed = _Needed.of(query)
    kinds, tables, literals = _kinds_said(text), _tables_said(text), _literals_said(text)
    return (
        *_differences(needed.kinds, kinds, "says {thing} {said}, not {needed}"),
        *_differences(needed.tables, tables, "reads {thing} {said}, not {needed}"),
        *_differences(needed.literals, literals, "names {thing} {said}, not {needed}"),
        *_outputs(needed, text),
        *_columns(needed, text, task.schema),
    )


@dataclass(frozen=True, slots=True)
class _Needed:
    """What a query requires a text to say.

    Attributes:
        kinds: How often it does what.
        tables: How often it reads which table, in lower case.
        literals: How often it has which literal.
        columns: Names of the columns of tables that it uses, in lower case.
        outputs: Names of the columns that it returns.
    """

    kinds: Counts
    tables: Counts
    literals: Counts
    columns: frozenset[str]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, query: exp.Query) -> _Needed:
        entries = {entry.alias.lower() for entry in query.find_all(exp.CTE)}
        made = {
            output.alias_or_name.lower()
            for entry in query.find_all(exp.CTE)
            for output in entry.this.selects
        }
        kinds: Counts = Counter()
        literals: Counts = Counter()
        for select in query.find_all(exp.Select):
            kinds.update(_kinds_of(select, entries))
            literals.update(_literals_of(select))
        tables = Counter(
            table.name.lower()
            for table in query.find_all(exp.Table)
            if table.name.lower() not in entries
        )
        columns = {
            column.name.lower()
            for select in query.find_all(exp.Select)
            if any(table.name.lower() not in entries for table in _own(select, exp.Table))
            for column in _own(select, exp.Column)
        }
        return cls(
            kinds,
            tables,
            literals,
            frozenset(columns - (made - columns)),
            tuple(output.alias_or_name for output in query.selects),
        )


_NODES: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Sum, "a sum"),
    (exp.Avg, "an average"),
    (exp.Min, "a smallest value"),
    (exp.Max, "a largest value"),
    (exp.Rank, "a place in an order"),
    (exp.Sub, "a subtraction"),
    (exp.Add, "an addition"),
    (exp.Div, "a division"),
    (exp.EQ, "a test for the same"),
    (exp.NEQ, "a test for another"),
    (exp.GT, "a test for more"),
    (exp.GTE, "a test for at least"),
    (exp.LT, "a test for less"),
    (exp.LTE, "a test for at most"),
)


def _kinds_of(select: exp.Select, entries: set[str]) -> Iterator[str]:
    # What is written twice in one SELECT, as for an output and for the order, is one value.
    for node, kind in _NODES:
        yield from (kind for _ in _distinct(_own(select, node)))
    for product in _distinct(_own(select, exp.Mul)):
        if not _is_one(product.this) and not _is_one(product.expression):
            yield "a multiplication"
    for count in _distinct(_own(select, exp.Count)):
        counted = count.this
        if isinstance(counted, exp.Distinct):
            yield "a count of different values"
        else:
            yield "a count of rows" if isinstance(counted, exp.Star) else "a count of values"
    for test in _own(select, exp.Is):
        known = isinstance(test.parent, exp.Not)
        yield "a test for a known value" if known else "a test for a missing value"
    for key in _own(select, exp.Ordered):
        yield "an order from high to low" if key.args.get("desc") else "an order from low to high"
    for join in select.args.get("joins") or ():
        if join.args.get("on") is None and not join.args.get("using"):
            yield "a pairing of all rows"
        else:
            left = join.side == "LEFT"
            yield f"a join that {'keeps unmatched rows' if left else 'leaves unmatched rows out'}"
    if select.args.get("group"):
        yield "a grouping"
    elif any(_aggregates(select)):
        yield "a single row from all rows"
    if select.args.get("distinct"):
        yield "different rows only"
    if select.args.get("offset"):
        yield "rows passed over"


def _aggregates(select: exp.Select) -> Iterator[exp.Expr]:
    return (
        each
        for each in _own(select, exp.AggFunc)
        if not isinstance(each, exp.Rank) and not isinstance(each.parent, exp.Window)
    )


def _literals_of(select: exp.Select) -> Iterator[str]:
    for literal in _own(select, exp.Literal):
        product = literal.parent
        if isinstance(product, exp.Mul) and _is_one(literal):
            continue
        text = literal.name
        if isinstance(product, exp.Neg) and not literal.is_string:
            text = f"-{text}"
        yield _shown(text, is_text=literal.is_string)


def _own(select: exp.Select, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the nodes of a kind that belong to a SELECT and not to one inside it."""
    return (
        node
        for node in select.find_all(kind)
        if node.find_ancestor(exp.Select) is select and node is not select
    )


def _distinct(nodes: Iterator[exp.Expr]) -> list[exp.Expr]:
    return list({node.sql().lower(): node for node in nodes}.values())


def _is_one(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) == 1


def _kinds_said(text: str) -> Counts:
    return Counter({kind: len(pattern.findall(text)) for kind, pattern in _SAID.items()})


def _tables_said(text: str) -> Counts:
    found = (name.strip("`").rstrip(".").lower() for name in _TABLES.findall(text))
    return Counter(name for name in found if name != "step")


def _literals_said(text: str) -> Counts:
    found: Counts = Counter()

    def keep(match: re.Match[str]) -> str:
        found[_shown(match[1] if match[1] is not None else match[2], is_text=True)] += 1
        return " "

    rest = _LABELS.sub(" ", _LITERAL.sub(keep, text))
    found.update(_shown(number, is_text=False) for number in _NUMBER.findall(rest))
    found["1"] += len(_FIRST_ROW.findall(rest))
    return +found


def _shown(value: str, *, is_text: bool) -> str:
    # 2019 and 2019.0 are other values to some engines, so that the text must not confuse them.
    return f"'{value}'" if is_text else value


def _differences(needed: Counts, said: Counts, sentence: str) -> Iterator[str]:
    for thing in sorted(needed | said):
        if needed[thing] != said[thing]:
            yield sentence.format(
                thing=thing, said=_times(said[thing]), needed=_times(needed[thing])
            )


def _times(count: int) -> str:
    return {0: "nowhere", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _outputs(needed: _Needed, text: str) -> Iterator[str]:
    said = tuple(name.strip("`") for name in _OUTPUT.findall(text))
    if said != needed.outputs:
        yield f"returns {', '.join(said) or 'nothing'}, not {', '.join(needed.outputs)}"


def _columns(needed: _Needed, text: str, schema: Schema) -> Iterator[str]:
    body = _OUTPUT.sub(" ", _LITERAL.sub(" ", text))
    words = {(quoted or plain).lower() for quoted, plain in _WORD.findall(body)}
    # A returned column of a table may be said by its name alone.
    words |= {name.strip("`").lower() for name in _OUTPUT.findall(text)}
    for name in sorted(needed.columns - words):
        yield f"does not mention the column {name}"
    declared = {column.name.lower() for table in schema.tables for column in table.columns}
    mentioned = (
        {word for word in words if word in declared}
        - needed.columns
        - set(needed.tables)
        - PLAIN_WORDS
    )
    returned = {name.lower() for name in needed.outputs}
    for name in sorted(mentioned - returned):
        yield f"mentions the column {name}, which the query does not use"


BY_REQUIREMENTS = RuleReader("rules/requirements", requirement_faults)
"""Lists what a query does, and counts in the text the words that say so."""
