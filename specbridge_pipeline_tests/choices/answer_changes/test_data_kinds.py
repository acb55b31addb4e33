"""The kinds of data of small databases."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import apsw
import pytest
import yaml

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.choices.answer_changes.data_kinds import CHOICES_ON, DataKind, data_kinds
from specbridge_pipeline.choices.answer_changes.records import DATA_KINDS
from specbridge_pipeline.databases.runner import QueryRunner

_CASES = yaml.safe_load(Path(__file__).with_name("data_kinds.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def runner():
    with QueryRunner(workers=1) as opened:
        yield opened


@pytest.mark.parametrize("case", _CASES, ids=[each["case"] for each in _CASES])
def test_kinds_of_data(case, runner, tmp_path):
    path = tmp_path / "small.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(case["script"])
    connection.close()
    run = partial(runner.run, path)
    rows = data_kinds("made", build_catalogue("small", runner.read_schema(path), run), run)
    DATA_KINDS.frame(rows)
    assert [row["kind"] for row in rows] == [kind.value for kind in DataKind]
    found = {
        row["kind"]: [row["count"], row["of_count"], row["example"]]
        for row in rows
        if row["present"]
    }
    assert found == case["kinds"]


def test_every_kind_makes_some_choice_matter():
    assert CHOICES_ON.keys() == set(DataKind)
    assert all(CHOICES_ON.values())
