"""The package as it is installed, without its checkout."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from specbridge_pipeline_tests.support.projects import CHECKOUT

PIP_WHEEL = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
TRACE_ALL = """
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.reporting.trace import Tracer
from specbridge_pipeline.settings import find_project

with Workspace(find_project()) as workspace:
    profile = workspace.profile
    tracer = Tracer(
        workspace.store,
        workspace.archive,
        seed=profile.seeds.bootstrap,
        resamples=profile.resamples,
    )
    for number_id in tracer.number_ids:
        trace = tracer.trace(number_id)
        assert trace.rows or not trace.number["denominator"]
        print(number_id)
"""


@pytest.mark.slow
def test_an_installed_wheel_works_in_an_empty_folder(tmp_path):
    subprocess.run(
        [*PIP_WHEEL, "--wheel-dir", str(tmp_path), str(CHECKOUT)],
        check=True,
        capture_output=True,
    )
    [wheel] = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
        names = archive.namelist()
    assert not [name for name in names if name.endswith((".sqlite", ".parquet"))]
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = os.environ | {"PYTHONPATH": str(installed)}
    environment.pop("SPECBRIDGE_HOME", None)

    def command(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "specbridge_pipeline.cli", *arguments],
            cwd=empty,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = [
        sys.executable,
        "-c",
        "import specbridge_pipeline; print(specbridge_pipeline.__file__)",
    ]
    found = subprocess.run(where, cwd=empty, env=environment, capture_output=True, text=True)
    assert Path(found.stdout).is_relative_to(installed)
    assert "files written" in command("init")
    # A small draft shows that one is built; how large it is by default is no matter of the wheel.
    profile = empty / "data" / "profiles" / "default.yaml"
    text = profile.read_text("utf-8")
    for name, count in (("short_queries", 14), ("paper_queries", 6), ("filter_queries", 5)):
        text = re.sub(rf"{name}: \d+", f"{name}: {count}", text)
    # Queries of models that never end are cut off sooner; what is counted does not hang on when.
    text = re.sub(r"query_steps: \d+", "query_steps: 50000000", text)
    profile.write_text(text, "utf-8")
    result = json.loads(command("run", "--json"))
    assert result["failures"] == []
    models = {"qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m"}
    assert {row["model"] for row in result["headline"]} == models
    counted = "select database, count(*) as sets from accepted_request_sets group by all"
    accepted = {
        row["database"]: row["sets"] for row in json.loads(command("sql", counted, "--json"))
    }
    assert accepted.keys() == {"baseball", "flights"}
    assert sum(accepted.values()) >= 20
    assert (empty / result["report"]).is_file()
    assert "0 files written" in command("init")
    # Every reported number of the shipped edition, the headline's among them, down to its replies.
    traced = subprocess.run(
        [sys.executable, "-c", TRACE_ALL],
        cwd=empty,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert traced.returncode == 0, traced.stderr
    ids = traced.stdout.splitlines()
    assert {row["number_id"] for row in result["headline"]} <= set(ids)
    brief = command("trace", "both_computable/qwen2.5-coder-1.5b/all", "--brief")
    assert "2/48" in brief
    # The edition written by hand is evaluated as well, and the draft is left alone.
    other = json.loads(command("run", "--profile", "handwritten", "--no-draft", "--json"))
    assert other["failures"] == []
    assert len({row["model"] for row in other["headline"]}) == 3
    brief = command(
        *("trace", "both_computable/qwen2.5-coder-1.5b/all", "--profile", "handwritten", "--brief"),
        "--rescore",
    )
    assert "1/16" in brief
