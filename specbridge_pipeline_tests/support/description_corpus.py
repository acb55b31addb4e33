"""The corpus of statements on which descriptions are put to the proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

FOLDER = Path(__file__).parent.parent / "exact_description" / "corpus"
WAY_BACK = FOLDER.parent / "way_back"
DATABASE = (FOLDER / "database.sql").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class CorpusStatement:
    """A statement with the construct that it stands under and its place below that, from 1."""

    construct: str
    place: int
    sql: str

    @property
    def name(self) -> str:
        return f"{self.construct} {self.place}"


def read_statements(path: Path, construct: str = "") -> Iterator[CorpusStatement]:
    """Yield the statements in the order of the file."""
    place, lines = 0, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-- # "):
            construct, place = line.removeprefix("-- # ").strip(), 0
        elif line.strip() and not line.startswith("--"):
            lines.append(line)
            if line.rstrip().endswith(";"):
                place += 1
                yield CorpusStatement(construct, place, "\n".join(lines).rstrip().rstrip(";"))
                lines = []


def write_database(path: Path) -> Path:
    """Write the corpus's database to a file and return its path."""
    connection = apsw.Connection(str(path))
    connection.execute(DATABASE)
    connection.close()
    return path


STATEMENTS = tuple(read_statements(FOLDER / "statements.sql"))
FURTHER_STATEMENTS = tuple(read_statements(WAY_BACK / "further_statements.sql", "further"))
