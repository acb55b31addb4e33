"""Editions: immutable folders of request sets under content ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from specbridge_pipeline.configuration_files import (
    ConfigurationFile,
    StrictModel,
    read_configuration,
    read_entries,
)
from specbridge_pipeline.errors import ConfigurationError, EditionError
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.records.files import write_bytes, write_text
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import SLUG, Project

SETS_FILE = "sets.yaml"
EDITION_FILE = "edition.yaml"
FORMAT = 1


class EditionDatabase(StrictModel):
    """What an edition says of one of its databases."""

    content_hash: str
    """Hash of the content on which the sets were checked."""
    licence: str


class EditionRecord(StrictModel):
    """The file edition.yaml."""

    id: str = Field(pattern=SLUG)
    title: str
    format: int = FORMAT
    built_by: str
    """'hand', or the name and version of the generator."""
    code_version: str
    """Version of this package when the edition was cut."""
    engines: dict[str, str]
    """Engine → version that the sets were checked with."""
    databases: dict[str, EditionDatabase]
    tier: Literal["short", "paper"] | None = None
    """The tier of all its sets; where it is not given, each set's depth decides."""
    sets: int
    digest: str
    """SHA-256 over the sets in file order, provenance included."""


@dataclass(frozen=True, slots=True)
class Edition:
    """A published edition.

    Attributes:
        record: What edition.yaml says.
        sets: The request sets in file order.
        folder: Where it lies.
    """

    record: EditionRecord
    sets: tuple[RequestSet, ...]
    folder: Path

    @property
    def id(self) -> str:
        """The edition's id."""
        return self.record.id

    @property
    def databases(self) -> tuple[str, ...]:
        """Ids of the databases that its sets are on, sorted."""
        return tuple(sorted(self.record.databases))

    def tier_of(self, request_set: RequestSet) -> str:
        """Return the tier of one of its sets."""
        return self.record.tier or request_set.tier

    def sets_on(self, database: str) -> tuple[RequestSet, ...]:
        """Return the sets on one database, in file order."""
        return tuple(each for each in self.sets if each.database == database)


def read_edition(project: Project, edition: str) -> Edition:
    """Read a sealed edition and check that its files are those that were sealed.

    Raises:
        ConfigurationError: There is no such edition, or a file is not valid.
        EditionError: The sets are not those that edition.yaml vouches for.
    """
    folder = project.editions / edition
    if not (folder / EDITION_FILE).is_file():
        known = ", ".join(sorted(p.parent.name for p in project.editions.glob(f"*/{EDITION_FILE}")))
        raise ConfigurationError(
            f"there is no edition '{edition}'", path=folder, advice=f"editions: {known or 'none'}"
        )
    record = read_configuration(folder / EDITION_FILE).parse(EditionRecord)
    if record.format != FORMAT:
        raise EditionError(
            f"it has format {record.format}, and this version reads format {FORMAT}",
            where=str(folder),
            advice="install the version of specbridge-pipeline that the edition names",
        )
    sets = _read_sets(folder)
    if _digest(sets) != record.digest or len(sets) != record.sets:
        raise EditionError(
            "its sets are not those that were sealed",
            where=str(folder / SETS_FILE),
            advice="restore the file, or seal the changed sets as an edition with another id",
        )
    _check_record(record, sets, folder)
    return Edition(record, sets, folder)


def seal_edition(
    folder: Path,
    *,
    title: str,
    built_by: str,
    code_version: str,
    engines: Mapping[str, str],
    databases: Mapping[str, EditionDatabase],
    tier: Literal["short", "paper"] | None = None,
) -> EditionRecord:
    """Give every set of a draft its content id, and write edition.yaml; from then on it is fixed.

    Args:
        folder: The edition's folder, which holds sets.yaml.
        title: A name for people.
        built_by: 'hand', or the generator's name and version.
        code_version: Version of this package.
        engines: Engine → version that the sets were checked with.
        databases: What to say of each database that the sets are on.
        tier: The tier of all sets; None where each set's depth decides.

    Returns:
        What was written.

    Raises:
        ConfigurationError: sets.yaml is not valid; with the line. Nothing is written then.
        EditionError: The edition is sealed already, or what is to be said of it does not fit its
            sets. Nothing is written then.
    """
    if (folder / EDITION_FILE).exists():
        raise EditionError(
            "this edition is sealed, and a sealed edition does not change",
            where=str(folder),
            advice="copy sets.yaml to a folder with another name and seal that",
        )
    text, sets = _with_ids(folder / SETS_FILE)
    try:
        record = EditionRecord(
            id=folder.name,
            title=title,
            built_by=built_by,
            code_version=code_version,
            engines=dict(engines),
            databases=dict(databases),
            tier=tier,
            sets=len(sets),
            digest=_digest(sets),
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise EditionError(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}",
            where=str(folder),
            advice="an edition is called as its folder: lower case, digits, '_', '.', '-'",
        ) from None
    _check_record(record, sets, folder)
    write_bytes(folder / SETS_FILE, text.encode())
    values = record.model_dump(mode="json")
    write_text(folder / EDITION_FILE, yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
    return record


def read_draft(folder: Path) -> tuple[RequestSet, ...]:
    """Read the sets of an edition that is not sealed; they get the ids that they will have.

    Raises:
        ConfigurationError: sets.yaml is not valid; with the line.
    """
    document = read_configuration(folder / SETS_FILE)
    return tuple(
        each.model_copy(update={"id": each.content_id()}) for each in _parse_sets(document)
    )


def _read_sets(folder: Path) -> tuple[RequestSet, ...]:
    path = folder / SETS_FILE
    entries = read_entries(path, "sets", RequestSet)
    for each, line in entries:
        _check_id(each, path, line)
    return tuple(each for each, _ in entries)


def _check_id(request_set: RequestSet, path: Path, line: int | None) -> None:
    if request_set.id != request_set.content_id():
        raise ConfigurationError(
            f"set '{request_set.id}' has another content than its id says",
            path=path,
            line=line,
            advice=f"the id of this content would be {request_set.content_id()}",
        )


def _check_record(record: EditionRecord, sets: tuple[RequestSet, ...], folder: Path) -> None:
    """Refuse a record that speaks of another folder, or of other databases than the sets are on."""
    if record.id != folder.name:
        raise EditionError(
            f"it calls itself '{record.id}'",
            where=str(folder / EDITION_FILE),
            advice="an edition is called as its folder; seal a copy under its own name",
        )
    used, named = {each.database for each in sets}, set(record.databases)
    if used != named:
        raise EditionError(
            f"its sets are on {_listed(used)}, and it vouches for {_listed(named)}",
            where=str(folder / EDITION_FILE),
            advice="an edition names exactly the databases that its sets are on",
        )


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "no database"


def _parse_sets(document: ConfigurationFile) -> list[RequestSet]:
    data = document.data
    if not isinstance(data, dict) or not isinstance(data.get("sets"), list):
        raise document.error("expected the top-level key 'sets' with a list of request sets")
    if not data["sets"]:
        raise document.error("the edition has no sets", ["sets"], "write at least one")
    return [document.parse(RequestSet, ["sets", index]) for index in range(len(data["sets"]))]


def _with_ids(path: Path) -> tuple[str, tuple[RequestSet, ...]]:
    """Return a draft's text with the content ids put in, and its sets.

    An id gets a line of its own before the first key of its set, and everything else stays, so
    that comments and line breaks of the writer survive.

    Raises:
        ConfigurationError: The draft is not valid, repeats a set, or has an id of other content.
    """
    document = read_configuration(path)
    sets = []
    lines = _LINE.findall(path.read_bytes().decode("utf-8"))
    first: dict[str, int | None] = {}
    inserted = []
    for index, draft in enumerate(_parse_sets(document)):
        line = document.line_of(["sets", index])
        each = draft.model_copy(update={"id": draft.content_id()})
        if draft.id:
            _check_id(draft, path, line)
        if each.id in first:
            raise ConfigurationError(
                f"this set says the same as the one on line {first[each.id]}", path=path, line=line
            )
        first[each.id] = line
        sets.append(each)
        if "id" not in document.data["sets"][index]:
            inserted.append((document.place_of(["sets", index]), each.id))
    for (row, column, in_braces), name in reversed(inserted):
        # Quoted: an id of digits and one 'e' would be read as a number.
        ending = ", " if in_braces else _ending(lines[row]) + " " * column
        lines[row] = f"{lines[row][:column]}id: '{name}'{ending}{lines[row][column:]}"
    text = "".join(lines)
    if not _says(text, sets):
        raise ConfigurationError(
            "the content ids cannot be put in without changing what the file says",
            path=path,
            advice="write each set as a list entry with one key a line, and no id",
        )
    return text, tuple(sets)


_LINE = re.compile(
    r"[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029])|[^\r\n\x85\u2028\u2029]+"
)
"""A line as YAML counts lines."""


def _ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _says(text: str, sets: Sequence[RequestSet]) -> bool:
    """Whether a text, read again, holds exactly these sets with their ids."""
    try:
        listed = yaml.safe_load(text)["sets"]
        return [RequestSet.model_validate(value) for value in listed] == list(sets)
    except (yaml.YAMLError, ValidationError):
        return False


def _digest(sets: tuple[RequestSet, ...]) -> str:
    return content_hash([each.model_dump(mode="json") for each in sets])
