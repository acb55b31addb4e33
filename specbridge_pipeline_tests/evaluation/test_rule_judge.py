from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.evaluation.judging import JudgeCase, Judgement, RuleJudge

DATA = yaml.safe_load(Path(__file__).with_name("judging_cases.yaml").read_text(encoding="utf-8"))


def cases() -> Iterator[Any]:
    for kind in ChoiceType:
        for group, named in (("named", True), ("not named", False)):
            for number, case in enumerate(DATA[kind][group], start=1):
                yield pytest.param(kind, case, named, id=f"{kind}, {group} {number}")


def judge(case: JudgeCase) -> Judgement:
    (judgement,) = RuleJudge().judge([case], where="a test")
    return judgement


def as_case(kind: ChoiceType, case: dict[str, Any]) -> JudgeCase:
    return JudgeCase(
        choice_type=kind,
        meanings=("one reading of it", "the other reading of it"),
        request=DATA["requests"][case["request"]],
        explanation=case.get("explanation", ""),
        offered=tuple(case.get("offers", ())),
    )


@pytest.mark.parametrize(("kind", "case", "named"), cases())
def test_judgement(kind: ChoiceType, case: dict[str, Any], named: bool) -> None:
    judgement = judge(as_case(kind, case))
    assert judgement.names_choice is named, judgement.evidence


@pytest.mark.parametrize(("kind", "case", "named"), cases())
def test_evidence_is_words_of_the_response(
    kind: ChoiceType, case: dict[str, Any], named: bool
) -> None:
    judgement = judge(as_case(kind, case))
    said = [case.get("explanation", ""), *case.get("offers", ())]
    assert any(judgement.evidence in text for text in said)
    assert bool(judgement.evidence) is judgement.names_choice
    assert judgement.calls == ()


@pytest.mark.parametrize("kind", ChoiceType)
def test_repeating_the_request_names_nothing(kind: ChoiceType) -> None:
    for request in DATA["requests"].values():
        case = JudgeCase(kind, ("one reading", "another reading"), request, "", (request,))
        assert not judge(case).names_choice


@given(kind=st.sampled_from(ChoiceType), words=st.text(max_size=200))
def test_any_text_can_be_judged(kind: ChoiceType, words: str) -> None:
    assert not judge(JudgeCase(kind, ("", ""), words, "", ())).names_choice
    assert judge(JudgeCase(kind, ("", ""), "", words, (words,))).evidence in words


def test_one_judgement_a_case_in_order() -> None:
    named = JudgeCase(ChoiceType.TIES, ("", ""), "", "I assume that ties do not matter.", ())
    silent = JudgeCase(ChoiceType.TIES, ("", ""), "", "", ())
    found = RuleJudge().judge([silent, named, silent], where="a test")
    assert [judgement.names_choice for judgement in found] == [False, True, False]
    assert RuleJudge().judge([], where="a test") == []


def test_a_long_text_is_judged_in_reasonable_steps() -> None:
    words = "I assume that each of the players who share the same number of ties counts, " * 400
    for kind in ChoiceType:
        judge(JudgeCase(kind, ("", ""), words, words, (words,)))
