"""One choice for each query, and the types even."""

from __future__ import annotations

import random
from collections import Counter

from specbridge_pipeline.choices.selection import Candidate, select

TYPES = ("aggregation_level", "counting_unit", "ties")


def candidates(count, tier="short", seed=0):
    """Every query allows some types; counting units come up far more often than others."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        query = f"{tier}{number}"
        for name in TYPES:
            if chance.random() < (0.9 if name == "counting_unit" else 0.4):
                side = None if name == "aggregation_level" else chance.choice("ab")
                found.append(Candidate(f"{query}-{name}", query, tier, name, side))
    return found


def by_type(found, selected):
    return Counter((each.tier, each.choice_type) for each in found if each.proposal in selected)


def test_each_query_gets_one_choice():
    found = candidates(60)
    selected = select(found, 1)
    queries = Counter(each.query for each in found if each.proposal in selected)
    assert set(queries) == {each.query for each in found}
    assert set(queries.values()) == {1}


def test_the_types_come_out_even_in_each_tier():
    found = candidates(90) + candidates(60, "paper", 1)
    counts = by_type(found, select(found, 1))
    for tier in ("short", "paper"):
        shares = [counts[tier, name] for name in TYPES]
        assert max(shares) - min(shares) <= 0.25 * sum(shares)


def test_a_type_that_few_queries_allow_gets_them():
    found = [Candidate(f"c{number}", f"q{number}", "short", "ties", "a") for number in range(9)]
    rare = Candidate("rare", "q0", "short", "aggregation_level", None)
    assert "rare" in select([*found, rare], 1)


def test_the_conventional_side_stands_on_both_queries_alike_where_there_is_a_choice():
    found = [
        Candidate(f"{query}-{side}-{copy}", f"q{query}", "short", "ties", side)
        for query in range(20)
        for side in "ab"
        for copy in range(2)
    ]
    selected = select(found, 1)
    sides = Counter(each.convention for each in found if each.proposal in selected)
    assert sides == {"a": 10, "b": 10}


def test_the_seed_decides_between_equals_and_nothing_else_does():
    found = candidates(60)
    shuffled = found[:]
    random.Random(5).shuffle(shuffled)
    assert select(found, 1) == select(shuffled, 1)
    assert any(select(found, 1) != select(found, seed) for seed in range(2, 6))
