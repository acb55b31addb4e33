"""The Dagster UI of a project that `specbridge run` evaluated, opened in a real browser."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from specbridge_pipeline.orchestration.stages import STAGES
from specbridge_pipeline_tests.support.browser import CHROMIUM, Browser
from specbridge_pipeline_tests.support.interrupts import heed_interrupts
from specbridge_pipeline_tests.support.projects import make_project, run, scripted, write_models

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine"),
]
START_SECONDS = 120


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("interface"))
    write_models(project, [scripted(project, name) for name in ("silent", "returns_both")])
    assert run(project).failures == []
    return project


@pytest.fixture(scope="module")
def address(project):
    port = free_port()
    root = str(project.root)
    server = subprocess.Popen(
        [sys.executable, "-m", "dagster", "dev", "-h", "127.0.0.1", "-p", str(port)],
        cwd=root,
        env=os.environ | {"DAGSTER_HOME": root, "SPECBRIDGE_HOME": root},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=heed_interrupts,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(START_SECONDS):
            try:
                with urllib.request.urlopen(f"{address}/server_info", timeout=5):
                    break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(1)
        else:
            pytest.fail("the Dagster UI did not start")
        yield address
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()


@pytest.fixture
def browser(tmp_path):
    with Browser(tmp_path) as browser:
        yield browser


def test_the_asset_graph_shows_every_stage(address, browser):
    browser.open(f"{address}/asset-groups?expanded=all")
    for group in {stage.group for stage in STAGES}:
        browser.wait_for(f"document.body.innerText.includes('{group}')")


def test_statistics_shows_its_charts_and_its_preview(address, browser):
    browser.open(f"{address}/assets/statistics?view=events")
    links = "[...document.querySelectorAll('*')].filter(e => e.innerText === '[Show Markdown]')"
    count = browser.wait_for(f"{links}.length")
    assert count >= 3
    browser.evaluate(f"{links}.at(-1).click()")
    chart = "document.querySelector('img[src^=\"data:image/svg+xml\"]')"
    assert browser.wait_for(f"{chart} && {chart}.naturalWidth") > 300


def test_the_runs_of_the_command_are_listed(address, browser):
    browser.open(f"{address}/runs")
    browser.wait_for("document.body.innerText.split('Success').length > 4")


LAUNCH = """
mutation Launch($selection: [AssetKeyInput!]!) {
  launchPipelineExecution(executionParams: {
    mode: "default"
    selector: {
      repositoryLocationName: "specbridge"
      repositoryName: "__repository__"
      pipelineName: "__ASSET_JOB"
      assetSelection: $selection
    }
  }) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
    ... on PipelineNotFoundError { message }
  }
}
"""
STATUS = "query Status($run: ID!) { runOrError(runId: $run) { ... on Run { status } } }"


def ask(address, query, **variables):
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = urllib.request.Request(
        f"{address}/graphql", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["data"]


def test_an_asset_is_materialized_from_the_interface(address, project):
    report = project.report / "report.html"
    before = report.read_bytes()
    report.unlink()
    launched = ask(address, LAUNCH, selection=[{"path": ["report"]}])["launchPipelineExecution"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    status = ""
    for _ in range(START_SECONDS):
        status = ask(address, STATUS, run=launched["run"]["runId"])["runOrError"]["status"]
        if status in {"SUCCESS", "FAILURE", "CANCELED"}:
            break
        time.sleep(1)
    assert status == "SUCCESS"
    assert report.read_bytes() == before
