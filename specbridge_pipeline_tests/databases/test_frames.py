from __future__ import annotations

import io
import math
from array import array
from datetime import datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as some

from specbridge_pipeline.databases.frames import (
    ARRAYS,
    HEADER_BYTES,
    FrameError,
    Message,
    body_length,
    decode_body,
    encode_frame,
    read_frame,
    write_frame,
)

texts = some.text(some.characters(exclude_categories=())) | some.sampled_from(
    ["\ud83d\ude00", "\ud800", "a\0b", "bytes", "object"]
)
zones = some.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
scalars = (
    some.none()
    | some.booleans()
    | some.integers(-(2**63), 2**63 - 1)
    | some.integers(-(2**127), 2**127)
    | some.floats()
    | texts
    | some.binary()
    | some.decimals(allow_nan=False)
    | some.dates()
    | some.datetimes(timezones=some.none() | zones)
    | some.times(timezones=some.none() | zones)
    | some.timedeltas()
)
messages = some.recursive(
    scalars,
    lambda inner: (
        some.lists(inner) | some.lists(inner).map(tuple) | some.dictionaries(texts, inner)
    ),
    max_leaves=20,
)


def same(left: Message, right: Message) -> bool:
    # A tuple arrives as a list.
    left, right = (list(side) if isinstance(side, tuple) else side for side in (left, right))
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return (math.isnan(left) and math.isnan(right)) or (
            left == right and math.copysign(1, left) == math.copysign(1, right)
        )
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, datetime | time):
        # As written, not only the same moment.
        return bool(left.isoformat() == right.isoformat())
    return bool(left == right and str(left) == str(right))


@given(messages)
def test_a_message_arrives_as_it_was_sent(message: Message) -> None:
    frame = encode_frame(message)

    assert body_length(frame[:HEADER_BYTES]) == len(frame) - HEADER_BYTES
    assert same(decode_body(frame[HEADER_BYTES:]), message)


arrays = some.one_of(
    some.lists(some.integers(-(2**63), 2**63 - 1)).map(lambda own: array("q", own)),
    some.lists(some.integers(-(2**31), 2**31 - 1)).map(lambda own: array("i", own)),
    some.lists(some.integers(-128, 127)).map(lambda own: array("b", own)),
    some.lists(some.floats()).map(lambda own: array("d", own)),
)


@given(some.dictionaries(texts, messages), some.lists(arrays))
def test_arrays_arrive_bit_for_bit(rest: dict[str, Message], sent: list[array[float]]) -> None:
    message = {**rest, ARRAYS: sent}
    frame = encode_frame(message)

    assert body_length(frame[:HEADER_BYTES]) == len(frame) - HEADER_BYTES
    arrived = decode_body(frame[HEADER_BYTES:])
    found = arrived.pop(ARRAYS)
    assert [(own.typecode, own.tobytes()) for own in found] == [
        (own.typecode, own.tobytes()) for own in sent
    ]
    del message[ARRAYS]
    assert same(arrived, message)


@pytest.mark.parametrize("change", [-1, 1])
def test_arrays_of_another_length_than_announced_are_an_error(change: int) -> None:
    body = encode_frame({ARRAYS: [array("q", [1, 2])]})[HEADER_BYTES:]
    with pytest.raises(FrameError):
        decode_body(body[:change] if change < 0 else body + b"x")


@given(some.lists(scalars.filter(lambda value: value is not None)))
def test_messages_follow_one_another_in_a_stream(sent: list[Message]) -> None:
    stream = io.BytesIO()
    for message in sent:
        write_frame(stream, message)
    stream.seek(0)

    received = []
    while (message := read_frame(stream)) is not None:
        received.append(message)

    assert same(received, sent)


def test_a_stream_that_ends_inside_a_frame_has_ended() -> None:
    frame = encode_frame({"rows": [1, 2, 3]})

    assert read_frame(io.BytesIO(frame[:-1])) is None
    assert read_frame(io.BytesIO(frame[:3])) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"x{}",
        b"p{",
        b"a",
        b"a" + bytes(8),
        b"a" + bytes(7) + b"\xffp{}",
        b"a" + bytes(7) + b'\x0ep[{},[["u",0]]]',
        b"a" + bytes(7) + b'\x0fp[{},[["q",-1]]]',
        b'w{"unknown":1}',
        b'w{"float":"x"}',
        b'w{"decimal":"x"}',
        b'w{"date":"x"}',
    ],
)
def test_what_is_no_message_is_an_error(body: bytes) -> None:
    with pytest.raises(FrameError):
        decode_body(body)


def test_an_absurd_length_is_an_error() -> None:
    with pytest.raises(FrameError):
        body_length(b"\xff" * HEADER_BYTES)


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(TypeError):
        encode_frame({"path": object()})
