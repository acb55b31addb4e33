"""How fast queries are described, on one core: the corpus, and the references of benchmarks.

Run it with `make bench`; `python benchmarks/descriptions.py ../shared/data/questions` also
describes every reference of Spider and BIRD in that folder, where it is.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from specbridge_pipeline.benchmarks.references import read_references
from specbridge_pipeline.benchmarks.table_schemas import read_schemas
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.sql.syntax.parser import parse_statement
from specbridge_pipeline_tests.support.description_corpus import STATEMENTS, write_database

FILES = (
    ("spider/train_spider.json", "spider/tables.json"),
    ("spider/train_others.reconstructed.json", "spider/tables.json"),
    ("spider/dev.json", "spider/tables.json"),
    ("bird/dev.json", "bird/dev_tables.json"),
    ("bird/dev_tied_append.json", "bird/dev_tables.json"),
)


def main(folder: Path | None) -> None:
    """Print the figures.

    Args:
        folder: The benchmarks' question files; None for the corpus alone.
    """
    with tempfile.TemporaryDirectory() as made, QueryRunner(workers=1) as runner:
        schema = runner.read_schema(write_database(Path(made) / "corpus.sqlite"))
    _measure("corpus", [(each.sql, schema) for each in STATEMENTS])
    if folder is None or not folder.is_dir():
        return
    queries: list[tuple[str, Schema]] = []
    for questions, tables in FILES:
        schemas = read_schemas(folder / tables)
        queries += [
            (each.sql, schemas[each.database]) for each in read_references(folder / questions)
        ]
    _measure("references", queries)


def _measure(label: str, queries: Sequence[tuple[str, Schema]]) -> None:
    start = time.process_time()
    for sql, _ in queries:
        try:
            parse_statement(sql)
        except SpecBridgeError:
            continue
    parsed = time.process_time() - start
    described = 0
    start = time.process_time()
    for sql, schema in queries:
        try:
            describe(sql, schema)
        except SpecBridgeError:
            continue
        described += 1
    seconds = time.process_time() - start
    print(
        f"{label:<12}{len(queries):>8,} queries  parsed in {parsed:>6.1f} s   "
        f"{described:>8,} described in {seconds:>6.1f} s   ({seconds / parsed:.1f} times)"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
