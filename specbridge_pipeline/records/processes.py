"""Names of processes that others can check: whether the one that left something is still there."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path

from specbridge_pipeline.records.canonical import content_hash


def this_process() -> str:
    """Return the name of this process: the machine since it was started, and the process id."""
    return f"{_machine()}:{os.getpid()}"


def has_ended(process: str) -> bool:
    """Whether a named process of this machine is no more; False for those of other machines.

    Args:
        process: What `this_process` returned there; more may follow behind another colon.
    """
    machine, _, rest = process.partition(":")
    number = rest.partition(":")[0]
    if machine != _machine() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it runs, for another user
        return False
    return False


@cache
def _machine() -> str:
    """Return what tells this machine, since it was started, from others that share a file."""
    parts = [platform.node()]
    # Containers may share a name, but neither the boot nor the table of process ids.
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return content_hash(parts)[:16]
