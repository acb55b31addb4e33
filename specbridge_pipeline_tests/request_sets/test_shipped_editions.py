"""The promises of the editions that ship with the project, on the real sample databases."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.request_sets.checks import check_set, references
from specbridge_pipeline.request_sets.editions import Edition, read_edition
from specbridge_pipeline.request_sets.recheck import recheck_set
from specbridge_pipeline.request_sets.records import ID_LENGTH, RequestKind, RequestSet, Side
from specbridge_pipeline.settings import Project, starter_root
from specbridge_pipeline_tests.support.sample_databases import RunOn

HANDWRITTEN, FIRST, SECOND = (
    read_edition(Project(starter_root()), name)
    for name in ("handwritten-1", "generated-1", "generated-2")
)
BY_HAND = [pytest.param(each, id=each.id) for each in HANDWRITTEN.sets]
BY_RULES = [
    pytest.param(each, id=f"{edition.id}-{each.id}")
    for edition in (FIRST, SECOND)
    for each in edition.sets
]
SAMPLE = {"baseball", "flights"}


@pytest.mark.slow
@pytest.mark.parametrize("request_set", BY_HAND)
def test_a_set_tells_its_interpretations_apart(request_set: RequestSet, run_on: RunOn) -> None:
    run = run_on(request_set.database)
    check = check_set(run, request_set)
    assert check.problem == ""
    assert check.disjoint
    accepts = references(run, request_set)
    results = {side: run(request_set.interpretations[side].sql) for side in Side}
    rows = {}
    for side, result in results.items():
        assert isinstance(result, QueryResult)
        rows[side] = Counter(result.rows)
        assert check.rows[side] == len(result.rows) > 0
        assert compare(accepts[side], result).kind is VerdictKind.EQUAL
        assert compare(accepts[side.other], result).kind is VerdictKind.NOT_EQUAL
    assert rows[Side.A] != rows[Side.B]


@pytest.mark.parametrize("request_set", [*BY_HAND, *BY_RULES])
def test_a_set_is_whole(request_set: RequestSet) -> None:
    assert request_set.id == request_set.content_id()
    assert len(request_set.id) == ID_LENGTH
    assert 1 <= request_set.step_depth <= 6
    requests = [request_set.request(kind) for kind in RequestKind]
    assert len(set(requests)) == len(requests)
    one, other = (request_set.interpretations[side] for side in Side)
    assert one.sql != other.sql
    assert one.meaning != other.meaning
    # Each returns what it says: no request leaves its columns open.
    assert all("return" in text.lower() or "give" in text.lower() for text in requests)


@pytest.mark.slow
@pytest.mark.parametrize("request_set", BY_RULES)
def test_a_generated_set_passes_the_independent_check(
    request_set: RequestSet, run_on: RunOn
) -> None:
    result = recheck_set(run_on(request_set.database), request_set)
    # Among them: each result is accepted for its own query and never for the other one.
    assert result.problems == ()
    assert result.one_step
    assert result.depths_agree


@pytest.mark.parametrize(
    ("edition", "sets", "kinds"),
    [
        (FIRST, 40, {ChoiceType.AGGREGATION_LEVEL, ChoiceType.COUNTING_UNIT, ChoiceType.TIES}),
        (
            SECOND,
            120,
            {
                ChoiceType.AGGREGATION_LEVEL,
                ChoiceType.COUNTING_UNIT,
                ChoiceType.NEGATION,
                ChoiceType.STRICT_CUTOFF,
                ChoiceType.TIES,
            },
        ),
    ],
    ids=["generated-1", "generated-2"],
)
def test_a_generated_edition_covers_what_it_is_for(
    edition: Edition, sets: int, kinds: set[ChoiceType]
) -> None:
    assert len(edition.sets) >= sets
    assert set(edition.databases) == SAMPLE
    strata = Counter((each.choice_type, each.step_depth <= 2) for each in edition.sets)
    assert {kind for kind, _ in strata} == kinds
    assert all(strata[kind, short] >= 2 for kind in kinds for short in (True, False))
    assert edition.record.read_by == ("rules/reading", "rules/requirements")
    assert {each.provenance.writer for each in edition.sets} == {"rules"}


@pytest.mark.parametrize("edition", [FIRST, SECOND], ids=lambda edition: edition.record.id)
def test_a_generated_edition_asks_each_question_once(edition: Edition) -> None:
    opens = Counter(each.open_request for each in edition.sets)
    assert opens.most_common(1)[0][1] == 1


def test_the_handwritten_edition_covers_what_it_is_for() -> None:
    assert 12 <= len(HANDWRITTEN.sets) <= 16
    assert set(HANDWRITTEN.databases) == SAMPLE
    types = Counter(each.choice_type for each in HANDWRITTEN.sets)
    wanted = {
        ChoiceType.AGGREGATION_LEVEL,
        ChoiceType.TIES,
        ChoiceType.COUNTING_UNIT,
        ChoiceType.MISSING_VALUES,
        ChoiceType.STRICT_CUTOFF,
    }
    assert wanted <= types.keys()
    for kind in wanted:
        assert {each.database for each in HANDWRITTEN.sets if each.choice_type is kind} == SAMPLE


def takes_the_convention(request_set: RequestSet, side: Side) -> bool:
    """Whether a query keeps a plain LIMIT, or counts rows rather than entities."""
    sql = request_set.interpretations[side].sql
    if request_set.choice_type is ChoiceType.TIES:
        return re.search(r"\bLIMIT\s+\d+\s*$", sql) is not None
    return re.search(r"\bCOUNT\(\s*DISTINCT\b", sql) is None


@pytest.mark.parametrize(
    "edition", [HANDWRITTEN, FIRST, SECOND], ids=lambda edition: edition.record.id
)
def test_neither_side_is_always_the_convention(edition: Edition) -> None:
    kinds = (ChoiceType.TIES, ChoiceType.COUNTING_UNIT)
    sets = [each for each in edition.sets if each.choice_type in kinds]
    for each in sets:
        assert takes_the_convention(each, Side.A) != takes_the_convention(each, Side.B), each.id
    on_a = sum(takes_the_convention(each, Side.A) for each in sets)
    assert 0.3 <= on_a / len(sets) <= 0.7
