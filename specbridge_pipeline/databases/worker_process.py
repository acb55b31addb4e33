"""One worker process as its parent sees it: started, asked, and killed when it does not answer."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import specbridge_pipeline
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.frames import (
    EXIT_OUT_OF_MEMORY,
    HEADER_BYTES,
    FrameError,
    Message,
    body_length,
    decode_body,
    encode_frame,
)
from specbridge_pipeline.errors import WorkerError

_SECONDS_TO_START = 60.0
_SECONDS_TO_EXIT = 5.0
_READ_BYTES = 1024 * 1024

# Not `-m`: an isolated interpreter does not look in the current folder, so it would not find a
# package that is run from a checkout without being installed, or would find another copy of it.
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from specbridge_pipeline.databases.worker import main; main(may_write=sys.argv[2] == 'writes')"
)


class ReplyOverdueError(Exception):
    """The worker had not answered at the deadline, and was killed."""


class WorkerDiedError(Exception):
    """The worker ended, or sent what is no reply, instead of answering.

    Args:
        exit_code: Its exit code, negative for a signal; None if it had to be killed.
    """

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"the worker process ended with exit code {exit_code}")

    @property
    def used_up_processor(self) -> bool:
        """Whether it was ended for using all the processor time it was allowed."""
        return self.exit_code == -signal.SIGXCPU

    @property
    def used_up_memory(self) -> bool:
        """Whether it ended for want of memory, as far as it could tell."""
        return self.exit_code == EXIT_OUT_OF_MEMORY


class WorkerProcess:
    """A running worker. One thread at a time may talk to it; any may kill it.

    Args:
        may_write: Whether it may write files, and for that reason runs no query.

    Raises:
        WorkerError: If it does not start.
    """

    def __init__(self, *, may_write: bool = False) -> None:
        package_root = Path(specbridge_pipeline.__file__).resolve().parent.parent
        role = "writes" if may_write else "reads"
        command = [sys.executable, "-I", "-c", _START, str(package_root), role]
        self._prepared: set[Engine] = set()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={},
            # Ctrl-C in the terminal is for the parent to answer.
            process_group=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        try:
            self.exchange({"operation": "ping"}, _SECONDS_TO_START)
        except (ReplyOverdueError, WorkerDiedError) as error:
            self.discard()
            raise _does_not_start("worker") from error

    @property
    def process_id(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def prepare(self, engine: Engine) -> None:
        """Have the worker load an engine, if it has not; that takes none of a query's time.

        Args:
            engine: The engine.

        Raises:
            WorkerError: If the engine cannot be loaded.
            WorkerDiedError: If the worker ends over it; it is dead then.
        """
        if engine in self._prepared:
            return
        try:
            reply = self.exchange(
                {"operation": "prepare", "engine": engine.value}, _SECONDS_TO_START
            )
        except ReplyOverdueError:
            raise WorkerDiedError(None) from None
        if reply["reply"] != "pong":
            raise _does_not_start(f"{engine.value}_engine") from None
        self._prepared.add(engine)

    def exchange(self, request: Message, seconds: float) -> Message:
        """Send a request and wait for the reply.

        Args:
            request: The request.
            seconds: How long to wait before the worker is killed.

        Returns:
            The reply.

        Raises:
            ReplyOverdueError: If there is none in time; the worker is dead then.
            WorkerDiedError: If the worker ends first; it is dead then.
        """
        deadline = time.monotonic() + seconds
        try:
            self._send(encode_frame(request), deadline)
            length = body_length(self._receive(HEADER_BYTES, deadline))
            return decode_body(self._receive(length, deadline))
        except ReplyOverdueError:
            self.kill()
            raise
        except (OSError, EOFError, FrameError):
            raise WorkerDiedError(self._ended()) from None

    def kill(self) -> None:
        """End the process at once, whatever it does; any thread may."""
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_EXIT)

    def discard(self) -> None:
        """End the process and close its pipes; only for who talks to it, or when nobody does."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _send(self, frame: bytes, deadline: float) -> None:
        rest = memoryview(frame)
        while rest:
            self._wait(self._input, select.POLLOUT, deadline)
            rest = rest[os.write(self._input, rest) :]

    def _receive(self, count: int, deadline: float) -> bytearray:
        received = bytearray()
        while len(received) < count:
            self._wait(self._output, select.POLLIN, deadline)
            part = os.read(self._output, min(count - len(received), _READ_BYTES))
            if not part:
                raise EOFError
            received += part
        return received

    def _wait(self, pipe: int, event: int, deadline: float) -> None:
        # Not `select`, which fails for a process that has more than 1,024 files open.
        poll = select.poll()
        poll.register(pipe, event)
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not poll.poll(remaining * 1000):
            raise ReplyOverdueError

    def _ended(self) -> int | None:
        """Return the exit code of a process that is about to end, or end it and return None."""
        try:
            return self._process.wait(_SECONDS_TO_EXIT)
        except subprocess.TimeoutExpired:
            self.kill()
            return None


def _does_not_start(module: str) -> WorkerError:
    return WorkerError(
        "a query worker does not start",
        advice=f"see why: env -i {sys.executable} -c "
        f"'import specbridge_pipeline.databases.{module}'",
    )
