"""A live evaluation that is killed again and again loses no reply and pays for none twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from specbridge_pipeline_tests.support.counting_server import (
    CountingServer,
    asked_text,
    served,
)
from specbridge_pipeline_tests.support.interrupts import heed_interrupts
from specbridge_pipeline_tests.support.projects import make_project, scripted, write_models

pytestmark = pytest.mark.slow
VARIABLE = "SPECBRIDGE_TEST_ENDPOINT"
DATABASES = ("east", "north", "west")
MODELS = ("returns_both", "names_only")
COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")
REQUESTS = 9 * len(DATABASES) * len(MODELS)


def prepared(root):
    project = make_project(root, DATABASES)
    write_models(project, [served(scripted(project, name), VARIABLE) for name in MODELS])
    return project


def started(project, address):
    return subprocess.Popen(
        [*COMMAND, "--project", str(project.root), "run", "--mode", "auto", "--json"],
        env=os.environ | {VARIABLE: address},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )


def archived(project):
    """Every archived request, as the server counts them."""
    if not project.archive.exists():
        return set()
    with sqlite3.connect(project.archive) as connection:
        requests = [json.loads(row[0]) for row in connection.execute("SELECT request FROM replies")]
    connection.close()
    return {
        asked_text(
            [{"role": role, "content": text} for role, text in request["messages"]],
            request["parameters"],
        )
        for request in requests
    }


def finished(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return json.loads(out)


def test_five_kills_change_nothing_and_no_archived_reply_is_asked_for_twice(tmp_path):
    moments = sorted(random.Random(20261130).sample(range(2, REQUESTS - 2), 5))
    with CountingServer(delay=0.05) as server:
        project = prepared(tmp_path / "killed")
        for moment in moments:
            before = len(server.asked)
            had = archived(project)
            process = started(project, server.address)
            while len(server.asked) < moment and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert not had & set(server.asked[before:])
        before, had = len(server.asked), archived(project)
        after_kills = finished(started(project, server.address))
        assert not had & set(server.asked[before:])
        # At most the calls that were in flight at a kill were asked twice.
        assert len(server.asked) - REQUESTS <= 2 * len(moments)

        undisturbed = finished(started(prepared(tmp_path / "whole"), server.address))
    assert after_kills["failures"] == []
    for killed, whole in zip(after_kills["headline"], undisturbed["headline"], strict=True):
        assert killed == whole

    # What the kills left behind is found and freed, and nothing is left after that.
    doctor = [*COMMAND, "--project", str(project.root)]
    subprocess.run([*doctor, "doctor", "--fix"], check=True, capture_output=True)
    clean = subprocess.run([*doctor, "doctor"], check=False, capture_output=True, text=True)
    assert (clean.returncode, clean.stdout) == (0, "nothing was left behind\n")


def test_an_interrupt_ends_the_run_and_no_further_model_is_asked(tmp_path):
    with CountingServer(delay=0.3) as server:
        project = prepared(tmp_path)
        process = started(project, server.address)
        while len(server.asked) < 3:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        first_model = {text for text in server.asked if "returns_both" in text}
        assert process.returncode == 130
        assert "interrupted; what was finished is kept" in err
        assert len(first_model) == len(server.asked) < REQUESTS / 2
