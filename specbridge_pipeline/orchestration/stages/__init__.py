"""The stages of the pipeline, one module each, in the order in which they depend on each other."""

from __future__ import annotations

from specbridge_pipeline.orchestration.stage import Stage, construction_databases
from specbridge_pipeline.orchestration.stages.accepted_request_sets import (
    STAGE as ACCEPTED_REQUEST_SETS,
)
from specbridge_pipeline.orchestration.stages.answer_change_counts import (
    STAGE as ANSWER_CHANGE_COUNTS,
)
from specbridge_pipeline.orchestration.stages.answer_changes import STAGE as ANSWER_CHANGES
from specbridge_pipeline.orchestration.stages.catalogue import STAGE as CATALOGUE
from specbridge_pipeline.orchestration.stages.choice_library import STAGE as CHOICE_LIBRARY
from specbridge_pipeline.orchestration.stages.choice_opportunities import (
    STAGE as CHOICE_OPPORTUNITIES,
)
from specbridge_pipeline.orchestration.stages.choice_proposals import STAGE as CHOICE_PROPOSALS
from specbridge_pipeline.orchestration.stages.construction_counts import (
    STAGE as CONSTRUCTION_COUNTS,
)
from specbridge_pipeline.orchestration.stages.construction_funnel import (
    STAGE as CONSTRUCTION_FUNNEL,
)
from specbridge_pipeline.orchestration.stages.convention_counts import STAGE as CONVENTION_COUNTS
from specbridge_pipeline.orchestration.stages.data_kinds import STAGE as DATA_KINDS
from specbridge_pipeline.orchestration.stages.database_files import STAGE as DATABASE_FILES
from specbridge_pipeline.orchestration.stages.edition_sets import STAGE as EDITION_SETS
from specbridge_pipeline.orchestration.stages.edition_verdicts import STAGE as EDITION_VERDICTS
from specbridge_pipeline.orchestration.stages.exact_descriptions import STAGE as EXACT_DESCRIPTIONS
from specbridge_pipeline.orchestration.stages.feature_coverage import STAGE as FEATURE_COVERAGE
from specbridge_pipeline.orchestration.stages.filter_queries import STAGE as FILTER_QUERIES
from specbridge_pipeline.orchestration.stages.generated_queries import STAGE as GENERATED_QUERIES
from specbridge_pipeline.orchestration.stages.generation_ablation import (
    STAGE as GENERATION_ABLATION,
)
from specbridge_pipeline.orchestration.stages.generation_studies import STAGE as GENERATION_STUDIES
from specbridge_pipeline.orchestration.stages.human_verdicts import STAGE as HUMAN_VERDICTS
from specbridge_pipeline.orchestration.stages.judgements import STAGE as JUDGEMENTS
from specbridge_pipeline.orchestration.stages.natural_requests import STAGE as NATURAL_REQUESTS
from specbridge_pipeline.orchestration.stages.outcomes import STAGE as OUTCOMES
from specbridge_pipeline.orchestration.stages.reference_conventions import (
    STAGE as REFERENCE_CONVENTIONS,
)
from specbridge_pipeline.orchestration.stages.report import STAGE as REPORT
from specbridge_pipeline.orchestration.stages.request_sets import STAGE as REQUEST_SETS
from specbridge_pipeline.orchestration.stages.responses import STAGE as RESPONSES
from specbridge_pipeline.orchestration.stages.review_numbers import STAGE as REVIEW_NUMBERS
from specbridge_pipeline.orchestration.stages.scores import STAGE as SCORES
from specbridge_pipeline.orchestration.stages.set_reviews import STAGE as SET_REVIEWS
from specbridge_pipeline.orchestration.stages.statistics import STAGE as STATISTICS
from specbridge_pipeline.orchestration.stages.task_reviews import STAGE as TASK_REVIEWS

STAGES: tuple[Stage, ...] = (
    HUMAN_VERDICTS,
    DATABASE_FILES,
    CATALOGUE,
    REFERENCE_CONVENTIONS,
    ANSWER_CHANGES,
    DATA_KINDS,
    GENERATED_QUERIES,
    FILTER_QUERIES,
    EXACT_DESCRIPTIONS,
    TASK_REVIEWS,
    GENERATION_ABLATION,
    FEATURE_COVERAGE,
    CONSTRUCTION_COUNTS,
    NATURAL_REQUESTS,
    CHOICE_OPPORTUNITIES,
    CHOICE_PROPOSALS,
    REQUEST_SETS,
    SET_REVIEWS,
    ACCEPTED_REQUEST_SETS,
    EDITION_SETS,
    RESPONSES,
    SCORES,
    JUDGEMENTS,
    OUTCOMES,
    EDITION_VERDICTS,
    REVIEW_NUMBERS,
    STATISTICS,
    CONSTRUCTION_FUNNEL,
    GENERATION_STUDIES,
    CONVENTION_COUNTS,
    ANSWER_CHANGE_COUNTS,
    CHOICE_LIBRARY,
    REPORT,
)

EVALUATION_STAGES: tuple[Stage, ...] = tuple(
    stage
    for stage in STAGES
    if stage.partitions is not construction_databases
    and stage not in (REFERENCE_CONVENTIONS, ANSWER_CHANGES)
)
"""Those that an evaluation needs: all but the cells of the draft and of mining, a database each."""

STAGE_BY_NAME: dict[str, Stage] = {stage.name: stage for stage in STAGES}
