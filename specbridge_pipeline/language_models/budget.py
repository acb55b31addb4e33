"""What asking may cost: counted before anything is asked, and capped while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.errors import BudgetExhaustedError
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelReply, ModelRequest
from specbridge_pipeline.settings import Budget

_CHARACTERS_PER_TOKEN = 4
_REPLY_TOKENS = 500


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking some requests would take, before it is done.

    Attributes:
        calls: Number of calls, without repairs.
        cost_usd: US dollars by the registry's prices; None where a model has no price.
    """

    calls: int
    cost_usd: float | None


def estimate(entry: ModelEntry, requests: Sequence[ModelRequest]) -> Estimate:
    """Estimate calls and cost of requests to one model, at four characters a token."""
    if entry.price is None:
        return Estimate(len(requests), None if requests else 0.0)
    cost = 0.0
    for request in requests:
        read = sum(len(message.content) for message in request.messages) / _CHARACTERS_PER_TOKEN
        written = _most_tokens(request.parameters)
        cost += (read * entry.price.input + written * entry.price.output) / 1e6
    return Estimate(len(requests), cost)


def _most_tokens(parameters: dict[str, Any]) -> float:
    for name in ("max_tokens", "max_completion_tokens"):
        limit = parameters.get(name)
        if isinstance(limit, int | float):
            return limit
    return _REPLY_TOKENS


class Spending:
    """What has been spent of a budget. Shared by all threads of a run.

    Args:
        budget: The caps.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.calls = 0
        self.cost_usd = 0.0
        self._until = time.monotonic() + budget.hours * 3600
        self._lock = threading.Lock()

    def require(self, planned: Estimate, where: str) -> None:
        """Refuse work that would not fit, before the first call of it.

        Raises:
            BudgetExhaustedError: Its calls or cost exceed what is left.
        """
        with self._lock:
            if self.calls + planned.calls > self.budget.calls:
                raise self._exhausted(f"{planned.calls} more calls are needed", where)
            if self.cost_usd + (planned.cost_usd or 0.0) > self.budget.cost_usd:
                raise self._exhausted(f"about ${planned.cost_usd:.2f} more is needed", where)

    def begin_call(self, where: str) -> None:
        """Count one call.

        Raises:
            BudgetExhaustedError: There is none left, or the time or money is used up.
        """
        with self._lock:
            if self.calls >= self.budget.calls:
                raise self._exhausted("no call is left", where)
            if self.cost_usd >= self.budget.cost_usd and self.cost_usd > 0:
                raise self._exhausted("the money is used up", where)
            if time.monotonic() > self._until:
                raise self._exhausted("the time is used up", where)
            self.calls += 1

    def end_call(self, reply: ModelReply) -> None:
        """Add what a call cost."""
        with self._lock:
            self.cost_usd += reply.cost_usd or 0.0

    def _exhausted(self, what: str, where: str) -> BudgetExhaustedError:
        budget = self.budget
        return BudgetExhaustedError(
            f"{what}, and the budget is {budget.calls} calls, ${budget.cost_usd:.2f}, "
            f"{budget.hours:g} hours, with {self.calls} calls and ${self.cost_usd:.2f} spent",
            where=where,
            advice="replies so far are kept; raise the budget in the profile to go on",
        )
