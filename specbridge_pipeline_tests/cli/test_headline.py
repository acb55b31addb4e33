"""What the terminal says below a run: numbers by tier, who read the sets, and the draft."""

import json

import pytest
import yaml
from click.testing import CliRunner

from specbridge_pipeline.cli.headline import draft_line_of, headline_table, sets_line
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.orchestration.stages.construction_funnel import STAGE as FUNNEL_STAGE
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition
from specbridge_pipeline.reporting.numbers import MEASURES, reported_numbers
from specbridge_pipeline.reporting.records import CONSTRUCTION_FUNNEL, STATISTICS
from specbridge_pipeline.request_sets.editions import read_edition, seal_edition
from specbridge_pipeline_tests.support.drafts import draft_rows, store_draft
from specbridge_pipeline_tests.support.projects import (
    EDITION,
    make_database,
    make_project,
    scripted,
    write_models,
)

RULED = "ruled"
MODELS = ("silent", "returns_both")


@pytest.fixture
def project(tmp_path):
    """A project with a second edition: one set of the paper's tier, written and read by rules."""
    project = make_project(tmp_path)
    write_models(project, [scripted(project, name) for name in MODELS])
    record = read_edition(project, EDITION).record
    sets = yaml.safe_load((project.editions / EDITION / "sets.yaml").read_text("utf-8"))["sets"]
    sets[0]["step_depth"] = 3
    for each in sets:
        del each["id"]
        each["provenance"] = {"writer": "rules", "reviewers": ["rules/reading"]}
    folder = project.editions / RULED
    folder.mkdir()
    (folder / "sets.yaml").write_text(yaml.safe_dump({"sets": sets}, sort_keys=False), "utf-8")
    seal_edition(
        folder,
        title="Sets by rules",
        built_by="rules",
        code_version="0",
        engines=record.engines,
        databases=record.databases,
    )
    return project


def store_numbers(workspace, models=MODELS):
    """Store the numbers of models that compute everything and of which one returns both."""
    rows = [
        {
            "outcome_id": f"{each.id}/{model}",
            "edition": workspace.edition.id,
            "set_id": each.id,
            "model": model,
            "method": "explained",
            "round": "1",
            "judge": "rules",
            "tier": workspace.edition.tier_of(each),
            "choice_type": each.choice_type.value,
            "both_computable": True,
            "both_returned": model == "returns_both",
            "named": model == "returns_both",
            **{f"right_{side}": True for side in "ab"},
            **{f"right_{side}_allowing_columns": True for side in "ab"},
            **{f"found_{side}": side == "a" or model == "returns_both" for side in "ab"},
            **{f"false_alarm_alternative_{side}": False for side in "ab"},
            **{f"false_alarm_named_{side}": False for side in "ab"},
        }
        for each in workspace.edition.sets
        for model in models
    ]
    frame = STATISTICS.frame(reported_numbers(rows, seed=1, resamples=50))
    origin = Manifest(stage="statistics", stage_version=1, schema_version=1)
    workspace.store.write(STATISTICS, Partition(), frame, origin)


def test_an_edition_of_both_tiers_has_its_numbers_by_tier(project):
    with Workspace(project, edition=RULED) as workspace:
        store_numbers(workspace)
        columns, rows = headline_table(workspace)
    assert columns == ["", "silent", "returns_both"]
    first = [row[0] for row in rows]
    measures = [f"  {measure.label}" for measure in MEASURES]
    assert first == [
        "All sets: 3 sets",
        *measures,
        "Short tier, step depth 1 and 2: 2 sets",
        *measures,
        "Paper tier, step depth 3 to 6: 1 set",
        *measures,
    ]
    returned = [row[1:] for row in rows if row[0] == "  Both returned"]
    assert returned == [["0/3 0% [0–56]", "3/3 100% [44–100]"], ["0/2", "2/2"], ["0/1", "1/1"]]
    conditional = [row[1:] for row in rows if row[0] == "  Missed but computable"]
    assert conditional == [["3/3", "n/a"], ["2/2", "n/a"], ["1/1", "n/a"]]


def test_an_edition_of_one_tier_has_one_table(project):
    with Workspace(project) as workspace:
        store_numbers(workspace)
        _, rows = headline_table(workspace)
    assert [row[0] for row in rows] == [measure.label for measure in MEASURES]


def test_many_models_stand_below_each_other(project):
    names = [*MODELS, "names_only", "does_not_run", "wrong"]
    write_models(project, [scripted(project, name) for name in names])
    with Workspace(project, edition=RULED) as workspace:
        store_numbers(workspace, names)
        columns, rows = headline_table(workspace)
    assert columns == ["model", *(measure.label for measure in MEASURES)]
    assert all(len(row) == len(columns) for row in rows)
    assert [row[0] for row in rows][:7] == [
        "All sets: 3 sets",
        *(f"  {name}" for name in names),
        "Short tier, step depth 1 and 2: 2 sets",
    ]


def test_there_is_no_table_before_there_are_numbers(project):
    with Workspace(project) as workspace:
        assert headline_table(workspace)[1] == []


def test_it_says_who_read_the_sets(project):
    with Workspace(project, edition=RULED) as workspace:
        assert sets_line(workspace) == (
            "No person has read these request sets: they were written and reviewed by rules."
        )
    with Workspace(project) as workspace:
        assert sets_line(workspace).startswith("The request sets were written by hand")


@pytest.fixture
def drafted(tmp_path):
    """A project with a draft on two databases, of which the funnel is stored by its stage."""
    project = make_project(tmp_path)
    entries = yaml.safe_load(project.databases_file.read_text("utf-8"))["databases"]
    for name in ("baseball", "flights"):
        make_database(tmp_path / "data" / f"{name}.sqlite")
        path = f"data/{name}.sqlite"
        entries.append({"id": name, "path": path, "source": "a test", "uses": ["construct"]})
    project.databases_file.write_text(yaml.safe_dump({"databases": entries}), "utf-8")
    store_draft(CellStore(project.warehouse), draft_rows())
    with Workspace(project) as workspace:
        frame = CONSTRUCTION_FUNNEL.frame(FUNNEL_STAGE.compute(workspace, Partition()))
        origin = Manifest(stage=CONSTRUCTION_FUNNEL.name, stage_version=1, schema_version=1)
        workspace.store.write(CONSTRUCTION_FUNNEL, Partition(), frame, origin)
    return project


def test_it_says_what_the_draft_holds(drafted):
    with Workspace(drafted) as workspace:
        assert draft_line_of(workspace) == (
            "The draft holds 3 accepted request sets on 2 databases, built by rules, grammar 1; "
            "it is not what was evaluated."
        )


def test_a_project_that_builds_nothing_is_told_nothing_of_a_draft(project):
    with Workspace(project) as workspace:
        assert draft_line_of(workspace) == ""


def test_a_count_of_the_draft_is_traced_to_its_rows(drafted):
    def trace(*arguments):
        return CliRunner().invoke(
            cli, ["--project", str(drafted.root), "trace", *arguments], catch_exceptions=False
        )

    said = trace("funnel/accepted/tier=short").output
    assert "value     3 of 3" in said
    assert "it is not what was evaluated" in said
    assert "p1-0" in said
    assert "p4-1" in said
    brief = trace("funnel/attempts/all", "--brief").output
    assert "and 4 more rows" in brief
    found = json.loads(trace("funnel/kept/all/flights", "--json").output)
    assert [row["query_id"] for row in found["rows"]] == ["q1", "q3"]
    assert found["number"]["count"] == 2
