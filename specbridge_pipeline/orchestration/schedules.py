"""The schedule that asks every model again, in a round of its own. Off until it is turned on."""

from collections.abc import Iterator

from dagster import (
    DefaultScheduleStatus,
    RunRequest,
    ScheduleDefinition,
    ScheduleEvaluationContext,
    define_asset_job,
    schedule,
)
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
)

from specbridge_pipeline.orchestration.partitions import DATABASES_AND_MODELS, consecutive
from specbridge_pipeline.orchestration.resources import SpecBridgeResource
from specbridge_pipeline.orchestration.sensors import EVALUATION
from specbridge_pipeline.orchestration.stage import Dimension

EVALUATE = define_asset_job(
    "evaluate",
    selection=EVALUATION,
    partitions_def=DATABASES_AND_MODELS,
    description="Answers, scores and judges of one model on the databases of the edition.",
)


@schedule(
    name="reevaluation",
    job=EVALUATE,
    cron_schedule="0 3 1 * *",
    description="On the first of each month asks every model again in a round named after the "
    "day; the rows of earlier rounds stay. It spends money, so it is off until it is turned on.",
    default_status=DefaultScheduleStatus.STOPPED,
)
def reevaluation(
    context: ScheduleEvaluationContext, specbridge: SpecBridgeResource
) -> Iterator[RunRequest]:
    """Ask for one run a model."""
    day = context.scheduled_execution_time.date().isoformat()
    with specbridge.open() as workspace:
        registered = set(context.instance.get_dynamic_partitions(Dimension.MODEL.value))
        databases = set(workspace.evaluated_databases)
        for model, entry in workspace.models.items():
            if model not in registered or entry.imported is not None:
                continue
            for first, last in consecutive(context.instance, Dimension.DATABASE.value, databases):
                yield RunRequest(
                    run_key=f"{day}/{model}/{first}...{last}",
                    tags={
                        ASSET_PARTITION_RANGE_START_TAG: f"{first}|{model}",
                        ASSET_PARTITION_RANGE_END_TAG: f"{last}|{model}",
                    },
                    run_config={
                        "resources": {"specbridge": {"config": {"mode": "auto", "new_round": day}}}
                    },
                )


SCHEDULES: list[ScheduleDefinition] = [reevaluation]
