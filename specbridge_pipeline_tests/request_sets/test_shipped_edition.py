"""The promises of the edition that ships with the project, on the real sample databases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline.request_sets.checks import check_set, references
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.records import ID_LENGTH, RequestKind, RequestSet, Side
from specbridge_pipeline.settings import Project, starter_root

EDITION = read_edition(Project(starter_root()), "handwritten-1")
SETS = [pytest.param(each, id=each.id) for each in EDITION.sets]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("samples")
    paths = {}
    for name in EDITION.databases:
        paths[name] = folder / f"{name}.sqlite"
        build_database(paths[name], SAMPLES[name]())
    return paths


@pytest.fixture(scope="module")
def runner() -> Iterator[QueryRunner]:
    with QueryRunner(workers=2) as runner:
        yield runner


@pytest.mark.slow
@pytest.mark.parametrize("request_set", SETS)
def test_a_set_tells_its_interpretations_apart(
    request_set: RequestSet, databases: dict[str, Path], runner: QueryRunner
) -> None:
    run = partial(runner.run, databases[request_set.database])
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


@pytest.mark.parametrize("request_set", SETS)
def test_a_set_is_whole(request_set: RequestSet) -> None:
    assert request_set.id == request_set.content_id()
    assert len(request_set.id) == ID_LENGTH
    assert 1 <= request_set.step_depth <= 3
    requests = [request_set.request(kind) for kind in RequestKind]
    assert len(set(requests)) == len(requests)
    one, other = (request_set.interpretations[side] for side in Side)
    assert one.sql != other.sql
    assert one.meaning != other.meaning
    # Each returns what it says: no request leaves its columns open.
    assert all("return" in text.lower() or "give" in text.lower() for text in requests)


def test_the_edition_covers_what_it_is_for() -> None:
    assert 12 <= len(EDITION.sets) <= 16
    assert set(EDITION.databases) == {"baseball", "flights"}
    types = Counter(each.choice_type for each in EDITION.sets)
    wanted = {
        ChoiceType.AGGREGATION_LEVEL,
        ChoiceType.TIES,
        ChoiceType.COUNTING_UNIT,
        ChoiceType.MISSING_VALUES,
        ChoiceType.STRICT_CUTOFF,
    }
    assert wanted <= types.keys()
    for kind in wanted:
        assert {each.database for each in EDITION.sets if each.choice_type is kind} == {
            "baseball",
            "flights",
        }


def takes_the_convention(request_set: RequestSet, side: Side) -> bool:
    """Whether a query keeps a plain LIMIT, or counts rows rather than entities."""
    sql = request_set.interpretations[side].sql
    if request_set.choice_type is ChoiceType.TIES:
        return re.search(r"\bLIMIT\s+\d+\s*$", sql) is not None
    return re.search(r"\bCOUNT\(\s*DISTINCT\b", sql) is None


def test_neither_side_is_always_the_convention() -> None:
    kinds = (ChoiceType.TIES, ChoiceType.COUNTING_UNIT)
    sets = [each for each in EDITION.sets if each.choice_type in kinds]
    for each in sets:
        assert takes_the_convention(each, Side.A) != takes_the_convention(each, Side.B), each.id
    on_a = sum(takes_the_convention(each, Side.A) for each in sets)
    assert 0.4 <= on_a / len(sets) <= 0.6
