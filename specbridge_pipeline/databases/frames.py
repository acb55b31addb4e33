"""The messages between a query worker and its parent: JSON behind a length prefix.

JSON alone loses some of what a query can return: bytes, infinities, decimals, dates and times,
text with lone surrogates.
A message that holds none of these travels as plain JSON, for speed; any other is *wrapped*, so
that each object, and each scalar JSON cannot say, becomes an object with one key that names its
kind. A leading byte tells the two apart, so no message can be mistaken for the other form.
Tuples arrive as lists; object keys must be text.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, TypeAlias

Message: TypeAlias = Any
"""None, bool, int, float, str, bytes, Decimal, date, datetime, time, timedelta, and lists and
text-keyed dictionaries of these."""

HEADER_BYTES = 8
"""Bytes of the length that precedes each message."""

LARGEST_FRAME = 4 * 1024**3
"""A longer announced frame can only come from a peer that is out of order."""

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
    try:
        # Escaping would let two lone surrogates arrive as one character; UTF-8 refuses them.
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        body = _PLAIN + text.encode()
    except (TypeError, ValueError):
        wrapped = json.dumps(_wrapped(message), allow_nan=False, separators=(",", ":"))
        body = _WRAPPED + wrapped.encode("ascii")
    return _HEADER.pack(len(body)) + body


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
    form, text = bytes(body[:1]), body[1:]
    try:
        if form == _PLAIN:
            return json.loads(text)
        if form == _WRAPPED:
            return _unwrapped(json.loads(text))
    except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError) as error:
        raise FrameError("a frame that does not parse") from error
    raise FrameError("a frame of unknown form")


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
