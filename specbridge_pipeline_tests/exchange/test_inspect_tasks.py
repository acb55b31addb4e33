"""The task for Inspect AI gives the scores that the pipeline gives for the same replies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from specbridge_pipeline.evaluation.records import OUTCOMES, SCORES
from specbridge_pipeline.orchestration.making import make_cell
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.numbers import MEASURES
from specbridge_pipeline.settings import Mode
from specbridge_pipeline_tests.support.projects import (
    EDITION,
    make_project,
    scripted,
    write_models,
)
from specbridge_pipeline_tests.support.respondents import respond

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")

BEHAVIOURS = ("returns_both", "silent", "false_alarm_by_name", "never_replies_in_form")
SETS = 2
pytestmark = pytest.mark.slow


def evaluated_by_inspect(project: Any, entry: dict[str, Any]) -> Any:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from specbridge_pipeline.inspect_tasks import request_sets

    def reply(messages: Any, *_: Any) -> ModelOutput:
        plain = [{"role": each.role, "content": each.text} for each in messages]
        output = ModelOutput.from_content("mockllm/model", respond(plain, entry["parameters"]))
        # Without it the tokens are counted, for which a vocabulary would be fetched.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    [log] = inspect_ai.eval(
        request_sets(edition=EDITION, project=str(project.root)),
        model=get_model("mockllm/model", custom_outputs=reply, memoize=False),
        limit=3 * SETS,
        log_dir=str(project.root / "inspect"),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def without_names(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in row.items()
        if not name.endswith(("_id", "_ids")) and name != "model"
    } | {"set_id": row["set_id"]}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Any:
    project = make_project(tmp_path_factory.mktemp("inspect"))
    write_models(project, [scripted(project, name) for name in BEHAVIOURS])
    with Workspace(project, mode=Mode.AUTO) as workspace:
        for name in ("database_files", "edition_sets"):
            make_cell(workspace, STAGE_BY_NAME[name], Partition("shop"))
        for behaviour in BEHAVIOURS:
            for name in ("responses", "scores", "judgements", "outcomes"):
                make_cell(workspace, STAGE_BY_NAME[name], Partition("shop", behaviour))
    return project


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_scripted_model_gets_the_scores_of_the_pipeline(project: Any, behaviour: str) -> None:
    log = evaluated_by_inspect(project, scripted(project, behaviour))
    with Workspace(project) as workspace:
        chosen = {each.id for each in workspace.edition.sets[:SETS]}
        partition = Partition("shop", behaviour)
        expected, outcomes = (
            [
                row
                for row in workspace.store.read(schema, partition).to_dicts()
                if row["set_id"] in chosen
            ]
            for schema in (SCORES, OUTCOMES)
        )
    held = [sample.scores["execution"].metadata for sample in log.samples]
    found = [row for each in held for row in each["scores"]]
    key = str
    assert sorted(map(without_names, found), key=key) == sorted(
        map(without_names, expected), key=key
    )
    assert len(held) == 3 * SETS
    [score] = log.results.scores
    measures = {each.name: each.value for each in score.metrics.values()}
    right = sum(row["right_a"] + row["right_b"] for row in outcomes) / (2 * SETS)
    assert measures["specific_right"] == right
    for name in ("both_returned", "named", "both_computable"):
        assert measures[name] == sum(row[name] for row in outcomes) / SETS
    missed = [row for row in outcomes if not row["both_returned"]]
    assert math.isnan(measures["missed_computable"]) == (not missed)


def test_a_reply_that_cannot_be_read_is_asked_for_once_more(project: Any) -> None:
    log = evaluated_by_inspect(project, scripted(project, "never_replies_in_form"))
    # System, request, reply, what is wrong with it, reply.
    assert {len(sample.messages) for sample in log.samples} == {5}
    log = evaluated_by_inspect(project, scripted(project, "silent"))
    assert {len(sample.messages) for sample in log.samples} == {3}


def test_a_database_without_sets_is_refused(project: Any, tmp_path: Path) -> None:
    from specbridge_pipeline.errors import ConfigurationError
    from specbridge_pipeline.inspect_tasks import request_sets

    with pytest.raises(ConfigurationError, match="has no set on a database 'nowhere'"):
        request_sets(edition=EDITION, project=str(project.root), database="nowhere")


def test_the_headline_has_the_same_measures(project: Any) -> None:
    log = evaluated_by_inspect(project, scripted(project, "silent"))
    [score] = log.results.scores
    assert {each.name for each in score.metrics.values()} == {each.name for each in MEASURES}
