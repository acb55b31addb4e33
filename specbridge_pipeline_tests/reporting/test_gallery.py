import dataclasses

import pytest

from specbridge_pipeline.reporting.gallery import gallery, selected_examples
from specbridge_pipeline.reporting.report import ReportData
from specbridge_pipeline.reporting.report_sets import answering
from specbridge_pipeline_tests.reporting.conftest import set_row

SOURCES = {"alpha": "one", "beta": "one", "gamma": "two"}


def chosen(lengths: dict[str, tuple[str, int]], most: int = 4) -> list[str]:
    sets = [
        set_row(name, database, "ties", request_open="x" * length)
        for name, (database, length) in lengths.items()
    ]
    picked = [
        [row["set_id"] for row in selected_examples(rows, SOURCES, most)]
        for rows in (sets, sets[::-1])
    ]
    assert picked[0] == picked[1]
    return picked[0]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        # Shortest first; of two of the same length the first by id.
        ({"c": ("alpha", 20), "a": ("alpha", 30), "b": ("alpha", 20)}, ["b", "c", "a"]),
        # Sources take turns, however long what the other one has.
        ({"a": ("alpha", 10), "b": ("alpha", 11), "c": ("gamma", 90)}, ["a", "c", "b"]),
        # A database comes again only after the others of its source.
        ({"a": ("alpha", 10), "b": ("alpha", 11), "c": ("beta", 90)}, ["a", "c", "b"]),
        # A database that the registry does not know is a source of its own.
        ({"a": ("alpha", 20), "b": ("alpha", 21), "z": ("zeta", 10)}, ["a", "z", "b"]),
        ({}, []),
    ],
)
def test_the_rule_of_selection(lengths: dict[str, tuple[str, int]], expected: list[str]) -> None:
    assert chosen(lengths) == expected


def test_a_type_has_at_most_so_many_examples() -> None:
    assert chosen(dict.fromkeys("fedcba", ("alpha", 10)), most=4) == list("abcd")


def test_an_example_shows_meanings_answers_and_outcomes(report_data: ReportData) -> None:
    data = dataclasses.replace(report_data, differences={"aaaaaaaaaaaa": "values: in 1 of 2 rows"})
    groups = gallery(data, answering(data))
    assert [(group.choice_type, group.total) for group in groups] == [
        ("counting unit", 1),
        ("ties", 1),
    ]
    example = groups[0].examples[0]
    assert example.open_request == "How many winners does each league have?"
    assert ["".join(piece.text for piece in words) for _, words in example.meanings] == [
        "Rows are counted.",
        "Different players are counted.",
    ]
    assert example.answers == "values: in 1 of 2 rows"
    assert [(found.outcome, found.words) for found in example.outcomes] == [
        ("both_returned", "both interpretations returned"),
        ("does_not_run", "a specific answer does not run"),
    ]
    assert groups[1].examples[0].answers == "both have 2 rows"


def test_a_set_that_was_not_answered_whole_says_so(report_data: ReportData) -> None:
    data = dataclasses.replace(report_data, outcomes=report_data.outcomes.clear())
    words = {found.words for found in gallery(data, answering(data))[0].examples[0].outcomes}
    assert words == {"not answered whole"}
