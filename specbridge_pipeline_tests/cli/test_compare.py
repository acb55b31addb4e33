"""`specbridge compare` as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
import yaml

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.runner import engine_version
from specbridge_pipeline_tests.support.projects import make_database, make_project

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")
HERE = Path(__file__).parent
CASES = yaml.safe_load((HERE / "compare_cases.yaml").read_text("utf-8"))


def named(cases):
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("shop") / "shop of cases"
    make_database(path)
    return path


@pytest.fixture(scope="module")
def compare(shop):
    def run(*arguments, project=None, **options):
        """Run the command in a folder that is no project, unless one is given."""
        before = ("--project", str(project)) if project else ()
        return subprocess.run(
            [*COMMAND, *before, "compare", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=shop.parent,
            **options,
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize("case", named(CASES["cases"]))
def test_a_comparison_is_printed_with_its_exit_code(case, compare, shop):
    given = ("--reference-sql", case["reference"], "--candidate-sql", case["candidate"])
    done = compare("--db", str(shop), *given, *case.get("options", ()))
    said = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    assert said.replace(engine_version(Engine.SQLITE), "ENGINE").strip() == case["says"].strip(), (
        done.stderr
    )
    assert (done.returncode, done.stderr) == (case["exit"], "")


@pytest.mark.slow
@pytest.mark.parametrize("case", named(CASES["failures"]))
def test_a_reference_that_cannot_be_used_is_a_failure(case, compare, shop):
    given = ("--reference-sql", case["reference"], "--candidate-sql", "SELECT 1")
    done = compare("--db", str(shop), *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert case["says"] in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_queries_come_from_files_and_standard_input(compare, shop, tmp_path):
    file = tmp_path / "reference.sql"
    file.write_bytes(b"\xef\xbb\xbfSELECT name FROM customer -- all of them\n")
    given = ("--db", str(shop), "--reference", str(file), "--candidate", "-")
    done = compare(*given, input="SELECT name FROM customer;")
    assert (done.returncode, done.stdout.split("\n")[0]) == (0, "verdict    equal")


@pytest.mark.slow
def test_a_registered_database_is_named_by_its_id(compare, tmp_path):
    project = make_project(tmp_path / "project")
    given = ("--reference-sql", "SELECT 1", "--candidate-sql", "SELECT 1")
    assert compare("--db", "shop", *given, project=project.root).returncode == 0
    done = compare("--db", "nowhere", *given, project=project.root)
    assert done.returncode == 2
    assert "there is no such database (give a path, or an id: shop)" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--db", "absent.sqlite"), "there is no such database"),
        (("--db", "{shop}", "--reference", "absent.sql"), "absent.sql: the reference cannot be"),
        (("--db", "{shop}", "--reference", "{latin}"), "the reference is no UTF-8 text: byte 9"),
        (("--db", "{empty}"), "the database file is empty"),
        (("--db", "{text}"), "text.sqlite"),
    ],
    ids=["no database", "no file", "no text", "an empty file", "a file that is no database"],
)
def test_what_cannot_be_compared_is_one_line_on_stderr(arguments, says, compare, shop, tmp_path):
    (tmp_path / "latin.sql").write_bytes(b"SELECT '\xe9'")
    (tmp_path / "empty.sqlite").touch()
    (tmp_path / "text.sqlite").write_text("no database at all" * 100, "utf-8")
    files = {name.split(".")[0]: tmp_path / name for name in ("latin.sql", "empty.sqlite")}
    places = files | {"shop": shop, "text": tmp_path / "text.sqlite"}
    given = [argument.format(**places) for argument in arguments]
    if "--reference" not in given:
        given += ["--reference-sql", "SELECT 1"]
    done = compare(*given, "--candidate-sql", "SELECT 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--candidate", "-"), "give the reference: its file with --reference, or its text with"),
        (("--reference", "-", "--reference-sql", "SELECT 1", "--candidate", "-"), "give the ref"),
        (("--reference", "-", "--candidate", "-"), "only one of the two"),
    ],
)
def test_each_query_is_given_once(arguments, says, compare, shop):
    done = compare("--db", str(shop), *arguments, input="")
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.slow
def test_json_keeps_the_type_of_every_cell(compare, tmp_path):
    path = tmp_path / "types.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE t (n, v); INSERT INTO t VALUES (1, 0.5), (2, 7), (3, 'é')")
    connection.close()
    reference = "SELECT n, v FROM t"
    candidate = """
        SELECT n, CASE n WHEN 1 THEN 9e999 WHEN 2 THEN x'00ff' END AS w FROM t
        UNION ALL SELECT 9223372036854775807, NULL
    """
    given = ("--reference-sql", reference, "--candidate-sql", candidate, "--json")
    done = compare("--db", str(path), *given)
    assert (done.returncode, done.stderr) == (1, "")
    golden = json.loads((HERE / "compare_golden.json").read_text("utf-8"))
    assert json.loads(done.stdout) == golden | {"engine": engine_version(Engine.SQLITE)}


@pytest.mark.slow
def test_a_failure_is_json_too(compare, shop):
    given = ("--reference-sql", "SELECT random()", "--candidate-sql", "SELECT 1", "--json")
    done = compare("--db", str(shop), *given)
    assert done.returncode == 2
    said = json.loads(done.stdout)
    assert said["verdict"] == "failed"
    assert "random" in said["reason"]
    assert said["where"] == "SELECT random()"
    assert said["advice"]


@pytest.mark.slow
def test_nothing_is_left_beside_the_database(compare, shop):
    before = shop.read_bytes()
    compare("--db", str(shop), "--reference-sql", "SELECT 1", "--candidate-sql", "SELECT 2")
    assert shop.read_bytes() == before
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]
