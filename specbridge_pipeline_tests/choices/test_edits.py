"""Occurrences, edits both ways, wording, refusals and measurements, case by case."""

from __future__ import annotations

import pytest
import yaml

from specbridge_pipeline.choices.choice import Edit, Refusal
from specbridge_pipeline.choices.registry import CHOICES
from specbridge_pipeline.choices.statement import read_statement
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.choices.vocabulary import VOCABULARY
from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.request_sets.phrases import CataloguePhrases
from specbridge_pipeline.sql.step_difference import step_difference
from specbridge_pipeline_tests.support.projects import FIXTURES

CASES = yaml.safe_load((FIXTURES / "choice_edits.yaml").read_text("utf-8"))
EDITS = [pytest.param(each, id=each["case"]) for each in CASES["edits"]]
WORDED = [pytest.param(each, id=each["case"]) for each in CASES["edits"] if "words" in each]
SPOKEN = {
    "each_first": "each first",
    "pooled": "pooled",
    "rows": "each time",
    "entities": "each once",
    "limit": "only so many",
    "all_tied": "all of them",
    "left_out": "left out",
    "taken_in": "left in",
}


def occurrences(case, shop, sql=None):
    sql = sql or case["sql"]
    module = CHOICES[ChoiceType(case["choice"])]
    found = module.occurrences(sql, read_structure(sql, shop.schema), shop.catalogue)
    wanted = case.get("only", {})
    return [each for each in found if all(getattr(each, name) == wanted[name] for name in wanted)]


def edit(case, shop, sql=None):
    sql = sql or case["sql"]
    module = CHOICES[ChoiceType(case["choice"])]
    [occurrence] = occurrences(case, shop, sql)
    return module.edit(occurrence, sql, read_structure(sql, shop.schema), shop.catalogue)


def same_rows(found, expected):
    assert len(found) == len(expected)
    for row, wanted in zip(
        sorted(found, key=lambda each: str(each[0])),
        sorted(expected, key=lambda each: str(each[0])),
        strict=True,
    ):
        assert row == pytest.approx(tuple(wanted))


@pytest.mark.parametrize("case", EDITS)
def test_the_other_side_is_taken_and_gives_the_answer_worked_out_by_hand(case, make_shop):
    shop = make_shop(case.get("also", ""))
    [occurrence] = occurrences(case, shop)
    assert occurrence.taken == case["taken"]
    assert occurrence.detail == case.get("detail", "")
    changed = edit(case, shop)
    assert isinstance(changed, Edit), changed
    assert changed.sql.split() == case["other"].split()
    assert {occurrence.taken, changed.side} == set(CHOICES[occurrence.choice_type].sides)
    if "rows" in case:
        same_rows(shop.rows(case["sql"]), case["rows"])
    if "other_rows" in case:
        same_rows(shop.rows(changed.sql), case["other_rows"])


@pytest.mark.parametrize("case", EDITS)
def test_one_step_changes_and_the_others_keep_their_text_to_the_letter(case, make_shop):
    changed = edit(case, make_shop(case.get("also", "")))
    difference = step_difference(case["sql"], changed.sql)
    assert difference.one_step, difference.reason
    before, after = read_statement(case["sql"]), read_statement(changed.sql)
    for entry in before.entries:
        if entry.name not in (*difference.changed, *difference.removed):
            assert entry in after.entries
    if "" not in difference.changed:
        assert before.main == after.main


@pytest.mark.parametrize("case", EDITS)
def test_outputs_keep_their_names_and_order(case, make_shop):
    shop = make_shop(case.get("also", ""))
    changed = edit(case, shop)
    assert shop.run(changed.sql).columns == shop.run(case["sql"]).columns


@pytest.mark.parametrize("case", [case for case in EDITS if case.values[0].get("back", True)])
def test_there_and_back_gives_the_first_result(case, make_shop):
    shop = make_shop(case.get("also", ""))
    there = edit(case, shop)
    if case["choice"] == "counting_unit" and case["taken"] == "entities":
        case = case | {"only": case.get("only", {}) | {"detail": case["detail"]}}
    back = edit(case, shop, there.sql)
    assert back.side == case["taken"]
    reference = build_reference(shop.run, case["sql"])
    assert compare(reference, shop.run(back.sql)).kind is VerdictKind.EQUAL


@pytest.mark.parametrize("case", EDITS)
def test_a_query_on_one_line_stays_on_one_line_and_one_on_many_stays_so(case, make_shop):
    changed = edit(case, make_shop(case.get("also", "")))
    assert ("\n" in changed.sql) == ("\n" in case["sql"])


@pytest.mark.parametrize("case", WORDED)
def test_the_choice_is_worded_for_three_requests(case, make_shop):
    shop = make_shop(case.get("also", ""))
    wording = worded(case, shop)
    assert {"a": wording.a, "b": wording.b, "open": wording.open} == case["words"]


@pytest.mark.parametrize("case", EDITS)
def test_the_words_settle_their_own_side_and_the_open_words_none(case, make_shop):
    shop = make_shop(case.get("also", ""))
    changed, wording = edit(case, shop), worded(case, shop)
    settled_by = CHOICES[ChoiceType(case["choice"])].settled_by
    assert settled_by(wording.a) == {case["taken"]}
    assert settled_by(wording.b) == {changed.side}
    assert not settled_by(wording.open)


@pytest.mark.parametrize("case", EDITS)
def test_the_meanings_speak_of_the_choice_as_a_judge_understands_it(case, make_shop):
    shop = make_shop(case.get("also", ""))
    changed, wording = edit(case, shop), worded(case, shop)
    ideas = VOCABULARY[ChoiceType(case["choice"])].ideas
    assert SPOKEN[case["taken"]] in ideas(wording.meaning_a)
    assert SPOKEN[changed.side] not in ideas(wording.meaning_a)
    assert SPOKEN[changed.side] in ideas(wording.meaning_b)
    assert SPOKEN[case["taken"]] not in ideas(wording.meaning_b)


def worded(case, shop):
    changed = edit(case, shop)
    structure = read_structure(case["sql"], shop.schema)
    return CHOICES[ChoiceType(case["choice"])].wording(
        changed,
        structure,
        read_structure(changed.sql, shop.schema),
        shop.catalogue,
        CataloguePhrases(structure, shop.catalogue),
    )


@pytest.mark.parametrize("case", CASES["refusals"], ids=lambda case: case["case"])
def test_what_would_differ_in_more_than_the_choice_is_refused(case, make_shop):
    refused = edit(case, make_shop(case.get("also", "")))
    assert isinstance(refused, Refusal)
    assert case["reason"] in refused.reason


@pytest.mark.parametrize("case", CASES["none"], ids=lambda case: case["sql"])
def test_where_no_side_is_taken_nothing_is_found(case, make_shop):
    assert not occurrences(case, make_shop(case.get("also", "")))


@pytest.mark.parametrize("case", CASES["opportunities"], ids=lambda case: case["sql"])
def test_what_the_data_say_is_measured(case, make_shop):
    shop = make_shop(case.get("also", ""))
    [occurrence] = occurrences(case, shop)
    found = CHOICES[occurrence.choice_type].opportunity(
        occurrence, case["sql"], read_structure(case["sql"], shop.schema), shop.catalogue, shop.run
    )
    assert found.matters == case["matters"], found.evidence
    assert case["evidence"] in found.evidence
