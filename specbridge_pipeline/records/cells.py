"""Stored cells (asset × partition): one Parquet file each, with its manifest inside the file.

The manifest stands in the file's own metadata, so that rows and manifest cannot disagree after a
kill: the file is written beside its place, synced and renamed under a lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from specbridge_pipeline.errors import StaleRecordError
from specbridge_pipeline.records.canonical import rows_hash
from specbridge_pipeline.records.files import write_atomically
from specbridge_pipeline.records.schemas import FrameSchema

if TYPE_CHECKING:
    import polars as pl

_MANIFEST = "specbridge_manifest"
_FILE = "data.parquet"


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """Which cell of a stage: a database, a model, both, or neither.

    Attributes:
        database: Registry id, or None.
        model: Registry id, or None.
    """

    database: str | None = None
    model: str | None = None

    def __str__(self) -> str:
        """Return the partition as its key reads in Dagster."""
        return "|".join(part for part in (self.database, self.model) if part) or "all"

    @property
    def folder(self) -> Path:
        """The partition's path below its stage's folder."""
        path = Path()
        if self.database is not None:
            path /= f"database={self.database}"
        if self.model is not None:
            path /= f"model={self.model}"
        return path


class Manifest(BaseModel):
    """What a cell was made from, and what it holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stage: str
    stage_version: int
    """Version of the code that made it."""
    schema_version: int
    inputs: dict[str, str] = {}
    """Input name → content hash."""
    configuration: dict[str, Any] = {}
    """Settings and registry entries that the rows depend on."""
    content_hash: str = ""
    """Hash of the canonical rows, never of the file's bytes."""
    rows: int = 0

    def same_origin(self, other: Manifest) -> bool:
        """Whether the other was made by the same code from the same inputs and settings."""
        mine, theirs = (
            manifest.model_dump(exclude={"content_hash", "rows"}) for manifest in (self, other)
        )
        return mine == theirs


@dataclass(frozen=True, slots=True)
class CellStore:
    """The warehouse: cells below one folder.

    Attributes:
        root: The folder.
    """

    root: Path
    _cache: dict[tuple[Path, int, int, int], Manifest] = field(
        default_factory=dict, compare=False, repr=False
    )

    def path(self, stage: str, partition: Partition) -> Path:
        """Return the file of a cell, which may not exist."""
        return self.root / stage / partition.folder / _FILE

    def manifest(self, stage: str, partition: Partition) -> Manifest | None:
        """Return a cell's manifest, or None where there is no cell or it cannot be read."""
        import polars as pl

        path = self.path(stage, partition)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return None
        # The inode too: two writes can fall into one tick of the file system's clock.
        key = (path, stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if key not in self._cache:
            try:
                text = pl.read_parquet_metadata(path)[_MANIFEST]
                self._cache[key] = Manifest.model_validate_json(text)
            except (OSError, KeyError, ValidationError, pl.exceptions.PolarsError):
                return None
        return self._cache[key]

    def write(
        self, schema: FrameSchema, partition: Partition, frame: pl.DataFrame, origin: Manifest
    ) -> Manifest:
        """Store a cell.

        Args:
            schema: The stage's schema.
            partition: Which cell.
            frame: Its rows, in the schema's form.
            origin: What it was made from; content hash and row count are filled in.

        Returns:
            The manifest as stored.

        Raises:
            StaleRecordError: The frame does not have the schema's form.
        """
        if dict(frame.schema) != schema.types():
            raise StaleRecordError(
                "the frame does not have the declared columns", where=f"{schema.name}[{partition}]"
            )
        manifest = origin.model_copy(
            update={"content_hash": frame_hash(frame), "rows": frame.height}
        )
        path = self.path(schema.name, partition)
        path.parent.mkdir(parents=True, exist_ok=True)
        metadata = {_MANIFEST: manifest.model_dump_json()}
        with FileLock(path.with_name(".lock")):
            write_atomically(path, lambda target: frame.write_parquet(target, metadata=metadata))
        return manifest

    def read(self, schema: FrameSchema, partition: Partition) -> pl.DataFrame:
        """Return the rows of a cell.

        Raises:
            StaleRecordError: There is no such cell, it has another form than the schema's, or
                its rows are not those that its manifest vouches for.
        """
        import polars as pl

        where = f"{schema.name}[{partition}]"
        manifest = self.manifest(schema.name, partition)
        if manifest is None:
            raise StaleRecordError(
                "there is no such cell", where=where, advice="run `specbridge run`"
            )
        path = self.path(schema.name, partition)
        advice = f"delete {path} and run `specbridge run`"
        try:
            frame = pl.read_parquet(path, hive_partitioning=False)
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise StaleRecordError(
                f"its file is damaged: {error}", where=where, advice=advice
            ) from None
        if dict(frame.schema) != schema.types():
            raise StaleRecordError(
                "it does not have the declared columns", where=where, advice=advice
            )
        if frame_hash(frame) != manifest.content_hash:
            raise StaleRecordError(
                "its rows are not those that its manifest vouches for", where=where, advice=advice
            )
        return frame

    def read_all(self, schema: FrameSchema) -> pl.DataFrame:
        """Return the rows of every cell of a stage, in partition order; possibly none."""
        import polars as pl

        frames = [self.read(schema, partition) for partition in self.partitions(schema.name)]
        return pl.concat(frames) if frames else pl.DataFrame(schema=schema.types())

    def partitions(self, stage: str) -> list[Partition]:
        """Return the partitions of a stage that are stored, sorted."""
        return sorted(self._partitions(stage), key=str)

    def _partitions(self, stage: str) -> Iterator[Partition]:
        base = self.root / stage
        for path in base.glob(f"**/{_FILE}"):
            parts: Mapping[str, str] = dict(
                piece.split("=", 1) for piece in path.parent.relative_to(base).parts if "=" in piece
            )
            yield Partition(parts.get("database"), parts.get("model"))


def frame_hash(frame: pl.DataFrame) -> str:
    """Return the content hash of a frame: its columns and canonical rows, whatever their order."""
    return rows_hash(frame.columns, frame.iter_rows(named=True))
