from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from specbridge_pipeline.errors import BudgetExhaustedError
from specbridge_pipeline.language_models.budget import Estimate, Spending, estimate
from specbridge_pipeline.language_models.registry import ModelEntry, Price
from specbridge_pipeline.language_models.requests import ModelReply, ModelRequest
from specbridge_pipeline.settings import Budget

Ask = Callable[..., ModelRequest]
Reply = Callable[..., ModelReply]

PRICED = ModelEntry(id="m", model="openai/m", price=Price(input=1, output=10))


def test_an_estimate_counts_a_token_for_four_characters(ask_for: Ask) -> None:
    requests = [ask_for("x" * 400, parameters={"max_tokens": 50})] * 2
    planned = estimate(PRICED, requests)
    assert planned.calls == 2
    assert planned.cost_usd == pytest.approx(2 * (100 * 1 + 50 * 10) / 1e6)


def test_without_a_price_the_cost_is_not_known(ask_for: Ask) -> None:
    unpriced = ModelEntry(id="m", model="openai/m")
    assert estimate(unpriced, [ask_for("q")]) == Estimate(1, None)
    assert estimate(unpriced, []) == Estimate(0, 0.0)


@pytest.mark.parametrize("parameters", [{}, {"max_tokens": None}, {"max_tokens": "many"}])
def test_a_reply_without_a_limit_is_estimated_all_the_same(
    parameters: dict[str, Any], ask_for: Ask
) -> None:
    cost = estimate(PRICED, [ask_for("q", parameters=parameters)]).cost_usd
    assert cost is not None
    assert cost > 0


def test_the_newer_name_of_the_limit_counts_too(ask_for: Ask) -> None:
    older = ask_for("q", parameters={"max_tokens": 50})
    newer = ask_for("q", parameters={"max_completion_tokens": 50})
    assert estimate(PRICED, [newer]) == estimate(PRICED, [older])


def test_what_fits_is_allowed_and_what_does_not_is_refused() -> None:
    spending = Spending(Budget(calls=3, cost_usd=1.0))
    spending.require(Estimate(3, 1.0), "cell")
    with pytest.raises(BudgetExhaustedError, match="cell: 4 more calls") as caught:
        spending.require(Estimate(4, 0.0), "cell")
    assert "3 calls, $1.00" in str(caught.value)
    assert "raise the budget" in str(caught.value)
    with pytest.raises(BudgetExhaustedError, match=r"\$1\.01 more"):
        spending.require(Estimate(1, 1.01), "cell")


def test_what_was_spent_counts(ask_for: Ask, reply_to: Reply) -> None:
    spending = Spending(Budget(calls=2, cost_usd=1.0))
    spending.begin_call("cell")
    spending.end_call(reply_to(ask_for("q"), cost_usd=0.75))
    with pytest.raises(BudgetExhaustedError):
        spending.require(Estimate(1, 0.5), "cell")
    with pytest.raises(BudgetExhaustedError):
        spending.require(Estimate(2, 0.0), "cell")
    spending.begin_call("cell")
    with pytest.raises(BudgetExhaustedError, match="no call is left"):
        spending.begin_call("cell")


def test_a_budget_of_no_money_allows_what_costs_nothing(ask_for: Ask, reply_to: Reply) -> None:
    spending = Spending(Budget(cost_usd=0))
    spending.require(Estimate(1, 0.0), "cell")
    spending.begin_call("cell")
    spending.end_call(reply_to(ask_for("q"), cost_usd=0.0))
    spending.begin_call("cell")
    spending.end_call(reply_to(ask_for("q"), cost_usd=0.01))
    with pytest.raises(BudgetExhaustedError, match="money is used up"):
        spending.begin_call("cell")
