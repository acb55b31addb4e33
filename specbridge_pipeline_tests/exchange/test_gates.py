"""Sets made elsewhere go through every gate again, and each is told what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
import yaml

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.exchange.gates import Gate, GatedDatabase
from specbridge_pipeline.exchange.importing_sets import GatedSet, gate_sets, imported_imprint
from specbridge_pipeline.exchange.json_lines import ReadRow
from specbridge_pipeline.exchange.set_rows import SetRow
from specbridge_pipeline_tests.exchange.test_reading_sets import read, row, write
from specbridge_pipeline_tests.support.in_process_engine import runner_on
from specbridge_pipeline_tests.support.projects import FIXTURES
from specbridge_pipeline_tests.support.tiny_databases import catalogued

CASES = yaml.safe_load(Path(__file__).with_name("gate_cases.yaml").read_text("utf-8"))
CLAIMED = ["model-1", "rules/reading", "rules/of-others"]


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatedDatabase]:
    folder = tmp_path_factory.mktemp("clinic")
    catalogue, _ = catalogued(folder, "clinic", (FIXTURES / "clinic.sql").read_text("utf-8"))
    path = folder / "clinic.sqlite"
    with QueryRunner(workers=1) as runner:
        schema = runner.read_schema(path)
        yield GatedDatabase(lambda sql: runner.run(path, sql), Engine.SQLITE, (), schema, catalogue)


def gated(
    clinic: GatedDatabase, tmp_path: Path, rows: list[dict[str, object]], *left_out: Gate
) -> list[GatedSet]:
    listed: list[ReadRow[SetRow]] = read(write(tmp_path / "file.jsonl", rows))
    return gate_sets(listed, lambda _: clinic, left_out=left_out)


@pytest.mark.parametrize("name", CASES)
def test_each_gate_says_what_is_wrong(name: str, clinic: GatedDatabase, tmp_path: Path) -> None:
    case = CASES[name]
    left_out = [Gate(each) for each in case.get("without", [])]
    rows = [row(case["of"], **case.get("change", {}))]
    [found] = gated(clinic, tmp_path, rows, *left_out)
    said = [str(each) for each in found.failures]
    assert found.passed == (not case["says"])
    unexpected = [each for each in said if not each.startswith(tuple(case["says"]))]
    assert not unexpected
    unsaid = [each for each in case["says"] if not any(line.startswith(each) for line in said)]
    assert not unsaid, said


def test_rules_are_named_as_readers_only_where_they_have_read(
    clinic: GatedDatabase, tmp_path: Path
) -> None:
    rows = [row("COUNTING", reviewers=CLAIMED)]
    [read_here] = gated(clinic, tmp_path, rows)
    [not_read] = gated(clinic, tmp_path, rows, Gate.REVIEWERS)
    assert read_here.request_set is not None
    assert not_read.request_set is not None
    assert read_here.request_set.provenance.reviewers == (
        "model-1",
        "rules/reading",
        "rules/requirements",
    )
    assert not_read.request_set.provenance.reviewers == ("model-1",)
    assert read_here.request_set.id == not_read.request_set.id


def test_an_edition_says_where_its_sets_are_from_and_which_gates_were_not_asked(
    clinic: GatedDatabase, tmp_path: Path
) -> None:
    rows = [row("COUNTING", writer="model-2", reviewers=["model-1"]), row("TIES", sql_b="x" * 10)]
    found = gated(clinic, tmp_path, rows, Gate.REVIEWERS, Gate.TYPE)
    imprint = imported_imprint(
        [each for each in found if each.passed],
        title="A title",
        file="file.jsonl",
        read=2,
        left_out=(Gate.REVIEWERS, Gate.TYPE),
        code_version="0",
        engines={"sqlite": "0"},
    )
    assert imprint.built_by == "elsewhere, imported; requests written by model-2"
    assert imprint.selection == (
        "1 of 2 sets of the file file.jsonl; gates left out: type, reviewers"
    )
    assert imprint.read_by == ("model-1",)
    assert {name: each.licence for name, each in imprint.databases.items()} == {"clinic": "a test"}


def test_a_copy_in_another_order_shows_what_one_order_hides(
    clinic: GatedDatabase, tmp_path: Path
) -> None:
    path = tmp_path / "other.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute((FIXTURES / "clinic.sql").read_text("utf-8"))
    connection.execute("UPDATE visits SET cost = cost + 1 WHERE year = 2020")
    moved = GatedDatabase(
        clinic.run, clinic.engine, (runner_on(connection),), clinic.schema, clinic.catalogue
    )
    [found] = gate_sets(read(write(tmp_path / "file.jsonl", [row("TIES")])), lambda _: moved)
    assert [each.gate for each in found.failures] == [Gate.QUERIES]
    assert "is not determined" in found.failures[0].reason
