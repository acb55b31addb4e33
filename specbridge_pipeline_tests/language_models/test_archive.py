from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest
from specbridge_pipeline_tests.language_models import asking_process
from specbridge_pipeline_tests.language_models.chat_server import Answer, ChatServer

Ask = Callable[..., ModelRequest]
Reply = Callable[..., ModelReply]

OPEN = """
import pathlib, sys
from specbridge_pipeline.language_models.archive import ResponseArchive
"""
CLAIM = f"""{OPEN}
archive = ResponseArchive(pathlib.Path(sys.argv[1]))
print(archive.claim(sys.argv[2]), flush=True)
sys.stdin.read()
"""
OPEN_ON_SIGNAL = f"""{OPEN}
sys.stdin.read(1)
ResponseArchive(pathlib.Path(sys.argv[1])).close()
"""


def test_a_reply_survives_reopening(archive_path: Path, ask_for: Ask, reply_to: Reply) -> None:
    request = ask_for("How many?")
    reply = reply_to(request, "42\u2028\x00\x85 größer 🏀", input_tokens=None, cost_usd=None)
    with ResponseArchive(archive_path) as archive:
        assert archive.get(request.key) is None
        archive.put(request, reply)
        assert archive.get(request.key) == reply
    with ResponseArchive(archive_path) as archive:
        assert archive.get(request.key) == reply
        stored = archive.request_of(request.key)
        assert stored is not None
        assert json.loads(stored) == request.canonical()


@given(
    st.text(),
    st.text(),
    st.none() | st.integers(0, 2**63 - 1),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
)
@settings(max_examples=30, deadline=None)
def test_any_reply_comes_back_as_it_was(
    question: str, text: str, tokens: int | None, cost: float | None
) -> None:
    request = ModelRequest("m", "", (Message("user", question),))
    reply = ModelReply(request.key, text, "stop", tokens, None, cost, 0.5, text, "2026-10-03")
    with tempfile.TemporaryDirectory() as folder:
        with ResponseArchive(Path(folder) / "a.sqlite") as archive:
            archive.put(request, reply)
        with ResponseArchive(Path(folder) / "a.sqlite") as archive:
            assert archive.get(request.key) == reply


def test_the_first_reply_stays(archive: ResponseArchive, ask_for: Ask, reply_to: Reply) -> None:
    request = ask_for("How many?")
    archive.put(request, reply_to(request, "first"))
    archive.put(request, reply_to(request, "second"))
    found = archive.get(request.key)
    assert found is not None
    assert found.text == "first"


def test_missing_names_each_key_once_and_in_order(
    archive: ResponseArchive, ask_for: Ask, reply_to: Reply
) -> None:
    one, two, three = (ask_for(str(number)) for number in range(3))
    archive.put(two, reply_to(two))
    asked = [three.key, two.key, one.key, three.key]
    assert archive.missing(asked) == [three.key, one.key]


def test_a_claim_keeps_others_away_until_the_reply_is_there(
    archive_path: Path, ask_for: Ask, reply_to: Reply
) -> None:
    request = ask_for("How many?")
    with ResponseArchive(archive_path) as one, ResponseArchive(archive_path) as other:
        assert one.claim(request.key)
        assert not other.claim(request.key)
        assert other.claims() == 1
        one.put(request, reply_to(request))
        assert not other.claim(request.key)
        assert other.claims() == 0


def test_a_claim_is_released_by_its_holder_only(archive_path: Path) -> None:
    with ResponseArchive(archive_path) as one, ResponseArchive(archive_path) as other:
        assert one.claim("k")
        other.release("k")
        assert not other.claim("k")
        one.release("k")
        assert other.claim("k")


def test_closing_gives_up_claims(archive_path: Path) -> None:
    with ResponseArchive(archive_path) as other:
        with ResponseArchive(archive_path) as one:
            assert one.claim("k")
        assert other.claim("k")


def test_an_expired_claim_is_taken_over(archive_path: Path) -> None:
    with ResponseArchive(archive_path) as one, ResponseArchive(archive_path) as other:
        assert one.claim("k", seconds=-1)
        assert other.claim("k")
        assert not one.claim("k")


def test_a_renewed_claim_is_not_taken_over(archive_path: Path) -> None:
    with ResponseArchive(archive_path) as one, ResponseArchive(archive_path) as other:
        assert one.claim("k", seconds=-1)
        other.renew("k")  # not its own: changes nothing
        one.renew("k")
        assert not other.claim("k")


def test_dropping_claims_frees_them_all(archive_path: Path) -> None:
    with ResponseArchive(archive_path) as one, ResponseArchive(archive_path) as other:
        assert one.claim("k")
        assert one.claim("l")
        assert other.drop_claims() == 2
        assert other.claim("k")


def test_the_claim_of_a_killed_process_is_void(
    archive_path: Path, archive: ResponseArchive
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(archive_path), "k"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"True\n"
        assert not archive.claim("k")
        process.kill()
        process.wait()
        assert archive.claim("k")


def test_a_claim_from_elsewhere_is_void_only_when_it_expires(
    archive_path: Path, archive: ResponseArchive
) -> None:
    # Whether a process of another machine still runs cannot be seen from here, even where no
    # process here has its number; nor can it for claims that an older version made.
    with closing(sqlite3.connect(archive_path)) as connection:
        connection.execute("INSERT INTO claims VALUES ('k', 'elsewhere:4194305:x', 1e12)")
        connection.execute("INSERT INTO claims VALUES ('l', '4194305-x', 1e12)")
        connection.execute("INSERT INTO claims VALUES ('m', 'elsewhere:4194305:x', 1)")
        connection.commit()
    assert [archive.claim(key) for key in "klm"] == [False, False, True]


def test_threads_that_share_an_archive_claim_once(archive: ResponseArchive) -> None:
    taken: list[bool] = []
    barrier = threading.Barrier(8)

    def claim() -> None:
        barrier.wait()
        taken.append(archive.claim("k"))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True]


def test_two_processes_that_want_the_same_replies_ask_once(
    archive_path: Path, server: ChatServer
) -> None:
    requests = asking_process.numbered_requests(12)
    both_ask = threading.Event()
    for request in requests:
        question = request.messages[0].content
        server.script[question] = [Answer(b'{"text": "yes"}', gate=both_ask)]
    command = [sys.executable, asking_process.__file__, str(archive_path), "12", "3"]
    processes = [
        subprocess.Popen(
            command, stdout=subprocess.PIPE, env=os.environ | {"SYSTEM": server.system_address}
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"asking\n"
    both_ask.set()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert sorted(server.questions) == sorted(r.messages[0].content for r in requests)
    with ResponseArchive(archive_path) as archive:
        assert not archive.missing(request.key for request in requests)
        assert archive.claims() == 0


def test_a_file_that_is_being_made_by_another_process_is_waited_for(archive_path: Path) -> None:
    archive_path.parent.mkdir(parents=True, exist_ok=True)
    other = sqlite3.connect(archive_path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    opened: list[int] = []

    def open_it() -> None:
        with ResponseArchive(archive_path) as archive:
            opened.append(archive.claims())

    waiting = threading.Thread(target=open_it)
    waiting.start()
    waiting.join(0.2)
    other.execute("COMMIT")
    other.close()
    waiting.join(60)
    assert opened == [0]


def test_processes_may_make_the_file_at_the_same_time(archive_path: Path) -> None:
    command = [sys.executable, "-c", OPEN_ON_SIGNAL, str(archive_path)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(5)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"x")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0] * 5


def test_migrations_run_once(archive_path: Path, ask_for: Ask, reply_to: Reply) -> None:
    def applied() -> list[str]:
        with closing(sqlite3.connect(archive_path)) as connection:
            return [row[0] for row in connection.execute("SELECT name FROM migrations")]

    request = ask_for("How many?")
    with ResponseArchive(archive_path) as archive:
        archive.put(request, reply_to(request))
    first = applied()
    for _ in range(2):
        with ResponseArchive(archive_path) as archive:
            assert archive.get(request.key) == reply_to(request)
        assert applied() == first


def test_an_older_file_gets_the_newer_migrations(
    archive_path: Path, ask_for: Ask, reply_to: Reply
) -> None:
    request = ask_for("How many?")
    with ResponseArchive(archive_path) as archive:
        archive.put(request, reply_to(request))
    with closing(sqlite3.connect(archive_path)) as connection:
        # The file as the first version of the archive left it.
        for table in ("claims", "rounds", "recordings"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DELETE FROM migrations WHERE name <> '001_replies'")
        connection.commit()
    with ResponseArchive(archive_path) as archive:
        assert archive.get(request.key) == reply_to(request)
        assert archive.claim("k")
        archive.open_round("m", "2026-10-03")
        assert not archive.has_recording("d")


def test_rounds(archive_path: Path) -> None:
    with ResponseArchive(archive_path) as archive:
        assert archive.rounds("m") == ("1",)
        archive.open_round("m", "2026-11-01")
        archive.open_round("m", "2026-10-03")
        archive.open_round("m", "2026-10-03")
        archive.open_round("m", "1")
    with ResponseArchive(archive_path) as archive:
        assert archive.rounds("m") == ("1", "2026-10-03", "2026-11-01")
        assert archive.rounds("n") == ("1",)


def test_rounds_have_replies_of_their_own(
    archive: ResponseArchive, ask_for: Ask, reply_to: Reply
) -> None:
    first, later = ask_for("How many?"), ask_for("How many?", round="2026-10-03")
    archive.put(first, reply_to(first))
    assert archive.missing([first.key, later.key]) == [later.key]


def test_a_file_that_is_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / "responses.sqlite"
    path.write_text("this is no database, and it was never meant to be one\n" * 40)
    with pytest.raises(ConfigurationError, match="response archive") as caught:
        ResponseArchive(path)
    assert caught.value.path == path
    assert path.read_text().startswith("this is no database")
