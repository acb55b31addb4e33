from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.recordings import (
    SUFFIX,
    export_recording,
    import_recordings,
)
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest
from specbridge_pipeline.settings import Mode

Ask = Callable[..., ModelRequest]
Reply = Callable[..., ModelReply]
MakeGateway = Callable[..., Gateway]

# Line separators that JSON does not escape, controls that it does, and signs beyond 16 bits.
AWKWARD = "a\u2028b\u2029c\x85d\x0be\x1cf\x00g\r\nh 🏀 größer"


@pytest.fixture
def requests(ask_for: Ask) -> list[ModelRequest]:
    return [
        ask_for("How many?"),
        ask_for(AWKWARD, sample_index=1),
        ask_for("How many?", round="2026-10-03", response_schema={"type": "object"}),
    ]


@pytest.fixture
def filled(
    archive: ResponseArchive, requests: list[ModelRequest], reply_to: Reply
) -> ResponseArchive:
    archive.put(requests[0], reply_to(requests[0], '{"sql": "SELECT 1"}'))
    archive.put(requests[1], reply_to(requests[1], AWKWARD, input_tokens=None, cost_usd=None))
    archive.put(requests[2], reply_to(requests[2], "", finish_reason="length", cost_usd=0.0))
    return archive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "recordings"


@pytest.fixture
def recording(filled: ResponseArchive, requests: list[ModelRequest], folder: Path) -> Path:
    path = folder / f"m{SUFFIX}"
    export_recording(filled, [request.key for request in requests], path)
    return path


@pytest.fixture
def fresh(tmp_path: Path) -> ResponseArchive:
    return ResponseArchive(tmp_path / "fresh.sqlite")


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).split(b"\n")[:-1]]


def write_lines(path: Path, lines: list[Any]) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_bytes(gzip.compress("".join(f"{text}\n" for text in texts).encode()))


def test_the_same_replies_give_the_same_bytes(
    filled: ResponseArchive,
    requests: list[ModelRequest],
    recording: Path,
    fresh: ResponseArchive,
    folder: Path,
    tmp_path: Path,
) -> None:
    keys = [request.key for request in requests]
    # In any order of keys, under any name, from any archive that holds the replies.
    assert export_recording(filled, [*reversed(keys), keys[0]], tmp_path / "other.jsonl.gz") == 3
    assert (tmp_path / "other.jsonl.gz").read_bytes() == recording.read_bytes()
    import_recordings(fresh, folder)
    export_recording(fresh, keys, tmp_path / "again.jsonl.gz")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == recording.read_bytes()


def test_an_imported_recording_gives_the_same_replies(
    filled: ResponseArchive,
    requests: list[ModelRequest],
    recording: Path,
    fresh: ResponseArchive,
    folder: Path,
) -> None:
    assert import_recordings(fresh, folder) == 1
    for request in requests:
        recorded = filled.get(request.key)
        assert recorded is not None
        # The raw reply does not ship: what it says beside the text stands in fields of its own.
        assert fresh.get(request.key) == replace(recorded, raw="")
        assert fresh.request_of(request.key) == filled.request_of(request.key)


def test_replay_from_a_recording_asks_nobody(
    requests: list[ModelRequest], recording: Path, fresh: ResponseArchive, gateway: MakeGateway
) -> None:
    import_recordings(fresh, recording.parent)
    replaying = gateway(Mode.REPLAY)
    replaying.archive = fresh
    entry = ModelEntry(id="m", model="openai/m", api_key_env="UNSET")
    texts = [reply.text for reply in replaying.ask(entry, requests, where="")]
    assert texts == ['{"sql": "SELECT 1"}', AWKWARD, ""]


def test_a_recording_may_ship_without_its_requests(
    filled: ResponseArchive, requests: list[ModelRequest], fresh: ResponseArchive, folder: Path
) -> None:
    keys = [request.key for request in requests]
    path = folder / f"m{SUFFIX}"
    assert export_recording(filled, keys, path, with_requests=False) == 3
    assert b"How many?" not in gzip.decompress(path.read_bytes())
    assert import_recordings(fresh, folder) == 1
    # The request is rebuilt by its user, and finds its reply by its key.
    found = fresh.get(requests[1].key)
    assert found is not None
    assert found.text == AWKWARD
    assert fresh.request_of(requests[1].key) is None
    again = folder / "again.jsonl.gz"
    export_recording(fresh, keys, again, with_requests=False)
    assert again.read_bytes() == path.read_bytes()


def test_no_address_no_raw_reply_and_no_time_stamp_of_the_file(recording: Path) -> None:
    for line in lines_of(recording):
        assert "raw" not in line
    assert recording.read_bytes()[4:8] == b"\0\0\0\0"


def test_only_the_replies_that_are_there_are_counted(
    filled: ResponseArchive, requests: list[ModelRequest], tmp_path: Path
) -> None:
    keys = [requests[0].key, "0" * 64]
    assert export_recording(filled, keys, tmp_path / "m.jsonl.gz") == 1
    assert export_recording(filled, [], tmp_path / "none.jsonl.gz") == 0


def test_importing_twice_does_nothing(
    requests: list[ModelRequest], recording: Path, fresh: ResponseArchive, tmp_path: Path
) -> None:
    assert import_recordings(fresh, recording.parent) == 1
    assert import_recordings(fresh, recording.parent) == 0
    recording.rename(recording.with_name(f"renamed{SUFFIX}"))
    assert import_recordings(fresh, recording.parent) == 0
    assert import_recordings(fresh, tmp_path / "nowhere") == 0
    assert fresh.missing(request.key for request in requests) == []


def test_what_the_archive_has_stays(
    requests: list[ModelRequest], recording: Path, fresh: ResponseArchive, reply_to: Reply
) -> None:
    own = reply_to(requests[0], "asked here")
    fresh.put(requests[0], own)
    import_recordings(fresh, recording.parent)
    assert fresh.get(requests[0].key) == own
    assert fresh.missing(request.key for request in requests) == []


def test_an_empty_recording(fresh: ResponseArchive, folder: Path) -> None:
    export_recording(fresh, [], folder / f"m{SUFFIX}")
    assert import_recordings(fresh, folder) == 1


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda line: "", id="blank"),
        pytest.param(lambda line: json.dumps(line)[:-9], id="cut"),
        pytest.param(lambda line: [line], id="a list"),
        pytest.param(lambda line: "[" * 100_000, id="nested too deeply"),
        pytest.param(lambda line: {k: v for k, v in line.items() if k != "text"}, id="no text"),
        pytest.param(lambda line: {k: v for k, v in line.items() if k != "model"}, id="no model"),
        pytest.param(lambda line: line | {"text": None}, id="text is null"),
        pytest.param(lambda line: line | {"text": ["SELECT 1"]}, id="text is a list"),
        pytest.param(lambda line: line | {"input_tokens": "ten"}, id="tokens in words"),
        pytest.param(lambda line: line | {"input_tokens": 2**70}, id="too many tokens"),
        pytest.param(lambda line: line | {"latency_seconds": None}, id="no latency"),
        pytest.param(lambda line: line | {"key": "abc"}, id="no key"),
        pytest.param(lambda line: line | {"raw": "{}"}, id="raw"),
        pytest.param(lambda line: line | {"surprise": 1}, id="unknown field"),
        pytest.param(lambda line: line | {"text": "\ud83d"}, id="half a surrogate pair"),
        pytest.param(lambda line: line | {"request": {"x": "\ud83d"}}, id="and in the request"),
    ],
)
def test_a_damaged_line_is_named(
    damage: Callable[[dict[str, Any]], Any],
    requests: list[ModelRequest],
    recording: Path,
    fresh: ResponseArchive,
) -> None:
    lines: list[Any] = lines_of(recording)
    lines[1] = damage(lines[1])
    write_lines(recording, lines)
    with pytest.raises(ConfigurationError) as caught:
        import_recordings(fresh, recording.parent)
    assert caught.value.where == f"{recording}:2"
    # Nothing of a damaged file is taken, and it is read again when it is mended.
    assert len(fresh.missing(request.key for request in requests)) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line | {"key": "0" * 64},
        lambda line: line | {"request": line["request"] | {"model": "openai/better"}},
        lambda line: line | {"request": line["request"] | {"messages": [["user", "other"]]}},
        lambda line: line | {"request": {}},
        lambda line: line | {"request": "text"},
    ],
)
def test_a_key_that_is_not_its_requests_is_refused(
    change: Callable[[dict[str, Any]], dict[str, Any]], recording: Path, fresh: ResponseArchive
) -> None:
    lines = lines_of(recording)
    lines[2] = change(lines[2])
    write_lines(recording, lines)
    with pytest.raises(ConfigurationError, match="not that of the request") as caught:
        import_recordings(fresh, recording.parent)
    assert caught.value.where == f"{recording}:3"


@pytest.mark.parametrize("damage", ["cut", "no gzip", "flipped", "not UTF-8", "empty"])
def test_a_damaged_file_is_named(damage: str, recording: Path, fresh: ResponseArchive) -> None:
    content = recording.read_bytes()
    middle = len(content) // 2
    recording.write_bytes(
        {
            "cut": content[:middle],
            "no gzip": b"garbage",
            "flipped": content[:middle] + b"\xff\xff\xff\xff" + content[middle + 4 :],
            "not UTF-8": gzip.compress(b"\xff\xfe\n"),
            "empty": b"",
        }[damage]
    )
    with pytest.raises(ConfigurationError) as caught:
        import_recordings(fresh, recording.parent)
    assert str(recording) in str(caught.value)


@given(st.lists(st.tuples(st.text(), st.text()), max_size=4, unique_by=lambda pair: pair[0]))
@settings(max_examples=25, deadline=None)
def test_any_reply_survives_export_and_import(pairs: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = []
        with ResponseArchive(folder / "one.sqlite") as archive:
            for question, text in pairs:
                request = ModelRequest("m", "", (Message("user", question),))
                archive.put(
                    request, ModelReply(request.key, text, "stop", 1, 2, None, 0.1, "", "2026")
                )
                keys.append(request.key)
            export_recording(archive, keys, folder / f"m{SUFFIX}")
            with ResponseArchive(folder / "two.sqlite") as other:
                import_recordings(other, folder)
                assert [other.get(key) for key in keys] == [archive.get(key) for key in keys]
                assert [other.request_of(key) for key in keys] == [
                    archive.request_of(key) for key in keys
                ]
