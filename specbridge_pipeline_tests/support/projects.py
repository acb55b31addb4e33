"""Small real projects for tests: a database of a few rows, a sealed edition, chosen models."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import duckdb
import pytest
import yaml
from dagster import DagsterInstance

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.registry import read_databases
from specbridge_pipeline.databases.runner import QueryRunner, engine_version
from specbridge_pipeline.orchestration.launching import RunReport, dagster_instance, run_stale
from specbridge_pipeline.orchestration.stage import Stage
from specbridge_pipeline.orchestration.stages import STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.editions import (
    EditionDatabase,
    read_edition,
    seal_edition,
)
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    RejectionReason,
    Verdict,
    decisions_csv,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    LABELS_FILE,
    edition_digests,
    review_folder,
)
from specbridge_pipeline.settings import Mode, Project

FIXTURES = Path(__file__).parents[1] / "fixtures"
CHECKOUT = Path(__file__).parents[2]
EDITION = "shop-1"
LABEL = "the builders' own review, not an independent one"


def make_database(path: Path, script: Path = FIXTURES / "shop.sql") -> None:
    """Write a database from an SQL script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute(script.read_text("utf-8"))
    connection.close()


def make_duckdb(path: Path, script: Path = FIXTURES / "clinic_duckdb.sql") -> None:
    """Write a DuckDB database from an SQL script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(script.read_text("utf-8"))


def make_folder(path: Path, database: Path) -> None:
    """Write the tables of a DuckDB database as files: the first as CSV, the others as Parquet."""
    path.mkdir(parents=True)
    with duckdb.connect(str(database), read_only=True) as connection:
        names = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        for place, (name,) in enumerate(names):
            file = path / f"{name}.{'parquet' if place else 'csv'}"
            connection.execute(f"COPY {name} TO '{file}'")


def register(project: Project, name: str, path: str, *uses: str) -> None:
    """Add a database to a project's registry."""
    known = yaml.safe_load(project.databases_file.read_text("utf-8"))["databases"]
    entry = {"id": name, "path": path, "source": "a test", "uses": list(uses)}
    project.databases_file.write_text(yaml.safe_dump({"databases": [*known, entry]}), "utf-8")


def write_models(project: Project, models: list[dict[str, Any]]) -> None:
    """Write the registry of models."""
    project.models_file.write_text(yaml.safe_dump({"models": models}), "utf-8")


def scripted(project: Project, behaviour: str) -> dict[str, Any]:
    """Return the registry entry of a scripted respondent."""
    return {
        "id": behaviour,
        "callable": "specbridge_pipeline_tests.support.respondents:respond",
        "parameters": {
            "behaviour": behaviour,
            "sets": str(project.editions / EDITION / "sets.yaml"),
        },
    }


def make_project(
    root: Path,
    databases: tuple[str, ...] = ("shop",),
    *,
    built_on: tuple[str, ...] = (),
    **profile: Any,
) -> Project:
    """Make a project with an edition on small databases of the same content, and no model.

    Args:
        root: The project's folder.
        databases: Ids of the databases; the edition has the same three sets on each.
        built_on: Databases that request sets are built on, each with its script in the fixtures;
            the edition has no set on them.
        profile: Settings of its profile.
    """
    project = Project(root)
    for name in databases:
        make_database(root / "data" / f"{name}.sqlite")
    for name in built_on:
        make_database(root / "data" / f"{name}.sqlite", FIXTURES / f"{name}.sql")
    project.profiles.mkdir(parents=True)
    entries = [
        {"id": name, "path": f"data/{name}.sqlite", "source": "a test", "uses": uses}
        for names, uses in ((databases, ["evaluate"]), (built_on, ["construct"]))
        for name in names
    ]
    project.databases_file.write_text(yaml.safe_dump({"databases": entries}), "utf-8")
    (project.profiles / "default.yaml").write_text(
        yaml.safe_dump({"edition": EDITION, "resamples": 200} | profile), "utf-8"
    )
    for name in ("dagster.yaml", "workspace.yaml"):
        shutil.copy(CHECKOUT / name, root / name)
    folder = project.editions / EDITION
    folder.mkdir(parents=True)
    sets = yaml.safe_load((FIXTURES / "shop_sets.yaml").read_text("utf-8"))["sets"]
    # A set's requests must be told apart from those of the same set on another database.
    copies = [_on(each, name) for name in databases for each in sets]
    (folder / "sets.yaml").write_text(yaml.safe_dump({"sets": copies}, sort_keys=False), "utf-8")
    write_models(project, [])
    with QueryRunner(workers=1) as runner:
        hashes = {
            database.id: runner.content_hash(database.path)
            for database in read_databases(project).values()
            if database.id in databases
        }
    engine, number = engine_version(Engine.SQLITE).split(" ", 1)
    seal_edition(
        folder,
        title="Sets on a small shop",
        built_by="hand",
        code_version="0",
        engines={engine: number},
        databases={
            name: EditionDatabase(content_hash=found, licence="none")
            for name, found in hashes.items()
        },
    )
    return project


def judge_sets(project: Project, edition: str = EDITION) -> None:
    """Ship verdicts with an edition of three sets: the first is kept, and the second is not read.

    The third is rejected by one of two readings of one person.
    """
    found = read_edition(project, edition)
    digests = edition_digests(found)
    first, _, third = sorted(digests)
    decisions = [
        Decision(name, digests[name], reviewer, 1, Verdict.ACCEPT)
        for name, reviewer in ((first, "ann/1"), (first, "ann/2"), (third, "ann/2"))
    ]
    reason = RejectionReason.UNNATURAL
    decisions.append(Decision(third, digests[third], "ann/1", 1, Verdict.REJECT, reason, "odd"))
    folder = review_folder(found)
    folder.mkdir()
    for reviewer in ("ann/1", "ann/2"):
        text = decisions_csv(each for each in decisions if each.reviewer == reviewer)
        (folder / f"{reviewer.replace('/', '-')}.csv").write_text(text, "utf-8")
    text = yaml.safe_dump({"reviewers": {"ann": LABEL}})
    (folder / LABELS_FILE).write_text(text, "utf-8")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _on(each: dict[str, Any], database: str) -> dict[str, Any]:
    sides = {
        side: value | {"request": f"{value['request']} ({database})"}
        for side, value in each["interpretations"].items()
    }
    return each | {
        "database": database,
        "interpretations": sides,
        "open_request": f"{each['open_request']} ({database})",
    }


@contextmanager
def opened(project: Project, **options: Any) -> Iterator[tuple[Workspace, DagsterInstance]]:
    """Open a project with its Dagster instance, as `specbridge run` does, and leave no trace."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.root)
        patch.setenv("SPECBRIDGE_HOME", str(project.root))
        patch.setenv("DAGSTER_HOME", str(project.root))
        with Workspace(project, **options) as workspace, dagster_instance(workspace) as instance:
            yield workspace, instance


def run(project: Project, *, stages: Iterable[Stage] = STAGES, **options: Any) -> RunReport:
    """Bring a project up to date by Dagster runs, asking models for what is missing."""
    options.setdefault("mode", Mode.AUTO)
    with opened(project, **options) as (workspace, instance):
        return run_stale(
            workspace,
            instance,
            configuration={
                "mode": workspace.profile.mode.value,
                "new_round": workspace.new_round or "",
                "edition": workspace.profile.edition,
            },
            stages=stages,
        )
