"""How long it takes to score recorded answers: run their queries, compare with every reference.

Run it with `make bench`. Each query that a recorded reply of a shipped edition holds is run once in
the workers; then its result is compared, with both scores, with the references of the edition's
sets on the same database, until there are ten thousand pairs.
"""

from __future__ import annotations

import gzip
import itertools
import json
import tempfile
import time
from pathlib import Path

from specbridge_pipeline.comparison.column_mapping import compare_allowing_columns
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.registry import read_databases
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.language_models.structured import read_json
from specbridge_pipeline.request_sets.checks import references
from specbridge_pipeline.request_sets.editions import Edition, read_edition
from specbridge_pipeline.settings import Project

EDITIONS = ("generated-1", "handwritten-1")
PAIRS = 10_000


def main() -> None:
    """Print the figures."""
    project = Project(Path(__file__).resolve().parent.parent)
    registered = read_databases(project, check_files=False)
    with tempfile.TemporaryDirectory() as folder, QueryRunner() as runner:
        paths = {}
        for name, database in registered.items():
            if database.entry.sample is not None:
                paths[name] = Path(folder) / f"{name}.sqlite"
                build_database(paths[name], SAMPLES[database.entry.sample]())
        extensions: dict[str, list[ReferenceExtension]] = {name: [] for name in paths}
        queries = recorded_queries(project)
        start = time.perf_counter()
        for edition in (read_edition(project, name) for name in EDITIONS):
            _add_references(edition, paths, runner, extensions)
        built = time.perf_counter() - start
        start = time.perf_counter()
        work = [(path, sql) for path in paths.values() for sql in queries]
        outcomes = dict(zip(work, runner.run_many(work), strict=True))
        ran = time.perf_counter() - start
        # A query runs on the database that it was written for, and fails on the other at once.
        pairs: list[tuple[ReferenceExtension, Outcome]] = [
            (reference, outcomes[paths[name], sql])
            for name in paths
            for reference in extensions[name]
            for sql in queries
        ]
        start = time.perf_counter()
        equal = 0
        for reference, outcome in itertools.islice(itertools.cycle(pairs), PAIRS):
            verdict = compare(reference, outcome)
            compare_allowing_columns(reference, outcome)
            equal += verdict.kind is VerdictKind.EQUAL
        compared = time.perf_counter() - start
    print(f"references built        {sum(map(len, extensions.values())):>8,}{built:>9.1f} s")
    print(f"recorded queries run    {len(work):>8,}{ran:>9.1f} s")
    print(f"pairs compared          {PAIRS:>8,}{compared:>9.1f} s   ({equal:,} equal)")
    print(f"all of it               {'':>8}{built + ran + compared:>9.1f} s")


def recorded_queries(project: Project) -> list[str]:
    """Return the queries in the recorded replies of the editions, each once."""
    found: dict[str, None] = {}
    for edition in EDITIONS:
        for path in sorted((project.root / "data" / "recordings" / edition).glob("*.jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    try:
                        reply = read_json(json.loads(line)["text"])
                    except (ValueError, SpecBridgeError):
                        continue
                    if isinstance(reply, dict) and isinstance(reply.get("sql"), str):
                        found[reply["sql"]] = None
    return [sql for sql in found if sql.strip()]


def _add_references(
    edition: Edition,
    paths: dict[str, Path],
    runner: QueryRunner,
    extensions: dict[str, list[ReferenceExtension]],
) -> None:
    for name, path in paths.items():
        for request_set in edition.sets_on(name):
            both = references(lambda sql, path=path: runner.run(path, sql), request_set)  # type: ignore[misc]
            extensions[name] += both.values()


if __name__ == "__main__":
    main()
