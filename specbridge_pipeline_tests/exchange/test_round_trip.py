"""The shipped edition, exported and imported into an empty project, gives the same numbers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from specbridge_pipeline.cli.headline import headline_rows, headline_table, sets_line
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.settings import Mode, Project
from specbridge_pipeline_tests.support.projects import CHECKOUT, run

SHIPPED = "generated-1"


def project_at(root: Path, databases: Path) -> Project:
    """Make a bare project with the sample databases."""
    done = CliRunner().invoke(cli, ["init", str(root), "--bare"])
    assert done.exit_code == 0, done.output
    shutil.copytree(databases, root / "data" / "databases")
    return Project(root)


def headline(project: Project) -> tuple[list[dict[str, Any]], Any, str]:
    """Evaluate from recorded replies alone."""
    report = run(project, stages=EVALUATION_STAGES, mode=Mode.REPLAY, edition=SHIPPED)
    assert report.failures == []
    with Workspace(project, edition=SHIPPED) as workspace:
        return headline_rows(workspace), headline_table(workspace), sets_line(workspace)


@pytest.mark.slow
def test_an_exported_edition_gives_the_same_headline_elsewhere(tmp_path: Path) -> None:
    databases = tmp_path / "databases"
    for name, tables in SAMPLES.items():
        build_database(databases / f"{name}.sqlite", tables())
    here = project_at(tmp_path / "here", databases)
    for folder in ("editions", "recordings"):
        shutil.copytree(CHECKOUT / "data" / folder / SHIPPED, here.data / folder / SHIPPED)
    there = project_at(tmp_path / "there", databases)
    out = tmp_path / "out"
    command = ["editions", "export", SHIPPED, "--out", str(out), "--recordings"]
    done = CliRunner().invoke(cli, ["--project", str(here.root), *command])
    assert done.exit_code == 0, done.output
    command = ["sets", "import", str(out / "sets.jsonl"), "--edition", SHIPPED]
    command += ["--recordings", str(out / "recordings")]
    done = CliRunner().invoke(cli, ["--project", str(there.root), *command], standalone_mode=False)
    assert done.return_value == 0, done.output
    ours, theirs = (read_edition(project, SHIPPED) for project in (here, there))
    assert theirs.sets == ours.sets
    assert theirs.record.digest == ours.record.digest
    first, second = headline(here), headline(there)
    assert first[0]
    # A p-value that there is none of is NaN, which equals nothing.
    assert repr(first) == repr(second)
