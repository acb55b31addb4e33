"""What Dagster loads."""

from __future__ import annotations

import warnings

from dagster import (
    AutomationConditionSensorDefinition,
    BetaWarning,
    Definitions,
    in_process_executor,
)

# What is used of Dagster's beta parts is pinned with its version and covered by tests.
warnings.filterwarnings("ignore", category=BetaWarning)

# ruff: noqa: E402
from specbridge_pipeline.orchestration.assets import ASSETS
from specbridge_pipeline.orchestration.checks import CHECKS
from specbridge_pipeline.orchestration.resources import SpecBridgeResource
from specbridge_pipeline.orchestration.schedules import EVALUATE, SCHEDULES
from specbridge_pipeline.orchestration.sensors import SENSORS

defs = Definitions(
    assets=ASSETS,
    asset_checks=CHECKS,
    jobs=[EVALUATE],
    sensors=[
        *SENSORS,
        AutomationConditionSensorDefinition(
            "free_stages",
            target=["statistics", "report"],
            description="Remakes statistics and report when outcomes changed. Asks no model.",
        ),
    ],
    schedules=SCHEDULES,
    resources={"specbridge": SpecBridgeResource()},
    # One process makes many small cells; a process a step would import everything each time.
    executor=in_process_executor,
)
