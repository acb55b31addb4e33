"""An exported edition: the same bytes every time, in the form that its schema and card describe."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.exchange.reading_sets import RegisteredDatabase, read_set_rows
from specbridge_pipeline.exchange.response_rows import ResponseRow
from specbridge_pipeline.exchange.set_rows import SetRow
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    RejectionReason,
    Verdict,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    edition_digests,
    review_folder,
    review_texts,
)
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import (
    EDITION,
    LABEL,
    judge_sets,
    make_project,
    run,
    scripted,
    write_models,
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("exporting"))


def export(project: Project, folder: Path, *options: str, seed: str = "0") -> dict[str, str]:
    """Export in a process of its own, with its own order of hashes."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "specbridge_pipeline.cli", "--project", str(project.root)),
            *("editions", "export", EDITION, "--out", str(folder), *options),
        ],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def exported(project: Project, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return export(project, tmp_path_factory.mktemp("exported") / "one")


def test_the_same_edition_gives_the_same_bytes(
    project: Project, exported: dict[str, str], tmp_path: Path
) -> None:
    assert export(project, tmp_path / "two", seed="12345") == exported


def test_every_row_is_valid_by_the_schema_and_has_every_field(exported: dict[str, str]) -> None:
    schema = json.loads(exported["sets.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    found = rows(exported["sets.jsonl"])
    assert len(found) == 3
    for each in found:
        jsonschema.validate(each, schema)
        assert list(each) == list(SetRow.model_fields)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found[0] | {"mood": "fine"}, schema)


def test_the_card_describes_every_field_and_names_licences_and_digest(
    project: Project, exported: dict[str, str]
) -> None:
    card = exported["README.md"]
    record = read_edition(project, EDITION).record
    head, text = re.fullmatch(r"---\n(.*?)\n---\n(.*)", card, re.DOTALL).groups()  # type: ignore[union-attr]
    assert yaml.safe_load(head)["pretty_name"] == record.title
    assert yaml.safe_load(head)["configs"] == [{"config_name": "sets", "data_files": "sets.jsonl"}]
    for name, field in SetRow.model_fields.items():
        assert field.description
        assert f"| `{name}` | {field.description}" in text
    assert record.digest in text
    assert record.databases["shop"].content_hash in text
    assert "- `shop`: none" in text
    assert "$" not in text


def test_what_is_exported_can_be_imported_as_the_same_sets(
    project: Project, exported: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "sets.jsonl"
    path.write_text(exported["sets.jsonl"], "utf-8")
    edition = read_edition(project, EDITION)
    known = edition.record.databases["shop"].content_hash
    read = read_set_rows(path, lambda _: RegisteredDatabase(known, "sqlite"))
    assert [each.row.id for each in read] == [each.id for each in edition.sets]


def test_verdicts_of_people_are_exported_and_the_card_says_so(
    project: Project, exported: dict[str, str], tmp_path: Path
) -> None:
    assert "judged by no person" in exported["README.md"]
    first = read_edition(project, EDITION).sets[0].id
    project.reviews.mkdir(parents=True)
    file = project.reviews / "ann.csv"
    file.write_text(f"set_id,reviewer,verdict,reason\n{first},ann,reject,unnatural\n", "utf-8")
    try:
        found = export(project, tmp_path / "judged")
    finally:
        file.unlink()
    [judged, *others] = rows(found["sets.jsonl"])
    said = {"reviewer": "ann", "label": "", "pass_number": None, "verdict": "reject"}
    assert judged["human_verdicts"] == [said | {"reason": "unnatural", "comment": ""}]
    assert not any(each["human_verdicts"] for each in others)
    assert (
        "\n1 of 3 request sets was read in review, by ann (it is not said what kind of review this "
        "is). It was not accepted in every reading. The other 2 have not been read in review.\n"
    ) in found["README.md"]


def test_verdicts_that_ship_are_exported_as_they_are_with_whose_they_are(
    project: Project, exported: dict[str, str], tmp_path: Path
) -> None:
    judge_sets(project)
    folder = review_folder(read_edition(project, EDITION))
    shipped = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    try:
        found = export(project, tmp_path / "judged")
        assert export(project, tmp_path / "again", seed="12345") == found
    finally:
        shutil.rmtree(folder)
    assert sorted(shipped) == ["ann-1.csv", "ann-2.csv", "reviewers.yaml"]
    assert {name: found[name] for name in shipped} == shipped
    schema = json.loads(found["sets.schema.json"])
    by_id = {str(each["id"]): each for each in rows(found["sets.jsonl"])}
    first, second, third = sorted(by_id)
    for each in by_id.values():
        jsonschema.validate(each, schema)
    said = {"label": LABEL, "pass_number": 1, "reason": "", "comment": ""}
    accepted, rejected = said | {"verdict": "accept"}, said | {"verdict": "reject"}
    odd = {"reason": "unnatural", "comment": "odd"}
    assert by_id[first]["human_verdicts"] == [
        accepted | {"reviewer": "ann/1"},
        accepted | {"reviewer": "ann/2"},
    ]
    assert by_id[second]["human_verdicts"] == []
    assert by_id[third]["human_verdicts"] == [
        rejected | odd | {"reviewer": "ann/1"},
        accepted | {"reviewer": "ann/2"},
    ]


def test_the_card_says_first_whose_review_it_is_and_how_far_it_agrees(
    project: Project, tmp_path: Path
) -> None:
    judge_sets(project)
    try:
        card = export(project, tmp_path / "judged")["README.md"]
    finally:
        shutil.rmtree(review_folder(read_edition(project, EDITION)))
    head, text = re.fullmatch(r"---\n(.*?)\n---\n(.*)", card, re.DOTALL).groups()  # type: ignore[union-attr]
    assert yaml.safe_load(head)["configs"][1] == {
        "config_name": "verdicts",
        "data_files": "verdicts/*.csv",
    }
    [_, first, *_] = re.findall(r"[^\n]+", text)
    assert first == (
        f"2 of 3 request sets were read in review, by ann in 2 readings ({LABEL}). 1 of these 2 "
        "was accepted in every reading. ann/1 accepted 1 of 2 and ann/2 2 of 2; the two readings "
        "gave the same verdict on 1 of 2 (Cohen's κ 0.00). The other 1 has not been read in review."
    )
    for line in (
        "| Read | 2 of 3 | 67% |",
        "| Accepted in every reading, and so kept | 1 of 2 | 50% |",
        "| Accepted in one reading and rejected in another, and so not kept | 1 of 2 | 50% |",
        f"| ann/1 | {LABEL} | 2 | 1 | unnatural 1 |",
        f"| ann/2 | {LABEL} | 2 | 2 |  |",
        "| ann/1 and ann/2 (two readings by the same reader), as first decided | 1 of 2 | 50% |",
        "- *unnatural*: nobody would ask this, or not in these words",
        "It does not say that anybody else would agree.",
        "| `human_verdicts.label` | What kind of review this is",
    ):
        assert line in text


def test_what_people_wrote_of_themselves_shows_in_the_card_as_it_stands(
    project: Project, tmp_path: Path
) -> None:
    judge_sets(project)
    folder = review_folder(read_edition(project, EDITION))
    for file in folder.glob("*.csv"):
        file.write_text(file.read_text("utf-8").replace("ann/", "<b>*ann*/"), "utf-8")
    label = "[an independent review](https://example.org) | a_b"
    text = yaml.safe_dump({"reviewers": {"<b>*ann*": label}})
    (folder / "reviewers.yaml").write_text(text, "utf-8")
    try:
        card = export(project, tmp_path / "judged")["README.md"]
    finally:
        shutil.rmtree(folder)
    escaped = r"\[an independent review\](https://example.org) | a\_b"
    assert rf"by \<b\>\*ann\* in 2 readings ({escaped})" in card
    in_cell = escaped.replace("|", r"\|")
    assert rf"| \<b\>\*ann\*/1 | {in_cell} | 2 | 1 |" in card


def test_the_card_says_whether_one_person_or_two_agree_and_when(
    project: Project, tmp_path: Path
) -> None:
    edition = read_edition(project, EDITION)
    digests = edition_digests(edition)
    first, _, third = sorted(digests)

    def decision(name: str, reviewer: str, accepted: bool, number: int = 1) -> Decision:
        verdict = Verdict.ACCEPT if accepted else Verdict.REJECT
        reason = None if accepted else RejectionReason.OTHER
        return Decision(name, digests[name], reviewer, number, verdict, reason, "so")

    decisions = [decision(first, "ann", True), decision(first, "bea", True)]
    decisions += [decision(third, "ann", False), decision(third, "bea", True)]
    decisions += [decision(third, name, True, 2) for name in ("ann", "bea")]
    review_folder(edition).mkdir()
    for name, text in review_texts(decisions, {"ann": LABEL, "bea": "another's"}).items():
        (review_folder(edition) / name).write_text(text, "utf-8")
    try:
        card = export(project, tmp_path / "judged")["README.md"]
    finally:
        shutil.rmtree(review_folder(edition))
    assert (
        f"by ann ({LABEL}) and bea (another's). 2 of these 2 were accepted in every reading. ann "
        "accepted 2 of 2 and bea 2 of 2; they gave the same verdict, as first decided, on 1 of 2 "
        "(Cohen's κ 0.00)."
    ) in card


def test_a_fault_in_the_verdicts_that_ship_is_named_and_nothing_is_exported(
    project: Project, tmp_path: Path
) -> None:
    judge_sets(project)
    folder = review_folder(read_edition(project, EDITION))
    file = folder / "ann-1.csv"
    file.write_text(file.read_text("utf-8").replace("accept", "perhaps"), "utf-8")
    command = ["--project", str(project.root), "editions", "export", EDITION, "--out"]
    try:
        refused = CliRunner().invoke(cli, [*command, str(tmp_path / "out")])
    finally:
        shutil.rmtree(folder)
    assert "ann-1.csv:2: the verdict is 'perhaps', not accept or reject" in str(refused.exception)
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(project: Project, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    command = ["--project", str(project.root), "editions", "export", EDITION, "--out"]
    refused = CliRunner().invoke(cli, [*command, str(tmp_path)])
    assert "nothing is overwritten" in str(refused.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    without = CliRunner().invoke(cli, [*command, str(tmp_path / "out"), "--responses"])
    assert "no responses to this edition are stored" in str(without.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_responses_are_exported_with_their_scores(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    write_models(project, [scripted(project, "returns_both")])
    assert run(project).failures == []
    found = export(project, tmp_path / "out", "--responses")
    schema = json.loads(found["responses.schema.json"])
    exported = rows(found["responses.jsonl"])
    assert len(exported) == 9
    for each in exported:
        jsonschema.validate(each, schema)
        ResponseRow.model_validate_json(json.dumps(each))
    opened = [each for each in exported if each["request"] == "open"]
    assert all(each["names_choice"] and each["judge"] == "rules" for each in opened)
    scores = opened[0]["scores"]
    assert isinstance(scores, list)
    assert {(each["query"], each["interpretation"], each["verdict"]) for each in scores} >= {
        ("main", "a", "equal"),
        ("alternative_1", "b", "equal"),
    }
    assert "9 responses of returns_both to 3 of 3 sets" in found["README.md"]
    with Workspace(project) as workspace:
        assert workspace.edition.id == exported[0]["edition"]
