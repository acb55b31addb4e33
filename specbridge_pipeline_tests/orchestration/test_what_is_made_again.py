"""Only what is stale is made again, and models are asked only for what is missing."""

import pytest
import yaml

from specbridge_pipeline.errors import ConfigurationError, StaleRecordError
from specbridge_pipeline.evaluation.records import OUTCOMES, RESPONSES
from specbridge_pipeline.orchestration.launching import run_stale
from specbridge_pipeline.orchestration.making import make_cell
from specbridge_pipeline.orchestration.planner import plan
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.settings import Mode
from specbridge_pipeline_tests.support.counting_server import CountingServer, served
from specbridge_pipeline_tests.support.projects import (
    make_project,
    opened,
    run,
    scripted,
    write_models,
)

pytestmark = pytest.mark.slow
VARIABLE = "SPECBRIDGE_TEST_ENDPOINT"
REQUESTS_A_DATABASE = 9


@pytest.fixture
def server(monkeypatch):
    with CountingServer() as server:
        monkeypatch.setenv(VARIABLE, server.address)
        yield server


def stale(project, **options):
    with Workspace(project, **options) as workspace:
        return {(cell.stage, str(cell.partition)) for cell in plan(workspace)}


def test_a_second_run_makes_nothing_and_asks_nothing(tmp_path, server):
    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    assert len(run(project).runs) == 4
    assert len(server.asked) == REQUESTS_A_DATABASE
    assert stale(project) == set()
    again = run(project)
    assert (again.runs, again.failures) == ([], [])
    assert len(server.asked) == REQUESTS_A_DATABASE


def test_a_lost_warehouse_is_rebuilt_from_the_archive_without_asking(tmp_path, server):
    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    run(project)
    with Workspace(project) as workspace:
        before = workspace.store.manifest("statistics", Partition())
    for path in project.warehouse.glob("**/*.parquet"):
        path.unlink()
    run(project)
    with Workspace(project) as workspace:
        assert workspace.store.manifest("statistics", Partition()) == before
    assert len(server.asked) == REQUESTS_A_DATABASE


def test_a_changed_model_makes_only_its_own_cells_stale(tmp_path, server):
    project = make_project(tmp_path)
    models = [served(scripted(project, name), VARIABLE) for name in ("silent", "wrong")]
    write_models(project, models)
    run(project)
    asked = len(server.asked)
    write_models(project, [models[0], models[1] | {"revision": "2"}])
    cells = stale(project)
    assert {partition for _, partition in cells} == {"shop|wrong", "all"}
    run(project)
    assert len(server.asked) == asked + REQUESTS_A_DATABASE


def test_a_title_changes_the_report_and_nothing_else(tmp_path, server):
    project = make_project(tmp_path)
    model = served(scripted(project, "silent"), VARIABLE)
    write_models(project, [model])
    run(project)
    write_models(project, [model | {"title": "The silent one"}])
    assert stale(project) == {("report", "all")}


def test_a_report_that_was_deleted_is_written_again(tmp_path, server):
    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    run(project)
    report = project.report / "report.html"
    before = report.read_bytes()
    report.unlink()
    assert stale(project) == {("report", "all")}
    run(project)
    assert report.read_bytes() == before


def test_a_retired_model_keeps_its_rows_and_is_asked_nothing(tmp_path, server):
    project = make_project(tmp_path)
    model = served(scripted(project, "silent"), VARIABLE)
    write_models(project, [model])
    run(project)
    write_models(project, [model | {"retired": True, "revision": "2"}])
    run(project)
    assert len(server.asked) == REQUESTS_A_DATABASE
    with Workspace(project) as workspace:
        assert workspace.store.read_all(OUTCOMES).height == 3


def test_a_new_round_asks_again_and_keeps_the_old_rows(tmp_path, server):
    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    run(project)
    with Workspace(project) as workspace:
        first = workspace.store.read_all(RESPONSES)
    run(project, new_round="2030-01-01")
    assert len(server.asked) == 2 * REQUESTS_A_DATABASE
    with Workspace(project) as workspace:
        both = workspace.store.read_all(RESPONSES)
    assert set(both["round"]) == {"1", "2030-01-01"}
    assert both.filter(both["round"] == "1").equals(first)
    # The round exists from now on: nothing is stale, nothing is asked.
    assert stale(project) == set()


def test_a_model_without_replies_does_not_keep_the_others_from_being_measured(tmp_path, server):
    project = make_project(tmp_path)
    silent = served(scripted(project, "silent"), VARIABLE)
    write_models(project, [silent])
    run(project)
    unreachable = served(scripted(project, "wrong"), "SPECBRIDGE_TEST_UNSET")
    write_models(project, [unreachable, silent, served(scripted(project, "neither"), VARIABLE)])
    report = run(project)
    assert len(report.failures) == 1
    assert "SPECBRIDGE_TEST_UNSET is not set" in report.failures[0]
    with Workspace(project) as workspace:
        assert set(workspace.store.read_all(OUTCOMES)["model"]) == {"silent", "neither"}


def test_a_database_that_is_not_the_editions_is_refused(tmp_path, server):
    import apsw

    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    connection = apsw.Connection(str(project.data / "shop.sqlite"))
    connection.execute("UPDATE purchase SET amount = 11 WHERE id = 1")
    connection.close()
    report = run(project)
    assert "has another content than the one that the sets were checked on" in report.failures[0]
    assert server.asked == []


def test_databases_outside_the_edition_are_no_missing_cells(tmp_path, server):
    from specbridge_pipeline_tests.support.projects import make_database

    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    make_database(project.data / "other.sqlite")
    registry = yaml.safe_load(project.databases_file.read_text("utf-8"))
    registry["databases"].append({"id": "other", "path": "data/other.sqlite"})
    project.databases_file.write_text(yaml.safe_dump(registry), "utf-8")
    run(project)
    assert stale(project) == set()
    assert len(server.asked) == REQUESTS_A_DATABASE


def test_the_budget_is_that_of_the_run_not_of_each_model(tmp_path, server):
    project = make_project(tmp_path, budget={"calls": 12})
    write_models(
        project, [served(scripted(project, name), VARIABLE) for name in ("silent", "wrong")]
    )
    report = run(project)
    assert len(server.asked) == REQUESTS_A_DATABASE
    assert "9 more calls are needed, and the budget is 12 calls" in report.failures[0]


def test_a_cell_is_not_made_from_sets_of_another_edition(tmp_path, server):
    import shutil

    project = make_project(tmp_path)
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    run(project)
    other = project.editions / "shop-2"
    shutil.copytree(project.editions / "shop-1", other)
    text = (other / "edition.yaml").read_text("utf-8")
    (other / "edition.yaml").write_text(text.replace("id: shop-1", "id: shop-2"), "utf-8")
    with Workspace(project, edition="shop-2") as workspace:
        cell = Partition("shop", "silent")
        with pytest.raises(StaleRecordError, match=r"edition_sets\[shop\]"):
            make_cell(workspace, STAGE_BY_NAME["responses"], cell)


def test_a_changed_document_makes_answers_stale(tmp_path, server):
    project = make_project(tmp_path)
    (project.data / "notes.md").write_text("amount: in euros", "utf-8")
    registry = yaml.safe_load(project.databases_file.read_text("utf-8"))
    registry["databases"][0]["documents"] = ["data/notes.md"]
    project.databases_file.write_text(yaml.safe_dump(registry), "utf-8")
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    run(project)
    assert "amount: in euros" in server.asked[0]
    (project.data / "notes.md").write_text("amount: in dollars", "utf-8")
    assert ("responses", "shop|silent") in stale(project)


def test_a_round_that_failed_half_way_is_missing_only_where_it_failed(tmp_path, server):
    project = make_project(tmp_path, ("east", "west"))
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    run(project)
    with opened(project, mode=Mode.AUTO, new_round="2030-01-01") as (workspace, instance):
        run_stale(
            workspace,
            instance,
            configuration={"mode": "auto", "new_round": "2030-01-01"},
            databases=["east"],
        )
    assert run(project, mode=Mode.REPLAY).failures == []
    with Workspace(project) as workspace:
        rounds = workspace.store.read_all(RESPONSES).group_by("database").agg("round").rows()
    assert {name: sorted(set(found)) for name, found in rounds} == {
        "east": ["1", "2030-01-01"],
        "west": ["1"],
    }


@pytest.mark.parametrize("content", [None, b"this is no database, it only lies where one was"])
def test_a_registered_file_that_cannot_be_used_fails_alone_with_its_line(tmp_path, server, content):
    project = make_project(tmp_path, ("east", "west"))
    write_models(project, [served(scripted(project, "silent"), VARIABLE)])
    path = project.data / "west.sqlite"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    report = run(project)
    assert len(report.failures) == 1
    registry = project.databases_file.read_text("utf-8").splitlines()
    line = registry.index("- id: west") + 1
    assert f"{project.databases_file}:{line}:" in report.failures[0]
    assert len(server.asked) == REQUESTS_A_DATABASE
    with Workspace(project) as workspace:
        assert set(workspace.store.read_all(OUTCOMES)["database"]) == {"east"}


def test_a_model_that_the_profile_leaves_out_is_not_asked(tmp_path):
    project = make_project(tmp_path, without_models=["wrong"])
    write_models(project, [scripted(project, name) for name in ("silent", "wrong")])
    run(project)
    with Workspace(project) as workspace:
        assert set(workspace.store.read_all(OUTCOMES)["model"]) == {"silent"}


def test_a_profile_cannot_leave_out_a_model_that_there_is_not(tmp_path):
    project = make_project(tmp_path, without_models=["nobody"])
    write_models(project, [scripted(project, "silent")])
    with (
        Workspace(project) as workspace,
        pytest.raises(ConfigurationError, match="there is no model 'nobody'"),
    ):
        plan(workspace)
