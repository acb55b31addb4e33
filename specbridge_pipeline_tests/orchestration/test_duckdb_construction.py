"""Construction on DuckDB: on a database file, and on a folder of Parquet and CSV files."""

import subprocess
import sys

import pytest

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.records import DATABASE_FILES
from specbridge_pipeline.evaluation.records import OUTCOMES, SCORES
from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES, STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.records import GENERATED_QUERIES
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import ACCEPTED_REQUEST_SETS
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.publishing import accepted_set
from specbridge_pipeline.request_sets.recheck import recheck_set
from specbridge_pipeline_tests.support.projects import (
    make_duckdb,
    make_folder,
    make_project,
    register,
    run,
    scripted,
    write_models,
)

pytestmark = pytest.mark.slow

CONSTRUCTION = STAGES[: [stage.name for stage in STAGES].index("accepted_request_sets") + 1]
DATABASES = ("clinic", "clinic-files")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = make_project(
        tmp_path_factory.mktemp("duckdb"), construction={"short_queries": 6, "paper_queries": 2}
    )
    make_duckdb(project.root / "data" / "clinic.duckdb")
    make_folder(project.root / "data" / "clinic", project.root / "data" / "clinic.duckdb")
    register(project, "clinic", "data/clinic.duckdb", "construct", "evaluate")
    register(project, "clinic-files", "data/clinic", "construct", "evaluate")
    assert run(project, stages=CONSTRUCTION).failures == []
    return project


@pytest.fixture
def workspace(project):
    with Workspace(project) as workspace:
        yield workspace


def rows_on(workspace, schema, database):
    return workspace.store.read(schema, Partition(database=database)).to_dicts()


def test_both_are_known_as_duckdb_s(workspace):
    for name in DATABASES:
        assert workspace.engine(name) is Engine.DUCKDB
        assert workspace.context(name).render("explained.txt").count("DuckDB") >= 1
        [row] = rows_on(workspace, DATABASE_FILES, name)
        assert row["engine_version"].startswith("duckdb ")


@pytest.mark.parametrize("name", DATABASES)
def test_every_query_asked_for_is_delivered_and_most_become_accepted_sets(workspace, name):
    kept = [row for row in rows_on(workspace, GENERATED_QUERIES, name) if row["kept"]]
    assert len(kept) == 8
    accepted = rows_on(workspace, ACCEPTED_REQUEST_SETS, name)
    assert len(accepted) >= 6
    assert len({row["choice_type"] for row in accepted}) >= 2


@pytest.mark.parametrize("name", DATABASES)
def test_each_interpretation_is_accepted_for_itself_and_never_for_the_other(workspace, name):
    for row in rows_on(workspace, ACCEPTED_REQUEST_SETS, name):
        found = recheck_set(workspace.run_on(name), accepted_set(row), Engine.DUCKDB)
        assert found.passed, found.problems


def test_days_decimals_and_truth_values_are_known_by_their_types(workspace):
    catalogue = workspace.catalogue("clinic")
    roles = {
        name: str(catalogue.column("visits", name).role)
        for name in ("visit_date", "urgent", "cost", "kind")
    }
    assert roles == {
        "visit_date": "date",
        "urgent": "flag",
        "cost": "measure",
        "kind": "category",
    }
    assert catalogue.column("visits", "cost").profile.reals == 700
    assert catalogue.column("visits", "visit_date").profile.minimum == "2015-01-01"


def test_an_edition_of_them_tells_right_answers_from_wrong_ones(project):
    published = subprocess.run(
        [
            *(sys.executable, "-m", "specbridge_pipeline.cli", "--project", str(project.root)),
            *("publish", "on-duckdb", "--title", "Sets on DuckDB"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert published.returncode == 0, published.stderr
    edition = read_edition(project, "on-duckdb")
    assert {each.database for each in edition.sets} == set(DATABASES)
    assert list(edition.record.engines) == ["duckdb"]
    sets = str(project.editions / "on-duckdb" / "sets.yaml")
    asked = scripted(project, "returns_both")
    write_models(project, [asked | {"parameters": asked["parameters"] | {"sets": sets}}])
    assert run(project, stages=EVALUATION_STAGES, edition="on-duckdb").failures == []
    with Workspace(project, edition="on-duckdb") as workspace:
        for name in DATABASES:
            partition = Partition(database=name, model="returns_both")
            scores = workspace.store.read(SCORES, partition).to_dicts()
            assert len(scores) >= 6 * 4
            for score in scores:
                if score["request_kind"] == "open":
                    continue
                own = score["interpretation"] == score["request_kind"][-1]
                assert (score["verdict"] == "equal") is own, score
            outcomes = workspace.store.read(OUTCOMES, partition).to_dicts()
            assert {row["outcome"] for row in outcomes} == {"both_returned"}
