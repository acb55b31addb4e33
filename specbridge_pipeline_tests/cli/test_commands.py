"""The command as a user meets it: what it prints, where it writes, and how it refuses."""

import csv
import io
import json
import subprocess
import sys

import duckdb
import pytest

from specbridge_pipeline_tests.support.projects import (
    make_database,
    make_project,
    run,
    scripted,
    write_models,
)

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")


def specbridge(*arguments, project=None, **options):
    where = () if project is None else ("--project", str(project.root))
    return subprocess.run(
        [*COMMAND, *where, *arguments], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("commands"))
    write_models(project, [scripted(project, name) for name in ("silent", "returns_both")])
    run(project)
    return project


@pytest.mark.slow
def test_a_run_that_has_nothing_to_do_says_so_and_prints_the_table(evaluated):
    result = specbridge("run", project=evaluated)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "everything is up to date" in result.stdout
    assert "silent" in result.stdout
    assert "3/3" in result.stdout
    assert f"report: {evaluated.report / 'report.html'}" in result.stdout


@pytest.mark.slow
def test_rows_come_as_table_csv_and_json(evaluated):
    statement = "select model, count(*) as n from scores group by 1 order by 1"
    table = specbridge("sql", statement, project=evaluated).stdout
    assert "returns_both" in table
    rows = list(
        csv.reader(io.StringIO(specbridge("sql", statement, "--csv", project=evaluated).stdout))
    )
    assert rows == [["model", "n"], ["returns_both", "24"], ["silent", "18"]]
    values = json.loads(specbridge("sql", statement, "--json", project=evaluated).stdout)
    assert values == [{"model": "returns_both", "n": 24}, {"model": "silent", "n": 18}]
    views = specbridge("sql", project=evaluated).stdout
    assert "edition_sets" in views
    assert "statistics" in views


@pytest.mark.slow
def test_a_trace_prints_the_whole_chain(evaluated):
    result = specbridge("trace", "both_returned/silent/all", "--rescore", project=evaluated)
    assert result.returncode == 0, result.stderr
    for part in (
        "formula   both_returned / sets",
        "recomputed from rows, scores, judgements and archived replies: equal",
        "verdicts run again and equal: 18",
        "SELECT c.city, COUNT(DISTINCT c.id)",
        "content ",
        "You write SQL for an analyst",
        "For each city, how many buying customers are there?",
        '"alternatives": []',
        "score     main for A: equal",
        "does not name the choice",
    ):
        assert part in result.stdout
    whole = json.loads(
        specbridge("trace", "both_returned/silent/all", "--json", project=evaluated).stdout
    )
    assert len(whole["rows"]) == 3


@pytest.mark.slow
def test_sets_models_databases_and_editions_are_listed(evaluated):
    [first, *_] = json.loads(specbridge("sets", "list", "--json", project=evaluated).stdout)
    shown = specbridge("sets", "show", first["id"][:6], project=evaluated).stdout
    assert first["open_request"] in shown
    assert "2 of 3 output rows differ" in shown
    assert "Berlin" in shown
    [model, _] = json.loads(specbridge("models", "list", "--json", project=evaluated).stdout)
    assert model["evaluated_on"] == ["shop"]
    [edition] = json.loads(specbridge("editions", "list", "--json", project=evaluated).stdout)
    assert edition["sets"] == 3
    check = specbridge("editions", "check", "shop-1", project=evaluated)
    assert check.returncode == 0
    dry = json.loads(specbridge("run", "--dry-run", "--json", project=evaluated).stdout)
    assert [row["calls"] for row in dry["calls"]] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--model", "nobody"], "there is no evaluated model 'nobody'"),
        (["run", "--database", "nowhere"], "there is no database 'nowhere'"),
        (["run", "--profile", "none"], "there is no profile 'none' (profiles here: default)"),
        (["run", "--edition", "none"], "there is no edition 'none' (editions: shop-1)"),
        (["run", "--new-round"], "a new round asks models, and the mode is replay"),
        (["trace", "nothing/of/the/kind"], "there is no reported number"),
        (["sql", "select * from nowhere"], "views: human_verdicts, database_files, catalogue"),
        (["sql", "select"], "views: human_verdicts"),
        (["sets", "show", "zzz"], "0 sets of edition shop-1 begin with 'zzz'"),
        (["databases", "add", "missing.sqlite"], "there is no such database file"),
        (["databases", "add", "dagster.yaml"], "this is neither an SQLite nor a DuckDB database"),
        (["databases", "add", "data/shop.sqlite", "--id", "A|B"], "id: "),
        (["run", "--databases", "dagster.yaml"], "this is neither an SQLite nor a DuckDB database"),
        (["databases", "add", "data/shop.sqlite", "--id", "shop"], "id 'shop' is already taken"),
        (["editions", "seal", "shop-1", "--title", "x"], "the licence of database 'shop'"),
        (["editions", "check", "none"], "there is no sets.yaml for an edition 'none'"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_and_what_to_do(evaluated, arguments, said):
    before = {p: p.read_bytes() for p in evaluated.data.glob("*.yaml")}
    result = specbridge(*arguments, project=evaluated, cwd=evaluated.root)
    assert result.returncode == 1
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert {p: p.read_bytes() for p in evaluated.data.glob("*.yaml")} == before


@pytest.mark.slow
def test_debug_shows_the_traceback(evaluated):
    result = specbridge("--debug", "run", "--model", "nobody", project=evaluated)
    assert "Traceback" in result.stderr


def test_a_folder_that_is_no_project_is_told_how_to_become_one(tmp_path):
    result = specbridge("run", cwd=tmp_path)
    assert result.returncode == 1
    assert "run `specbridge init` there" in result.stderr


def test_a_database_is_added_beside_the_registry(tmp_path):
    project = make_project(tmp_path / "project")
    make_database(tmp_path / "My Data.sqlite")
    before = project.databases_file.read_bytes()
    result = specbridge("databases", "add", str(tmp_path / "My Data.sqlite"), project=project)
    assert result.returncode == 0, result.stderr
    assert "registered 'my-data' in databases.local.yaml" in result.stdout
    assert project.databases_file.read_bytes() == before
    listed = json.loads(specbridge("databases", "list", "--json", project=project).stdout)
    assert [each["id"] for each in listed] == ["shop", "my-data"]


def test_a_run_takes_the_databases_below_a_folder_and_registers_them_once(tmp_path):
    project = make_project(tmp_path / "project")
    for name in ("one", "two"):
        make_database(tmp_path / "theirs" / name / f"{name}.sqlite")
    (tmp_path / "theirs" / "notes.txt").write_text("no database")
    arguments = ("run", "--databases", str(tmp_path / "theirs"), "--dry-run", "--json")
    for _ in range(2):
        result = specbridge(*arguments, project=project)
        assert result.returncode == 0, result.stderr
        stale = json.loads(result.stdout)["stale"]
        built = {each["partition"] for each in stale if each["stage"] == "generated_queries"}
        assert built == {"one", "two"}
    listed = json.loads(specbridge("databases", "list", "--json", project=project).stdout)
    assert [each["id"] for each in listed] == ["shop", "one", "two"]


def test_a_duckdb_file_and_a_folder_of_tables_are_added_too(tmp_path):
    project = make_project(tmp_path / "project")
    with duckdb.connect(str(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    (tmp_path / "My tables v1.2").mkdir()
    (tmp_path / "My tables v1.2" / "t.csv").write_text("x\n1\n")
    (tmp_path / "empty").mkdir()

    added = [
        specbridge("databases", "add", str(tmp_path / name), *options, project=project)
        for name, options in (
            ("shop.db", ("--id", "mine")),
            ("My tables v1.2", ()),
            ("empty", ()),
        )
    ]

    assert [result.returncode for result in added] == [0, 0, 1], added
    assert "the folder holds no Parquet or CSV file" in added[2].stderr
    listed = json.loads(specbridge("databases", "list", "--json", project=project).stdout)
    assert [(each["id"], each["engine"]) for each in listed] == [
        ("shop", "sqlite"),
        ("mine", "duckdb"),
        ("my-tables-v1.2", "duckdb"),
    ]


def test_help_needs_nothing_heavy():
    heavy = ("dagster", "polars", "litellm", "duckdb", "statsmodels", "matplotlib", "apsw")
    script = (
        "import sys; from specbridge_pipeline.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"
