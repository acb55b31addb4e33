from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import specbridge_pipeline
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind, QueryFailure, QueryResult
from specbridge_pipeline.databases.runner import QueryRunner

HOSTILE: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("hostile_statements.yaml").read_text()
)


def statement(case: dict[str, Any]) -> str:
    if "sql" in case:
        return str(case["sql"])
    return "".join(text * count for text, count in case["parts"])


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def hostile_runner(small_limits: Limits) -> Iterator[QueryRunner]:
    with QueryRunner(workers=1, limits=small_limits) as runner:
        yield runner


def test_the_hostile_statements_have_names_of_their_own() -> None:
    names = [case["name"] for case in HOSTILE]
    assert len(names) == len(set(names)) >= 60


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case["name"].replace(" ", "-"))
def test_a_hostile_statement_gets_nothing(
    case: dict[str, Any],
    hostile_runner: QueryRunner,
    small_database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = digests(small_database.parent)

    outcome = hostile_runner.run(small_database, statement(case))

    kind = outcome.kind.value if isinstance(outcome, QueryFailure) else "result"
    assert kind in case["outcomes"], outcome
    assert digests(small_database.parent) == before
    assert list(tmp_path.iterdir()) == []
    if isinstance(outcome, QueryFailure):
        assert str(small_database.parent) not in outcome.message
        assert len(outcome.message) <= 501
    assert hostile_runner.run(
        small_database, "SELECT name FROM people WHERE id = 1"
    ) == QueryResult(("name",), ("TEXT",), (("Ada",),), seconds=pytest.approx(0, abs=60))


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT value FROM json_each('[1, 2]')", ((1,), (2,))),
        ("SELECT count(*) FROM json_tree('{\"a\": [1]}')", ((3,),)),
        ("WITH a AS (SELECT 1) SELECT count(*) FROM a", ((1,),)),
        ("SELECT count(*) FROM (SELECT 1 UNION SELECT 2)", ((2,),)),
        ("VALUES (1), (2)", ((1,), (2,))),
        ("SELECT name FROM adults ORDER BY 1 DESC LIMIT 1", (("Grace",),)),
        ("SELECT rowid, * FROM people WHERE name GLOB 'A*'", ((1, 1, "Ada", "s1"),)),
        ("SELECT name FROM sqlite_master WHERE type = 'view'", (("adults",),)),
        ("-- the oldest\nSELECT max(id) FROM people; -- done", ((2,),)),
        ("SELECT n, sum(n) OVER (ORDER BY n) FROM main.numbers LIMIT 2", ((1, 1), (2, 3))),
        ("SELECT printf('%5.1f', 2.5), format('%d', 3), printf('')", (("  2.5", "3", ""),)),
        ('SELECT "no such column" FROM people LIMIT 1', (("no such column",),)),
        ("SELECT date('now') IS NOT NULL, typeof(CURRENT_TIMESTAMP)", ((1, "text"),)),
        ("SELECT datetime(0, 'unixepoch', 'localtime')", (("1970-01-01 00:00:00",),)),
        ("SELECT 1 FROM people WHERE 0", ()),
    ],
)
def test_an_ordinary_query_runs(
    sql: str, rows: tuple[tuple[object, ...], ...], runner: QueryRunner, small_database: Path
) -> None:
    outcome = runner.run(small_database, sql)

    assert isinstance(outcome, QueryResult), outcome
    assert outcome.rows == rows


@pytest.mark.parametrize(
    "expression",
    [
        "printf('%2000d', 1)",
        "format('%.*c', 2000, 'x')",
        "hex(zeroblob(900))",
        "quote(zeroblob(900))",
        "replace(printf('%900d', 1), ' ', 'xx')",
        "concat(printf('%900d', 1), printf('%900d', 1))",
        "printf('%900d', 1) || printf('%900d', 1)",
        "json_array(printf('%900d', 1), printf('%900d', 1))",
        "strftime('%J' || replace(printf('%99d', 1), ' ', '%J'), 0.123456)",
        "(SELECT group_concat(printf('%900d', n)) FROM numbers)",
        "(SELECT json_group_array(printf('%900d', n)) FROM numbers)",
    ],
)
def test_a_value_over_the_length_limit_never_looks_like_a_null(
    expression: str, runner: QueryRunner, small_database: Path
) -> None:
    outcome = runner.run(small_database, f"SELECT {expression} IS NULL", limits=Limits(bytes=1000))

    assert isinstance(outcome, QueryFailure)
    assert outcome.kind is FailureKind.TOO_MANY_BYTES


def test_an_empty_text_is_told_that_it_is_no_statement(
    runner: QueryRunner, small_database: Path
) -> None:
    outcome = runner.run(small_database, "/* nothing */ -- at all")

    assert isinstance(outcome, QueryFailure)
    assert outcome.kind is FailureKind.ERROR
    assert "no statement" in outcome.message


def test_the_worker_loads_nothing_heavy() -> None:
    root = Path(specbridge_pipeline.__file__).parent.parent
    program = (
        f"import sys; sys.path.insert(0, {str(root)!r}); "
        "import specbridge_pipeline.databases.worker; "
        "print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    loaded = subprocess.run(
        # Without `site`'s own additions nothing but our imports is loaded.
        [sys.executable, "-I", "-c", program],
        env={},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert "apsw" in loaded
    assert not {"polars", "pydantic", "numpy", "dagster", "sqlglot", "litellm"} & set(loaded)
