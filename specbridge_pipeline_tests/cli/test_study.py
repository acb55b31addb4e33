"""`specbridge study` as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline_tests.support.interrupts import heed_interrupts

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli", "study", "descriptions")
SHOP = (Path(__file__).parent.parent / "fixtures" / "shop.sql").read_text(encoding="utf-8")
TABLES = [
    {
        "db_id": "shop",
        "table_names_original": ["customer"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [0, "city"]],
        "column_types": ["text", "number", "text", "text"],
        "primary_keys": [1],
        "foreign_keys": [],
    }
]
QUESTIONS = [
    {"db_id": "shop", "question": "?", "query": "SELECT name FROM customer WHERE id > 2"},
    {"db_id": "shop", "question": "?", "query": "SELECT name FROM customer ORDER BY name"},
    {"db_id": "shop", "question": "?", "query": "SELEC name"},
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "questions.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    (tmp_path / "tables.json").write_text(json.dumps(TABLES), encoding="utf-8")
    (tmp_path / "databases" / "shop").mkdir(parents=True)
    connection = apsw.Connection(str(tmp_path / "databases" / "shop" / "shop.sqlite"))
    connection.execute(SHOP)
    connection.close()
    return tmp_path


def arguments(files: Path) -> list[str]:
    return [
        "--questions", str(files / "questions.json"),
        "--tables", str(files / "tables.json"),
        "--databases", str(files / "databases"),
    ]  # fmt: skip


def study(*more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *more], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_counts_are_printed_as_json_and_written_to_a_file(files):
    out = files / "derived" / "counts.json"
    done = study(*arguments(files), "--json", "--out", str(out))
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert (counted["references"], counted["parsed"], counted["described"]) == (3, 2, 2)
    assert counted["mutants"] > 10
    assert counted["survivors"] == 0
    assert (counted["round_trips"], counted["round_trips_by_text"]) == (2, 0)
    assert counted["no_round_trip"] == {}
    assert list(counted["not_parsed"].values()) == [[2]]
    assert json.loads(out.read_text(encoding="utf-8")) == counted
    assert "customer" not in done.stdout


@pytest.mark.slow
def test_counts_are_printed_as_a_table(files):
    done = study(*arguments(files))
    assert done.returncode == 0, done.stderr
    for words in ("described", "survivors", "filter added", "mutants left out, same result"):
        assert words in done.stdout


@pytest.mark.slow
def test_without_databases_nothing_is_mutated(files):
    done = study(*arguments(files)[:4], "--json", "--limit", "1")
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert counted["references"] == counted["limit"] == 1
    assert counted["mutants"] is None
    assert counted["mutants_reason"]
    assert counted["round_trips"] == counted["round_trips_by_text"] == counted["described"]


@pytest.mark.slow
def test_a_file_of_another_form_is_one_line_on_stderr(files):
    (files / "questions.json").write_text('[{"db_id": "shop"}]', encoding="utf-8")
    done = study(*arguments(files))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "questions.json" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs the list of children")
def test_an_interrupted_study_prints_what_it_has(files):
    many = [
        {"db_id": "shop", "query": f"SELECT name, city FROM customer WHERE id > 1 AND id < {at}"}
        for at in range(50_000)
    ]
    (files / "questions.json").write_text(json.dumps(many), encoding="utf-8")
    with subprocess.Popen(
        [*COMMAND, *arguments(files), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    ) as process:
        # Its workers run once the study does.
        while not _children(process.pid):
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(1)
        os.kill(process.pid, signal.SIGINT)
        try:
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, errors
    counted = json.loads(said)
    assert counted["interrupted"] is True
    assert counted["references"] < len(many)
    assert "interrupted" in errors


def _children(process: int) -> list[str]:
    """Return the processes that any thread of a process started."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]


@pytest.mark.slow
def test_the_group_lists_its_studies():
    done = subprocess.run([*COMMAND[:-1], "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "descriptions" in done.stdout
