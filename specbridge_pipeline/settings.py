"""Where a project keeps its files, and the profile that a run follows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from pydantic import Field, field_validator

from specbridge_pipeline.configuration_files import StrictModel, read_configuration
from specbridge_pipeline.errors import ConfigurationError

SLUG = r"^[a-z0-9][a-z0-9_.-]*$"
"""Form of every id that becomes a partition key: no '|' or ',', which Dagster's keys use."""


class Mode(StrEnum):
    """What may happen when a reply is not in the archive."""

    REPLAY = "replay"
    """Nothing is asked: a missing reply is an error that names it."""
    AUTO = "auto"
    """Missing replies are asked of the models that can be reached; the rest is an error."""
    LIVE = "live"
    """Every model must be reachable before the first question is asked."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project root and the places below it. Nothing of a user's state lies elsewhere.

    Attributes:
        root: Absolute path of the project's folder.
    """

    root: Path

    @property
    def data(self) -> Path:
        """Folder of registries, editions, recordings and everything that is built."""
        return self.root / "data"

    @property
    def databases_file(self) -> Path:
        """The registry of databases."""
        return self.data / "databases.yaml"

    @property
    def local_databases_file(self) -> Path:
        """Databases that `specbridge databases add` registered; not under version control."""
        return self.data / "databases.local.yaml"

    @property
    def models_file(self) -> Path:
        """The registry of models."""
        return self.data / "models.yaml"

    @property
    def local_models_file(self) -> Path:
        """Respondents whose replies were imported; not under version control."""
        return self.data / "models.local.yaml"

    @property
    def profiles(self) -> Path:
        """Folder of profiles."""
        return self.data / "profiles"

    @property
    def editions(self) -> Path:
        """Folder of published editions."""
        return self.data / "editions"

    @property
    def recordings(self) -> Path:
        """Folder of recorded replies, a folder an edition."""
        return self.data / "recordings"

    @property
    def derived(self) -> Path:
        """Folder of counted rows that ship with the project: names and counts, no data."""
        return self.data / "derived"

    @property
    def reviews(self) -> Path:
        """Folder of the verdicts of people on request sets, as CSV files."""
        return self.data / "reviews"

    @property
    def review_passes(self) -> Path:
        """Folder of every decision that was imported from reviewers, both passes of each."""
        return self.reviews / "passes"

    @property
    def convention_verdicts(self) -> Path:
        """Folder of people's readings of benchmark references, as CSV files."""
        return self.reviews / "conventions"

    @property
    def answer_change_verdicts(self) -> Path:
        """Folder of people's verdicts on edits of benchmark questions, as CSV files."""
        return self.reviews / "answer-changes"

    @property
    def built_databases(self) -> Path:
        """Folder of the sample databases that are built at first run."""
        return self.data / "databases"

    @property
    def archive(self) -> Path:
        """The response archive."""
        return self.data / "archive" / "responses.sqlite"

    @property
    def warehouse(self) -> Path:
        """Folder of stored cells."""
        return self.data / "warehouse"

    @property
    def report(self) -> Path:
        """Folder of the report."""
        return self.data / "report"

    def profile(self, name: str = "default") -> Profile:
        """Read a profile.

        Raises:
            ConfigurationError: There is none of that name, or it is not valid.
        """
        path = self.profiles / f"{name}.yaml"
        if not path.is_file():
            known = ", ".join(sorted(p.stem for p in self.profiles.glob("*.yaml"))) or "none"
            raise ConfigurationError(
                f"there is no profile '{name}'", path=path, advice=f"profiles here: {known}"
            )
        return read_configuration(path).parse(Profile)


class Budget(StrictModel):
    """What one run may spend on models."""

    calls: int = Field(default=2000, ge=0)
    """Calls at most."""
    cost_usd: float = Field(default=5.0, ge=0)
    """US dollars at most, by the prices of the model registry."""
    hours: float = Field(default=3.0, gt=0)
    """Hours of asking at most."""


class Seeds(StrictModel):
    """The seed of every random draw."""

    generation: int = 20261003
    """Drawing of queries."""

    filters: int = 20261016
    """Drawing of queries with a filter that can be read in two ways."""

    selection: int = 20261003
    """Drawing of the sets of an edition."""

    bootstrap: int = 20261003
    """Resampling of tasks for intervals."""

    copies: int = 20261003
    """Orders of the rows in the copies that probe whether a query determines its result."""

    ablation: tuple[int, ...] = (1, 2, 3)
    """Attempts of the study that switches mechanisms of generation off."""

    coverage: int = 1
    """Queries of the study of what features a database gives."""


class Construction(StrictModel):
    """What the draft of request sets is built from, a database at a time."""

    short_queries: int = Field(default=28, ge=0)
    """Queries of step depth 1 and 2 that are asked for."""
    paper_queries: int = Field(default=14, ge=0)
    """Queries of the paper's step depths, 3 to 6, that are asked for."""
    filter_queries: int = Field(default=15, ge=0)
    """Queries with a filter that can be read in two ways that are asked for."""
    human_verdict_required: bool = False
    """Whether a set counts as accepted only when a person has accepted it."""
    proposer: str = "rules"
    """Who takes a generated query's choice the other way: 'rules', or the id of a model with the
    role proposer, which proposes instead of them."""
    writer: str = "rules"
    """Who writes the requests of a set: 'rules', or the id of a model with the role writer."""
    reviewers: tuple[str, str] = ("rules/reading", "rules/requirements")
    """The two who read the requests of a set: 'rules/reading', 'rules/requirements', or ids of
    models with the role reviewer. The first is also asked whether a proposed choice is open."""

    @field_validator("reviewers")
    @classmethod
    def _two_who_differ(cls, reviewers: tuple[str, str]) -> tuple[str, str]:
        if len(set(reviewers)) < len(reviewers):
            raise ValueError("name two different reviewers: one who reads twice is no second one")
        return reviewers


class Studies(StrictModel):
    """How much is generated to study the generator; with 0 a study is not made here."""

    ablation_attempts: int = Field(default=0, ge=0)
    """Attempts of each configuration of mechanisms, over all databases and seeds together."""
    coverage_queries: int = Field(default=0, ge=0)
    """Queries asked for on a database, before a feature is asked for by itself."""
    construction_queries: int = Field(default=0, ge=0)
    """Queries asked for on a database, to count how many are delivered."""


class Profile(StrictModel):
    """What a run builds and evaluates, how, and what it may spend."""

    edition: str = Field(pattern=SLUG)
    """The edition whose request sets are put to the models."""
    evaluated_sets: int | None = Field(default=None, ge=1)
    """At most so many of its sets, drawn by database, tier and choice type; None for all. It is
    about this edition alone: of one that is named beside the profile all sets are put."""
    without_models: tuple[str, ...] = ()
    """Models of the registry that are not put to it."""
    method: str = "explained"
    """The answering method."""
    judge: str = "rules"
    """Who reads explanations: 'rules', or the id of a model with the role judge."""
    cataloguer: str = "rules"
    """Who judges columns: 'rules' alone, or also the id of a model with the role cataloguer, whose
    corrections count where the data do not contradict them."""
    mode: Mode = Mode.REPLAY
    """What may happen when a reply is missing; `--mode` overrides it."""
    spend_on_new_models: bool = False
    """Whether a model that appears in the registry is evaluated without being asked for."""
    query_steps: int = Field(default=500_000_000, gt=0)
    """Steps of the engine that a query may take: a limit that is the same on every machine."""
    query_seconds: float = Field(default=60, gt=0)
    """Seconds that a query may run; one that reaches them is run once more, alone."""
    resamples: int = Field(default=2000, ge=100)
    """Bootstrap resamples."""
    construction: Construction = Construction()
    studies: Studies = Studies()
    task_reviewers: tuple[str, ...] = ("rules/requirements", "rules/way_back")
    """Who reads each generated query against its exact description: 'rules/requirements',
    'rules/way_back', or ids of models with the role reviewer."""
    seeds: Seeds = Seeds()
    budget: Budget = Budget()

    def with_edition(self, edition: str) -> Profile:
        """Return the profile with another edition, all of whose sets are put to the models."""
        if edition == self.edition:
            return self
        return self.model_copy(update={"edition": edition, "evaluated_sets": None})


def find_project(explicit: Path | str | None = None) -> Project:
    """Return the project root: the one given, else SPECBRIDGE_HOME, else the current folder.

    Raises:
        ConfigurationError: The folder holds no registries.
    """
    root = Path(explicit or os.environ.get("SPECBRIDGE_HOME") or Path.cwd()).resolve()
    project = Project(root)
    if not project.databases_file.is_file():
        raise ConfigurationError(
            "this folder is no SpecBridge project: it has no data/databases.yaml",
            path=root,
            advice="run `specbridge init` there, or name the folder with --project",
        )
    return project


def starter_root() -> Path:
    """Return the folder from which `specbridge init` copies registries, editions and recordings.

    An installed wheel carries it as package data; in a checkout it is the checkout itself.
    """
    package = Path(str(files("specbridge_pipeline")))
    packaged = package / "starter"
    return packaged if packaged.is_dir() else package.parent
