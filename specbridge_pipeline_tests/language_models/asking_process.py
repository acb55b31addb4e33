"""A process of its own that asks a system under test numbered questions; for tests to kill.

Arguments: archive file, number of questions, concurrency. The system's address stands in the
environment variable SYSTEM.
"""

from __future__ import annotations

import sys
from pathlib import Path

from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelRequest
from specbridge_pipeline.settings import Budget, Mode


def numbered_requests(count: int) -> list[ModelRequest]:
    """Return the requests that the process asks."""
    return [
        ModelRequest("http:system", "1", (Message("user", f"question {number}"),))
        for number in range(count)
    ]


def main() -> None:
    """Ask, and say on standard output when it begins."""
    path, count, concurrency = sys.argv[1:]
    entry = ModelEntry(id="system", endpoint_env="SYSTEM", concurrency=int(concurrency))
    with ResponseArchive(Path(path)) as archive:
        gateway = Gateway(archive, mode=Mode.LIVE, budget=Budget(), pause_seconds=0.01)
        print("asking", flush=True)
        gateway.ask(entry, numbered_requests(int(count)), where="a test")


if __name__ == "__main__":
    main()
