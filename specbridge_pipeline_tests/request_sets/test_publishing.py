from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import EditionError, StaleRecordError
from specbridge_pipeline.request_sets import publishing
from specbridge_pipeline.request_sets.edition_text import edition_text
from specbridge_pipeline.request_sets.editions import (
    EDITION_FILE,
    SETS_FILE,
    EditionDatabase,
    read_draft,
    read_edition,
)
from specbridge_pipeline.request_sets.publishing import (
    Imprint,
    accepted_set,
    publish,
    read_by,
    recheck_all,
)
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.accepted import accepted_row, clinic_sets
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

SETS = clinic_sets()
IMPRINT = Imprint(
    title="Sets on a clinic",
    built_by="specbridge-pipeline rules, grammar 1",
    grammar="1",
    read_by=("rules/reading", "person/ann"),
    selection=None,
    code_version="0.1.0",
    engines={"sqlite": "3.54.1"},
    databases={"clinic": EditionDatabase(content_hash="0" * 64, licence="CC0")},
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def in_clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[publishing.RunOn]:
    path = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    make_database(path, FIXTURES / "clinic.sql")
    with QueryRunner(workers=1) as runner:
        yield lambda database: partial(runner.run, path)


def left_in(project: Project) -> list[str]:
    return sorted(path.name for path in project.editions.iterdir())


def test_an_edition_is_read_as_it_was_published(project: Project) -> None:
    record = publish(project, "clinic-1", SETS, IMPRINT)
    edition = read_edition(project, "clinic-1")
    assert edition.record == record
    assert list(edition.sets) == SETS
    assert (record.built_by, record.grammar) == ("specbridge-pipeline rules, grammar 1", "1")
    assert record.read_by == ("rules/reading", "person/ann")
    assert left_in(project) == ["clinic-1"]


def test_an_edition_is_readable(project: Project) -> None:
    publish(project, "clinic-1", SETS, IMPRINT)
    text = (project.editions / "clinic-1" / SETS_FILE).read_text("utf-8")
    assert text.startswith("# Sets on a clinic\nsets:\n  - id: '")
    assert "        sql: |-\n          SELECT kind, COUNT(*) AS n\n          FROM visits\n" in text
    assert "    open_request: >-\n      For each kind of visit, how many patients" in text
    # Only a query's own lines may be long.
    words = [line for line in text.splitlines() if not line.lstrip().startswith("SELECT")]
    assert max(map(len, words)) <= 110
    record = yaml.safe_load((project.editions / "clinic-1" / EDITION_FILE).read_text("utf-8"))
    assert "selection" not in record


ODD = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t :#'\"-"),
    min_size=10,
    max_size=80,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ODD, ODD, ODD)
def test_any_text_is_read_again_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, request: str, sql: str, title: str
) -> None:
    content = SETS[0].model_dump(mode="json") | {"open_request": request}
    content["interpretations"]["b"]["sql"] = sql
    changed = RequestSet.model_validate(content)
    changed = changed.model_copy(update={"id": changed.content_id()})
    folder = tmp_path_factory.mktemp("odd")
    (folder / SETS_FILE).write_bytes(edition_text([changed, SETS[1]], title).encode())
    assert read_draft(folder) == (changed, SETS[1])


def test_what_is_there_is_never_overwritten(project: Project) -> None:
    publish(project, "clinic-1", SETS, IMPRINT)
    before = (project.editions / "clinic-1" / SETS_FILE).read_bytes()
    with pytest.raises(EditionError, match="already an edition of this name"):
        publish(project, "clinic-1", SETS[:1], IMPRINT)
    assert (project.editions / "clinic-1" / SETS_FILE).read_bytes() == before
    (project.editions / "draft").mkdir()
    with pytest.raises(EditionError, match="already a folder of this name"):
        publish(project, "draft", SETS, IMPRINT)
    assert left_in(project) == ["clinic-1", "draft"]


def test_an_edition_that_cannot_be_sealed_leaves_nothing(project: Project) -> None:
    with pytest.raises(EditionError, match="its sets are on clinic"):
        publish(project, "clinic-1", SETS, replace(IMPRINT, databases={}))
    assert left_in(project) == []


KILLED = """
import os, sys
from specbridge_pipeline.request_sets import publishing
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.request_sets.test_publishing import IMPRINT, SETS
from pathlib import Path

where = sys.argv[2]
real = getattr(publishing, where)
def killed(*arguments, **options):
    if where == "seal_edition":
        real(*arguments, **options)
    os._exit(9)
setattr(publishing, where, killed)
publishing.publish(Project(Path(sys.argv[1])), "clinic-1", SETS, IMPRINT)
"""


@pytest.mark.parametrize("where", ["read_draft", "seal_edition"])
def test_a_kill_leaves_no_edition_and_the_next_run_clears_up(project: Project, where: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(project.root), where],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 9, done.stderr
    assert not (project.editions / "clinic-1").exists()
    [leftover] = left_in(project)
    assert leftover.startswith(".publishing.")
    assert not list(project.editions.glob(f"*/{EDITION_FILE}"))
    publish(project, "clinic-1", SETS, IMPRINT)
    assert left_in(project) == ["clinic-1"]


def test_a_run_that_is_still_at_work_is_left_alone(project: Project) -> None:
    busy = project.editions / f".publishing.{publishing.this_process()}x"
    busy.mkdir(parents=True)
    publish(project, "clinic-1", SETS, IMPRINT)
    assert left_in(project) == [busy.name, "clinic-1"]


def test_an_accepted_row_is_the_set_that_it_was() -> None:
    assert [accepted_set(accepted_row(each)) for each in SETS] == SETS
    judged = accepted_set(accepted_row(SETS[0], human_verdict=True))
    assert judged.provenance.human_verdict is True
    assert judged.id == SETS[0].id


def test_a_row_of_other_content_than_its_id_is_refused() -> None:
    with pytest.raises(StaleRecordError, match=f"under the id {SETS[0].id}"):
        accepted_set(accepted_row(SETS[0], request_open="What else is there to be asked?"))


def test_who_read_the_sets_is_named_once() -> None:
    rows: list[dict[str, Any]] = [
        accepted_row(SETS[0], reviewers=["rules/reading", "model-1"]),
        accepted_row(SETS[1], reviewers=["rules/reading"], human_reviewers=["bea", "ann"]),
    ]
    assert read_by(rows) == ("model-1", "rules/reading", "person/ann", "person/bea")


def test_every_set_that_fails_its_re_check_is_named(in_clinic: publishing.RunOn) -> None:
    recheck_all(SETS, in_clinic)
    wrong = [each.model_copy(update={"step_depth": each.step_depth + 1}) for each in SETS[:2]]
    with pytest.raises(EditionError) as caught:
        recheck_all([*wrong, *SETS[2:]], in_clinic)
    for each in SETS[:2]:
        assert f"set {each.id} on clinic: its depths are" in str(caught.value)
    assert SETS[2].id not in str(caught.value)
