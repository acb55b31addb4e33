"""The one way to ask a model: archive first, then the model, each reply committed at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import tenacity

from specbridge_pipeline.errors import MissingRepliesError, ModelUnavailableError
from specbridge_pipeline.language_models.archive import CLAIM_SECONDS, ResponseArchive
from specbridge_pipeline.language_models.budget import Spending, estimate
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelReply, ModelRequest
from specbridge_pipeline.language_models.transports import TransientFailureError, ask_once
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.settings import Budget, Mode

_log = logging.getLogger(__name__)

ATTEMPTS = 6
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0
_POLL_SECONDS = 0.2


class Gateway:
    """Answers requests from the archive, and from models where the mode allows it.

    Args:
        archive: Where replies are kept.
        mode: What may happen when a reply is missing.
        budget: What may be spent.
        spending: What has been spent of it by others of the same run; nothing where not given.
        progress: Told of every reply that is asked for.
        pause_seconds: First pause of the back-off between attempts; doubles each time.
    """

    def __init__(
        self,
        archive: ResponseArchive,
        *,
        mode: Mode,
        budget: Budget,
        spending: Spending | None = None,
        progress: Progress | None = None,
        pause_seconds: float = _FIRST_PAUSE_SECONDS,
    ) -> None:
        self.archive = archive
        self.mode = mode
        self.spending = spending or Spending(budget)
        self._progress = progress or SilentProgress()
        self._pause = pause_seconds

    def ask(
        self, entry: ModelEntry, requests: Sequence[ModelRequest], *, where: str
    ) -> list[ModelReply]:
        """Return the replies to requests, asking only for those that the archive lacks.

        Args:
            entry: The model.
            requests: What to ask; equal requests are asked once.
            where: The cell that needs them, for messages.

        Returns:
            One reply a request, in order. Every one is in the archive.

        Raises:
            MissingRepliesError: Some are missing and the mode is replay; all are named.
            ModelUnavailableError: The model cannot be reached.
            BudgetExhaustedError: They do not fit in the budget; replies so far are kept.
        """
        missing = self._missing(requests)
        if missing:
            if self.mode is Mode.REPLAY:
                raise MissingRepliesError(
                    f"{len(missing)} of {len(requests)} replies are not in the archive"
                    f" (first: {missing[0].key[:12]}…)",
                    keys=tuple(request.key for request in missing),
                    where=where,
                    advice="run with --mode auto to ask the model for them",
                )
            self._ask_missing(entry, missing, where)
        replies = []
        for request in requests:
            reply = self.archive.get(request.key)
            assert reply is not None
            replies.append(reply)
        return replies

    def check_reachable(self, entry: ModelEntry) -> None:
        """Look up a model's address and key before anything is asked.

        Raises:
            ModelUnavailableError: An environment variable that holds one is not set.
        """
        entry.address()
        entry.key()

    def _missing(self, requests: Sequence[ModelRequest]) -> list[ModelRequest]:
        by_key = {request.key: request for request in requests}
        return [by_key[key] for key in self.archive.missing(by_key)]

    def _ask_missing(self, entry: ModelEntry, missing: Sequence[ModelRequest], where: str) -> None:
        self.check_reachable(entry)
        self.spending.require(estimate(entry, missing), where)
        stop = threading.Event()
        failures: list[BaseException] = []
        with (
            self._progress.task(f"{entry.id} · {where}", len(missing)) as task,
            ThreadPoolExecutor(entry.concurrency, thread_name_prefix=entry.id) as pool,
        ):

            def answer(request: ModelRequest) -> None:
                if stop.is_set():
                    return
                try:
                    self._answer(entry, request, where, stop)
                except BaseException as error:
                    # Here and not where they are awaited: this thread would begin the next one.
                    failures.append(error)
                    stop.set()
                    raise
                task.advance()

            futures = [pool.submit(answer, request) for request in missing]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
                if failures:
                    # The first is the cause; others may only say that they were stopped.
                    raise failures[0]
            finally:
                # Calls under way end and are archived; none is begun or waited for after a failure.
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)

    def _answer(
        self, entry: ModelEntry, request: ModelRequest, where: str, stop: threading.Event
    ) -> None:
        key = request.key
        # One attempt, its pause included, may not outlast the claim.
        hold = CLAIM_SECONDS + entry.timeout_seconds
        patience = time.monotonic() + hold * ATTEMPTS
        while not self.archive.claim(key, seconds=hold):
            if stop.is_set() or self.archive.get(key) is not None:
                return
            if time.monotonic() > patience:
                raise ModelUnavailableError(
                    "another process claims a request and does not answer it",
                    where=where,
                    advice="run `specbridge doctor` when no other run is under way",
                )
            stop.wait(_POLL_SECONDS)
        try:
            reply = self._with_retries(entry, request, where, stop)
            self.spending.end_call(reply)
            self.archive.put(request, reply)
        except BaseException:
            self.archive.release(key)
            raise

    def _with_retries(
        self, entry: ModelEntry, request: ModelRequest, where: str, stop: threading.Event
    ) -> ModelReply:
        def attempt() -> ModelReply:
            if stop.is_set():
                raise TransientFailureError("another request failed for good")
            self.spending.begin_call(where)
            self.archive.renew(request.key, seconds=CLAIM_SECONDS + entry.timeout_seconds)
            return ask_once(entry, request)

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TransientFailureError),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(ATTEMPTS), tenacity.stop_when_event_set(stop)
            ),
            sleep=tenacity.sleep_using_event(stop),
            wait=tenacity.wait_exponential(multiplier=self._pause, max=_LONGEST_PAUSE_SECONDS),
            before_sleep=lambda state: _log.warning(
                "%s: attempt %d failed (%s), asking again",
                entry.id,
                state.attempt_number,
                state.outcome.exception() if state.outcome else "",
            ),
        )
        try:
            return retrying(attempt)
        except tenacity.RetryError as error:
            failure = error.last_attempt.exception()
            raise ModelUnavailableError(
                f"no reply after {error.last_attempt.attempt_number} attempts: {failure}",
                where=f"model {entry.id}, {where}",
                advice="replies so far are kept; run again when the model answers",
            ) from failure
