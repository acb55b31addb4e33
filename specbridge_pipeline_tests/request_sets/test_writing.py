"""The words themselves: written_sets.yaml and written_requests.yaml are meant to be read."""

import re

import pytest

from specbridge_pipeline.choices.registry import CHOICES
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.request_sets.code_checks import check_request, check_requests
from specbridge_pipeline.request_sets.plan import plan_json
from specbridge_pipeline.request_sets.writing import RuleWriter, write_request
from specbridge_pipeline_tests.request_sets.writing_cases import (
    SETS,
    SINGLES,
    catalogue,
    plan_of,
    structure,
)

POSITIONS = range(len(SETS))
WRITER = RuleWriter()


def _requests(position, notes=()):
    return WRITER.write(plan_of(position), catalogue(SETS[position]["database"]), notes)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_set_has_the_texts_that_were_read_and_approved(position):
    case, written = SETS[position], _requests(position)
    assert (written.a, written.b, written.open) == tuple(
        case[name].strip() for name in ("a", "b", "open")
    )


@pytest.mark.parametrize("position", POSITIONS)
def test_the_plan_lists_what_the_three_requests_must_say(position):
    items = [f"{item.id}: {item.text}" for item in plan_of(position).items]
    assert items == SETS[position]["must_say"]


@pytest.mark.parametrize("case", SINGLES, ids=lambda case: case["request"][:60])
def test_a_single_query_has_the_request_that_was_read_and_approved(case):
    database = case["database"]
    request = write_request(structure(database, case["sql"]), catalogue(database))
    assert request == case["request"].strip()


@pytest.mark.parametrize("case", SINGLES, ids=lambda case: case["request"][:60])
def test_code_finds_nothing_wrong_with_a_request_for_a_single_query(case):
    database = case["database"]
    query = structure(database, case["sql"])
    for notes in ((), ("note",)):
        request = write_request(query, catalogue(database), notes)
        assert check_request(request, query, catalogue(database)) == ()
    without_outputs = request.rsplit("Return ", 1)[0].strip()
    assert "it does not say what is returned" in check_request(
        without_outputs, query, catalogue(database)
    )


@pytest.mark.parametrize("notes", [(), ("open: settles the choice",)], ids=["first", "revised"])
@pytest.mark.parametrize("position", POSITIONS)
def test_code_finds_nothing_wrong_with_what_the_writer_writes(position, notes):
    plan, known = plan_of(position), catalogue(SETS[position]["database"])
    assert check_requests(plan, WRITER.write(plan, known, notes), known) == ()


@pytest.mark.parametrize("position", POSITIONS)
def test_the_three_requests_are_one_text_around_the_phrase_of_the_choice(position):
    wording, written = plan_of(position).wording, _requests(position)
    shared = [
        {
            (text[: found.start()], text[found.end() :])
            for found in re.finditer(re.escape(phrase), text)
        }
        for text, phrase in (
            (written.a, wording.a),
            (written.b, wording.b),
            (written.open, wording.open),
        )
    ]
    assert len(shared[0] & shared[1] & shared[2]) == 1
    assert len({written.a, written.b, written.open}) == 3


@pytest.mark.parametrize("position", POSITIONS)
def test_only_the_specific_requests_settle_the_choice_and_each_for_its_side(position):
    written = _requests(position)
    settled_by = CHOICES[ChoiceType(SETS[position]["choice"])].settled_by
    assert settled_by(written.open) == frozenset()
    assert len(settled_by(written.a)) == len(settled_by(written.b)) == 1
    assert settled_by(written.a) != settled_by(written.b)


@pytest.mark.parametrize("position", POSITIONS)
def test_the_last_sentence_says_what_is_returned(position):
    assert _requests(position).open.rsplit(". ", 1)[-1].split("? ")[-1].startswith("Return ")


def test_with_notes_a_text_says_more_than_without():
    longer = [
        len(_requests(position, ("note",)).a) > len(_requests(position).a) for position in POSITIONS
    ]
    assert sum(longer) >= 0.8 * len(longer)
    assert not [
        position
        for position in POSITIONS
        if len(_requests(position, ("note",)).a) < len(_requests(position).a) - 40
    ]


def test_the_texts_do_not_all_begin_alike():
    beginnings = {" ".join(_requests(position).a.split()[:2]) for position in POSITIONS}
    assert len(beginnings) >= 4


def test_short_queries_have_short_requests():
    short = [
        _requests(position).open for position in POSITIONS if "WITH" not in SETS[position]["sql"]
    ]
    assert short
    assert max(len(text.split()) for text in short) <= 65


def test_equal_plans_have_equal_json_and_different_plans_different_json():
    texts = [plan_json(plan_of(position)) for position in POSITIONS]
    assert texts == [plan_json(plan_of(position)) for position in POSITIONS]
    assert len(set(texts)) == len(texts)
