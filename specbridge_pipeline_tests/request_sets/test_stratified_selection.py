from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.request_sets.stratified_selection import (
    Quota,
    allocate,
    canonical_order,
    select_count,
    select_quotas,
    stratum_of,
)

SIZES = {
    ("baseball", "short", "ties"): 20,
    ("baseball", "paper", "ties"): 10,
    ("flights", "short", "counting_unit"): 7,
    ("flights", "paper", "counting_unit"): 2,
    ("flights", "paper", "aggregation_level"): 1,
}


def rows() -> list[dict[str, Any]]:
    return [
        {
            "database": key[0],
            "tier": key[1],
            "choice_type": key[2],
            "step_depth": (1 if key[1] == "short" else 3) + number % 2,
            "set_id": f"{key}-{number:02}",
        }
        for key, size in SIZES.items()
        for number in range(size)
    ]


def drawn(chosen: list[Any]) -> Counter[tuple[str, str, str]]:
    return Counter(map(stratum_of, chosen))


def test_shares_are_rounded_down_and_the_largest_remainders_get_the_rest() -> None:
    # Of 12 of 40 the strata are due 6, 3, 2.1, 0.6 and 0.3: eleven by rounding down, one to 0.6.
    assert allocate(SIZES, 12) == dict(zip(SIZES, (6, 3, 2, 1, 0), strict=True))


def test_equal_remainders_go_to_the_larger_stratum_and_then_by_name() -> None:
    assert allocate({"b": 1, "a": 1, "c": 3}, 2) == {"b": 0, "a": 1, "c": 1}
    assert allocate({"b": 1, "a": 1, "c": 1}, 2) == {"b": 1, "a": 1, "c": 0}


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 30), min_size=1, max_size=8), st.data())
def test_an_allocation_is_whole_and_never_more_than_there_is(
    sizes: dict[str, int], data: st.DataObject
) -> None:
    total = sum(sizes.values())
    count = data.draw(st.integers(0, total))
    given_out = allocate(sizes, count)
    assert given_out.keys() == sizes.keys()
    assert sum(given_out.values()) == count
    for key, size in sizes.items():
        exact = count * size / total if total else 0
        assert 0 <= given_out[key] <= size
        assert abs(given_out[key] - exact) < 1


def test_a_draw_is_the_same_whatever_order_the_sets_come_in() -> None:
    chosen = select_count(rows(), 12, seed=7)
    assert chosen == select_count(rows()[::-1], 12, seed=7)
    assert chosen == sorted(chosen, key=canonical_order)
    assert drawn(chosen) == Counter(allocate(SIZES, 12))
    assert {row["set_id"] for row in chosen} != {
        row["set_id"] for row in select_count(rows(), 12, seed=8)
    }


def test_a_draw_from_one_stratum_does_not_depend_on_the_others() -> None:
    ties = [row for row in rows() if row["database"] == "baseball"]
    whole = [row for row in select_count(rows(), 40, seed=7) if row["database"] == "baseball"]
    assert whole == sorted(ties, key=canonical_order)
    short = [row for row in ties if row["tier"] == "short"]
    assert select_quotas(rows(), {Quota("short", "ties"): 5}, seed=7) == select_count(
        short, 5, seed=7
    )


def test_the_short_tier_stands_before_the_papers() -> None:
    tiers = [
        row["tier"] for row in select_count(rows(), 40, seed=7) if row["database"] == "flights"
    ]
    assert tiers == ["short"] * 7 + ["paper"] * 3


def test_quotas_draw_from_the_tiers_and_types_that_they_name() -> None:
    more = [*rows(), *({**row, "database": "shop"} for row in rows() if row["tier"] == "short")]
    quotas = {Quota("short", "ties"): 4, Quota("paper", "counting_unit"): 2}
    assert drawn(select_quotas(more, quotas, seed=7)) == Counter(
        {
            ("baseball", "short", "ties"): 2,
            ("shop", "short", "ties"): 2,
            ("flights", "paper", "counting_unit"): 2,
        }
    )


def test_a_quota_may_name_a_step_depth() -> None:
    quotas = {Quota("short", "ties", 1): 4, Quota("short", "ties", 2): 9, Quota("paper", "ties"): 3}
    found = Counter((row["tier"], row["step_depth"]) for row in select_quotas(rows(), quotas, 7))
    assert found["short", 1] == 4
    assert found["short", 2] == 9
    assert found["paper", 3] + found["paper", 4] == 3


def test_more_than_there_is_cannot_be_drawn() -> None:
    with pytest.raises(ConfigurationError, match="41 sets are asked for, and 40 are accepted"):
        select_count(rows(), 41, seed=7)
    with pytest.raises(ConfigurationError, match=r"paper/ties=11 cannot be met: 10 sets"):
        select_quotas(rows(), {Quota("paper", "ties"): 11}, seed=7)
    with pytest.raises(ConfigurationError, match=r"paper/ties/3=6 cannot be met: 5 sets"):
        select_quotas(rows(), {Quota("paper", "ties", 3): 6}, seed=7)
    with pytest.raises(ConfigurationError, match="0 sets of it"):
        select_quotas(rows(), {Quota("short", "negation"): 1}, seed=7)
