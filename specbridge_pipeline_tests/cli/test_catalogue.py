"""`specbridge catalogue` as a user meets it, and who never sees a catalogue file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import make_project

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = make_project(tmp_path_factory.mktemp("catalogue"))
    registry = yaml.safe_load(project.databases_file.read_text("utf-8"))
    registry["databases"][0]["catalogue"] = "data/catalogues/shop.yaml"
    project.databases_file.write_text(yaml.safe_dump(registry), "utf-8")
    file = project.data / "catalogues" / "shop.yaml"
    file.parent.mkdir()
    file.write_text(
        "tables:\n  customer:\n    row: [patron, patrons]\n"
        "    columns:\n      city: {phrase: home town}\n",
        "utf-8",
    )
    return project


def run(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "--project", str(project.root), "catalogue", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_person_can_read_it(project: Project) -> None:
    done = run(project, "shop")
    assert done.returncode == 0, done.stderr
    assert "customer: 5 patrons, key id (schema)" in done.stdout
    assert "one patron, told apart by patron id" in done.stdout
    assert "home town" in done.stdout
    # Why a column is what it is stands beside it.
    assert "few texts that many rows share" in done.stdout
    assert (
        "purchase (customer_id) → customer (id), schema: "
        "many to one: 2.0 purchases for one patron on average, 3 at most\n"
    ) in done.stdout


def test_a_program_can_read_it(project: Project) -> None:
    done = run(project, "shop", "--json")
    assert done.returncode == 0, done.stderr
    catalogue = json.loads(done.stdout)
    assert [table["plural"] for table in catalogue["tables"]] == ["patrons", "purchases"]


def test_an_unknown_database_is_one_line(project: Project) -> None:
    done = run(project, "shoop")
    assert done.returncode == 1
    assert done.stderr.endswith("there is no database 'shoop' (databases here: shop)\n")
    assert len(done.stderr.splitlines()) == 1


def test_models_that_are_evaluated_never_see_the_catalogue_file(project: Project) -> None:
    with Workspace(project) as workspace:
        assert workspace.meanings("shop").rows == {"customer": ("patron", "patrons")}
        assert workspace.documents("shop") == ()
        assert "patron" not in repr(workspace.context("shop"))
        assert "home town" not in repr(workspace.context("shop"))


def test_a_cataloguer_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    profile = project.data / "profiles" / "default.yaml"
    profile.write_text(profile.read_text("utf-8") + "cataloguer: nobody\n", "utf-8")
    done = run(project, "shop")
    assert done.returncode == 1
    assert "the cataloguer 'nobody' is no model with the role cataloguer" in done.stderr
    assert len(done.stderr.splitlines()) == 1
