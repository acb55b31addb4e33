"""`specbridge study conventions` on small files, and the asset on a registered database."""

from __future__ import annotations

import csv
import json

import pytest
import yaml
from click.testing import CliRunner

from specbridge_pipeline.choices.conventions.references.counts import Count
from specbridge_pipeline.choices.conventions.references.one_percent_rule import CountSource, keeps
from specbridge_pipeline.choices.conventions.references.records import REFERENCE_CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.orchestration.planner import plan
from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES, STAGE_BY_NAME
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline_tests.support.projects import make_project

_SPIDER = [
    ("ships", "Which ship is the longest?", "SELECT name FROM ships ORDER BY length DESC LIMIT 1"),
    (
        "ships",
        "Which ship has the greatest length?",
        "SELECT name FROM ships WHERE length = (SELECT MAX(length) FROM ships)",
    ),
    (
        "geo",
        "what is the longest ship",
        "SELECT name FROM ships WHERE length IN (SELECT MAX(length) FROM ships)",
    ),
    (
        "ships",
        "Which ships are the longest?",
        "SELECT name FROM ships ORDER BY length DESC LIMIT 1",
    ),
    ("ships", "A broken one", "SELECT name FROM"),
    ("nowhere", "Of no known database", "SELECT 1"),
]
_BIRD = [
    (
        7,
        "Which ships are long?",
        "long refers to length > 20",
        "SELECT name FROM ships WHERE length > 20",
    ),
    (9, "Which ships are called Ada?", "", "SELECT length FROM ships WHERE name LIKE '%Ada%'"),
]


def _tables(*names):
    return [
        {
            "db_id": name,
            "table_names_original": ["ships"],
            "column_names_original": [[-1, "*"], [0, "ship_id"], [0, "name"], [0, "length"]],
            "column_types": ["text", "number", "text", "number"],
            "primary_keys": [1],
            "foreign_keys": [],
        }
        for name in names
    ]


@pytest.fixture
def files(tmp_path):
    spider = [{"db_id": a, "question": b, "query": c} for a, b, c in _SPIDER]
    bird = [
        {"question_id": a, "db_id": "ships", "question": b, "evidence": c, "SQL": d}
        for a, b, c, d in _BIRD
    ]
    (tmp_path / "train_small.json").write_text(json.dumps(spider), "utf-8")
    (tmp_path / "dev.json").write_text(json.dumps(bird), "utf-8")
    (tmp_path / "tables.json").write_text(json.dumps(_tables("ships", "geo")), "utf-8")
    return tmp_path


def _study(files, *more):
    arguments = ["study", "conventions", "--questions", "train_small.json", "dev.json"]
    arguments = [str(files / each) if each.endswith(".json") else each for each in arguments]
    done = CliRunner().invoke(cli, [*arguments, "--tables", str(files / "tables.json"), *more])
    assert done.exit_code == 0, done.output
    return done.output


def _of(entries, **values):
    return next(each for each in entries if all(each[k] == v for k, v in values.items()))


def test_the_counts_are_given_by_type_author_group_and_split(files):
    result = json.loads(_study(files, "--json"))
    ties = _of(result["types"], type="ties")
    assert {name: ties[name] for name in ("open", "usual", "other", "unread", "settled")} == {
        "open": 3,
        "usual": 1,
        "other": 2,
        "unread": 2,
        "settled": 1,
    }
    assert ties["share"] == pytest.approx(2 / 3)
    assert ties["low"] < ties["share"] < ties["high"]
    assert _of(result["groups"], type="ties", group="Geo, Restaurants")["other"] == 1
    assert _of(result["groups"], type="value_matching", group="BIRD")["other"] == 1
    assert (
        _of(result["splits"], type="ties", group="Spider's own authors", split="train")["open"] == 2
    )
    assert _of(result["types"], type="quantifier")["share"] is None


def test_the_questions_behind_a_count_are_listed(files):
    result = json.loads(_study(files, "--json"))
    assert result["questions"]["ties"] == {
        "usual": ["spider/train_small/0"],
        "other": ["spider/train_small/1", "spider/train_small/2"],
    }
    _study(files, "--list", str(files / "list.csv"))
    rows = list(csv.DictReader((files / "list.csv").open(encoding="utf-8")))
    settled = [row for row in rows if row["choice_type"] == "ties" and row["open"] == "False"]
    assert [(row["question_id"], row["cues"]) for row in settled] == [
        ("3", "several are asked for")
    ]
    text = (files / "list.csv").read_text("utf-8") + (json.dumps(result))
    assert "SELECT" not in text
    assert "longest" not in text


def test_what_cannot_be_read_is_said(files):
    result = json.loads(_study(files, "--json"))
    assert [(each["source"], each["question_id"]) for each in result["not_read"]] == [
        ("train_small", "4"),
        ("train_small", "5"),
    ]
    assert "referent column: not counted" in _study(files)


def test_a_type_that_references_do_not_show_is_not_counted(files):
    result = json.loads(_study(files, "--json"))
    assert [each["type"] for each in result["not_counted"]] == ["referent_column"]
    assert len(result["types"]) == 13


def test_a_review_is_written_out_and_read_back(files):
    sheet = files / "review.csv"
    _study(files, "--export", str(sheet))
    rows = list(csv.DictReader(sheet.open(encoding="utf-8")))
    assert [row["question_id"] for row in rows if row["choice_type"] == "ties"] == ["1", "2"]
    assert all(row["question"] and row["sql"] and not row["verdict"] for row in rows)
    for row in rows:
        row["verdict"] = "dropped" if row["question_id"] == "1" else "confirmed"
        row["reason"] = "a reason"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, rows[0])
        lines.writeheader()
        lines.writerows(rows)
    result = json.loads(_study(files, "--verdicts", str(sheet), "--json"))
    ties = _of(result["types"], type="ties")
    assert (ties["usual"], ties["other"], ties["unread"], ties["dropped"]) == (1, 1, 0, 1)
    unread = json.loads(_study(files, "--verdicts", str(sheet), "--unread", "--json"))
    assert _of(unread["types"], type="ties")["unread"] == 2


def test_a_verdict_on_another_query_does_not_count(files):
    sheet = files / "review.csv"
    _study(files, "--export", str(sheet))
    text = sheet.read_text("utf-8").replace(",,,,", ",dropped,for a reason,me,")
    sheet.write_text(text, "utf-8")
    changed = json.loads((files / "train_small.json").read_text("utf-8"))
    changed[1]["query"] = changed[1]["query"].replace("MAX", "MIN")
    (files / "train_small.json").write_text(json.dumps(changed), "utf-8")
    result = json.loads(_study(files, "--verdicts", str(sheet), "--json"))
    ties = _of(result["types"], type="ties")
    assert ties["unread"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("benchmark,source\n", "columns are missing"),
        (
            "benchmark,source,question_id,choice_type,database,query,verdict,reason,reviewer\n"
            "spider,train_small,1,ties,ships,x,perhaps,,\n",
            "'perhaps' is no verdict",
        ),
    ],
)
def test_a_sheet_that_cannot_be_used_is_refused(files, text, message):
    (files / "bad.csv").write_text(text, "utf-8")
    arguments = ["study", "conventions", "--questions", str(files / "dev.json")]
    arguments += ["--tables", str(files / "tables.json"), "--verdicts", str(files / "bad.csv")]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)


def test_a_count_without_questions_has_no_share():
    assert Count(0, 0, 0, 0, 0, 5).share is None


def test_the_rule_keeps_the_types_that_the_paper_keeps():
    kept = {each for each in ChoiceType if keeps(each)}
    assert kept == {
        ChoiceType.AGGREGATION_LEVEL,
        ChoiceType.QUANTIFIER,
        ChoiceType.COUNTING_UNIT,
        ChoiceType.MISSING_VALUES,
        ChoiceType.NEGATION,
        ChoiceType.STRICT_CUTOFF,
        ChoiceType.TIES,
    }
    assert keeps(ChoiceType.REFERENT_COLUMN) is None
    assert keeps(ChoiceType.TIES, CountSource.OWN) is True


def test_the_asset_holds_the_references_about_a_registered_database(tmp_path):
    project = make_project(tmp_path)
    questions = [
        {
            "db_id": "SHOP",
            "question": "Which customer spent the most on one purchase?",
            "query": "SELECT c.name FROM customer c JOIN purchase p ON c.id = p.customer_id "
            "ORDER BY p.amount DESC LIMIT 1",
        },
        {"db_id": "other", "question": "Of another", "query": "SELECT 1"},
    ]
    (tmp_path / "dev.json").write_text(json.dumps(questions), "utf-8")
    registry = yaml.safe_load(project.databases_file.read_text("utf-8"))
    registry["databases"][0] |= {"questions": ["dev.json"], "questions_id": "SHOP"}
    project.databases_file.write_text(yaml.safe_dump(registry), "utf-8")
    stage = STAGE_BY_NAME["reference_conventions"]
    with Workspace(project) as workspace:
        (partition,) = stage.partitions(workspace)
        rows = REFERENCE_CONVENTIONS.frame(stage.compute(workspace, partition)).to_dicts()
        assert {cell.stage for cell in plan(workspace)} >= {"reference_conventions"}
        assert "reference_conventions" not in {
            cell.stage for cell in plan(workspace, stages=EVALUATION_STAGES)
        }
    found = {row["choice_type"]: (row["question_id"], row["side"], row["open"]) for row in rows}
    assert found["ties"] == ("0", "usual", True)
    assert found["aggregation_level"] == ("0", "usual", False)
