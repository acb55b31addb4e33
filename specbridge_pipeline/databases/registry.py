"""The registry of databases: data/databases.yaml and what a user added beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from specbridge_pipeline.configuration_files import StrictModel, read_entries
from specbridge_pipeline.databases.engine import Engine, engine_of
from specbridge_pipeline.databases.table_folders import table_files
from specbridge_pipeline.errors import ConfigurationError, DatabaseUnavailableError
from specbridge_pipeline.settings import SLUG, Project


class Use(StrEnum):
    """What a database may be used for; a database without a use is no missing cell there."""

    CONSTRUCT = "construct"
    MINE = "mine"
    EVALUATE = "evaluate"


DEFAULT_USES = (Use.CONSTRUCT, Use.EVALUATE)


class DatabaseEntry(StrictModel):
    """One entry of the registry."""

    id: str = Field(pattern=SLUG)
    """Partition key: lower-case letters, digits, '_', '.', '-'."""
    path: str
    """The file, or the folder of Parquet and CSV files; relative to the project root or
    absolute."""
    engine: Engine | None = None
    """The engine that the file must be for; found from the file itself where it is not given."""
    source: str = ""
    """Where the data come from and under which licence."""
    documents: tuple[str, ...] = ()
    """Files that explain the columns, relative to the project root or absolute."""
    catalogue: str | None = None
    """A catalogue file of the project, relative to its root: what tables and columns are called
    and mean when request sets are built. Models that are evaluated never see it."""
    uses: tuple[Use, ...] = DEFAULT_USES
    questions: tuple[str, ...] = ()
    """Question files in Spider's or BIRD's form whose references about this database are read,
    relative to the project root or absolute."""
    questions_id: str = ""
    """What those files call the database; its id where nothing is given."""
    sample: str | None = None
    """Name of the sample builder that makes the file at first run."""


@dataclass(frozen=True, slots=True)
class Database:
    """A registered database.

    Attributes:
        entry: What the registry says of it.
        path: The file or folder, absolute.
        registered_in: The registry file and line.
    """

    entry: DatabaseEntry
    path: Path
    registered_in: tuple[Path, int]

    @property
    def id(self) -> str:
        """The partition key."""
        return self.entry.id

    @property
    def engine(self) -> Engine:
        """The engine that its queries run on.

        Raises:
            DatabaseUnavailableError: The file is not there, or no database.
        """
        if self.entry.engine is not None:
            return self.entry.engine
        if self.entry.sample is not None and not self.path.exists():
            # What the samples' builders make at first run.
            return Engine.SQLITE
        return engine_of(self.path)


def read_databases(project: Project, *, check_files: bool = True) -> dict[str, Database]:
    """Read both registry files.

    Args:
        project: The project.
        check_files: Whether the files that entries name must be there and be databases.

    Returns:
        The databases by id, in registry order. Samples may not be built yet.

    Raises:
        ConfigurationError: A file is missing or no database, an id is taken twice, or a key is
            unknown; with the registry's file and line.
    """
    databases: dict[str, Database] = {}
    for path in (project.databases_file, project.local_databases_file):
        if path == project.local_databases_file and not path.exists():
            continue
        for entry, line in read_entries(path, "databases", DatabaseEntry):
            if entry.id in databases:
                other, at = databases[entry.id].registered_in
                raise ConfigurationError(
                    f"id '{entry.id}' is already taken at {other}:{at}",
                    path=path,
                    line=line,
                    advice="give each database its own id",
                )
            location = project.root / entry.path
            databases[entry.id] = Database(entry, location, (path, line))
            if check_files:
                check_database(project, databases[entry.id])
    return databases


def check_database(project: Project, database: Database) -> None:
    """Check that the files that an entry names are there and are what they should be.

    Raises:
        ConfigurationError: One is not; with the registry's file and line.
    """
    path, line = database.registered_in
    _checked_location(project, database.entry, path, line)


def add_database(project: Project, entry: DatabaseEntry) -> Database:
    """Append an entry to the local registry, which version control ignores.

    Raises:
        ConfigurationError: The entry is not valid, or its id is taken; nothing is written then.
    """
    import yaml

    from specbridge_pipeline.records.files import write_text

    known = read_databases(project)
    if entry.id in known:
        file, line = known[entry.id].registered_in
        raise ConfigurationError(
            f"id '{entry.id}' is already taken",
            path=file,
            line=line,
            advice="choose another with --id",
        )
    _checked_location(project, entry, None, None)
    path = project.local_databases_file
    listed = (
        [old for old, _ in read_entries(path, "databases", DatabaseEntry)] if path.exists() else []
    )
    values = [
        item.model_dump(mode="json", exclude_defaults=True) | {"id": item.id}
        for item in [*listed, entry]
    ]
    write_text(path, yaml.safe_dump({"databases": values}, sort_keys=False, allow_unicode=True))
    return read_databases(project)[entry.id]


def _checked_location(
    project: Project, entry: DatabaseEntry, registry: Path | None, line: int | None
) -> Path:
    from specbridge_pipeline.databases.samples import SAMPLES

    if entry.sample is not None and entry.sample not in SAMPLES:
        raise ConfigurationError(
            f"there is no sample '{entry.sample}'",
            path=registry,
            line=line,
            advice=f"samples: {', '.join(sorted(SAMPLES))}",
        )
    location = project.root / entry.path
    # A sample's file is built at first run.
    if entry.sample is None or location.exists():
        _require_database(location, entry.engine, registry, line)
    for document in entry.documents:
        if not (project.root / document).is_file():
            raise ConfigurationError(
                f"document '{document}' of '{entry.id}' does not exist",
                path=registry,
                line=line,
                advice="correct the path; it is read from the project root",
            )
    if entry.catalogue is not None:
        _require_catalogue(project, entry.catalogue, registry, line)
    return location


def _require_catalogue(
    project: Project, catalogue: str, registry: Path | None, line: int | None
) -> None:
    root = project.root.resolve()
    path = (root / catalogue).resolve()
    if not path.is_relative_to(root):
        raise ConfigurationError(
            f"the catalogue file '{catalogue}' lies outside the project",
            path=registry,
            line=line,
            advice="put it below the project root, as data/catalogues/ID.yaml",
        )
    if not path.is_file():
        raise ConfigurationError(
            f"the catalogue file '{catalogue}' does not exist",
            path=registry,
            line=line,
            advice="correct the path; it is read from the project root",
        )


def _require_database(
    location: Path, expected: Engine | None, registry: Path | None, line: int | None
) -> None:
    try:
        engine = engine_of(location)
        if location.is_dir():
            table_files(location)
    except DatabaseUnavailableError as error:
        raise ConfigurationError(
            f"{error.what}: {location}", path=registry, line=line, advice=error.advice
        ) from None
    if expected is not None and expected is not engine:
        raise ConfigurationError(
            f"this is a database for {engine.label}, not for {expected.label}: {location}",
            path=registry,
            line=line,
            advice=f"write 'engine: {engine.value}', or leave the engine out",
        )
