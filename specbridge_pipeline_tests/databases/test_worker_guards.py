"""Hostile statements and files, each run for real: nothing is written, read, reached or kept."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import duckdb
import pytest
import yaml

import specbridge_pipeline
from specbridge_pipeline.databases.duckdb_functions import (
    CALLING_BY_NAME,
    FUNCTIONS,
    RANDOM,
    TABLE_FUNCTIONS,
)
from specbridge_pipeline.databases.duckdb_guards import select_of_view
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import DatabaseUnavailableError

HERE = Path(__file__).parent
STATEMENTS: dict[Engine, list[dict[str, Any]]] = {
    engine: yaml.safe_load((HERE / f"hostile_statements_{engine.value}.yaml").read_text("utf-8"))
    for engine in Engine
}
FILES: list[dict[str, Any]] = yaml.safe_load((HERE / "hostile_files.yaml").read_text("utf-8"))

SECRET = "the-password-is-swordfish"
LATE_BY = 30.0
"""Seconds that a busy machine may take beyond what the limits promise."""


@dataclass(frozen=True)
class World:
    """What a hostile statement could reach for.

    Attributes:
        secret: A file outside every database, with a secret.
        listener: A socket that nobody should connect to.
    """

    secret: Path
    listener: socket.socket

    def filled_in(self, text: str) -> str:
        """Put the places of this world into a statement or script."""
        return (
            text.replace("{secret}", str(self.secret))
            .replace("{folder}", str(self.secret.parent))
            .replace("{port}", str(self.listener.getsockname()[1]))
        )

    def connections(self) -> int:
        """Count the connections that somebody made, and forget them."""
        count = 0
        while True:
            try:
                self.listener.accept()[0].close()
            except BlockingIOError:
                return count
            count += 1


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    secret = tmp_path_factory.mktemp("secrets") / "secret.csv"
    secret.write_text(f"a\n{SECRET}\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield World(secret, listener)


@pytest.fixture(scope="module")
def hostile_runner(small_limits: Limits) -> Iterator[QueryRunner]:
    with QueryRunner(workers=1, limits=small_limits) as runner:
        yield runner


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


def traces_of_engines() -> set[str]:
    """Names of what an engine would leave in temporary folders or in a worker's own folder."""
    folders = {Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")}
    left = {
        str(path)
        for folder in folders
        if folder.is_dir()
        for path in folder.iterdir()
        if path.name.startswith(("etilqs_", "duckdb_", "out", "stolen", "copy"))
    }
    return left | {str(path) for path in Path("/").iterdir()}


def largest_memory(runner: QueryRunner) -> int:
    """Return the most bytes that a running worker ever held; 0 where the system does not tell."""
    sizes = [0]
    for process in runner.worker_ids:
        status = Path(f"/proc/{process}/status")
        if status.exists():
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            sizes.append(int(lines["VmHWM"].split()[0]) * 1024)
    return max(sizes)


def patient_where_time_is_not_the_point(limits: Limits, case: dict[str, Any]) -> Limits:
    return limits if "timeout" in case["outcomes"] else replace(limits, seconds=60.0)


def kind_of(outcome: Outcome) -> str:
    return outcome.kind.value if isinstance(outcome, QueryFailure) else "result"


def require_nothing_got_out(
    path: Path,
    sql: str,
    runner: QueryRunner,
    limits: Limits,
    world: World,
    own_folder: Path,
) -> Outcome | DatabaseUnavailableError:
    """Run a statement; require all that holds for every one, whatever its outcome is."""
    watched = (path.parent, world.secret.parent)
    before = [digests(folder) for folder in watched], traces_of_engines()
    started = time.monotonic()
    outcome: Outcome | DatabaseUnavailableError
    try:
        outcome = runner.run(path, sql, limits=limits)
    except DatabaseUnavailableError as error:
        outcome = error
    # It may be run once more, and each run has its grace.
    allowed = 2 * (limits.seconds + limits.grace_seconds) + LATE_BY
    assert time.monotonic() - started < allowed

    assert ([digests(folder) for folder in watched], traces_of_engines()) == before
    assert list(own_folder.iterdir()) == []
    assert world.connections() == 0
    most = limits.memory + 16 * limits.bytes + 512 * 1024 * 1024
    assert largest_memory(runner) <= most
    said = outcome.what if isinstance(outcome, DatabaseUnavailableError) else repr(outcome)
    assert SECRET not in said
    assert str(path.parent) not in said
    if isinstance(outcome, QueryFailure):
        assert "root:" not in outcome.message
        assert len(outcome.message) <= 501
    return outcome


def test_the_hostile_cases_have_names_of_their_own() -> None:
    for cases in (*STATEMENTS.values(), *([f for f in FILES if f["engine"] == e] for e in Engine)):
        names = [case["name"] for case in cases]
        assert len(names) == len(set(names))
    for engine, cases in STATEMENTS.items():
        assert len(cases) + sum(file["engine"] == engine.value for file in FILES) >= 80


@pytest.mark.parametrize(
    ("engine", "case"),
    [
        pytest.param(engine, case, id=f"{engine.value}-{case['name'].replace(' ', '-')}")
        for engine, cases in STATEMENTS.items()
        for case in cases
    ],
)
def test_a_hostile_statement_gets_nothing(
    engine: Engine,
    case: dict[str, Any],
    hostile_runner: QueryRunner,
    small_limits: Limits,
    small_databases: dict[Engine, Path],
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = small_databases[engine]

    limits = patient_where_time_is_not_the_point(small_limits, case)
    outcome = require_nothing_got_out(
        path, world.filled_in(statement(case)), hostile_runner, limits, world, tmp_path
    )

    assert not isinstance(outcome, DatabaseUnavailableError), outcome
    assert kind_of(outcome) in case["outcomes"], outcome
    again = hostile_runner.run(path, "SELECT name, sum(id) FROM people WHERE id = 1 GROUP BY name")
    assert isinstance(again, QueryResult), again
    assert again.rows == (("Ada", 1),)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{case['engine']}-{case['name'].replace(' ', '-')}") for case in FILES],
)
def test_a_hostile_file_gets_nothing(
    case: dict[str, Any],
    hostile_runner: QueryRunner,
    small_limits: Limits,
    small_databases: dict[Engine, Path],
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Engine(case["engine"])
    own_folder = tmp_path / "own"
    own_folder.mkdir()
    monkeypatch.chdir(own_folder)
    path = tmp_path / "theirs" / "hostile.db"
    path.parent.mkdir()
    make_file(path, engine, world.filled_in(case["script"]))
    damage(path, **case.get("damage", {}))

    limits = patient_where_time_is_not_the_point(small_limits, case)
    outcome = require_nothing_got_out(
        path, world.filled_in(case["sql"]), hostile_runner, limits, world, own_folder
    )

    if isinstance(outcome, DatabaseUnavailableError):
        assert "unavailable" in case["outcomes"], outcome
    else:
        assert kind_of(outcome) in case["outcomes"], outcome
    if "rows" in case:
        assert isinstance(outcome, QueryResult)
        assert outcome.rows == tuple(map(tuple, case["rows"]))
    again = hostile_runner.run(small_databases[engine], "SELECT sum(id) FROM people")
    assert isinstance(again, QueryResult), again
    assert again.rows == ((3,),)


def make_file(path: Path, engine: Engine, script: str) -> None:
    if engine is Engine.DUCKDB:
        with duckdb.connect(str(path)) as connection:
            connection.execute(script)
        return
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    list(connection.execute(script))
    connection.close()


def damage(path: Path, keep: float = 1.0, at: float | None = None) -> None:
    content = bytearray(path.read_bytes())
    if at is not None:
        start = int(len(content) * at)
        content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content[: int(len(content) * keep)])


def test_every_function_of_the_engine_has_been_looked_at() -> None:
    refused = set((HERE / "refused_functions_duckdb.txt").read_text("utf-8").splitlines())
    with duckdb.connect() as connection:
        found = {
            (name.lower(), kind)
            for name, kind in connection.execute(
                "SELECT function_name, function_type FROM duckdb_functions()"
            ).fetchall()
        }
    names = {name for name, _ in found}

    # A new name here wants a decision: may a query call it?
    assert names - FUNCTIONS - TABLE_FUNCTIONS == refused
    # Of these the engine has no list, since its parser makes them: `unnest`, and the arrow.
    assert FUNCTIONS - names == {"->"}
    assert names >= TABLE_FUNCTIONS
    assert refused >= RANDOM
    assert CALLING_BY_NAME <= FUNCTIONS


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("CREATE VIEW v AS SELECT 1;", "SELECT 1;"),
        ('CREATE VIEW s."a b"(x, "y, z") AS SELECT 1;', "SELECT 1;"),
        ('CREATE VIEW "x"" AS SELECT 1 --" AS SELECT 2;', "SELECT 2;"),
        ('CREATE VIEW "a" (c, "d) AS SELECT 3 --") AS SELECT 2;', "SELECT 2;"),
        ("CREATE VIEW AS SELECT 1;", None),
        ("CREATE TABLE t (x INT);", None),
        ('CREATE VIEW "x AS SELECT 1;', None),
        (None, None),
    ],
)
def test_the_select_of_a_view_begins_behind_its_whole_head(
    sql: str | None, expected: str | None
) -> None:
    assert select_of_view(sql) == expected


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


ORDINARY_DUCKDB = """
SELECT name FROM adults ORDER BY 1 DESC LIMIT 1 | Grace
SELECT name FROM main.people WHERE name LIKE 'A%' -- the first | Ada
FROM people SELECT count(*) | 2
SELECT sum(n) FROM (SELECT n FROM numbers ORDER BY n LIMIT 3) | 6
WITH a AS (SELECT 1 AS x) SELECT count(*) FROM a | 1
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4) FROM c LIMIT 1 | 1
SELECT string_agg(name, ', ' ORDER BY id) FROM people | Ada, Grace
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM numbers | 1000.5
SELECT count(*) FILTER (WHERE n % 2 = 0) FROM numbers | 1000
SELECT n FROM numbers QUALIFY row_number() OVER (ORDER BY n DESC) = 2 | 1999
SELECT DISTINCT ON (id > 0) name FROM people ORDER BY id > 0, id | Ada
SELECT max(d) FROM (SELECT lag(n) OVER (ORDER BY n) AS d FROM numbers) | 1999
SELECT count(*) FROM people GROUP BY ROLLUP (name) HAVING count(*) > 1 | 2
SELECT date_diff('day', DATE '2024-02-28', DATE '2024-03-01') | 2
SELECT extract(year FROM DATE '2024-02-29' + INTERVAL 1 YEAR) | 2025
SELECT strftime(DATE '2024-02-29', '%d.%m.%Y') | 29.02.2024
SELECT CAST(TIMESTAMPTZ '2024-01-01 00:00:00+02' AS VARCHAR) | 2023-12-31 22:00:00+00
SELECT coalesce(NULL, nullif(1, 1), 3) | 3
SELECT CASE WHEN 'a' ILIKE 'A' THEN 'y' ELSE 'n' END | y
SELECT list_sum(list_transform([1, 2], lambda x: x * 2)) | 6
SELECT list_aggregate([1, 2, 3], 'max') | 3
SELECT [x * 2 for x in [1, 2] if x > 1][1] | 4
SELECT {'a': 1, 'b': 'two'}.b | two
SELECT map {'k': 7}['k'] | 7
SELECT json_extract_string('{"a": {"b": "c"}}', '$.a.b') | c
SELECT count(*) FROM json_each('[1, 2]') | 2
SELECT sum(i) FROM range(4) r(i) | 6
SELECT sum(u) FROM (SELECT unnest([1, 2, 3]) AS u) | 6
SELECT count(*) FROM people a POSITIONAL JOIN numbers b | 2000
SELECT count(*) FROM people SEMI JOIN numbers ON id = n | 2
SELECT a FROM (SELECT * FROM people PIVOT (count(*) FOR name IN ('Ada' AS a)) WHERE id = 1) | 1
SELECT count(*) FROM people UNPIVOT (v FOR k IN (name, secret)) | 4
SELECT regexp_replace('a1b22', '[0-9]+', '#', 'g') | a#b#
SELECT 7 // 2 | 3
SELECT name COLLATE NOCASE = 'ADA' FROM people WHERE id = 1 | 1
SELECT current_date IS NOT NULL AND now() IS NOT NULL AND current_timestamp IS NOT NULL | 1
SELECT try_cast('x' AS INTEGER) IS NULL | 1
SELECT 'a' IN ('a', 'b') AND 1 NOT IN (SELECT n + 5 FROM numbers) | 1
"""


@pytest.mark.parametrize("line", ORDINARY_DUCKDB.strip().splitlines())
def test_an_ordinary_query_runs_on_duckdb(
    line: str, runner: QueryRunner, small_databases: dict[Engine, Path]
) -> None:
    sql, _, expected = line.rpartition(" | ")

    outcome = runner.run(small_databases[Engine.DUCKDB], sql)

    assert isinstance(outcome, QueryResult), outcome
    assert [[str(cell) for cell in row] for row in outcome.rows] == [[expected]]


def test_a_worker_that_has_loaded_nothing_yet_has_loaded_no_engine() -> None:
    assert {"apsw", "duckdb"}.isdisjoint(loaded_by("worker"))


@pytest.mark.parametrize(
    ("module", "engine"), [("sqlite_engine", "apsw"), ("duckdb_engine", "duckdb")]
)
def test_a_worker_loads_the_engine_it_needs_and_nothing_heavy(module: str, engine: str) -> None:
    loaded = loaded_by(module)

    assert {"apsw", "duckdb"} & loaded == {engine}
    heavy = {"polars", "pandas", "pyarrow", "pydantic", "numpy", "dagster", "sqlglot", "litellm"}
    assert not heavy & loaded


def loaded_by(module: str) -> set[str]:
    root = Path(specbridge_pipeline.__file__).parent.parent
    program = (
        f"import sys; sys.path.insert(0, {str(root)!r}); "
        f"import specbridge_pipeline.databases.{module}; "
        "print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    printed = subprocess.run(
        # Without `site`'s own additions nothing but our imports is loaded.
        [sys.executable, "-I", "-c", program],
        env={},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return set(printed.split())
