"""Processes that an interrupt ends, wherever the tests run."""

import signal


def heed_interrupts() -> None:
    """Let the process that is about to start end by SIGINT.

    For `preexec_fn`: a shell starts what runs in the background with interrupts ignored, and all
    that is started from there inherits it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
