"""`specbridge generate` as a user meets it."""

import json
import subprocess
import sys

import pytest

from specbridge_pipeline.query_generation.shapes import Operation
from specbridge_pipeline_tests.support.projects import make_project

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")


@pytest.fixture(scope="module")
def generate(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("generate"))

    def run(*arguments):
        return subprocess.run(
            [*COMMAND, "--project", str(project.root), "generate", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
def test_each_line_is_a_query_at_the_depths_asked_for(generate):
    arguments = ("--database", "shop", "--count", "4", "--step-depth", "1-3", "--seed", "3")
    done = generate(*arguments)
    assert done.returncode == 0, done.stderr
    queries = [json.loads(line) for line in done.stdout.splitlines()]
    assert [query["step_depth"] for query in queries] == [1, 2, 3, 1]
    assert len({query["query_id"] for query in queries}) == 4
    assert done.stderr == ""
    assert generate(*arguments).stdout == done.stdout


@pytest.mark.slow
def test_what_is_required_is_in_every_query(generate):
    arguments = ("--database", "shop", "--count", "2", "--step-depth", "2-4")
    done = generate(*arguments, "--require", "filter", "--require", "count_rows")
    assert done.returncode == 0, done.stderr
    queries = [json.loads(line) for line in done.stdout.splitlines()]
    assert queries
    for query in queries:
        assert {"filter", "count_rows"} <= set(query["operations"])
        assert query["grammar"] == "2"


@pytest.mark.slow
def test_help_names_every_operation(generate):
    told = generate("--help").stdout
    assert all(
        f"  {operation.value}  " in told for operation in Operation if operation.value != "grouping"
    )


@pytest.mark.slow
def test_what_cannot_be_delivered_is_said_with_its_reasons(generate):
    done = generate("--database", "shop", "--count", "60", "--step-depth", "1")
    assert done.returncode == 0
    delivered = len(done.stdout.splitlines())
    assert 0 < delivered < 60
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"step depth 1, arithmetic depth any: {60 - delivered} of 60")
    assert "a duplicate" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--database", "shop", "--step-depth", "7"), "'7' is no number or range between 1 and 6"),
        (("--database", "shop", "--step-depth", "3-2"), "'3-2' is no number or range"),
        (
            ("--database", "shop", "--step-depth", "1", "--arithmetic-depth", "2"),
            "no query has these depths",
        ),
        (("--database", "shop", "--require", "magic"), "'magic' is not one of"),
        (
            ("--database", "shop", "--step-depth", "1", "--require", "filter"),
            "no query has these depths and operations",
        ),
        (("--database", "nowhere"), "there is no database 'nowhere'"),
    ],
)
def test_what_makes_no_sense_is_refused(generate, arguments, said):
    done = generate(*arguments)
    assert done.returncode != 0
    assert said in done.stderr
    assert done.stdout == ""
