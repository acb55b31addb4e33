"""The messages between a query worker and its parent: JSON behind a length prefix.

JSON alone loses some of what a query can return: bytes, infinities, decimals, dates and times,
text with lone surrogates.
A message that holds none of these travels as plain JSON, for speed; any other is *wrapped*, so
that each object, and each scalar JSON cannot say, becomes an object with one key that names its
kind. A leading byte tells the two apart, so no message can be mistaken for the other form.
Tuples arrive as lists; object keys must be text.

Numbers in great number travel as they lie in memory: a message that is an object may hold arrays
under `ARRAYS`, whose bytes follow its text.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from array import array
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, TypeAlias, TypeGuard

Message: TypeAlias = Any
"""None, bool, int, float, str, bytes, Decimal, date, datetime, time, timedelta, and lists and
text-keyed dictionaries of these; and arrays in one place, see `ARRAYS`."""

HEADER_BYTES = 8
"""Bytes of the length that precedes each message."""

LARGEST_FRAME = 4 * 1024**3
"""A longer announced frame can only come from a peer that is out of order."""

ARRAYS = "arrays"
"""Where a message that is an object may hold a list of arrays of numbers."""

EXIT_OUT_OF_MEMORY = 77
"""What a worker exits with that has no memory left even for a frame that says so."""

_FROM_TEXT: dict[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}
_PLAIN = b"p"
_WRAPPED = b"w"
_WITH_ARRAYS = b"a"
_TYPE_CODES = frozenset("bidq")
_HEADER = struct.Struct(">Q")


class FrameError(Exception):
    """The other side sent something that is not a frame."""


def encode_frame(message: Message) -> bytes:
    """Return a message with its length prefix.

    Args:
        message: What to send.

    Returns:
        The bytes to write.

    Raises:
        TypeError: If the message holds something that is no `Message`.
    """
    arrays = message.get(ARRAYS) if isinstance(message, dict) else None
    if not _are_arrays(arrays):
        body = _text_body(message)
        return _HEADER.pack(len(body)) + body
    rest = {key: value for key, value in message.items() if key != ARRAYS}
    text = _text_body([rest, [[each.typecode, len(each)] for each in arrays]])
    buffers = [memoryview(each).cast("B") for each in arrays]
    start = [_WITH_ARRAYS, _HEADER.pack(len(text)), text]
    length = sum(map(len, start)) + sum(map(len, buffers))
    return b"".join([_HEADER.pack(length), *start, *buffers])


def _are_arrays(value: object) -> TypeGuard[list[array[Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(x, array) for x in value)


def _text_body(message: Message) -> bytes:
    try:
        # Escaping would let two lone surrogates arrive as one character; UTF-8 refuses them.
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return _PLAIN + text.encode()
    except (TypeError, ValueError):
        wrapped = json.dumps(_wrapped(message), allow_nan=False, separators=(",", ":"))
        return _WRAPPED + wrapped.encode("ascii")


def body_length(header: bytes | bytearray) -> int:
    """Return how many bytes follow a header.

    Args:
        header: The first `HEADER_BYTES` bytes of a frame.

    Returns:
        The length of the body.

    Raises:
        FrameError: If no frame is that long.
    """
    (length,) = _HEADER.unpack(header)
    if not 1 <= length <= LARGEST_FRAME:
        raise FrameError(f"a frame of {length} bytes")
    return int(length)


def decode_body(body: bytes | bytearray) -> Message:
    """Return the message of a frame's body.

    Args:
        body: What follows the header.

    Returns:
        The message, with lists for tuples.

    Raises:
        FrameError: If the body is not what `encode_frame` writes.
    """
    form = bytes(body[:1])
    try:
        if form == _WITH_ARRAYS:
            return _with_arrays(memoryview(body)[1:])
        return _decoded_text(form, body[1:])
    except (
        ValueError,
        KeyError,
        TypeError,
        ArithmeticError,
        RecursionError,
        struct.error,
    ) as error:
        raise FrameError("a frame that does not parse") from error


def _decoded_text(form: bytes, text: bytes | bytearray) -> Message:
    if form == _PLAIN:
        return json.loads(text)
    if form == _WRAPPED:
        return _unwrapped(json.loads(text))
    raise FrameError("a frame of unknown form")


def _with_arrays(body: memoryview) -> Message:
    (length,) = _HEADER.unpack(body[:HEADER_BYTES])
    start, end = HEADER_BYTES, HEADER_BYTES + length
    text = bytes(body[start:end])
    message, sizes = _decoded_text(text[:1], text[1:])
    arrays = []
    for type_code, count in sizes:
        if type_code not in _TYPE_CODES or not 0 <= count <= LARGEST_FRAME:
            raise FrameError("an array of a kind that is not sent")
        found = array(type_code)
        start, end = end, end + count * found.itemsize
        found.frombytes(body[start:end])
        arrays.append(found)
    if end != len(body) or not all(
        len(own) == size for own, (_, size) in zip(arrays, sizes, strict=True)
    ):
        raise FrameError("arrays that are not as long as they were announced")
    return {**message, ARRAYS: arrays}


def write_frame(stream: BinaryIO, message: Message) -> None:
    """Write one message and flush.

    Args:
        stream: Where to.
        message: What to send.

    Raises:
        TypeError: If the message holds something that is no `Message`.
        OSError: If the other side is gone.
    """
    stream.write(encode_frame(message))
    stream.flush()


def read_frame(stream: BinaryIO) -> Message | None:
    """Read one message, waiting for it.

    Args:
        stream: A buffered stream.

    Returns:
        The message, or None when the other side has closed the stream.

    Raises:
        FrameError: If what comes is not a frame.
    """
    header = stream.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        return None
    length = body_length(header)
    body = stream.read(length)
    return decode_body(body) if len(body) == length else None


def _wrapped(value: Message) -> Message:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"text": value.encode("utf-8", "surrogatepass").hex()}
        return value
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    # Before `date`, which it is a kind of.
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, time):
        return {"time": value.isoformat()}
    if isinstance(value, timedelta):
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, list | tuple):
        return [_wrapped(item) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("the keys of an object must be text")
        return {"object": [[_wrapped(key), _wrapped(item)] for key, item in value.items()]}
    raise TypeError(f"a message cannot hold {type(value).__name__}")


def _unwrapped(value: Message) -> Message:
    if isinstance(value, list):
        return [_unwrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "object":
        return {_unwrapped(key): _unwrapped(item) for key, item in content}
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "float":
        return float(content)
    if kind == "text":
        return bytes.fromhex(content).decode("utf-8", "surrogatepass")
    if kind == "timedelta":
        return timedelta(*content)
    return _FROM_TEXT[kind](content)
