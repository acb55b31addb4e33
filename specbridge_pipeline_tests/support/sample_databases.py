"""The databases that the project's own queries are on, shared by the tests of one session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
import yaml

from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project, starter_root
from specbridge_pipeline_tests.support.accepted import clinic_sets
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

Run: TypeAlias = Callable[[str], Outcome]
RunOn: TypeAlias = Callable[[str], Run]


@pytest.fixture(scope="session")
def run_on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunOn]:
    """From a database's id to how a query is run on it.

    A database is built when it is first asked for, and a query runs once in a session: several
    tests look at the same results.
    """
    folder = tmp_path_factory.mktemp("databases")
    outcomes: dict[tuple[str, str], Outcome] = {}
    with QueryRunner(workers=2) as runner:

        def run(database: str, sql: str) -> Outcome:
            if (database, sql) not in outcomes:
                path = _built(folder, database)
                outcomes[database, sql] = runner.run(path, sql)
            return outcomes[database, sql]

        yield lambda database: lambda sql: run(database, sql)


def _built(folder: Path, database: str) -> Path:
    path = folder / f"{database}.sqlite"
    if not path.exists():
        if database in SAMPLES:
            build_database(path, SAMPLES[database]())
        else:
            make_database(path, FIXTURES / f"{database}.sql")
    return path


def all_sets() -> list[RequestSet]:
    """Every request set of the project: of the shipped editions, and of the fixtures."""
    project = Project(starter_root())
    shipped = [read_edition(project, name).sets for name in ("handwritten-1", "generated-1")]
    shop = [
        RequestSet.model_validate(each)
        for each in yaml.safe_load((FIXTURES / "shop_sets.yaml").read_text("utf-8"))["sets"]
    ]
    named = [each.model_copy(update={"id": each.content_id()}) for each in shop]
    return [*shipped[0], *shipped[1], *clinic_sets(), *named]
