"""How fast queries are generated, and how often tables are read for it.

Run it with `make bench`, or for what it offers beyond that:

    python benchmarks/generation.py --help

A database is worked on as a whole: its catalogue is built once, then queries of arithmetic depth 1
and 2 and step depth 3 to 6 are generated (the paper's Table S5). Several databases are worked on
side by side, one a process. The sample databases are used where they were built, and the paper's
evaluation databases where they lie beside the project.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from large_database import make_large_database

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.catalogue.scans import sources_of
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.query_generation.generation import generate
from specbridge_pipeline.query_generation.requests import plain_requests

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ("baseball", "flights")
EVALUATION = {
    "spider": ("baseball_1", "sakila_1", "customers_and_invoices", "chinook_1"),
    "bird": ("financial", "student_club", "thrombosis_prediction", "formula_1"),
    "livesqlbench": ("alien", "archeology"),
}
LARGE = ROOT / "data" / "benchmarks"


@dataclass(frozen=True, slots=True)
class Measured:
    """What generating on one database took.

    Attributes:
        database: Its name.
        rows: Rows of all its tables.
        delivered: Queries delivered.
        tried: Steps and queries tried for them.
        catalogue: Seconds for its catalogue.
        generation: Seconds for the queries.
        reading: Seconds of these in which the database was read.
        processor: Processor seconds of this process, and of the worker in which the engine runs;
            they say what an idle machine would take, when others keep this one busy.
        scans: Per table: its rows, and how many statements read it while queries were generated.
    """

    database: str
    rows: int
    delivered: int
    tried: int
    catalogue: float
    generation: float
    reading: float
    processor: tuple[float, float]
    scans: tuple[tuple[str, int, int], ...]


def measure(path: Path, count: int) -> Measured:
    """Generate queries on a database file, in this process and one worker."""
    asked: list[str] = []
    reading = 0.0
    with QueryRunner(workers=1) as runner:
        limits = runner.limits
        # As the product does it: what measuring costs follows from the size of the file.
        limits = replace(limits, steps=20 * limits.steps, seconds=20 * limits.seconds)

        def run(sql: str) -> Outcome:
            nonlocal reading
            start = time.perf_counter()
            outcome = runner.run(path, sql, limits=limits)
            reading += time.perf_counter() - start
            asked.append(sql)
            return outcome

        start, processor = time.perf_counter(), time.process_time()
        engine = _children_seconds()
        catalogue = build_catalogue(path.stem, runner.read_schema(path), run)
        built = time.perf_counter()
        limits = runner.limits
        reading = 0.0
        asked.clear()
        requests = plain_requests(count, (3, 6), (1, 2))
        attempts = list(generate(catalogue, run, requests=requests, seed=1))
        done = time.perf_counter()
    return Measured(
        database=path.stem,
        rows=sum(table.rows for table in catalogue.tables),
        delivered=sum(attempt.kept for attempt in attempts),
        tried=sum(1 + len(attempt.taken_back) for attempt in attempts),
        catalogue=built - start,
        generation=done - built,
        reading=reading,
        processor=(time.process_time() - processor, _children_seconds() - engine),
        scans=_scans(catalogue, asked),
    )


def _children_seconds() -> float:
    """Return the processor time of this process's workers that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _scans(catalogue: Catalogue, asked: Sequence[str]) -> tuple[tuple[str, int, int], ...]:
    counted = Counter(name for sql in asked for name in sources_of(sql, catalogue.engine))
    return tuple(
        (table.name, table.rows, counted[table.name.lower()]) for table in catalogue.tables
    )


def found_databases(shared: Path) -> list[Path]:
    """Return the files of the databases that are here."""
    wanted = [ROOT / "data" / "databases" / f"{name}.sqlite" for name in SAMPLES]
    wanted += [
        shared / "databases" / benchmark / name / f"{name}.sqlite"
        for benchmark, names in EVALUATION.items()
        for name in names
    ]
    return [path for path in wanted if path.is_file()]


def main() -> None:
    """Measure, and print a line a database."""
    arguments = _arguments()
    paths = found_databases(arguments.shared)
    if arguments.large:
        paths = [make_large_database(LARGE, arguments.rows)]
    if arguments.database:
        paths = [path for path in paths if path.stem in arguments.database]
    # The largest first, so that no process waits for it at the end.
    paths.sort(key=lambda path: -path.stat().st_size)
    start = time.perf_counter()
    with ProcessPoolExecutor(arguments.processes) as pool:
        found = list(pool.map(measure, paths, [arguments.count] * len(paths)))
    _print(found, time.perf_counter() - start)
    _print_scans(found)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="queries for each database")
    parser.add_argument("--database", action="append", help="only this one; may be repeated")
    parser.add_argument(
        "--processes", type=int, default=min(2, os.cpu_count() or 1), help="databases at a time"
    )
    parser.add_argument(
        "--large", action="store_true", help="the large database instead, made at the first time"
    )
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the large database")
    parser.add_argument(
        "--shared",
        type=Path,
        default=ROOT.parent / "shared" / "data",
        help="folder with the evaluation databases",
    )
    return parser.parse_args()


def _print(found: Sequence[Measured], seconds: float) -> None:
    print(
        f"{'database':<24}{'rows':>12}{'delivered':>11}{'tried':>7}{'catalogue':>11}"
        f"{'generation':>12}{'reading':>9}{'queries/s':>11}{'ms/query':>10}"
    )
    for each in found:
        whole = each.catalogue + each.generation
        print(
            f"{each.database:<24}{each.rows:>12,}{each.delivered:>11}{each.tried:>7}"
            f"{each.catalogue:>10.2f}s{each.generation:>11.2f}s{each.reading:>8.2f}s"
            f"{each.delivered / whole:>11.1f}{1000 * each.generation / each.delivered:>10.0f}"
        )
    delivered = sum(each.delivered for each in found)
    own, engine = (sum(each.processor[part] for each in found) for part in (0, 1))
    print(
        f"all: {delivered} queries in {seconds:.1f} s, {delivered / seconds:.1f} queries/s, "
        f"catalogues included; processor time {own:.1f} s, and {engine:.1f} s of the engine"
    )


def _print_scans(found: Sequence[Measured]) -> None:
    print("\nTables of 100,000 rows or more, and how many statements read each for all queries:")
    for each in found:
        for table, rows, scans in each.scans:
            if rows >= 100_000:
                per_query = scans / max(each.delivered, 1)
                print(
                    f"  {each.database}.{table}: {rows:,} rows, {scans} ({per_query:.2f} a query)"
                )


if __name__ == "__main__":
    main()
