"""A model that appears in the registry: registered always, evaluated only where that is allowed."""

from datetime import UTC, datetime

import pytest
from dagster import SkipReason, build_schedule_context, build_sensor_context
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
)

from specbridge_pipeline.definitions import defs
from specbridge_pipeline.evaluation.records import RESPONSES
from specbridge_pipeline.orchestration.partitions import register
from specbridge_pipeline.orchestration.resources import SpecBridgeResource
from specbridge_pipeline.orchestration.schedules import reevaluation
from specbridge_pipeline.orchestration.sensors import new_registry_entries
from specbridge_pipeline_tests.support.projects import (
    make_project,
    opened,
    run,
    scripted,
    write_models,
)

pytestmark = pytest.mark.slow
DATABASES = ("east", "north", "west")


def look(instance):
    context = build_sensor_context(
        instance=instance, resources={"specbridge": SpecBridgeResource()}
    )
    return new_registry_entries(context)


def test_a_new_model_is_registered_and_not_evaluated_by_default(tmp_path):
    project = make_project(tmp_path, DATABASES)
    write_models(project, [scripted(project, "silent")])
    run(project)
    write_models(project, [scripted(project, name) for name in ("silent", "wrong")])
    # Opening the instance would register it: look with one that was opened before.
    with opened(project) as (_, instance):
        write_models(project, [scripted(project, n) for n in ("silent", "wrong", "neither")])
        result = look(instance)
    assert result.run_requests == []
    [request] = result.dynamic_partitions_requests
    assert list(request.partition_keys) == ["neither"]


def test_with_spending_allowed_exactly_the_new_models_cells_are_made(tmp_path):
    project = make_project(tmp_path, DATABASES, spend_on_new_models=True)
    write_models(project, [scripted(project, "silent")])
    run(project)
    write_models(project, [scripted(project, name) for name in ("silent", "wrong")])
    with opened(project) as (workspace, instance):
        kept = {
            part: workspace.store.path("responses", part).stat().st_mtime_ns
            for part in workspace.store.partitions("responses")
        }
        [request] = look(instance).run_requests
        assert request.tags[ASSET_PARTITION_RANGE_START_TAG] == "east|wrong"
        assert request.tags[ASSET_PARTITION_RANGE_END_TAG] == "west|wrong"
        job = defs.get_repository_def().get_implicit_job_def_for_assets(request.asset_selection)
        result = job.execute_in_process(
            instance=instance,
            tags=request.tags,
            run_config=request.run_config,
            asset_selection=request.asset_selection,
        )
        assert result.success
        made = {
            (event.asset_key.to_user_string(), event.partition)
            for event in result.get_asset_materialization_events()
            for event in [event.step_materialization_data.materialization]
        }
        stages = ("responses", "scores", "judgements", "outcomes")
        assert made == {(stage, f"{name}|wrong") for stage in stages for name in DATABASES}
        for part, changed in kept.items():
            assert workspace.store.path("responses", part).stat().st_mtime_ns == changed
        # Nothing more to ask for.
        assert isinstance(look(instance), SkipReason)


def test_a_faulty_registry_is_a_reason_to_skip_that_names_file_and_line(tmp_path):
    project = make_project(tmp_path)
    write_models(project, [scripted(project, "silent")])
    with opened(project) as (_, instance):
        project.models_file.write_text("models:\n  - id: x\n    modle: openai/x\n", "utf-8")
        skipped = look(instance)
    assert isinstance(skipped, SkipReason)
    assert f"{project.models_file}:3: unknown key 'modle'" in skipped.skip_message


def test_the_schedule_opens_a_round_that_really_asks_again(tmp_path):
    project = make_project(tmp_path, DATABASES)
    write_models(project, [scripted(project, "silent")])
    run(project)
    with opened(project) as (workspace, instance):
        register(instance, workspace)
        context = build_schedule_context(
            instance=instance,
            scheduled_execution_time=datetime(2031, 5, 1, 3, tzinfo=UTC),
            resources={"specbridge": SpecBridgeResource()},
        )
        [request] = list(reevaluation(context))
        job = defs.resolve_job_def("evaluate")
        result = job.execute_in_process(
            instance=instance, tags=request.tags, run_config=request.run_config
        )
        assert result.success
        rows = workspace.store.read_all(RESPONSES)
        assert sorted(rows["round"].unique()) == ["1", "2031-05-01"]
        assert rows.filter(rows["round"] == "1").height == rows.height / 2
        assert workspace.rounds("east", "silent") == ("1", "2031-05-01")
