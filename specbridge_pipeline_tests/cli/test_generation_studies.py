"""The studies of the generator as a user meets them, on a folder of two small databases."""

import json
import subprocess
import sys

import pytest

from specbridge_pipeline.query_generation.ablation import CONFIGURATIONS
from specbridge_pipeline.query_generation.attempt_classes import AttemptClass
from specbridge_pipeline.query_generation.features import Feature
from specbridge_pipeline.query_generation.study_records import CONSTRUCTION_COUNTS
from specbridge_pipeline.records.row_files import read_rows
from specbridge_pipeline_tests.support.projects import make_project
from specbridge_pipeline_tests.support.tiny_databases import SALES, write_database

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("databases")
    write_database(folder / "small" / "sales" / "sales.sqlite", SALES)
    empty = "CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT, price REAL)"
    write_database(folder / "small" / "empty" / "empty.sqlite", empty)
    return folder


def study(*arguments, project=None):
    where = () if project is None else ("--project", str(project.root))
    return subprocess.run(
        [*COMMAND, *where, "study", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_construction_counts_what_is_delivered_and_holds(folder, tmp_path):
    out = tmp_path / "counts.csv"
    arguments = ("construction", "--databases", folder, "--queries", 8, "--out", out)
    done = study(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) == {"queries", "seed", "databases", "total", "not_studied"}
    by_name = {row["database"]: row for row in result["databases"]}
    assert by_name["sales"]["delivered"] == by_name["sales"]["sound"] == 8
    assert by_name["sales"]["seconds"] > 0
    assert by_name["empty"]["delivered"] == 0
    assert result["total"]["queries"] == 16
    rows = read_rows(out, CONSTRUCTION_COUNTS)
    assert [(row["source"], row["database"], row["delivered"]) for row in rows] == [
        ("small", "empty", 0),
        ("small", "sales", 8),
    ]
    # Seconds are of a machine and stand in no stored row; all else is the same again.
    first = out.read_bytes()
    assert study(*arguments).returncode == 0
    assert out.read_bytes() == first


@pytest.mark.slow
def test_coverage_counts_features_and_says_why_a_database_gives_none(folder):
    done = study("coverage", "--databases", folder, "--queries", 6, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) == {
        "queries",
        "seed",
        "databases",
        "with_rows",
        "usable",
        "features",
        "not_usable",
    }
    assert (result["databases"], result["with_rows"], result["usable"]) == (2, 1, 1)
    assert list(result["features"]) == [feature.value for feature in Feature]
    for counts in result["features"].values():
        assert 1 >= counts["allowed"] >= counts["delivered"] >= counts["accepted"] >= 0
    assert result["not_usable"] == {"small/empty": "empty: no table has rows"}
    only = ("--source", "small", "--only", "sales")
    said = study("coverage", "--databases", folder, *only, "--queries", 6).stdout
    assert "usable: 1 of 1 databases" in said


@pytest.mark.slow
def test_ablation_puts_every_attempt_into_a_class(folder):
    done = study(
        *("ablation", "--databases", folder, "--only", "small/sales"),
        *("--attempts", 7, "--seed", 1, "--seed", 2, "--json"),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) == {"databases", "attempts", "seeds", "configurations", "not_studied"}
    assert list(result["configurations"]) == list(CONFIGURATIONS)
    for counts in result["configurations"].values():
        assert list(counts) == [each.name.lower() for each in AttemptClass]
        assert sum(counts.values()) == 7
    assert result["databases"] == ["small/sales"]


@pytest.mark.slow
def test_the_registered_databases_are_studied_where_no_folder_is_named(tmp_path):
    project = make_project(tmp_path, built_on=("clinic",))
    done = study("construction", "--queries", 4, project=project)
    assert done.returncode == 0, done.stderr
    assert "clinic" in done.stdout
    assert "registered" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("coverage", "--only", "nowhere"), "there is no database 'nowhere'"),
        (("ablation", "--configuration", "without_luck"), "no configuration 'without_luck'"),
        (("construction", "--queries", "0"), "0 is not in the range"),
        (("coverage", "--source", "large"), "there is no source 'large' of databases"),
    ],
)
def test_what_makes_no_sense_is_refused(folder, arguments, said):
    done = study(*arguments, "--databases", folder)
    assert done.returncode != 0
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_a_folder_without_databases_is_refused(tmp_path):
    done = study("coverage", "--databases", tmp_path)
    assert done.returncode == 1
    assert "there is no database below" in done.stderr


@pytest.mark.slow
def test_a_file_that_is_no_database_is_named_and_the_others_are_studied(tmp_path):
    (tmp_path / "broken.sqlite").write_bytes(b"no database")
    write_database(tmp_path / "sales.sqlite", SALES)
    done = study("construction", "--databases", tmp_path, "--queries", 2, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [row["database"] for row in result["databases"]] == ["sales"]
    assert list(result["not_studied"]) == [f"{tmp_path.name}/broken"]
