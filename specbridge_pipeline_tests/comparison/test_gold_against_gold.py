"""The counts of benchmark references by outcome, recomputed where the benchmarks are at hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from specbridge_pipeline.comparison.determinacy.findings import Reason

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
FILE = Path(__file__).with_name("gold_against_gold.yaml")
COUNTS = yaml.safe_load(FILE.read_text(encoding="utf-8"))
NO_OUTCOMES = {"references", "equal_with_ties_at_the_cut"}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = ROOT / "benchmarks" / "gold_against_gold.py"
    specification = importlib.util.spec_from_file_location("gold_against_gold", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def test_each_reference_is_equal_to_itself_or_has_a_reason() -> None:
    named = {"equal", "does_not_run", *Reason}
    for benchmark, row in COUNTS.items():
        outcomes = {name: count for name, count in row.items() if name not in NO_OUTCOMES}
        assert set(outcomes) <= named, benchmark
        assert sum(outcomes.values()) == row["references"]


def test_the_documented_table_is_the_counted_one() -> None:
    text = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    table = {}
    for line in text.splitlines():
        cells = [cell.strip(" `").replace(",", "") for cell in line.strip("|").split("|")]
        if len(cells) == 1 + len(COUNTS) and all(cell.isdecimal() for cell in cells[1:]):
            table[cells[0]] = [int(cell) for cell in cells[1:]]
    names = {name for row in COUNTS.values() for name in row}
    assert table == {name: [row.get(name, 0) for row in COUNTS.values()] for name in names}


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the benchmarks' databases are not here")
def test_counts(script: ModuleType) -> None:
    assert script.counts(script.judge_all(DATA, 0)) == {
        benchmark: dict(sorted(row.items())) for benchmark, row in COUNTS.items()
    }
