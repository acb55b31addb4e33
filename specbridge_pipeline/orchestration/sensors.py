"""The sensor that registers new databases and models, and may have new models evaluated."""

from collections.abc import Iterator

from dagster import (
    AssetKey,
    DefaultSensorStatus,
    RunRequest,
    RunsFilter,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)
from dagster._core.storage.dagster_run import NOT_FINISHED_STATUSES
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
)

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.orchestration.partitions import (
    DATABASES,
    MODELS,
    consecutive,
    missing_keys,
)
from specbridge_pipeline.orchestration.planner import staleness
from specbridge_pipeline.orchestration.resources import SpecBridgeResource
from specbridge_pipeline.orchestration.stage import Dimension
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME, STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition

MODEL_TAG = "specbridge/model"
"""Tag of a run that the sensor asked for, with the model that it evaluates."""

EVALUATION = [AssetKey(stage.name) for stage in STAGES if len(stage.dimensions) == 2]
"""The assets that evaluate a model: one run makes all of them for it."""


@sensor(
    name="new_registry_entries",
    description="Registers databases and models that appear in data/databases.yaml and "
    "data/models.yaml as partitions. With spend_on_new_models in the profile it also has a new "
    "model evaluated on every database of the edition, and nothing else.",
    asset_selection=EVALUATION,
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.RUNNING,
)
def new_registry_entries(
    context: SensorEvaluationContext, specbridge: SpecBridgeResource
) -> SensorResult | SkipReason:
    """Look at the registries once."""
    try:
        with specbridge.open() as workspace:
            missing = missing_keys(context.instance, workspace)
            additions = [
                definition.build_add_request(missing[name])
                for name, definition in (
                    (Dimension.DATABASE.value, DATABASES),
                    (Dimension.MODEL.value, MODELS),
                )
                if missing[name]
            ]
            requests: list[RunRequest] = []
            if workspace.profile.spend_on_new_models and not missing[Dimension.DATABASE.value]:
                requests = list(_evaluations(context, workspace))
    except SpecBridgeError as error:
        # A registry with a fault is the user's to mend; the sensor says so and goes on looking.
        return SkipReason(str(error))
    if not additions and not requests:
        return SkipReason("nothing new in the registries")
    return SensorResult(dynamic_partitions_requests=additions, run_requests=requests)


def _evaluations(context: SensorEvaluationContext, workspace: Workspace) -> Iterator[RunRequest]:
    """Yield one run a range of databases for each model that has not been evaluated.

    A model that a run is at work on is left alone, and so are databases whose sets are not checked.
    """
    for model in workspace.models:
        under_way = RunsFilter(tags={MODEL_TAG: model}, statuses=NOT_FINISHED_STATUSES)
        if context.instance.get_runs(filters=under_way, limit=1):
            continue
        lacking = {
            database
            for database in workspace.evaluated_databases
            if workspace.store.manifest("responses", Partition(database, model)) is None
            and not staleness(
                workspace, STAGE_BY_NAME["edition_sets"], Partition(database=database)
            )
        }
        for first, last in consecutive(context.instance, Dimension.DATABASE.value, lacking):
            yield RunRequest(
                run_key=f"{workspace.edition.record.digest[:12]}/{model}/{first}...{last}",
                asset_selection=EVALUATION,
                tags={
                    MODEL_TAG: model,
                    ASSET_PARTITION_RANGE_START_TAG: f"{first}|{model}",
                    ASSET_PARTITION_RANGE_END_TAG: f"{last}|{model}",
                },
                run_config={"resources": {"specbridge": {"config": {"mode": "auto"}}}},
            )


SENSORS: list[SensorDefinition] = [new_registry_entries]
