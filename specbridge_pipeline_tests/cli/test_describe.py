"""`specbridge describe` as a user meets it."""

import json
import subprocess
import sys

import pytest

from specbridge_pipeline_tests.support.projects import make_project

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")
QUERY = "SELECT product, AVG(amount) AS average FROM purchase GROUP BY product"
SAID = """\
1. Take all rows of purchase.
   Form one group for each different value of product; a missing value counts as a value of its own.
   For each group, return these columns in this order:
   - product
   - average: the average of amount
   The average leaves out missing values and is missing where no value is left.
   The rows come in any order.
"""


@pytest.fixture(scope="module")
def describe(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("describe"))

    def run(*arguments, **options):
        return subprocess.run(
            [*COMMAND, "--project", str(project.root), "describe", *arguments],
            capture_output=True,
            text=True,
            check=False,
            **options,
        )

    return run


@pytest.mark.slow
def test_a_query_is_read_from_the_line_a_file_or_standard_input(describe, tmp_path):
    file = tmp_path / "query.sql"
    file.write_text(QUERY, encoding="utf-8")
    for arguments, given in (((QUERY,), None), (("--file", str(file)), None), (("-",), QUERY)):
        done = describe("--db", "shop", *arguments, input=given)
        assert done.returncode == 0, done.stderr
        assert done.stdout == SAID


@pytest.mark.slow
def test_the_structured_style_is_json_of_the_same_content(describe):
    done = describe("--db", "shop", "--style", "structured", QUERY)
    (step,) = json.loads(done.stdout)["steps"]
    assert step["names"] == ["product", "average"]
    assert step["body"]["values"][1]["function"] == "average"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--db", "shop", "SELECT SOUNDEX(product) AS x FROM purchase"), "the function SOUNDEX"),
        (("--db", "nowhere", QUERY), "there is no database 'nowhere'"),
        (("--db", "shop"), "give the query"),
    ],
)
def test_what_cannot_be_described_is_one_line_on_stderr(describe, arguments, said):
    done = describe(*arguments)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
