"""Replies made elsewhere: each fault has its words, and good ones are scored as any reply is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from specbridge_pipeline.cli.headline import headline_table
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.errors import ConfigurationError, ImportFaultsError, MissingRepliesError
from specbridge_pipeline.evaluation.methods import imported
from specbridge_pipeline.evaluation.records import OUTCOMES, SCORES
from specbridge_pipeline.exchange.importing_responses import Taken, plan_responses
from specbridge_pipeline.exchange.response_rows import KINDS
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.registry import (
    ImportedReplies,
    ModelEntry,
    put_imported,
    read_models,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.editions import Edition, read_edition
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import (
    EDITION,
    make_project,
    run,
    scripted,
    write_models,
)
from specbridge_pipeline_tests.support.respondents import respond

FAULTS = yaml.safe_load(Path(__file__).with_name("response_faults.yaml").read_text("utf-8"))
TAKEN = Taken(registered=["silent"], imported={"known": (EDITION, "0" * 64)})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with an edition that nobody changes."""
    return make_project(tmp_path_factory.mktemp("responses"))


@pytest.fixture(scope="module")
def edition(project: Project) -> Edition:
    return read_edition(project, EDITION)


def rows(edition: Edition, model: str = "outsider") -> list[dict[str, Any]]:
    """A reply to every request, all of them the query of A."""
    return [
        {"set_id": each.id, "request": name, "model": model, "sql": each.interpretations.a.sql}
        for each in edition.sets
        for name in KINDS
    ]


def write(path: Path, listed: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in listed), "utf-8")
    return path


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_file_and_line(name: str, edition: Edition, tmp_path: Path) -> None:
    case = FAULTS[name]
    one = edition.sets[0].id
    path = tmp_path / "file.jsonl"
    if "text" in case:
        path.write_text(case["text"].replace("ONE", one), "utf-8")
    else:
        listed = rows(edition)
        first = listed[0] | case.get("change", {})
        listed[0] = {key: value for key, value in first.items() if value is not None}
        if "extra" in case:
            listed.append(rows(edition)[0] | case["extra"])
        write(path, listed[case.get("drop", 0) :])
        path.write_text(path.read_text("utf-8").replace("\\\\ud800", "\\ud800"), "utf-8")
    with pytest.raises(ImportFaultsError) as caught:
        plan_responses(path, edition, TAKEN, renamed=case.get("rename"))
    found = caught.value.problems
    assert len(found) == len(case["says"]), found
    for problem, says in zip(found, case["says"], strict=True):
        assert problem.startswith(says.replace("ONE", one))


def test_a_file_that_is_not_utf_8_is_named(edition: Edition, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'{"model": "\xe9"}\n')
    with pytest.raises(ImportFaultsError, match="is not UTF-8 at byte 11"):
        plan_responses(path, edition, TAKEN)


def test_the_same_file_again_is_no_other_one(edition: Edition, tmp_path: Path) -> None:
    path = write(tmp_path / "file.jsonl", rows(edition))
    [first] = plan_responses(path, edition, TAKEN)
    assert first.entry.imported is not None
    again = Taken([], {"outsider": (EDITION, first.entry.imported.digest)})
    assert plan_responses(path, edition, again) == [first]


def test_a_part_of_the_requests_is_taken_when_asked(edition: Edition, tmp_path: Path) -> None:
    path = write(tmp_path / "file.jsonl", rows(edition)[2:])
    [found] = plan_responses(path, edition, TAKEN, partial=True)
    assert len(found.replies) == 7
    assert found.whole_sets == 2


def test_what_is_archived_does_not_pretend_that_a_prompt_of_ours_was_used(
    edition: Edition, tmp_path: Path
) -> None:
    path = write(tmp_path / "file.jsonl", rows(edition))
    [found] = plan_responses(path, edition, TAKEN)
    request, reply = found.replies[0]
    canonical = request.canonical()
    assert canonical["model"] == "imported:outsider"
    assert canonical["revision"] == found.entry.revision
    assert [role for role, _ in canonical["messages"]] == ["imported", "request"]
    assert reply.finish_reason == imported.FINISHED
    assert (reply.cost_usd, reply.input_tokens, reply.asked_at) == (None, None, "")
    assert len({request.key for request, _ in found.replies}) == 9


def test_a_respondent_that_was_imported_is_never_asked_and_has_no_other_role() -> None:
    replies = ImportedReplies(edition=EDITION, file="f", digest="0" * 64, replies={"shop": 9})
    with pytest.raises(ValueError, match="exactly one of"):
        ModelEntry(id="x", imported=replies, model="openai/x")
    with pytest.raises(ValueError, match="no other role than 'evaluated'"):
        ModelEntry.model_validate({"id": "x", "imported": replies, "roles": ["judge"]})


def entry(name: str, edition: str = EDITION) -> ModelEntry:
    replies = ImportedReplies(edition=edition, file="f", digest="0" * 64, replies={"shop": 9})
    return ModelEntry(id=name, imported=replies, revision="0" * 64, parameters={})


def test_the_local_registry_keeps_others_and_refuses_an_id_that_is_taken(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    write_models(project, [scripted(project, "silent")])
    put_imported(project, [entry("one"), entry("two")])
    put_imported(project, [entry("two", "other-1"), entry("three")])
    assert list(read_models(project)) == ["silent", "one", "two", "three"]
    before = project.local_models_file.read_bytes()
    with pytest.raises(ConfigurationError, match="id 'silent' is already taken"):
        put_imported(project, [entry("four"), entry("silent")])
    assert project.local_models_file.read_bytes() == before
    with Workspace(project) as workspace:
        # "two" has answered another edition.
        assert list(workspace.models) == ["silent", "one", "three"]
        assert workspace.rounds("shop", "one") == ("1",)
    write_models(project, [scripted(project, "silent") | {"id": "one"}])
    with pytest.raises(ConfigurationError, match=r"models.local.yaml:\d+: id 'one' is already"):
        read_models(project)


def test_replies_that_the_archive_has_lost_are_missed(edition: Edition, tmp_path: Path) -> None:
    asked = [(each, kind) for each in edition.sets for kind in KINDS.values()]
    with (
        ResponseArchive(tmp_path / "archive.sqlite") as archive,
        pytest.raises(MissingRepliesError, match="0 of the 9 replies that were imported"),
    ):
        imported.answers(archive, entry("outsider"), asked, where="shop")


def specbridge(project: Project, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--project", str(project.root), *arguments])


def files(project: Project) -> dict[str, bytes]:
    """Everything that an import could write to, but the archive, which only ever grows."""
    return {
        str(path): path.read_bytes()
        for folder in (project.recordings, project.editions, project.reviews)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    } | (
        {"models": project.local_models_file.read_bytes()}
        if project.local_models_file.exists()
        else {}
    )


def test_a_file_with_a_fault_and_a_dry_run_change_nothing(project: Project, tmp_path: Path) -> None:
    edition = read_edition(project, EDITION)
    before = files(project)
    good, bad = rows(edition), rows(edition)
    bad[-1] = bad[-1] | {"set_id": "000000000000"}
    refused = specbridge(project, "responses", "import", str(write(tmp_path / "bad.jsonl", bad)))
    assert isinstance(refused.exception, ImportFaultsError)
    path = write(tmp_path / "good.jsonl", good)
    tried = specbridge(project, "responses", "import", str(path), "--dry-run")
    assert tried.exit_code == 0, tried.output
    assert "outsider: 9 replies, 3 of 3 sets answered whole" in tried.output
    assert files(project) == before
    assert not project.archive.exists()


@pytest.mark.slow
def test_imported_replies_are_scored_as_those_of_a_model_that_is_asked(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    entries = [scripted(project, name) for name in ("false_alarm_by_name", "returns_both")]
    write_models(project, entries)
    edition = read_edition(project, EDITION)
    listed = []
    for model in entries:
        for each in edition.sets:
            for name, kind in KINDS.items():
                message = {"role": "user", "content": each.request(kind)}
                text = respond([message], model["parameters"])
                row = {"set_id": each.id, "request": name, "model": f"outside-{model['id']}"}
                # Half of them as they came, half in parts.
                listed.append(row | ({"reply": text} if name == "a" else json.loads(text)))
    path = write(tmp_path / "replies.jsonl", listed)
    done = specbridge(project, "responses", "import", str(path), "--no-run")
    assert done.exit_code == 0, done.output
    assert run(project).failures == []
    with Workspace(project) as workspace:
        for model in entries:
            asked, outside = (
                [
                    {
                        column: value
                        for column, value in row.items()
                        if not column.endswith(("_id", "_ids"))
                        and column not in ("model", "method")
                    }
                    for schema in (OUTCOMES, SCORES)
                    for row in workspace.store.read(schema, Partition("shop", name)).to_dicts()
                ]
                for name in (model["id"], f"outside-{model['id']}")
            )
            assert asked == outside
            assert len(asked) > 9
        columns, _ = headline_table(workspace)
    assert "outside-returns_both (imported)" in columns
    traced = specbridge(project, "trace", "both_returned/outside-returns_both/all", "--rescore")
    assert traced.exit_code == 0, traced.output
    assert "the prompt is not known here" in traced.output
    assert "You write SQL" not in traced.output
    # The recording alone brings them back after the archive and the warehouse are lost.
    assert (project.recordings / EDITION / "outside-returns_both.jsonl.gz").is_file()
    again = specbridge(project, "responses", "import", str(path), "--no-run")
    assert again.exit_code == 0
