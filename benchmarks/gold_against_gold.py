"""References of public benchmarks against themselves: equal, or why they are no references.

Each reference is made an extension and compared with its own result. Needs a folder with the
benchmarks' questions and databases; prints counts only.

    python benchmarks/gold_against_gold.py ../shared/data
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from specbridge_pipeline.comparison.determinacy.probes import probe_determinacy
from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.verdict import compare
from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.shuffled_copies import write_shuffled_copy
from specbridge_pipeline.errors import UndeterminedReferenceError, UnusableReferenceError

BENCHMARKS = {
    "spider dev": ("spider", "questions/spider/dev.json", "query"),
    "spider train": ("spider", "questions/spider/train_spider.json", "query"),
    "bird dev": ("bird", "questions/bird/dev.json", "SQL"),
}
EQUAL = "equal"
FAILS = "does_not_run"
UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True)
class Reference:
    benchmark: str
    database: Path
    sql: str
    uses: int


@dataclass(frozen=True, slots=True)
class Outcome:
    reference: Reference
    outcome: str
    words: str
    ties: bool
    moved: str


def references(data: Path) -> Iterator[Reference]:
    """Yield each reference whose database is there, with how many questions have it."""
    for benchmark, (family, questions, key) in BENCHMARKS.items():
        entries = json.loads((data / questions).read_text(encoding="utf-8"))
        found = Counter((entry["db_id"], entry[key]) for entry in entries)
        for (name, sql), uses in found.items():
            database = data / "databases" / family / name / f"{name}.sqlite"
            if database.is_file():
                yield Reference(benchmark, database, sql, uses)


def judge(
    runner: QueryRunner, reference: Reference, copies: Callable[[Path], list[Path]]
) -> Outcome:
    run = partial(runner.run, reference.database)
    moved = ""
    try:
        extension = build_reference(run, reference.sql)
    except UndeterminedReferenceError as error:
        return Outcome(reference, error.reason, error.what, False, moved)
    except UnusableReferenceError as error:
        failed = isinstance(run(reference.sql), QueryFailure)
        return Outcome(reference, FAILS if failed else UNUSABLE, error.what, False, moved)
    runs = [partial(runner.run, copy) for copy in copies(reference.database)]
    finding = probe_determinacy(extension, runs, reference.sql)
    if finding is not None:
        moved = finding.explanation
    verdict = compare(extension, run(reference.sql))
    return Outcome(reference, verdict.kind.value, verdict.reason, not extension.exact, moved)


def judge_all(data: Path, shuffled: int, only: str = "") -> list[Outcome]:
    """Judge every reference, those with `only` in the name of their benchmark if it is given."""
    chosen = [each for each in references(data) if only in each.benchmark]
    with TemporaryDirectory() as folder, QueryRunner() as runner, ThreadPoolExecutor(2) as threads:
        paths: dict[Path, list[Path]] = {}
        for database in sorted({each.database for each in chosen}):
            paths[database] = []
            for seed in range(shuffled):
                target = Path(folder) / f"{database.stem}-{database.parts[-3]}-{seed}.sqlite"
                write_shuffled_copy(database, target, seed=seed)
                paths[database].append(target)
        return list(threads.map(lambda each: judge(runner, each, paths.__getitem__), chosen))


def counts(outcomes: list[Outcome]) -> dict[str, dict[str, int]]:
    """Count references by benchmark and outcome; a reference of two questions counts twice."""
    table: dict[str, Counter[str]] = {benchmark: Counter() for benchmark in BENCHMARKS}
    for each in outcomes:
        row = table[each.reference.benchmark]
        row["references"] += each.reference.uses
        row[each.outcome] += each.reference.uses
        row["equal_with_ties_at_the_cut"] += each.reference.uses * (
            each.outcome == EQUAL and each.ties
        )
    return {benchmark: dict(sorted(row.items())) for benchmark, row in table.items() if row}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with questions/ and databases/")
    parser.add_argument("--shuffled", type=int, default=0, help="also probe this many copies")
    parser.add_argument("--only", default="", help="a part of the benchmark's name")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("--details", type=Path, help="write each outcome there, a JSON line each")
    arguments = parser.parse_args()
    outcomes = judge_all(arguments.data, arguments.shuffled, arguments.only)
    table = counts(outcomes)
    if arguments.details:
        # For reading, outside any repository: it holds the benchmarks' text.
        lines = [
            json.dumps(
                {
                    "benchmark": each.reference.benchmark,
                    "database": each.reference.database.stem,
                    "sql": each.reference.sql,
                    "uses": each.reference.uses,
                    "outcome": each.outcome,
                    "words": each.words,
                    "ties": each.ties,
                    "moved": each.moved,
                }
            )
            for each in outcomes
        ]
        arguments.details.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if arguments.json:
        json.dump(table, sys.stdout, indent=2)
        print()
        return
    names = sorted({name for row in table.values() for name in row}, key=lambda n: (n != EQUAL, n))
    print(f"{'':<32}" + "".join(f"{benchmark:>16}" for benchmark in table))
    for name in names:
        print(f"{name:<32}" + "".join(f"{row.get(name, 0):>16,}" for row in table.values()))
    if arguments.shuffled:
        moved = sum(bool(each.moved) for each in outcomes)
        print(f"equal, and moved on a shuffled copy: {moved}")


if __name__ == "__main__":
    main()
