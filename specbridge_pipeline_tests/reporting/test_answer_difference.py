import pytest

from specbridge_pipeline.reporting.answer_difference import answer_difference

LEAGUES = [("AL", 5, 0.5), ("NL", 4, 0.25), ("FL", 9, 0.125)]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([(2.984123,)], [(2.471,)], "values: n is 2.9841 for A and 2.471 for B"),
        ([(0.12345678,)], [(0.12345679,)], "values: n is 0.12345678 for A and 0.12345679 for B"),
        ([(3304893.5,)], [(3278747.5,)], "values: n is 3,304,894 for A and 3,278,748 for B"),
        ([(7,)], [(None,)], "values: n is 7 for A and NULL for B"),
        ([("x",), ("y",)], [("x",), ("y",), ("z",)], "rows: A has 2, B 3; 1 only in B"),
        ([("x",)], [("y",), ("z",)], "rows: A has 1, B 2; 1 only in A; 2 only in B"),
        ([("x",), ("x",)], [("x",)], "rows: A has 2, B 1; 1 only in A"),
        ([], [("x",)], "rows: A has 0, B 1; 1 only in B"),
        ([("x", 1), ("y", 2)], [("y", 2), ("x", 1)], "the same rows in another order"),
    ],
)
def test_single_values_and_rows(first, second, said):
    assert answer_difference(["n"], first, second) == said


def test_values_of_rows_that_both_have():
    second = [("NL", 4, 0.3), ("AL", 5, 0.5), ("FL", 9, 0.2)]
    assert answer_difference(["league", "teams", "share"], LEAGUES, second) == (
        "values: in 2 of 3 rows, for instance share for NL, 4 is 0.25 for A and 0.3 for B"
    )


def test_rows_and_values_together():
    second = [("NL", 4, 0.3), ("AL", 5, 0.5), ("FL", 9, 0.125), ("PL", 8, 0.5)]
    assert answer_difference(["league", "teams", "share"], LEAGUES, second) == (
        "rows: A has 3, B 4; 1 only in B; "
        "values: in 1 of 3 rows, for instance share for NL, 4 is 0.25 for A and 0.3 for B"
    )


def test_results_too_large_to_pair_have_their_sizes():
    many = [(number,) for number in range(6000)]
    assert answer_difference(["n"], many, many[1:]) == "rows: A has 6,000, B 5,999"
    assert answer_difference(["n"], many, many[::-1]) == "both have 6,000 rows"
