"""What `kill -9` in the middle of a paid evaluation may cost: the calls under way, nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline_tests.language_models import asking_process
from specbridge_pipeline_tests.language_models.chat_server import Asked, ChatServer

CONCURRENCY = 3
REQUESTS = asking_process.numbered_requests(30)


def run(archive_path: Path, server: ChatServer, kill_after: int | None, when: str) -> int:
    """Run the evaluation, kill it when the server has seen so many more requests."""
    process = subprocess.Popen(
        [sys.executable, asking_process.__file__, str(archive_path), "30", str(CONCURRENCY)],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"SYSTEM": server.system_address},
    )
    seen = len(server.asked)

    def kill(asked: Asked) -> None:
        if kill_after is not None and len(server.asked) - seen >= kill_after:
            process.kill()

    server.before_answer = kill if when == "before the answer" else lambda asked: None
    server.after_answer = kill if when == "after the answer" else lambda asked: None
    return process.wait(timeout=120)


@pytest.mark.slow
def test_a_killed_evaluation_goes_on_where_it_was(archive_path: Path, server: ChatServer) -> None:
    questions = {request.key: request.messages[0].content for request in REQUESTS}
    kept: set[str] = set()
    for kill_after, when in (
        (1, "before the answer"),
        (4, "after the answer"),
        (5, "before the answer"),
        (7, "after the answer"),
        (8, "before the answer"),
    ):
        before = len(server.asked)
        assert run(archive_path, server, kill_after, when) == -signal.SIGKILL
        asked = server.questions[before:]
        assert not kept & set(asked), "what had been archived was asked again"
        with ResponseArchive(archive_path) as archive:
            missing = archive.missing(questions)
        kept = {questions[key] for key in questions if key not in missing}
        # Lost is what was asked and not archived: no more than was under way.
        assert len(set(asked) - kept) <= CONCURRENCY
        assert len(set(asked)) == len(asked)

    before = len(server.asked)
    assert run(archive_path, server, None, "never") == 0
    assert sorted(server.questions[before:]) == sorted(set(questions.values()) - kept)
    with ResponseArchive(archive_path) as archive:
        for key, question in questions.items():
            reply = archive.get(key)
            assert reply is not None
            assert reply.text == f"reply to {question}"
        assert archive.claims() == 0
    assert len(server.asked) <= len(REQUESTS) + 5 * CONCURRENCY


def test_a_reply_is_durable_before_anything_uses_it(archive_path: Path) -> None:
    # The process dies, without any clean-up, as soon as put() has returned.
    script = """
import os, sys, pathlib
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest
archive = ResponseArchive(pathlib.Path(sys.argv[1]))
request = ModelRequest("m", "", (Message("user", "How many?"),))
archive.claim(request.key)
archive.put(request, ModelReply(request.key, "42", "stop", 1, 1, 0.0, 1.0, "{}", "2026"))
print(request.key, flush=True)
os.kill(os.getpid(), 9)
"""
    killed = subprocess.run(
        [sys.executable, "-c", script, str(archive_path)], stdout=subprocess.PIPE, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with ResponseArchive(archive_path) as archive:
        reply = archive.get(killed.stdout.decode().strip())
        assert reply is not None
        assert reply.text == "42"
        assert archive.claims() == 0
