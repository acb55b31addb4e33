"""What is broken on purpose in three good requests is refused, and for the right reason."""

import re
from dataclasses import replace

import pytest

from specbridge_pipeline.exact_description.structure import Comparison
from specbridge_pipeline.request_sets.code_checks import check_requests
from specbridge_pipeline.request_sets.construction import Requests
from specbridge_pipeline.request_sets.plan import MOST_WORDS
from specbridge_pipeline.request_sets.writing import RuleWriter
from specbridge_pipeline_tests.request_sets.writing_cases import SETS, catalogue, plan_of


def _position(choice, *words):
    """Find a set of a choice type whose request for A has some words."""
    return next(
        at
        for at, case in enumerate(SETS)
        if case["choice"] == choice and all(word in case["a"].replace("\n", " ") for word in words)
    )


def _written(position):
    plan, known = plan_of(position), catalogue(SETS[position]["database"])
    return plan, known, RuleWriter().write(plan, known)


def _everywhere(requests, old, new):
    """Change the same words in all three texts, as a careless writer would."""
    texts = [requests.a, requests.b, requests.open]
    assert all(old in text for text in texts), (old, texts)
    return Requests(*(text.replace(old, new) for text in texts))


FILTERED = _position("counting_unit", "from the year")
TIED = _position("ties", "exactly five")
JOINED = _position("counting_unit", "those without a matching plane,")
KEYED = _position("counting_unit", "for the same")
LEVEL = _position("aggregation_level", "counts once")


def test_a_dropped_filter_is_refused():
    plan, known, written = _written(FILTERED)
    condition = next(
        each for each in plan.structure.steps[0].conditions if isinstance(each, Comparison)
    )
    year = str(condition.right.value)
    clause = next(
        found
        for found in (f" from the year {year} on", f" from the year {year}")
        if found in written.a
    )
    problems = check_requests(plan, _everywhere(written, clause, ""), known)
    assert any(f"the value {year}" in problem for problem in problems)


def test_a_changed_value_of_a_filter_is_refused():
    plan, known, written = _written(FILTERED)
    condition = next(
        each for each in plan.structure.steps[0].conditions if isinstance(each, Comparison)
    )
    year = condition.right.value
    problems = check_requests(plan, _everywhere(written, str(year), str(year + 1)), known)
    assert any(f"the value {year}" in problem for problem in problems)


def test_a_filter_dropped_from_one_request_alone_is_refused_as_a_difference():
    plan, known, written = _written(FILTERED)
    sentence, rest = written.open.split(" from the year ", 1)
    broken = replace(written, open=f"{sentence}{rest[4:]}")
    assert "the requests differ in more than the one phrase of the choice" in check_requests(
        plan, broken, known
    )


def test_a_changed_limit_is_refused():
    plan, known, written = _written(TIED)
    wording = plan.wording
    changed = replace(
        plan,
        wording=replace(
            wording,
            a=wording.a.replace("exactly five", "exactly four"),
            b=wording.b.replace("the five ", "the four "),
            open=wording.open.replace("the five ", "the four "),
        ),
    )
    broken = Requests(
        written.a.replace("exactly five", "exactly four"),
        written.b.replace("the five ", "the four "),
        written.open.replace("the five ", "the four "),
    )
    problems = check_requests(changed, broken, known)
    assert any("that 5 are returned" in problem for problem in problems)


def test_a_limit_changed_in_the_shared_words_is_refused():
    position = _position("counting_unit", "exactly five")
    plan, known, written = _written(position)
    problems = check_requests(plan, _everywhere(written, "exactly five", "exactly six"), known)
    assert any("that 5 are returned" in problem for problem in problems)


def test_an_open_request_that_settles_the_choice_is_refused():
    plan, known, written = _written(LEVEL)
    for settled in (written.a, written.b):
        problems = check_requests(plan, replace(written, open=settled), known)
        assert "words of the open request settle the choice" in problems


def test_swapped_specific_requests_are_refused():
    for position in (FILTERED, TIED, LEVEL):
        plan, known, written = _written(position)
        swapped = Requests(written.b, written.a, written.open)
        problems = check_requests(plan, swapped, known)
        assert "the request for A does not have A's phrase of the choice" in problems
        assert "the request for B does not settle the choice for B alone" in problems


@pytest.mark.parametrize("position", range(len(SETS)))
def test_any_sentence_dropped_from_all_three_is_refused(position):
    plan, known, written = _written(position)
    texts = [_sentences(text) for text in (written.a, written.b, written.open)]
    assert len({len(sentences) for sentences in texts}) == 1
    for dropped in range(len(texts[0])):
        kept = [
            " ".join(sentences[:dropped] + sentences[dropped + 1 :]) or "Return."
            for sentences in texts
        ]
        assert check_requests(plan, Requests(*kept), known), texts[0][dropped]


def _sentences(text):
    return re.split(r"(?<=[.?]) (?=[A-Z])", text)


def test_a_comparison_that_is_turned_into_another_is_refused():
    plan, known, written = _written(_position("counting_unit", "Divide each of these numbers"))
    broken = _everywhere(written, "Divide each of these numbers by", "Subtract from each number")
    assert any("a ratio" in problem for problem in check_requests(plan, broken, known))


def test_a_baseline_that_loses_its_group_is_refused():
    plan, known, written = _written(KEYED)
    at = written.a.index(" for the same ")
    clause = written.a[at : written.a.index(".", at)].split(" from each")[0]
    broken = _everywhere(written, clause, "")
    assert any("one for each" in problem for problem in check_requests(plan, broken, known))


def test_rows_without_a_match_that_are_no_longer_left_out_are_refused():
    plan, known, written = _written(JOINED)
    broken = _everywhere(written, ", leaving out those without a matching plane", "")
    problems = check_requests(plan, broken, known)
    assert any("rows without a matching plane" in problem for problem in problems)


def test_another_order_of_what_is_returned_is_refused():
    plan, known, written = _written(TIED)
    before, asked = written.a.rsplit("Return ", 1)
    names = asked.rstrip(".").replace(" and ", ", ").split(", ")
    turned = f"Return {', '.join(reversed(names))}."
    broken = Requests(
        *(text.replace(f"Return {asked}", turned) for text in (written.a, written.b, written.open))
    )
    assert any("in its place" in problem for problem in check_requests(plan, broken, known)), before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[0].lower() + text[1:], "capital"),
        (lambda text: text.rstrip("."), "full stop"),
        (lambda text: text.replace(" the ", " the the ", 1), "twice in a row"),
        (lambda text: text.replace(" the ", "  the ", 1), "untidy"),
        (lambda text: text.replace("Return", "Return COUNT(*) as", 1), "piece of SQL"),
        (lambda text: text.replace("Return", "In step 2, return", 1), "by letter or number"),
        (lambda text: f"Interpretation A: {text}", "by letter or number"),
        (lambda text: text.replace("the year", "the year_id", 1), "identifier"),
        (lambda text: text[:-1] + " please" * MOST_WORDS + ".", "words, more than"),
    ],
)
def test_an_untidy_form_is_refused(change, said):
    plan, known, written = _written(FILTERED)
    broken = Requests(change(written.a), change(written.b), change(written.open))
    assert any(said in problem for problem in check_requests(plan, broken, known))


def test_equal_texts_are_refused():
    plan, known, written = _written(FILTERED)
    broken = replace(written, b=written.a)
    assert "two of the three requests are the same text" in check_requests(plan, broken, known)


def test_capitals_and_marks_inside_a_stored_value_are_no_fault():
    position = next(
        at for at, case in enumerate(SETS) if "'" in case["a"].replace("'s", "").replace("s'", "")
    )
    plan, known, written = _written(position)
    assert check_requests(plan, written, known) == ()
