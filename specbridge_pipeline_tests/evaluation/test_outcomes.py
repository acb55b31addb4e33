from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.evaluation.outcomes import Outcome, outcome_rows
from specbridge_pipeline.evaluation.records import OUTCOMES
from specbridge_pipeline.evaluation.scoring import query_names

CASES = yaml.safe_load(Path(__file__).with_name("outcome_cases.yaml").read_text(encoding="utf-8"))
KINDS = ("specific_a", "specific_b", "open")
FLAGS = {name for name, kind in OUTCOMES.columns.items() if kind == "boolean"}
FAILURES = {"fails": "candidate_error", "timeout": "timeout", "too large": "too_large"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A response as the cases describe it."""

    queries: tuple[str, ...]
    named: bool = False


def told(case: Row) -> dict[str, Told]:
    usual = {"specific_a": ["a"], "specific_b": ["b"], "open": ["a"]}
    responses = {kind: {"queries": usual[kind]} | case.get(kind, {}) for kind in KINDS}
    return {
        kind: Told(tuple(each["queries"]), each.get("named", False))
        for kind, each in responses.items()
    }


def origin(**changes: str) -> Row:
    return {
        "edition": "e",
        "set_id": "s",
        "database": "d",
        "model": "m",
        "method": "explained",
        "round": "1",
        "variant": "as_written",
        **changes,
    }


SETS = [
    {"edition": "e", "set_id": name, "choice_type": "ties", "tier": "short"} for name in ("s", "t")
]


def verdicts(query: str, side: str) -> tuple[str, str]:
    """Return both verdicts on a query as it is described."""
    if query in FAILURES:
        return FAILURES[query], FAILURES[query]
    if query.startswith("wide"):
        return "not_equal", "equal" if side in query.split()[1] else "not_equal"
    verdict = "equal" if query == side else "not_equal"
    return verdict, verdict


def stored(responses: dict[str, Told], **changes: str) -> tuple[list[Row], list[Row], list[Row]]:
    """Return the rows of responses, scores and judgements of one set."""
    rows: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for kind, response in responses.items():
        values = origin(**changes)
        identity = "/".join([kind, *values.values()])
        rows[0].append({"response_id": identity, **values, "request_kind": kind})
        rows[2].append({"response_id": identity, "judge": "rules", "names_choice": response.named})
        for name, query in zip(query_names(len(response.queries)), response.queries, strict=True):
            for side in "ab":
                strict, relaxed = verdicts(query, side)
                rows[1].append(
                    {
                        "score_id": f"{identity}/{name}/{side}",
                        "response_id": identity,
                        "query": name,
                        "interpretation": side,
                        "verdict": strict,
                        "allowing_columns": relaxed,
                    }
                )
    return rows


def outcome_of(responses: dict[str, Told]) -> Row:
    (row,) = outcome_rows(SETS, *stored(responses))
    return row


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_measures_and_outcome(case: Row) -> None:
    row = outcome_of(told(case))
    holds = set(case["holds"])
    # What a right answer implies is not repeated in every case.
    for side in "ab":
        if f"right_{side}" in holds:
            holds |= {f"runs_{side}", f"right_{side}_allowing_columns"}
    if {"right_a", "right_b"} <= holds:
        holds.add("both_computable")
    if "both_returned" in holds:
        assert {"found_a", "found_b"} <= holds
    assert row["outcome"] == case["outcome"]
    assert row["main_answer"] == case["main"]
    assert {name for name in FLAGS if row[name]} == holds


def test_the_cases_cover_every_outcome_and_every_measure() -> None:
    assert {case["outcome"] for case in CASES} == set(Outcome)
    assert {case["main"] for case in CASES} == {"a", "b", "neither"}
    mentioned = {name for case in CASES for name in case["holds"]}
    implied = {"both_computable", "right_b_allowing_columns"}
    assert mentioned | implied == FLAGS


QUERIES = st.sampled_from(["a", "b", "other", "wide a", "wide b", "wide ab", *FAILURES])
RESPONSES = st.builds(Told, st.lists(QUERIES, min_size=1, max_size=3).map(tuple), st.booleans())


def restated(told_of: dict[str, Told]) -> Row:
    """Say again, from what the responses do, what the design's section on measures says."""
    fails = set(FAILURES)
    row: Row = {}
    for wanted, unwanted in ("ab", "ba"):
        main, *alternatives = told_of[f"specific_{wanted}"].queries
        row[f"right_{wanted}"] = main == wanted
        row[f"runs_{wanted}"] = main not in fails
        row[f"right_{wanted}_allowing_columns"] = main == wanted or (
            main.startswith("wide") and wanted in main[5:]
        )
        row[f"false_alarm_alternative_{wanted}"] = unwanted in alternatives
        row[f"false_alarm_named_{wanted}"] = told_of[f"specific_{wanted}"].named
        row[f"other_alternative_{wanted}"] = not set(alternatives) <= {"a", "b", *fails}
    opened = told_of["open"].queries
    row["found_a"], row["found_b"] = "a" in opened, "b" in opened
    row["both_returned"] = {"a", "b"} <= set(opened)
    row["both_returned_by_one_query"] = "wide ab" in opened
    row["named"] = told_of["open"].named
    row["both_computable"] = row["right_a"] and row["right_b"]
    row["main_answer"] = opened[0] if opened[0] in ("a", "b") else "neither"
    failing = [side for side in "ab" if not row[f"runs_{side}"]]
    wrong = [side for side in "ab" if row[f"runs_{side}"] and not row[f"right_{side}"]]
    if row["both_returned"]:
        row["outcome"] = "both_returned"
    elif failing and not wrong:
        row["outcome"] = "does_not_run"
    elif wrong:
        row["outcome"] = "computed_wrong"
    elif not {"a", "b"} & set(opened):
        row["outcome"] = "neither"
    else:
        row["outcome"] = "named_one" if row["named"] else "silent_one"
    return row


@given(responses=st.fixed_dictionaries(dict.fromkeys(KINDS, RESPONSES)))
def test_measures_are_those_of_the_design(responses: dict[str, Told]) -> None:
    row = outcome_of(responses)
    expected = restated(responses)
    assert {name: row[name] for name in expected} == expected
    assert expected.keys() == {*FLAGS, "main_answer", "outcome"}


@pytest.mark.parametrize("missing", KINDS)
def test_a_set_that_lacks_a_response_has_no_row(missing: str) -> None:
    responses = {kind: value for kind, value in told({}).items() if kind != missing}
    assert outcome_rows(SETS, *stored(responses)) == []
    whole = stored(told({}), set_id="t")
    parts = stored(responses)
    both = [left + right for left, right in zip(parts, whole, strict=True)]
    assert [row["set_id"] for row in outcome_rows(SETS, *both)] == ["t"]


def test_no_response_at_all() -> None:
    assert outcome_rows(SETS, [], [], []) == []


def test_models_rounds_and_sets_are_kept_apart() -> None:
    changes = [{}, {"model": "n"}, {"round": "2026-11-30"}, {"set_id": "t"}, {"variant": "v"}]
    silent, both = told({}), told({"open": {"queries": ["a", "b"]}})
    parts = [
        stored(both if number % 2 else silent, **change) for number, change in enumerate(changes)
    ]
    together: list[list[Row]] = [
        list(chain.from_iterable(part[at] for part in parts)) for at in range(3)
    ]
    rows = outcome_rows(SETS, *together)
    frame = OUTCOMES.frame(rows)
    assert frame.height == len(changes)
    found = {
        (row["set_id"], row["model"], row["round"], row["variant"]): row["both_returned"]
        for row in rows
    }
    for number, change in enumerate(changes):
        values = origin(**change)
        key = (values["set_id"], values["model"], values["round"], values["variant"])
        assert found[key] is bool(number % 2)
    assert outcome_rows(SETS, *(each[::-1] for each in together)) == rows


def test_every_row_leads_back_to_its_responses_and_scores() -> None:
    responses, scores, judgements = stored(told({"open": {"queries": ["a", "b", "other"]}}))
    (row,) = outcome_rows(SETS, responses, scores, judgements)
    assert row["response_ids"] == [each["response_id"] for each in responses]
    assert row["score_ids"] == sorted(each["score_id"] for each in scores)
    assert (row["choice_type"], row["tier"], row["judge"]) == ("ties", "short", "rules")
