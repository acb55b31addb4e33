"""`conventions.yaml` beside a database: choices that a team has settled once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import Reading, Side
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.configuration_files import StrictModel, read_configuration
from specbridge_pipeline.sql.column_origins import ResolvedQuery

FILE_NAME = "conventions.yaml"


class TeamConvention(StrictModel):
    """One choice that a team has settled.

    Attributes:
        choice: The choice type.
        scope: Where it holds: a table, a `table.column`, or everywhere with `*`.
        interpretation: The side that queries shall take: `usual` or `other`, as
            `specbridge audit --list-choices` names them.
        reason: Why, in the team's words.
    """

    choice: ChoiceType
    scope: str = "*"
    interpretation: Literal["usual", "other"]
    reason: str

    @property
    def side(self) -> Side:
        """The side that queries shall take."""
        return Side(self.interpretation)


class _File(StrictModel):
    conventions: tuple[TeamConvention, ...]


@dataclass(frozen=True, slots=True)
class TeamConventions:
    """The choices that a team has settled, in the order of its file."""

    entries: tuple[TeamConvention, ...] = ()

    def settling(
        self, choice_type: ChoiceType, query: ResolvedQuery, reading: Reading
    ) -> TeamConvention | None:
        """Return what settles a choice at a place; a column goes before a table, that before `*`.

        Args:
            choice_type: The type.
            query: The query.
            reading: The place.
        """
        places = set(_places(query, reading))
        found = [
            each
            for each in self.entries
            if each.choice is choice_type and (each.scope == "*" or each.scope.lower() in places)
        ]
        return max(
            found, key=lambda each: (each.scope != "*") + each.scope.count("."), default=None
        )


def _places(query: ResolvedQuery, reading: Reading) -> Iterator[str]:
    """Yield the tables that the SELECT reads, and the columns that the place names."""
    for source in reading.scope.sources:
        if source.table is not None:
            yield source.table.name.lower()
    for node in reading.node.find_all(exp.Column):
        origin = query.origin(reading.scope, node)
        if origin is not None:
            yield f"{origin[0].name}.{origin[1].name}".lower()


def read_team_conventions(path: Path) -> TeamConventions:
    """Read a file of settled choices.

    Args:
        path: The file, with a list `conventions` of mappings `choice`, `scope`, `interpretation`
            and `reason`.

    Raises:
        ConfigurationError: The file is not there or of another form; the error names the line.
    """
    return TeamConventions(read_configuration(path).parse(_File).conventions)


def beside(database: Path) -> TeamConventions:
    """Read the file beside a database, or in a folder of Parquet and CSV files; none is no error.

    Raises:
        ConfigurationError: There is one, of another form.
    """
    folder = database if database.is_dir() else database.parent
    path = folder / FILE_NAME
    return read_team_conventions(path) if path.is_file() else TeamConventions()
