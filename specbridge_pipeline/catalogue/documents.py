"""What documents say of tables and columns: files beside the database, and the project's own.

Files that came with a database are untrusted: what they say is cut, shown and used as a name, and
a broken one is left out with a note. The project's own catalogue file is configuration: a fault
in it is an error with its line.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from specbridge_pipeline.catalogue.model import Role
from specbridge_pipeline.catalogue.naming import words_of
from specbridge_pipeline.configuration_files import (
    ConfigurationFile,
    StrictModel,
    read_configuration,
)
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.records.canonical import content_hash

_DESCRIPTIONS = "database_description"
_MEANINGS = "*column_meaning*.json"
_ENCODINGS = ("utf-8-sig", "cp1252")
_LARGEST_FILE = 8 * 1024 * 1024
_LONGEST_MEANING = 300
_LONGEST_PHRASE = 40
_MOST_WORDS_OF_PHRASE = 6
_LONGEST_CODE_NAME = 3
"""Characters of names like "A15", which are numbers of fields."""
_PHRASE = re.compile(r"[^\W\d_][\w '\-]*")
_FULL_NAME = re.compile(r"Full name: '(?P<name>[^']*)'\.?\s*")
_EXPLANATION = re.compile(r"Explanation: (?P<text>.*?)\s*(?:Data type:|$)", re.S)
_PARENTHESIS = re.compile(r"\s*\((?P<inside>[^()]*)\)\s*$")


@dataclass(frozen=True, slots=True)
class ColumnMeaning:
    """What documents say of a column; what is empty or None they do not say.

    The attributes are those of `CatalogueColumn`.
    """

    phrase: str = ""
    singular: str = ""
    plural: str = ""
    role: Role | None = None
    unit: str = ""
    summable: bool | None = None
    denominator: bool | None = None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class ColumnMeanings:
    """What documents say of a database.

    Attributes:
        columns: (table, column), both in lower case → what is said of it.
        rows: Table in lower case → its row noun, singular and plural.
        notes: Files that were left out, and why.
    """

    columns: Mapping[tuple[str, str], ColumnMeaning] = field(default_factory=dict)
    rows: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def of(self, table: str, column: str) -> ColumnMeaning:
        """Return what is said of a column, which may be nothing."""
        return self.columns.get((table.lower(), column.lower()), ColumnMeaning())

    def over(self, other: ColumnMeanings) -> ColumnMeanings:
        """Return both together; where both say something, this one counts."""
        columns = dict(other.columns)
        for name, meaning in self.columns.items():
            said = {key: value for key, value in asdict(meaning).items() if value not in ("", None)}
            columns[name] = replace(columns.get(name, ColumnMeaning()), **said)
        return ColumnMeanings(columns, {**other.rows, **self.rows}, (*other.notes, *self.notes))

    def fingerprint(self) -> str:
        """Return a hash of all that is said: a catalogue is stale when it changes."""
        return content_hash(
            [
                [[*name, asdict(meaning)] for name, meaning in sorted(self.columns.items())],
                [[name, *nouns] for name, nouns in sorted(self.rows.items())],
            ]
        )


class _ColumnEntry(StrictModel):
    phrase: str = Field(default="", max_length=80)
    singular: str = Field(default="", max_length=80)
    plural: str = Field(default="", max_length=80)
    role: Role | None = None
    unit: str = Field(default="", max_length=40)
    summable: bool | None = None
    denominator: bool | None = None
    meaning: str = Field(default="", max_length=_LONGEST_MEANING)


class _TableEntry(StrictModel):
    row: tuple[str, str] | None = None
    columns: dict[str, Any] = Field(default_factory=dict)


class _CatalogueFile(StrictModel):
    tables: dict[str, Any]


def read_documents(database: Path) -> ColumnMeanings:
    """Read the descriptions of columns that lie beside a database file.

    BIRD ships a folder of CSV files, one a table; LiveSQLBench a JSON file of sentences.

    Args:
        database: The database file.

    Returns:
        What they say; nothing where there are none. A file that cannot be read or understood is
        left out with a note.
    """
    columns: dict[tuple[str, str], ColumnMeaning] = {}
    notes: list[str] = []
    folder = database.parent
    for path in sorted((folder / _DESCRIPTIONS).glob("*.csv")):
        try:
            columns |= _read_descriptions(path)
        except (OSError, ValueError, csv.Error) as error:
            notes.append(f"{path.name} is left out: {error}")
    for path in sorted(folder.glob(_MEANINGS)):
        try:
            columns |= _read_meanings(path)
        except (OSError, ValueError, RecursionError) as error:
            notes.append(f"{path.name} is left out: {error}")
    return ColumnMeanings(_without_repeats(columns), {}, tuple(notes))


def read_catalogue_file(path: Path, schema: Schema) -> ColumnMeanings:
    """Read the project's own catalogue file of a database.

    Args:
        path: The file.
        schema: The database's schema, which has every table and column that the file names.

    Returns:
        What it says.

    Raises:
        ConfigurationError: It is not valid or names what does not exist; with its line.
    """
    document = read_configuration(path)
    document.parse(_CatalogueFile)
    known = {
        table.name.lower(): {column.name.lower() for column in table.columns}
        for table in schema.tables
    }
    columns: dict[tuple[str, str], ColumnMeaning] = {}
    rows: dict[str, tuple[str, str]] = {}
    for table in document.data["tables"]:
        place: list[int | str] = ["tables", table]
        if str(table).lower() not in known:
            raise document.error(f"the database has no table '{table}'", place, _spelled(known))
        entry = document.parse(_TableEntry, place) if document.data["tables"][table] else None
        if entry is None:
            continue
        if entry.row is not None:
            rows[table.lower()] = entry.row
        for column in entry.columns:
            columns[table.lower(), str(column).lower()] = _column_entry(
                document, [*place, "columns", column], known[table.lower()]
            )
    return ColumnMeanings(columns, rows)


def _column_entry(
    document: ConfigurationFile, place: list[int | str], known: set[str]
) -> ColumnMeaning:
    table, column = place[1], place[-1]
    if str(column).lower() not in known:
        raise document.error(
            f"the table '{table}' has no column '{column}'", place, _spelled(known)
        )
    entry = document.parse(_ColumnEntry, place)
    return ColumnMeaning(**{name: getattr(entry, name) for name in _ColumnEntry.model_fields})


def _spelled(names: Mapping[str, Any] | set[str]) -> str:
    return f"it has: {', '.join(sorted(names))}"


def _read_descriptions(path: Path) -> dict[tuple[str, str], ColumnMeaning]:
    reader = csv.DictReader(io.StringIO(_text(path)))
    names = {str(name).strip().lower(): name for name in reader.fieldnames or ()}
    if "original_column_name" not in names:
        raise ValueError("it has no column original_column_name")
    found = {}
    for row in reader:

        def cell(name: str, row: dict[str, Any] = row) -> str:
            value = row.get(names.get(name, ""))
            return value if isinstance(value, str) else ""

        column = cell("original_column_name").strip().lower()
        description, values = cell("column_description"), cell("value_description")
        if column:
            phrase, _ = _as_phrase(cell("column_name"), column)
            if not phrase and len(column) <= _LONGEST_CODE_NAME:
                # The name says nothing; a short description does.
                phrase, _ = _as_phrase(description.replace("no. of", "number of"), column)
            found[path.stem.lower(), column] = ColumnMeaning(
                phrase=phrase, meaning=_one_line(description, values)
            )
    return found


def _read_meanings(path: Path) -> dict[tuple[str, str], ColumnMeaning]:
    content = json.loads(_text(path))
    if not isinstance(content, dict):
        raise ValueError("it is no mapping of columns to meanings")
    found = {}
    for name, value in content.items():
        parts = name.split("|")
        text = value.get("column_meaning") if isinstance(value, dict) else value
        if len(parts) != 3 or not isinstance(text, str):
            continue
        full_name = _FULL_NAME.search(text)
        explanation = _EXPLANATION.search(text)
        phrase, inside = _as_phrase(full_name["name"], parts[2]) if full_name else ("", "")
        meaning = _one_line(explanation["text"] if explanation else text)
        if inside:
            meaning = _one_line(meaning, f"({inside})")
        found[parts[1].lower(), parts[2].lower()] = ColumnMeaning(phrase=phrase, meaning=meaning)
    return found


def _text(path: Path) -> str:
    if path.stat().st_size > _LARGEST_FILE:
        raise ValueError(f"it is larger than {_LARGEST_FILE} bytes")
    content = path.read_bytes()
    for encoding in _ENCODINGS:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _as_phrase(text: str, column: str) -> tuple[str, str]:
    """Return what a document calls a column, as a sentence uses it, and what it puts in brackets.

    Nothing is returned that has no word in common with a column's speaking name: such a document
    is as likely to be wrong as the name.
    """
    text = re.sub(r"^(?:the|an?) ", "", " ".join(text.split()), flags=re.I)
    inside = ""
    if parenthesis := _PARENTHESIS.search(text):
        inside, text = parenthesis["inside"], text[: parenthesis.start()]
    if len(text) > _LONGEST_PHRASE or not _PHRASE.fullmatch(text):
        return "", inside
    words, own = words_of(text), words_of(column)
    if len(words) > _MOST_WORDS_OF_PHRASE or words == own or not _agree(words, column):
        return "", inside
    return " ".join(words), inside


def _agree(words: Sequence[str], column: str) -> bool:
    name = column.lower()
    if len(name) <= _LONGEST_CODE_NAME or not set(name) & set("aeiou"):
        return True
    # Names shorten words and run them together: "obsdurhrs" is an observation's duration.
    return any(len(word) >= 3 and word[:3].lower() in name for word in words)


def _without_repeats(
    columns: dict[tuple[str, str], ColumnMeaning],
) -> dict[tuple[str, str], ColumnMeaning]:
    """Take back phrases that a document gives to several columns of a table."""
    uses = Counter((table, meaning.phrase) for (table, _), meaning in columns.items())
    return {
        (table, column): replace(meaning, phrase="") if uses[table, meaning.phrase] > 1 else meaning
        for (table, column), meaning in columns.items()
    }


def _one_line(*parts: str) -> str:
    text = "; ".join(line for part in parts if (line := " ".join(part.split())))
    return text if len(text) <= _LONGEST_MEANING else text[: _LONGEST_MEANING - 1] + "…"
