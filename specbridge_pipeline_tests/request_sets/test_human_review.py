from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.human_review.decisions import (
    COLUMNS,
    Decision,
    ReadDecision,
    RejectionReason,
    Verdict,
    csv_text,
    decisions_csv,
    one_kind_of_break,
)
from specbridge_pipeline.request_sets.human_review.drawing import drawn_sets, review_digest
from specbridge_pipeline.request_sets.human_review.importing import (
    plan_import,
    recorded_decisions,
    write_import,
)
from specbridge_pipeline.request_sets.human_review.merging import (
    Standing,
    merge_decisions,
    pair_agreements,
    reviewed_sets,
)
from specbridge_pipeline.request_sets.human_review.reading import read_decisions
from specbridge_pipeline.request_sets.human_verdicts import human_decision, read_verdicts
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.accepted import clinic_sets

ONE, TWO = "0123456789ab", "ba9876543210"
DIGESTS = {ONE: "d1", TWO: "d2"}
UNNATURAL = RejectionReason.UNNATURAL
Write = Callable[..., Path]


def decision(
    set_id: str, reviewer: str, accepted: bool, pass_number: int = 1, comment: str = ""
) -> Decision:
    verdict = Verdict.ACCEPT if accepted else Verdict.REJECT
    reason = None if accepted else UNNATURAL
    digest = DIGESTS.get(set_id, "d0")
    return Decision(set_id, digest, reviewer, pass_number, verdict, reason, comment)


def pass_of(reviewer: str, accepted: str, pass_number: int = 1) -> list[Decision]:
    """Decisions on sets 0, 1, …: + accepts, - rejects, a blank leaves a set out."""
    return [
        decision(f"{place:012d}", reviewer, sign == "+", pass_number)
        for place, sign in enumerate(accepted)
        if sign != " "
    ]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str | bytes | list[Decision], name: str = "file.csv") -> Path:
        path = tmp_path / name
        text = decisions_csv(content) if isinstance(content, list) else content
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def problems(project: Project, *paths: Path, replace: bool = False) -> tuple[str, ...]:
    with pytest.raises(HumanVerdictsError) as caught:
        plan_import(project, paths, DIGESTS, replace=replace)
    return caught.value.problems


def bring_in(project: Project, *paths: Path, replace: bool = False) -> None:
    write_import(project, plan_import(project, paths, DIGESTS, replace=replace))


def test_the_faults_of_all_files_are_said_and_a_good_one_is_not_imported(
    project: Project, write: Write
) -> None:
    good = write([decision(ONE, "ann", True)], "good.csv")
    bad = write(f"{','.join(COLUMNS)}\n{ONE},d1,bea,1,perhaps,,\n", "bad.csv")
    worse = write("set_id\n", "worse.csv")
    found = problems(project, good, bad, worse)
    assert [problem.split(":")[0] for problem in found] == ["bad.csv", *["worse.csv"] * 3]
    assert not project.reviews.exists()


def test_two_files_cannot_decide_the_same(project: Project, write: Write) -> None:
    first = write([decision(ONE, "ann", True)], "first.csv")
    second = write([decision(ONE, "ann", True, comment="again")], "second.csv")
    [problem] = problems(project, first, second)
    assert problem == (
        f"second.csv:2: 'ann' has already decided set {ONE} in pass 1, at first.csv:2"
    )


def test_a_sheet_is_read_with_its_columns_for_reading_and_undecided_lines_are_passed_over(
    write: Write,
) -> None:
    text = csv_text(
        ("comment", "verdict", "reviewer", "digest", "set_id", "open_request", "reason"),
        [
            ("", "Reject", "ann", "d1", ONE.upper(), "How many?", "Wording favours one"),
            ("", "", "", "d2", TWO, "How many,\nreally?", ""),
        ],
    )
    [found] = read_decisions([write(b"\xef\xbb\xbf" + text.encode())], DIGESTS)
    assert found.decision == Decision(
        ONE, "d1", "ann", 1, Verdict.REJECT, RejectionReason.WORDING_FAVOURS_ONE
    )


def test_json_lines_say_the_same_as_csv(write: Write) -> None:
    made = [
        decision(ONE, "ann", True, comment='a "quoted", one\u2028line'),
        decision(TWO, "b", False),
    ]
    rows = [
        {
            "set_id": each.set_id,
            "digest": each.digest,
            "reviewer": each.reviewer,
            "pass": each.pass_number,
            "verdict": each.verdict,
            "reason": each.reason,
            "comment": each.comment,
        }
        for each in made
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for path in (write(lines, "file.jsonl"), write(made)):
        assert [each.decision for each in read_decisions([path], DIGESTS)] == made


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_line_breaks_of_any_kind_are_read_as_one_and_a_name_has_none(
    kind: str, write: Write
) -> None:
    row = {"set_id": ONE, "digest": "d1", "reviewer": "ann\r\nb", "verdict": "accept"}
    row["comment"] = "first\rsecond\r\nthird"
    cells = ",".join(f'"{cell}"' for cell in row.values())
    text = f"{','.join(row)}\r\n{cells}\r\n" if kind == "csv" else json.dumps(row)
    [found] = read_decisions([write(text, f"file.{kind}")], DIGESTS)
    assert found.decision.reviewer == "ann b"
    assert found.decision.comment == "first\nsecond\nthird"


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)
COMMENTS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30
).map(str.strip)


@given(
    reviewer=NAMES.map(lambda text: " ".join(text.split())).filter(bool),
    comment=COMMENTS.map(one_kind_of_break),
    reason=st.none() | st.sampled_from(RejectionReason),
    pass_number=st.sampled_from((1, 2)),
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory,
    reviewer: str,
    comment: str,
    reason: RejectionReason | None,
    pass_number: int,
) -> None:
    verdict = Verdict.REJECT if reason else Verdict.ACCEPT
    made = Decision(ONE, "d1", reviewer, pass_number, verdict, reason, comment)
    path = tmp_path_factory.mktemp("written") / "file.csv"
    path.write_bytes(decisions_csv([made]).encode())
    assert [each.decision for each in read_decisions([path], DIGESTS)] == [made]


def test_an_import_writes_verdicts_where_they_are_read(project: Project, write: Write) -> None:
    bring_in(
        project,
        write(
            [decision(ONE, "ann", True), decision(TWO, "ann", False, comment="no,\nno")], "a.csv"
        ),
        write([decision(ONE, "bea", True), decision(TWO, "bea", True)], "b.csv"),
    )
    verdicts = read_verdicts(project.reviews.glob("*.csv"))
    assert [(each.set_id, each.reviewer, each.accepted, each.reason) for each in verdicts] == [
        (ONE, "ann", True, ""),
        (ONE, "bea", True, ""),
        (TWO, "ann", False, "unnatural"),
        (TWO, "bea", True, ""),
    ]
    assert verdicts[2].comment == "no,\nno"
    assert human_decision([each for each in verdicts if each.set_id == ONE])
    assert not human_decision([each for each in verdicts if each.set_id == TWO])


def test_the_same_import_twice_and_files_in_any_order_write_the_same(
    project: Project, write: Write
) -> None:
    a = write([decision(TWO, "ann", True), decision(ONE, "ann", False)], "a.csv")
    b = write([decision(ONE, "bea", True)], "b.csv")
    bring_in(project, a, b)
    before = {path: path.read_bytes() for path in project.reviews.rglob("*.csv")}
    bring_in(project, b, a)
    planned = plan_import(project, [a], DIGESTS)
    assert (planned.read, planned.added, planned.replaced) == (2, 0, 0)
    assert {path: path.read_bytes() for path in project.reviews.rglob("*.csv")} == before
    assert len(before) == 2


def test_a_file_that_has_grown_is_imported_again(project: Project, write: Write) -> None:
    bring_in(project, write([decision(ONE, "ann", True)]))
    grown = write([decision(ONE, "ann", True), decision(TWO, "ann", False)])
    assert plan_import(project, [grown], DIGESTS).added == 1


def test_another_decision_takes_the_place_of_an_imported_one_only_when_asked(
    project: Project, write: Write
) -> None:
    bring_in(project, write([decision(ONE, "ann", True)]))
    changed = write([decision(ONE, "ann", False)], "changed.csv")
    [problem] = problems(project, changed)
    assert problem.startswith(f"changed.csv:2: 'ann' has already decided set {ONE} in pass 1")
    assert [each.accepted for each in recorded_decisions(project)] == [True]
    assert plan_import(project, [changed], DIGESTS, replace=True).replaced == 1
    bring_in(project, changed, replace=True)
    assert [each.accepted for each in recorded_decisions(project)] == [False]


def test_a_reviewer_known_in_another_spelling_is_refused(project: Project, write: Write) -> None:
    bring_in(project, write([decision(ONE, "ann", True)]))
    [problem] = problems(project, write([decision(TWO, "ANN", True)], "other.csv"))
    assert problem.startswith("other.csv:2: the reviewer 'ANN' was imported as 'ann'")


def test_a_verdict_that_somebody_wrote_by_hand_is_not_doubled(
    project: Project, write: Write
) -> None:
    project.reviews.mkdir(parents=True)
    (project.reviews / "by-hand.csv").write_text(f"set_id,reviewer,verdict\n{ONE},ann,accept\n")
    [problem] = problems(project, write([decision(ONE, "ann", True)]))
    assert problem.startswith(f"by-hand.csv:2: 'ann' has a verdict on set {ONE} here already")


def test_decisions_imported_before_outlive_a_change_of_their_set(
    project: Project, write: Write
) -> None:
    bring_in(project, write([decision(ONE, "ann", True)]))
    later = plan_import(project, [write([decision(TWO, "ann", True)])], {TWO: "d2"})
    assert [each.set_id for each in later.decisions] == [ONE, TWO]


@pytest.mark.parametrize(
    ("first", "second", "standing"),
    [
        ({"ann": True}, {}, Standing.KEPT),
        ({"ann": False}, {}, Standing.REJECTED),
        ({"ann": True, "bea": True}, {}, Standing.KEPT),
        ({"ann": False, "bea": False}, {}, Standing.REJECTED),
        ({"ann": True, "bea": False}, {}, Standing.DISAGREEMENT),
        ({"ann": True, "bea": True, "cid": False}, {}, Standing.DISAGREEMENT),
        ({"ann": True, "bea": False}, {"bea": False}, Standing.DISAGREEMENT),
        ({"ann": True, "bea": False}, {"bea": True}, Standing.KEPT),
        ({"ann": True, "bea": False}, {"ann": True, "bea": True}, Standing.KEPT),
        ({"ann": True, "bea": False}, {"ann": True, "bea": False}, Standing.REJECTED),
        ({"ann": True, "bea": False}, {"ann": False, "bea": True}, Standing.REJECTED),
        ({"ann": True, "bea": False}, {"ann": False, "bea": False}, Standing.REJECTED),
    ],
)
def test_a_set_is_kept_when_all_accept_it_in_the_end(
    first: dict[str, bool], second: dict[str, bool], standing: Standing
) -> None:
    decisions = [
        decision(ONE, reviewer, accepted, number)
        for number, said in enumerate((first, second), start=1)
        for reviewer, accepted in said.items()
    ]
    [found] = reviewed_sets(reversed(decisions))
    assert found.standing is standing
    assert found.reviewers == tuple(sorted(first))


def test_agreement_is_that_of_the_first_pass_with_the_final_one_beside_it() -> None:
    decisions = [
        *pass_of("ann", "++++++-- +"),
        *pass_of("bea", "+++++---+"),
        *pass_of("bea", "     +", 2),
    ]
    [found] = pair_agreements(decisions)
    assert found.reviewers == ("ann", "bea")
    # By hand: 8 sets, ann accepts 6, bea 5, both 5, neither 2, so observed 7/8 and expected
    # (6 × 5 + 2 × 3) / 64 = 9/16.
    assert found.first_pass.items == 8
    assert found.first_pass.raw == 7 / 8
    assert found.first_pass.kappa == pytest.approx((7 / 8 - 9 / 16) / (1 - 9 / 16))
    assert found.final.raw == 1
    assert found.final.kappa == 1


def test_every_two_reviewers_who_share_a_set_are_compared() -> None:
    decisions = [*pass_of("ann", "++"), *pass_of("bea", " ++"), *pass_of("cid", "  -")]
    found = {each.reviewers: each.first_pass for each in pair_agreements(decisions)}
    assert set(found) == {("ann", "bea"), ("bea", "cid")}
    assert math.isnan(found["ann", "bea"].kappa)
    assert found["bea", "cid"].raw == 0


def test_merging_keeps_both_passes_of_a_reviewer() -> None:
    first = decision(ONE, "ann", False)
    second = decision(ONE, "ann", True, 2)
    assert merge_decisions([first], [ReadDecision(second, "file.csv:2")]) == [first, second]


def test_the_order_follows_from_seed_and_ids_and_a_draw_begins_a_larger_one() -> None:
    sets = clinic_sets()
    orders = {tuple(each.id for each in drawn_sets(sets, seed)) for seed in range(30)}
    assert len(orders) > 5
    for seed in range(5):
        whole = drawn_sets(sets, seed)
        assert drawn_sets(reversed(sets), seed) == whole
        assert drawn_sets(sets, seed, 2) == whole[:2]
        assert {each.id for each in whole} == {each.id for each in sets}


def test_the_digest_changes_with_the_set_and_with_its_database_only() -> None:
    one, other, *_ = clinic_sets()
    digest = review_digest(one, "0" * 64)
    read = one.provenance.model_copy(update={"human_verdict": True, "reviewers": ("m",)})
    assert review_digest(one.model_copy(update={"provenance": read}), "0" * 64) == digest
    assert review_digest(other, "0" * 64) != digest
    assert review_digest(one, "1" * 64) != digest
    assert review_digest(
        one.model_copy(update={"open_request": f"{one.open_request} "}), "0" * 64
    ) not in (digest,)
