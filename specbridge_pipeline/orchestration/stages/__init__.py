"""The stages of the pipeline, one module each, in the order in which they depend on each other."""

from __future__ import annotations

from specbridge_pipeline.orchestration.stage import Stage
from specbridge_pipeline.orchestration.stages.database_files import STAGE as DATABASE_FILES
from specbridge_pipeline.orchestration.stages.edition_sets import STAGE as EDITION_SETS
from specbridge_pipeline.orchestration.stages.judgements import STAGE as JUDGEMENTS
from specbridge_pipeline.orchestration.stages.outcomes import STAGE as OUTCOMES
from specbridge_pipeline.orchestration.stages.report import STAGE as REPORT
from specbridge_pipeline.orchestration.stages.responses import STAGE as RESPONSES
from specbridge_pipeline.orchestration.stages.scores import STAGE as SCORES
from specbridge_pipeline.orchestration.stages.statistics import STAGE as STATISTICS

STAGES: tuple[Stage, ...] = (
    DATABASE_FILES,
    EDITION_SETS,
    RESPONSES,
    SCORES,
    JUDGEMENTS,
    OUTCOMES,
    STATISTICS,
    REPORT,
)

STAGE_BY_NAME: dict[str, Stage] = {stage.name: stage for stage in STAGES}
