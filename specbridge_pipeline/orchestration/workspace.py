"""What a run works with: a project's registries, edition, warehouse, archive and workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.registry import (
    Database,
    Use,
    check_database,
    read_databases,
)
from specbridge_pipeline.databases.remembered_outcomes import RememberedOutcomes
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.registry import ModelEntry, Role, read_models
from specbridge_pipeline.language_models.requests import FIRST_ROUND
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.records.cells import CellStore, Partition
from specbridge_pipeline.request_sets.edition_sample import drawn_from
from specbridge_pipeline.request_sets.editions import Edition, read_edition
from specbridge_pipeline.settings import Mode, Profile, Project

if TYPE_CHECKING:
    from specbridge_pipeline.catalogue.documents import ColumnMeanings
    from specbridge_pipeline.catalogue.model import Catalogue
    from specbridge_pipeline.databases.availability import DatabaseFiles
    from specbridge_pipeline.databases.results import Outcome
    from specbridge_pipeline.databases.runner import QueryRunner
    from specbridge_pipeline.databases.schema import Schema
    from specbridge_pipeline.evaluation.context import DatabaseContext
    from specbridge_pipeline.evaluation.judging import Judge
    from specbridge_pipeline.language_models.archive import ResponseArchive
    from specbridge_pipeline.language_models.budget import Spending
    from specbridge_pipeline.language_models.gateway import Gateway
    from specbridge_pipeline.request_sets.construction import Reviewer, Writer
    from specbridge_pipeline.request_sets.tasks.task import TaskReader

_REMEMBERED = RememberedOutcomes()
"""Of all runs of this process: each model is evaluated in a run and a workspace of its own."""

_RULES = "rules"
"""How a profile names the rules where a model could stand."""

_MEASURING_FACTOR = 20
"""How much more measuring a database may use than a model's query."""

_COPIES = 2
"""So many other orders of a database's rows are tried when sets are checked for an edition."""


class Workspace:
    """A project as one run sees it. What is costly to open is opened when it is first used.

    Use it as a context manager, or call `close`.

    Args:
        project: The project root.
        profile_name: Which profile to follow.
        mode: Overrides the profile's mode.
        edition: Overrides the profile's edition.
        new_round: A round that every model asked in this run gets, beside those that it has.
        progress: Told of long work.
        spending: What the run has spent so far; a new one where it is not given.

    Raises:
        ConfigurationError: A registry, the profile or the edition is not valid.
    """

    def __init__(
        self,
        project: Project,
        *,
        profile_name: str = "default",
        mode: Mode | None = None,
        edition: str | None = None,
        new_round: str | None = None,
        progress: Progress | None = None,
        spending: Spending | None = None,
    ) -> None:
        self.project = project
        self.profile_name = profile_name
        profile = project.profile(profile_name)
        if edition is not None:
            profile = profile.with_edition(edition)
        self.profile: Profile = (
            profile if mode is None else profile.model_copy(update={"mode": mode})
        )
        self.progress: Progress = progress or SilentProgress()
        self.new_round = new_round
        self.spending = spending
        self.databases: dict[str, Database] = read_databases(
            # A file that is missing concerns only what uses its database.
            project,
            check_files=False,
        )
        self.all_models: dict[str, ModelEntry] = read_models(project)
        self.store = CellStore(project.warehouse)
        self._schemas: dict[str, Schema] = {}
        self._copies: dict[str, tuple[Callable[[str], Outcome], ...]] = {}

    def __enter__(self) -> Workspace:
        """Return the workspace."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close what was opened."""
        self.close()

    def close(self) -> None:
        """Stop the workers and close the archive, where they were used."""
        opened = self.__dict__
        if "runner" in opened:
            self.runner.close()
        if "archive" in opened:
            self.archive.close()
        if "_copies_folder" in opened:
            self._copies_folder.cleanup()

    @property
    def models(self) -> dict[str, ModelEntry]:
        """The models that are measured: role `evaluated`, not retired, not left out by the profile.

        Imported respondents are measured on the edition that they have answered.

        Raises:
            ConfigurationError: The profile leaves out a model that there is not.
        """
        for name in self.profile.without_models:
            if name not in self.all_models:
                raise ConfigurationError(
                    f"without_models: there is no model '{name}'",
                    path=self.project.profiles / f"{self.profile_name}.yaml",
                    advice=f"models: {', '.join(self.all_models)}",
                )
        return {
            name: entry
            for name, entry in self.all_models.items()
            if Role.EVALUATED in entry.roles
            and not entry.retired
            and name not in self.profile.without_models
            and (entry.imported is None or entry.imported.edition == self.profile.edition)
        }

    @cached_property
    def edition(self) -> Edition:
        """The edition that is evaluated."""
        edition = read_edition(self.project, self.profile.edition)
        for name in edition.databases:
            if name not in self.databases:
                raise ConfigurationError(
                    f"edition '{edition.id}' needs the database '{name}'",
                    path=self.project.databases_file,
                    advice=f"register it: specbridge databases add PATH --id {name}",
                )
        return edition

    @cached_property
    def evaluated(self) -> Edition:
        """The edition with only those of its sets that the profile has put to models."""
        count = self.profile.evaluated_sets
        if count is None:
            return self.edition
        return drawn_from(self.edition, count, self.profile.seeds.selection)

    @property
    def drawn_sets(self) -> dict[str, list[str]]:
        """What the draw adds to the configuration of a cell; nothing where all sets are put."""
        drawn = [each.id for each in self.evaluated.sets]
        return {} if len(drawn) == len(self.edition.sets) else {"drawn": drawn}

    def use_edition(self, edition: str) -> None:
        """Work with another edition than the profile's; before the edition is first read."""
        self.profile = self.profile.with_edition(edition)

    @property
    def evaluated_databases(self) -> list[str]:
        """Ids of the edition's databases that may be used for evaluation, sorted."""
        return [
            name
            for name in self.edition.databases
            if Use.EVALUATE in self.databases[name].entry.uses
        ]

    @property
    def construction_databases(self) -> list[str]:
        """Ids of the databases that request sets are built on, in registry order."""
        return [
            name
            for name, database in self.databases.items()
            if Use.CONSTRUCT in database.entry.uses
        ]

    @cached_property
    def runner(self) -> QueryRunner:
        """The pool of sandboxed workers."""
        from specbridge_pipeline.databases.limits import Limits
        from specbridge_pipeline.databases.runner import QueryRunner

        return QueryRunner(
            limits=Limits(steps=self.profile.query_steps, seconds=self.profile.query_seconds)
        )

    @cached_property
    def files(self) -> DatabaseFiles:
        """The databases' files."""
        from specbridge_pipeline.databases.availability import DatabaseFiles

        return DatabaseFiles(self.project.warehouse / "content_hashes.json", self.runner)

    @cached_property
    def archive(self) -> ResponseArchive:
        """The response archive, with the edition's recordings imported."""
        from specbridge_pipeline.language_models.archive import ResponseArchive
        from specbridge_pipeline.language_models.recordings import import_recordings

        archive = ResponseArchive(self.project.archive)
        import_recordings(archive, self.project.recordings / self.profile.edition)
        return archive

    @cached_property
    def gateway(self) -> Gateway:
        """How models are asked."""
        from specbridge_pipeline.language_models.gateway import Gateway

        return Gateway(
            self.archive,
            mode=self.profile.mode,
            budget=self.profile.budget,
            progress=self.progress,
            spending=self.spending,
        )

    @cached_property
    def judge(self) -> Judge:
        """Who reads explanations.

        Raises:
            ConfigurationError: The profile names a judge that is not in the registry.
        """
        from specbridge_pipeline.evaluation.judge_model import ModelJudge
        from specbridge_pipeline.evaluation.judging import RuleJudge

        name = self.profile.judge
        if name == RuleJudge().name:
            return RuleJudge()
        entry = self.all_models.get(name)
        if entry is None or Role.JUDGE not in entry.roles:
            raise ConfigurationError(
                f"the judge '{name}' is no model with the role judge",
                path=self.project.models_file,
                advice="use 'rules', or give a model that role",
            )
        return ModelJudge(self.gateway, entry)

    @cached_property
    def task_readers(self) -> tuple[TaskReader, ...]:
        """Who reads each generated query against its exact description.

        Raises:
            ConfigurationError: The profile names a reviewer that is not in the registry.
        """
        from specbridge_pipeline.request_sets.tasks.reading_by_model import ModelReader
        from specbridge_pipeline.request_sets.tasks.reviews import RULE_READERS

        by_rules = {reader.name: reader for reader in RULE_READERS}
        readers: list[TaskReader] = []
        for name in self.profile.task_reviewers:
            entry = self.all_models.get(name)
            if name in by_rules:
                readers.append(by_rules[name])
            elif entry is not None and Role.REVIEWER in entry.roles:
                readers.append(ModelReader(self.gateway, entry))
            else:
                raise ConfigurationError(
                    f"the reviewer '{name}' is no model with the role reviewer",
                    path=self.project.profiles / f"{self.profile_name}.yaml",
                    advice=f"use {' or '.join(by_rules)}, or give a model that role",
                )
        return tuple(readers)

    def rounds(self, database: str, model: str) -> tuple[str, ...]:
        """Return the rounds of a model on a database, with the one that this run opens."""
        if self.all_models[model].imported is not None:
            # Nobody is there to be asked again.
            return (FIRST_ROUND,)
        known = self.archive.rounds(self.subject(database, model))
        if self.new_round is None or self.new_round in known:
            return known
        return (*known, self.new_round)

    def open_round(self, database: str, model: str, round: str) -> None:
        """Remember a round of a model on a database: it was answered whole."""
        self.archive.open_round(self.subject(database, model), round)

    def subject(self, database: str, model: str) -> str:
        """Return what a round belongs to: another edition or database was not asked in it."""
        return f"{self.edition.id}/{database}/{model}"

    def database_path(self, database: str) -> Path:
        """Return a database's file, building it first where it is a sample."""
        return self.files.ensure(self.databases[database])

    def run_on(self, database: str) -> Callable[[str], Outcome]:
        """Return how a query of the project's own is run on a database.

        A query is run only once in a process as long as the file stays as it is; what a model
        wrote goes through `run_many`, which runs it each time. A sample's file is built first.
        """
        path = self.database_path(database)
        return partial(_REMEMBERED.run, self.runner, path)

    def measure_on(self, database: str) -> Callable[[str], Outcome]:
        """Return how the queries that measure a database for its catalogue are run.

        They are the project's own, and read whole tables: what they may use follows from how much
        there is to read, not from what a model's query may use.
        """
        limits = self.runner.limits
        wide = replace(
            limits,
            steps=_MEASURING_FACTOR * limits.steps,
            seconds=_MEASURING_FACTOR * limits.seconds,
        )
        return partial(self.runner.run, self.database_path(database), limits=wide)

    def copies_on(self, database: str) -> tuple[Callable[[str], Outcome], ...]:
        """Return how one query is run on copies of a database with their rows in another order.

        Args:
            database: Its id.

        Returns:
            One function a copy; none for an engine whose files are not copied. The copies are
            written when they are first asked for, and gone when the workspace is closed.
        """
        from specbridge_pipeline.databases.shuffled_copies import write_shuffled_copy

        if self.engine(database) is not Engine.SQLITE:
            return ()
        if database not in self._copies:
            source, runs = self.database_path(database), []
            for number in range(_COPIES):
                copy = Path(self._copies_folder.name) / f"{database}-{number}.sqlite"
                write_shuffled_copy(source, copy, seed=self.profile.seeds.copies + number)
                runs.append(partial(self.runner.run, copy))
            self._copies[database] = tuple(runs)
        return self._copies[database]

    @cached_property
    def _copies_folder(self) -> TemporaryDirectory[str]:
        return TemporaryDirectory(prefix="specbridge-copies-")

    def engine(self, database: str) -> Engine:
        """Return the engine that runs a database's queries."""
        return self.databases[database].engine

    def schema(self, database: str) -> Schema:
        """Return a database's schema."""
        if database not in self._schemas:
            self._schemas[database] = self.runner.read_schema(self.database_path(database))
        return self._schemas[database]

    def meanings(self, database: str) -> ColumnMeanings:
        """Return what documents beside a database and the project's catalogue file say of it.

        For construction alone: models that are evaluated see `documents`.

        Raises:
            ConfigurationError: The catalogue file is missing or not valid.
        """
        from specbridge_pipeline.catalogue.documents import read_catalogue_file, read_documents

        beside = read_documents(self.database_path(database))
        registered = self.databases[database]
        if registered.entry.catalogue is None:
            return beside
        check_database(self.project, registered)
        path = self.project.root / registered.entry.catalogue
        return read_catalogue_file(path, self.schema(database)).over(beside)

    @cached_property
    def cataloguer(self) -> ModelEntry | None:
        """The model that reviews catalogues; None where rules alone judge columns.

        Raises:
            ConfigurationError: The profile names one that is not in the registry.
        """
        return self._model_in_role(self.profile.cataloguer, Role.CATALOGUER)

    @cached_property
    def proposer(self) -> ModelEntry | None:
        """The model that takes choices the other way; None where rules do.

        Raises:
            ConfigurationError: The profile names one that is not in the registry.
        """
        return self._model_in_role(self.profile.construction.proposer, Role.PROPOSER)

    @cached_property
    def writer(self) -> Writer:
        """Who writes the requests of sets.

        Raises:
            ConfigurationError: The profile names one that is not in the registry.
        """
        from specbridge_pipeline.request_sets.writing import RuleWriter
        from specbridge_pipeline.request_sets.writing_by_model import ModelWriter

        entry = self._model_in_role(self.profile.construction.writer, Role.WRITER)
        return RuleWriter() if entry is None else ModelWriter(self.gateway, entry)

    @cached_property
    def set_reviewers(self) -> tuple[Reviewer, ...]:
        """The two who read the requests of sets.

        Raises:
            ConfigurationError: The profile names one that is not in the registry.
        """
        from specbridge_pipeline.request_sets.reviewing_by_model import ModelReviewer
        from specbridge_pipeline.request_sets.rule_reviewers import RULE_REVIEWERS

        by_rules: dict[str, Reviewer] = {each.name: each for each in RULE_REVIEWERS}
        reviewers = []
        for name in self.profile.construction.reviewers:
            reviewer = by_rules.get(name)
            if reviewer is None:
                entry = self._model_in_role(name, Role.REVIEWER, tuple(by_rules))
                assert entry is not None
                reviewer = ModelReviewer(self.gateway, entry)
            reviewers.append(reviewer)
        return tuple(reviewers)

    def _model_in_role(
        self, name: str, role: Role, rules: Sequence[str] = (_RULES,)
    ) -> ModelEntry | None:
        """Return the model that the profile names for a role; None where it names rules."""
        if name in rules:
            return None
        entry = self.all_models.get(name)
        if entry is None or role not in entry.roles:
            raise ConfigurationError(
                f"the {role} '{name}' is no model with the role {role}",
                path=self.project.models_file,
                advice=f"use {' or '.join(map(repr, rules))}, or give a model that role",
            )
        return entry

    def build_catalogue(self, database: str) -> tuple[Catalogue, tuple[str, ...]]:
        """Catalogue a database anew.

        Returns:
            The catalogue, and what there is to say of how it came about: documents that were left
            out, and what became of a model's corrections.

        Raises:
            CatalogueError, ConfigurationError: As `build_catalogue`, `meanings` and `cataloguer`.
            MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
        """
        from specbridge_pipeline.catalogue.model_review import review_catalogue

        reviewer, catalogue = self.cataloguer, self.measured_catalogue(database)
        notes = self.meanings(database).notes
        if reviewer is None:
            return catalogue, notes
        catalogue, checked = review_catalogue(catalogue, self.gateway, reviewer)
        return catalogue, (*notes, *map(str, checked))

    def measured_catalogue(self, database: str) -> Catalogue:
        """Catalogue a database anew from its data and documents alone; no model is asked.

        Raises:
            CatalogueError, ConfigurationError: As `build_catalogue` and `meanings`.
        """
        from specbridge_pipeline.catalogue.building import build_catalogue

        return build_catalogue(
            database,
            self.schema(database),
            self.measure_on(database),
            meanings=self.meanings(database),
        )

    def catalogue(self, database: str) -> Catalogue:
        """Return a database's catalogue, as its cell holds it."""
        from specbridge_pipeline.catalogue.records import CATALOGUE, read_catalogue

        rows = self.store.read(CATALOGUE, Partition(database=database)).to_dicts()
        return read_catalogue(rows, self.engine(database))

    def engine_version(self, database: str) -> str:
        """Return the version of the engine that runs a database's queries."""
        from specbridge_pipeline.databases.runner import engine_version

        return engine_version(self.databases[database].engine)

    def engine_numbers(self, databases: Iterable[str]) -> dict[str, str]:
        """Return the engines that some databases' queries run on, with their version numbers."""
        versions = {self.engine_version(database) for database in databases}
        return dict(sorted(version.split(" ", 1) for version in versions))

    def run_many(self, database: str, queries: Sequence[str]) -> list[Outcome]:
        """Run queries on a database in the workers, keeping their order."""
        path = self.database_path(database)
        return self.runner.run_many(
            [(path, sql) for sql in queries],
            progress=self.progress,
            description=f"{database} · running queries",
        )

    def context(self, database: str) -> DatabaseContext:
        """Return what models are told of a database."""
        from specbridge_pipeline.evaluation.context import DatabaseContext

        return DatabaseContext(
            database=database,
            engine=self.databases[database].engine.label,
            schema=self.schema(database),
            documents=self.documents(database),
        )

    def documents(self, database: str) -> tuple[tuple[str, str], ...]:
        """Return the documents of a database: (name, text)."""
        return tuple(
            (
                document.rsplit("/", 1)[-1],
                (self.project.root / document).read_text(encoding="utf-8", errors="replace"),
            )
            for document in self.databases[database].entry.documents
        )
