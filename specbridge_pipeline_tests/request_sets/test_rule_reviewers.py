"""The two rule-based reviewers: what they keep, what they refuse, and that they are two."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import specbridge_pipeline
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.request_sets.construction import Requests, ReviewSubject
from specbridge_pipeline.request_sets.records import RequestKind, Side
from specbridge_pipeline.request_sets.reviewing_by_reading import ReadingReviewer
from specbridge_pipeline.request_sets.reviewing_by_requirements import RequirementsReviewer
from specbridge_pipeline.request_sets.reviews import keeps
from specbridge_pipeline_tests.request_sets.writing_cases import (
    SETS,
    SINGLES,
    catalogue,
    plan_of,
    structure,
)

CASES = yaml.safe_load(Path(__file__).with_name("reviewed_sets.yaml").read_text("utf-8"))
REVIEWERS = {"requirements": RequirementsReviewer(), "reading": ReadingReviewer()}
BROKEN = [
    pytest.param(case, broken, id=f"{number}: {broken['what']}")
    for number, case in enumerate(CASES, start=1)
    for broken in case["broken"]
]
BOTH = pytest.mark.parametrize("reviewer", REVIEWERS.values(), ids=REVIEWERS)


def _subject(case, **requests):
    database = case["database"]
    texts = {name: case[name] for name in ("a", "b", "open")} | requests
    return ReviewSubject(
        choice_type=ChoiceType(case["choice_type"]),
        requests=Requests(**texts),
        structures={
            Side.A: structure(database, case["sql_a"]),
            Side.B: structure(database, case["sql_b"]),
        },
        descriptions={},
        catalogue=catalogue(database),
    )


def _broken(case, broken):
    texts = {name: case[name] for name in ("a", "b", "open")}
    for name, other in broken.get("request", {}).items():
        texts[name] = case[other]
    for old, new in broken.get("replace", {}).items():
        assert any(old in text for text in texts.values()), f"no request says '{old}'"
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    return _subject(case, **texts)


def _written(position):
    case, plan = SETS[position], plan_of(position)
    texts = (case[name].strip() for name in ("a", "b", "open"))
    return ReviewSubject(
        choice_type=plan.choice_type,
        requests=Requests(*texts),
        structures={Side.A: plan.structure, Side.B: plan.edited},
        descriptions={},
        catalogue=catalogue(case["database"]),
    )


def _keeps(reviewer, subject):
    return keeps(True, {reviewer.name: reviewer.review(subject)})


@BOTH
@pytest.mark.parametrize("case", CASES, ids=range(1, len(CASES) + 1))
def test_a_set_worded_by_a_person_is_kept(reviewer, case):
    reviews = reviewer.review(_subject(case))
    assert [review.notes for review in reviews] == [(), (), ()]
    assert keeps(True, {reviewer.name: reviews})


@pytest.mark.parametrize(("case", "broken"), BROKEN)
def test_a_broken_set_is_refused(case, broken):
    subject = _broken(case, broken)
    refusing = [name for name, reviewer in REVIEWERS.items() if not _keeps(reviewer, subject)]
    assert refusing == broken["refused_by"]


@pytest.mark.parametrize(
    ("name", "other"), [("requirements", "reading"), ("reading", "requirements")]
)
def test_each_reviewer_refuses_what_the_other_passes(name, other):
    alone = [
        broken for case in CASES for broken in case["broken"] if broken["refused_by"] == [name]
    ]
    assert alone, f"every broken set that {name} refuses, {other} refuses too"


@BOTH
@pytest.mark.parametrize("position", range(len(SETS)))
def test_sets_written_by_rules_and_read_by_a_person_are_kept(reviewer, position):
    subject = _written(position)
    assert [review.notes for review in reviewer.review(subject)] == [(), (), ()]


@BOTH
@pytest.mark.parametrize("position", range(len(SETS)))
def test_a_set_whose_requests_change_places_is_refused(reviewer, position):
    subject = _written(position)
    a, b, left_open = subject.requests.a, subject.requests.b, subject.requests.open
    for requests in (
        Requests(b, a, left_open),
        Requests(a, b, a),
        Requests(a, b, b),
        Requests(left_open, b, left_open),
        Requests(a, left_open, left_open),
        Requests(b, b, left_open),
    ):
        assert not _keeps(reviewer, replace(subject, requests=requests))


@BOTH
def test_a_request_is_judged_for_each_interpretation(reviewer):
    case = CASES[0]
    first, second, left_open = reviewer.review(_subject(case))
    assert [each.kind for each in (first, second, left_open)] == list(RequestKind)
    assert (first.accepts_a, first.accepts_b) == (True, False)
    assert (second.accepts_a, second.accepts_b) == (False, True)
    assert (left_open.accepts_a, left_open.accepts_b) == (True, True)


@BOTH
def test_requirements_and_the_choice_are_judged_apart(reviewer):
    """A dropped filter loses a requirement, and says nothing of the choice."""
    case = CASES[0]
    first = reviewer.review(_broken(case, {"replace": {" since 2010": ""}}))[0]
    assert (first.accepts_a, first.accepts_b, first.requirements_kept) == (True, False, False)
    assert any("year" in note for note in first.notes)


@BOTH
def test_words_that_are_ruled_out_settle_nothing(reviewer):
    case = CASES[0]
    open_request = case["open"].replace(
        "highest total.", "highest total, rather than including every player tied with the tenth."
    )
    reviews = reviewer.review(_subject(case, open=open_request))
    assert (reviews[2].accepts_a, reviews[2].accepts_b) == (True, True)


@BOTH
@pytest.mark.parametrize("case", SINGLES, ids=lambda case: case["request"][:60])
def test_a_request_for_a_single_query_is_accepted(reviewer, case):
    database = case["database"]
    query = structure(database, case["sql"])
    assert reviewer.review_single(case["request"].strip(), query, "", catalogue(database)) == ()


@BOTH
def test_a_request_for_a_single_query_must_say_what_it_computes(reviewer):
    query = structure("baseball", CASES[0]["sql_a"])
    known = catalogue("baseball")
    assert not reviewer.review_single(CASES[0]["a"], query, "", known)
    for old, new in ((" since 2010", ""), ("ten", "six"), ("home runs", "walks")):
        assert reviewer.review_single(CASES[0]["a"].replace(old, new), query, "", known)


def test_a_request_that_contradicts_its_query_is_noted():
    query = structure("baseball", CASES[0]["sql_a"])
    notes = ReadingReviewer().review_single(CASES[0]["b"], query, "", catalogue("baseball"))
    assert any("every other player tied" in note for note in notes)


def _modules_behind(name):
    """Return the room's modules behind a module, itself included, and all that they import.

    The interfaces that reviewers, writer and checks share are left out.
    """
    room = Path(specbridge_pipeline.__file__).parent / "request_sets"
    modules, imported, waiting = set(), set(), [name]
    while waiting:
        module = waiting.pop()
        if module in modules or module in ("construction", "records"):
            continue
        modules.add(module)
        for node in ast.walk(ast.parse((room / f"{module}.py").read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
                package, _, last = node.module.rpartition(".")
                if package == "specbridge_pipeline.request_sets":
                    waiting.append(last)
    return modules, imported


def test_the_reviewers_read_with_no_code_of_each_other_or_of_the_writer():
    behind = {name: _modules_behind(f"reviewing_by_{name}") for name in REVIEWERS}
    writer, _ = _modules_behind("writing")
    checks, _ = _modules_behind("code_checks")
    assert not behind["requirements"][0] & behind["reading"][0]
    for modules, imported in behind.values():
        assert not modules & (writer | checks)
        assert not {
            each
            for each in imported
            if each.startswith("specbridge_pipeline.choices")
            and each != "specbridge_pipeline.choices.types"
        }
