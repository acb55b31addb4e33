"""The reading that goes from the query to the words: is each requirement said, and nothing else?

The requirements are read from the tree of the SQL, and looked for in the text by the words that
English has for them. Nothing here knows how the text was made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.tasks.plain_text import (
    PLAIN_WORDS,
    without_explanations,
    without_reminders,
)
from specbridge_pipeline.request_sets.tasks.requirements_of_sql import (
    Counts,
    Requirements,
    count_differences,
    shown_value,
)
from specbridge_pipeline.request_sets.tasks.task import RuleReader, Task
from specbridge_pipeline.sql.parsing import parse_query

_SAID: dict[str, re.Pattern[str]] = {
    "a count of rows": re.compile(r"\bthe number of rows\b(?! in which)"),
    "a count of values": re.compile(r"\bthe number of rows in which\b"),
    "a count of different values": re.compile(r"\bthe number of different values of\b"),
    "a sum": re.compile(r"\bthe (?:sum|total) of\b"),
    "an average": re.compile(r"\bthe (?:average|mean) of\b"),
    "a smallest value": re.compile(r"\bthe (?:smallest|lowest|least)\b"),
    "a largest value": re.compile(r"\bthe (?:largest|highest|greatest)\b"),
    "a place in an order": re.compile(r"\bthe place among\b"),
    "a row number": re.compile(r"\bthe number of the row among\b"),
    "a division": re.compile(r"\bdivided by\b(?! zero)"),
    "a subtraction": re.compile(r"\bminus\b"),
    "an addition": re.compile(r"\bplus\b"),
    "a multiplication": re.compile(r"\btimes\b"),
    "a grouping": re.compile(r"\bone group for each\b"),
    "a single row from all rows": re.compile(r"\b[Ff]rom all these rows together\b"),
    "an order from high to low": re.compile(r"\bin descending order\b"),
    "an order from low to high": re.compile(r"\bin ascending order\b"),
    "missing values first in an order": re.compile(r"\bmissing values first\b"),
    "missing values last in an order": re.compile(r"\bmissing values last\b"),
    "values counted once": re.compile(r"\bdifferent values of\b"),
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
    "a test for a known value": re.compile(r"\bis not missing\b"),
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
    needed = Requirements.of(query)
    kinds, tables, literals = _kinds_said(text), _tables_said(text), _literals_said(text)
    return (
        *count_differences(needed.kinds, kinds, "says {thing} {said}, not {needed}"),
        *count_differences(needed.tables, tables, "reads {thing} {said}, not {needed}"),
        *count_differences(needed.literals, literals, "names {thing} {said}, not {needed}"),
        *_outputs(needed, text),
        *_columns(needed, text, task.schema),
    )


def _kinds_said(text: str) -> Counts:
    found = Counter({kind: len(pattern.findall(text)) for kind, pattern in _SAID.items()})
    # "The number of rows in which it is not missing" tests nothing.
    found["a test for a known value"] -= found["a count of values"]
    return found


def _tables_said(text: str) -> Counts:
    found = (name.strip("`").rstrip(".").lower() for name in _TABLES.findall(text))
    return Counter(name for name in found if name != "step")


def _literals_said(text: str) -> Counts:
    found: Counts = Counter()

    def keep(match: re.Match[str]) -> str:
        found[shown_value(match[1] if match[1] is not None else match[2], is_text=True)] += 1
        return " "

    rest = _LABELS.sub(" ", _LITERAL.sub(keep, text))
    found.update(shown_value(number, is_text=False) for number in _NUMBER.findall(rest))
    found["1"] += len(_FIRST_ROW.findall(rest))
    return +found


def _outputs(needed: Requirements, text: str) -> Iterator[str]:
    said = tuple(name.strip("`") for name in _OUTPUT.findall(text))
    if said != needed.outputs:
        yield f"returns {', '.join(said) or 'nothing'}, not {', '.join(needed.outputs)}"


def _columns(needed: Requirements, text: str, schema: Schema) -> Iterator[str]:
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
