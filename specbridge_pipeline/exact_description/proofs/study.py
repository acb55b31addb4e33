"""The study of a benchmark's references: are they described, shown apart, and read back?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import (
    UndescribableQueryError,
    UndeterminedReferenceError,
    UnusableReferenceError,
)
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.proofs.findings import (
    ReferenceFinding,
    Survivor,
    reason_without_names,
)
from specbridge_pipeline.exact_description.proofs.mutation_testing import (
    Fate,
    JudgedMutant,
    judge_mutants,
)
from specbridge_pipeline.exact_description.proofs.round_trips import round_trip
from specbridge_pipeline.progress import Progress
from specbridge_pipeline.sql.mutation.kinds import MutationKind
from specbridge_pipeline.sql.syntax.parser import parse_statement

NO_DATABASE = "its database is not at hand"
NO_SCHEMA = "its database is not among the tables"
DOES_NOT_RUN = "it gives no result on its database"
MUTANT_LIMITS = replace(Limits(), steps=50_000_000, seconds=10.0)
"""What a mutant may use: about two seconds of a processor, counted in steps of the engine, so that
the same mutants reach the limit on every machine; the clock is there for what takes no steps."""


class DescriptionStudy:
    """Studies references one query at a time.

    Args:
        schemas: What tables the databases have, by id; the databases' own schemas come first.
        databases: The database files at hand, by id.
        runner: What runs queries on them.
        limits: What a mutant may use.
    """

    def __init__(
        self,
        schemas: Mapping[str, Schema],
        databases: Mapping[str, Path],
        runner: QueryRunner,
        *,
        limits: Limits = MUTANT_LIMITS,
    ) -> None:
        self._schemas = dict(schemas)
        self._databases = databases
        self._runner = runner
        self._limits = limits
        for name, path in databases.items():
            self._schemas[name] = runner.read_schema(path)

    def study(
        self,
        queries: Sequence[tuple[BenchmarkReference, tuple[int | str, ...]]],
        *,
        found: Callable[[ReferenceFinding], None],
        progress: Progress | None = None,
        at_once: int = AT_ONCE,
        mutate: bool = True,
        read_back: bool = True,
    ) -> list[ReferenceFinding]:
        """Study queries.

        Args:
            queries: The queries with the questions that each of them is the reference of.
            found: Told of each finding as it is made, in any order and from any thread.
            progress: Told about each query that is done.
            at_once: How many are studied at a time.
            mutate: Whether mutants are judged, which takes most of the time.
            read_back: Whether descriptions are read back into queries.

        Returns:
            The findings, in the order of the queries.

        Raises:
            DatabaseUnavailableError: A database cannot be read.
            WorkerError: A worker was lost.
        """

        def work(query: tuple[BenchmarkReference, tuple[int | str, ...]]) -> list[ReferenceFinding]:
            finding = self._study(*query, mutate=mutate, read_back=read_back)
            found(finding)
            return [finding]

        return for_each(
            queries,
            work,
            description="references",
            progress=progress,
            at_once=at_once,
        )

    def _study(
        self,
        reference: BenchmarkReference,
        question_ids: tuple[int | str, ...],
        *,
        mutate: bool,
        read_back: bool,
    ) -> ReferenceFinding:
        finding = ReferenceFinding(question_ids, reference.database)
        schema = self._schemas.get(reference.database)
        try:
            parse_statement(reference.sql)
        except UnusableReferenceError as error:
            return replace(finding, not_parsed=reason_without_names(error.what))
        if schema is None:
            return replace(finding, not_described=NO_SCHEMA)
        try:
            description = describe(reference.sql, schema)
        except (UndescribableQueryError, UnusableReferenceError) as error:
            return replace(finding, not_described=reason_without_names(error.what))
        path = self._databases.get(reference.database)
        run = None if path is None else partial(self._run, path)
        if read_back:
            trip = round_trip(run, reference.sql, schema, description)
            reason = reason_without_names(trip.reason)
            finding = replace(finding, round_trip=replace(trip, reason=reason))
        if not mutate:
            return finding
        if run is None:
            return replace(finding, not_mutated=NO_DATABASE)
        if isinstance(run(reference.sql, None), QueryFailure):
            return replace(finding, not_mutated=DOES_NOT_RUN)
        try:
            judged = judge_mutants(run, reference.sql, schema, description.text)
        except UndeterminedReferenceError as error:
            return replace(finding, not_mutated=f"its result is not determined: {error.reason}")
        except UnusableReferenceError as error:
            return replace(finding, not_mutated=f"incomparable: {reason_without_names(error.what)}")
        return replace(
            finding,
            fates=_fates(judged),
            survivors=tuple(
                Survivor(each.mutant.kind, each.mutant.place)
                for each in judged
                if each.fate is Fate.SURVIVED
            ),
        )

    def _run(self, path: Path, sql: str, rows: int | None) -> Outcome:
        if rows is None:
            return self._runner.run(path, sql)
        return self._runner.run(path, sql, limits=replace(self._limits, rows=rows))


def distinct_queries(
    references: Sequence[BenchmarkReference],
) -> list[tuple[BenchmarkReference, tuple[int | str, ...]]]:
    """Return each query of a database once, with the questions that it is the reference of."""
    ids: dict[tuple[str, str], list[int | str]] = {}
    first: dict[tuple[str, str], BenchmarkReference] = {}
    for each in references:
        key = (each.database, each.sql)
        first.setdefault(key, each)
        ids.setdefault(key, []).append(each.question_id)
    return [(first[key], tuple(ids[key])) for key in first]


def drawn(
    references: Sequence[BenchmarkReference], limit: int | None, seed: int
) -> list[BenchmarkReference]:
    """Return some references, drawn by seed, in the order of the file; all of them without limit.

    Args:
        references: The references.
        limit: How many; None for all.
        seed: What the drawing begins with.
    """
    if limit is None or limit >= len(references):
        return list(references)
    places = sorted(random.Random(seed).sample(range(len(references)), limit))
    return [references[place] for place in places]


def _fates(judged: Sequence[JudgedMutant]) -> tuple[tuple[MutationKind, Fate, int], ...]:
    numbers = Counter((each.mutant.kind, each.fate) for each in judged)
    return tuple((kind, fate, number) for (kind, fate), number in numbers.items())
