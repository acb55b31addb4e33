"""The whole graph loads, and says of itself what the design promises."""

from dagster import AssetKey, DefaultScheduleStatus, DefaultSensorStatus, Definitions

from specbridge_pipeline.definitions import defs
from specbridge_pipeline.orchestration.schedules import reevaluation
from specbridge_pipeline.orchestration.sensors import new_registry_entries
from specbridge_pipeline.orchestration.stages import STAGES


def test_the_definitions_load():
    Definitions.validate_loadable(defs)


def test_every_stage_is_an_asset_with_its_upstream_version_and_columns():
    graph = defs.resolve_asset_graph()
    assert {key.to_user_string() for key in graph.get_all_asset_keys()} == {s.name for s in STAGES}
    for stage in STAGES:
        node = graph.get(AssetKey(stage.name))
        assert {key.to_user_string() for key in node.parent_keys} == set(stage.upstream)
        assert node.code_version == str(stage.version)
        columns = node.metadata["dagster/column_schema"].columns
        assert [column.name for column in columns] == list(stage.schema.columns)


def test_registering_is_on_and_spending_is_off():
    assert new_registry_entries.default_status is DefaultSensorStatus.RUNNING
    assert reevaluation.default_status is DefaultScheduleStatus.STOPPED


def test_every_stage_that_is_stored_keeps_at_least_one_promise():
    checked = {
        key.asset_key.to_user_string() for key in defs.resolve_asset_graph().asset_check_keys
    }
    stages = {stage.name for stage in STAGES}
    assert stages - checked == {"database_files", "report"}
