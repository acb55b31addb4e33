from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.construction_records import HUMAN_VERDICTS
from specbridge_pipeline.request_sets.human_verdicts import (
    Verdict,
    human_decision,
    read_verdicts,
    verdict_rows,
)

ONE, OTHER = "0123456789ab", "ba9876543210"
HEADER = "set_id,reviewer,verdict,reason,comment\n"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str | bytes, name: str = "first.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def problems(*paths: Path) -> tuple[str, ...]:
    with pytest.raises(HumanVerdictsError) as caught:
        read_verdicts(paths)
    return caught.value.problems


def test_verdicts_are_read_with_their_file_and_line(write: Write) -> None:
    first = write(f'{HEADER}{ONE},ann,accept,,"fine,\nreally"\n\n{OTHER}, ann ,Reject, settled ,\n')
    second = write(f"\ufeffverdict,set_id,reviewer\r\naccept,{ONE.upper()},bea\r\n", "second.csv")
    assert read_verdicts([second, first]) == [
        Verdict("first.csv", 2, ONE, "ann", True, "", "fine,\nreally"),
        Verdict("first.csv", 5, OTHER, "ann", False, "settled", ""),
        Verdict("second.csv", 2, ONE, "bea", True, "", ""),
    ]


def test_without_files_there_are_no_verdicts() -> None:
    assert read_verdicts([]) == []


def test_a_file_with_nothing_but_its_header_has_none(write: Write) -> None:
    assert read_verdicts([write(HEADER)]) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"{ONE},ann,maybe,,", "the verdict is 'maybe', not accept or reject"),
        (f"{ONE},ann,,,", "the verdict is '', not accept or reject"),
        (",ann,accept,,", "the set id is missing"),
        ("1.23457E+11,ann,accept,,", "'1.23457E+11' is no set id"),
        (f"{ONE},,accept,,", "the reviewer is missing"),
        (f"{ONE},ann,accept,a,b,c", "6 cells for 5 columns"),
        (f'{ONE},ann,accept,"unfinished', "is not CSV"),
        (f"{ONE},ann", "the verdict is ''"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(line: str, says: str, write: Write) -> None:
    [problem] = problems(write(f"{HEADER}{OTHER},ann,accept,,\n{line}\n"))
    assert problem.startswith("first.csv:3: ")
    assert says in problem


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "first.csv: is empty"),
        (b"set_id,reviewer,verdict,mood\n", "first.csv:1: unknown column 'mood'"),
        (b"set_id;reviewer;verdict\n", "unknown column 'set_id;reviewer;verdict'"),
        (b"set_id,verdict\n", "first.csv:1: column 'reviewer' is missing"),
        (b"set_id,reviewer,verdict,verdict\n", "first.csv:1: column 'verdict' stands twice"),
        (b"set_id,reviewer,verdict\n\xff", "first.csv:2: is not UTF-8, at byte 24"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(content: bytes, says: str, write: Write) -> None:
    assert any(says in problem for problem in problems(write(content)))


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path, write: Write) -> None:
    [problem] = problems(tmp_path / "none.csv")
    assert problem.startswith("none.csv: cannot be read: ")
    [problem] = problems(write(HEADER + "x" * 10_000_000))
    assert "more than 10,000,000 bytes" in problem


def test_nobody_judges_a_set_twice(write: Write) -> None:
    first = write(f"{HEADER}{ONE},ann,accept,,\n{ONE},bea,accept,,\n{ONE},ann,reject,,\n")
    second = write(f"{HEADER}{ONE},bea,accept,,\n", "second.csv")
    assert problems(second, first) == (
        f"first.csv:4: 'ann' has already judged set {ONE}, at first.csv:2",
        f"second.csv:2: 'bea' has already judged set {ONE}, at first.csv:3",
    )


def test_all_problems_of_all_files_are_reported_and_no_verdict_is_used(write: Write) -> None:
    good = write(f"{HEADER}{ONE},ann,accept,,\n", "a.csv")
    bad = write(f"{HEADER}x,,perhaps,,\n{OTHER},ann,accept,,\n,ann,accept,,\n", "b.csv")
    worse = write("mood\n", "c.csv")
    found = problems(good, bad, worse)
    assert [problem.split(": ")[0] for problem in found] == [
        *["b.csv:2"] * 3,
        "b.csv:4",
        *["c.csv:1"] * 4,
    ]
    with pytest.raises(HumanVerdictsError, match=r"8 problems(.|\n)*b\.csv:4: the set id"):
        read_verdicts([good, bad, worse])


def test_verdicts_become_stored_rows(write: Write) -> None:
    verdicts = read_verdicts(
        [write(f"{HEADER}{ONE},ann,accept,,good\n{ONE},bea,reject,unclear,\n")]
    )
    frame = HUMAN_VERDICTS.frame(verdict_rows(verdicts))
    assert frame.select("set_id", "reviewer", "accepted", "reason").rows() == [
        (ONE, "ann", True, ""),
        (ONE, "bea", False, "unclear"),
    ]


@pytest.mark.parametrize(
    ("accepted", "decision"),
    [((), None), ((True,), True), ((True, True), True), ((True, False), False), ((False,), False)],
)
def test_a_set_is_kept_only_when_all_accept_it(
    accepted: tuple[bool, ...], decision: bool | None
) -> None:
    verdicts = [Verdict("f", 2 + n, ONE, f"p{n}", each, "", "") for n, each in enumerate(accepted)]
    assert human_decision(verdicts) is decision
