"""The studies of the generator in the graph: made where the profile asks, else zero rows."""

import pytest

from specbridge_pipeline.orchestration.checks import PROMISES, violations
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.files import report_path
from specbridge_pipeline_tests.support.projects import make_project, run

STUDIES = ("generation_ablation", "feature_coverage", "construction_counts")
SMALL = {"short_queries": 4, "paper_queries": 3}


@pytest.mark.slow
def test_a_study_that_nobody_asked_for_has_no_rows_and_says_why(tmp_path):
    project = make_project(tmp_path, built_on=("clinic",), construction=SMALL)
    assert run(project).failures == []
    with Workspace(project) as workspace:
        for name in STUDIES:
            manifest = workspace.store.manifest(name, Partition(database="clinic"))
            assert manifest.rows == 0
            assert manifest.configuration["not_made"].startswith("the profile asks for no")
        reviews = workspace.store.read_all(STAGE_BY_NAME["task_reviews"].schema)
        assert reviews["accepted"].all()
        assert set(reviews["reviewer"]) == {"rules/requirements", "rules/way_back"}
    assert "section-studies" not in report_path(project).read_text("utf-8")


@pytest.mark.slow
def test_a_study_that_is_asked_for_keeps_its_promises_and_lands_in_the_report(tmp_path):
    project = make_project(
        tmp_path,
        built_on=("clinic",),
        construction=SMALL,
        studies={"ablation_attempts": 5, "coverage_queries": 4, "construction_queries": 6},
        seeds={"ablation": [1, 2]},
    )
    assert run(project).failures == []
    with Workspace(project) as workspace:
        made = workspace.store.read_all(STAGE_BY_NAME["generation_ablation"].schema)
        # Five attempts over two seeds of one database, in each of nine configurations.
        assert made["attempts"].sum() == 9 * 5
        studies = workspace.store.read_all(STAGE_BY_NAME["generation_studies"].schema)
        assert set(studies["study"]) == {"ablation", "coverage", "construction"}
        assert set(studies["origin"]) == {"here"}
        for promise in PROMISES:
            if promise.stage in (*STUDIES, "generation_studies", "task_reviews"):
                assert violations(workspace, promise) == (0, ""), promise.name
    page = report_path(project).read_text("utf-8")
    assert "section-studies" in page
    assert "5 attempts of each configuration on 1 database" in page


@pytest.mark.slow
def test_a_reviewer_that_there_is_not_is_named(tmp_path):
    project = make_project(tmp_path, built_on=("clinic",), task_reviewers=["somebody"])
    failures = run(project).failures
    assert any("the reviewer 'somebody' is no model with the role reviewer" in f for f in failures)
