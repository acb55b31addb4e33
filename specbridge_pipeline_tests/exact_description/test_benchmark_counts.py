"""The counts over benchmarks: kept without text, shown as counted, recomputed where they can be."""

from __future__ import annotations

import pytest

from specbridge_pipeline.benchmarks.references import read_references
from specbridge_pipeline.benchmarks.table_schemas import read_schemas
from specbridge_pipeline.databases.database_files import named_database_files
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.exact_description.proofs.findings import NOT_ASKED_FOR, counts
from specbridge_pipeline.exact_description.proofs.mutation_testing import Fate
from specbridge_pipeline.exact_description.proofs.study import (
    DescriptionStudy,
    distinct_queries,
)
from specbridge_pipeline.sql.mutation.kinds import MutationKind
from specbridge_pipeline_tests.support.description_counts import (
    BENCHMARKS,
    MARK,
    PAGE,
    read_counts,
    tables,
)
from specbridge_pipeline_tests.support.projects import CHECKOUT

DATA = CHECKOUT.parent / "shared" / "data"
FILES = {
    "spider-dev": ("spider", "spider/dev.json", "spider/tables.json"),
    "spider-train": ("spider", "spider/train_spider.json", "spider/tables.json"),
    "spider-train-others": (
        "spider",
        "spider/train_others.reconstructed.json",
        "spider/tables.json",
    ),
    "bird-dev": ("bird", "bird/dev.json", "bird/dev_tables.json"),
}
COUNTS = read_counts()


def test_the_documented_tables_are_the_counted_ones():
    shown = PAGE.read_text(encoding="utf-8").split(MARK)[1].strip()
    assert shown == tables().strip()


@pytest.mark.parametrize("name", BENCHMARKS)
def test_counts_agree_with_each_other_and_hold_no_text(name):
    row = COUNTS[name]
    ids = [
        one
        for title in ("not_parsed", "not_described")
        for reason in row[title].values()
        for one in reason
    ]
    assert len(ids) == row["references"] - row["described"]
    lost = [one for reason in row["no_round_trip"].values() for one in reason]
    assert row["round_trips"] + len(lost) == row["described"]
    assert row["round_trips_by_text"] <= row["round_trips"]
    assert all(isinstance(one, int) for one in ids)
    reasons = [*row["not_parsed"], *row["not_described"], *row["not_mutated"]]
    reasons += row["no_round_trip"]
    assert not any(mark in reason for reason in reasons for mark in "'\"`")
    judged = sum(sum(kind.values()) for kind in row["mutants_by_kind"].values())
    assert judged == (row["mutants"] or 0)
    assert (row["survivors"] or 0) == len(row["surviving_mutants"])
    assert set(row["mutants_by_kind"]) <= {kind.value for kind in MutationKind}
    assert set(row["mutants_left_out"]) <= {fate.value for fate in Fate}
    assert all(set(each) == {"question_ids", "kind", "place"} for each in row["surviving_mutants"])


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the benchmarks are not here")
@pytest.mark.parametrize("name", BENCHMARKS)
def test_coverage_is_what_is_counted(name):
    family, questions, tables_file = FILES[name]
    references = read_references(DATA / "questions" / questions)
    databases = named_database_files(
        [DATA / "databases" / family], [reference.database for reference in references]
    )
    with QueryRunner(workers=1) as runner:
        study = DescriptionStudy(read_schemas(DATA / "questions" / tables_file), databases, runner)
        findings = study.study(
            distinct_queries(references),
            found=lambda _: None,
            at_once=1,
            mutate=False,
            read_back=False,
        )
    counted = counts(findings, not_mutated=NOT_ASKED_FOR)
    for key in ("references", "parsed", "described", "not_parsed", "not_described"):
        assert counted[key] == COUNTS[name][key], key
