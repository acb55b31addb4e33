"""Editions: immutable folders of request sets under content ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import Field

from specbridge_pipeline.configuration_files import (
    ConfigurationFile,
    StrictModel,
    read_configuration,
    read_entries,
)
from specbridge_pipeline.errors import ConfigurationError, EditionError
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.records.files import write_text
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
    return Edition(record, sets, folder)


def seal_edition(
    folder: Path,
    *,
    title: str,
    built_by: str,
    code_version: str,
    engines: Mapping[str, str],
    databases: Mapping[str, EditionDatabase],
) -> EditionRecord:
    """Give every set of a draft its content id, and write edition.yaml; from then on it is fixed.

    Args:
        folder: The edition's folder, which holds sets.yaml.
        title: A name for people.
        built_by: 'hand', or the generator's name and version.
        code_version: Version of this package.
        engines: Engine → version that the sets were checked with.
        databases: What to say of each database that the sets are on.

    Returns:
        What was written.

    Raises:
        ConfigurationError: sets.yaml is not valid.
        EditionError: The edition is sealed already.
    """
    if (folder / EDITION_FILE).exists():
        raise EditionError(
            "this edition is sealed, and a sealed edition does not change",
            where=str(folder),
            advice="copy sets.yaml to a folder with another name and seal that",
        )
    _write_ids(folder)
    sets = _read_sets(folder)
    record = EditionRecord(
        id=folder.name,
        title=title,
        built_by=built_by,
        code_version=code_version,
        engines=dict(engines),
        databases=dict(databases),
        sets=len(sets),
        digest=_digest(sets),
    )
    text = yaml.safe_dump(record.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    write_text(folder / EDITION_FILE, text)
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
        if each.id != each.content_id():
            raise ConfigurationError(
                f"set '{each.id}' has another content than its id says",
                path=path,
                line=line,
                advice=f"the id of this content would be {each.content_id()}",
            )
    return tuple(each for each, _ in entries)


def _parse_sets(document: ConfigurationFile) -> list[RequestSet]:
    data = document.data
    if not isinstance(data, dict) or not isinstance(data.get("sets"), list):
        raise document.error("expected the top-level key 'sets' with a list of request sets")
    return [document.parse(RequestSet, ["sets", index]) for index in range(len(data["sets"]))]


def _write_ids(folder: Path) -> None:
    """Insert the content ids as lines of their own, so that the writer's formatting stays."""
    document = read_configuration(folder / SETS_FILE)
    lines = document.path.read_text(encoding="utf-8").splitlines(keepends=True)
    sets = _parse_sets(document)
    for index in reversed(range(len(sets))):
        if sets[index].id:
            continue
        at = (document.line_of(["sets", index]) or 1) - 1
        dash = lines[at].index("-")
        indent = " " * (dash + 2)
        rest = lines[at][dash + 1 :].lstrip()
        # Quoted: an id of digits and one 'e' would be read as a number.
        lines[at : at + 1] = [
            f"{lines[at][:dash]}- id: '{sets[index].content_id()}'\n",
            f"{indent}{rest}",
        ]
    write_text(document.path, "".join(lines))


def _digest(sets: tuple[RequestSet, ...]) -> str:
    return content_hash([each.model_dump(mode="json") for each in sets])
