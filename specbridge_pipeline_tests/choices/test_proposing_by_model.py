"""A model as the proposer: its edits pass the checks of those by rules, or fail them by name."""

import json
from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.choices.choice_library import ChoiceLibrary, Confidence, LibraryRecord
from specbridge_pipeline.choices.library_examples import LibraryExample, examples_of
from specbridge_pipeline.choices.opportunities import find_opportunities
from specbridge_pipeline.choices.proposing_by_model import propose_by_model
from specbridge_pipeline.choices.records import CHOICE_PROPOSALS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.settings import Budget, Mode
from specbridge_pipeline_tests.choices.test_proposals import (
    BUYERS,
    CHECKS,
    NO_CHOICE,
    TWO_CHOICES,
    Reader,
    queries,
)

RECORDED = yaml.safe_load(Path(__file__).with_name("model_proposals.yaml").read_text("utf-8"))
ASKED: list[list[str]] = []
ANSWERS: list[object] = []
GOOD = {"place": 1, "old": "COUNT(*)", "new": "COUNT(DISTINCT customer_id)"}
LESS = {"place": 1, "old": "GROUP BY", "new": "WHERE amount > 9 GROUP BY"}


def scripted(messages, parameters):
    """Give the next answer; the last one for ever."""
    ASKED.append([message["content"] for message in messages])
    answer = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
    return answer if isinstance(answer, str) else json.dumps(answer)


@pytest.fixture
def proposed(make_shop, tmp_path):
    """Return what becomes of answers about queries on the shop."""

    def of(statements, *answers, examples=None, reviewer=None):
        ASKED.clear()
        ANSWERS[:] = answers
        shop = make_shop()
        rows = queries(*statements)
        found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run)
        with ResponseArchive(tmp_path / "archive.sqlite") as archive:
            return propose_by_model(
                rows,
                found,
                shop.schema,
                shop.catalogue,
                shop.run,
                gateway=Gateway(archive, mode=Mode.AUTO, budget=Budget()),
                entry=ModelEntry(id="model", callable=f"{__name__}:scripted", concurrency=1),
                examples=examples or {},
                seed=1,
                reviewer=reviewer,
            )

    return of


def test_a_sound_edit_is_selected_under_the_models_name(proposed):
    [row] = proposed([BUYERS], GOOD)
    assert all(row[check] for check in CHECKS)
    assert row["selected"]
    assert row["proposer"] == "model"
    assert (row["taken"], row["side"], row["convention"]) == ("rows", "entities", "a")
    assert row["sql_b"] == BUYERS.replace("COUNT(*)", "COUNT(DISTINCT customer_id)")
    assert CHOICE_PROPOSALS.frame([row]).height == 1
    [[prompt]] = ASKED
    assert BUYERS in prompt
    assert "1. counting unit in the last SELECT (purchase.customer_id)" in prompt


@pytest.mark.parametrize(
    ("edit", "check", "problem"),
    [
        (GOOD | {"old": "COUNT(x)"}, "applies", "does not stand in the query"),
        (GOOD | {"old": "product"}, "applies", "stands in it 2 times"),
        (GOOD | {"new": "COUNT(DISTINCT"}, "applies", "cannot be read again"),
        (GOOD | {"new": "COUNT(nobody)"}, "applies", ""),
        (GOOD | {"new": "COUNT(product)"}, "disjoint", ""),
        (LESS, "one_step", "differ in"),
        (GOOD | {"place": 7}, "applies", "no place 7"),
    ],
    ids=["nowhere", "twice", "no SQL", "no column", "same answer", "another choice", "no place"],
)
def test_each_check_refuses_what_it_is_for_after_one_repair(proposed, edit, check, problem):
    [row] = proposed([BUYERS], edit)
    assert row[check] is False, row
    assert problem in row["problem"]
    assert [row[each] for each in CHECKS[: CHECKS.index(check)]] == [True] * CHECKS.index(check)
    assert not row["selected"]
    # The one repair is told what was wrong, and there is no second.
    assert len(ASKED) == 2
    assert row["problem"] in ASKED[1][-1]


def test_a_choice_that_its_reviewer_finds_settled_is_repaired_once_too(proposed):
    [row] = proposed([BUYERS], GOOD, reviewer=Reader("counting_unit"))
    assert row["found_open"] is False
    assert not row["selected"]
    assert len(ASKED) == 2
    assert "Nobody means that." in ASKED[1][-1]


@pytest.mark.parametrize("given", RECORDED, ids=lambda given: given["fails"])
def test_what_a_real_model_proposed_fails_by_name(proposed, given):
    [row] = proposed([given["sql"]], *given["replies"])
    assert len(ASKED) == len(given["replies"])
    assert row[given["fails"]] is False
    assert row["problem"]
    assert not row["selected"]


def test_an_edit_that_is_mended_is_selected(proposed):
    [row] = proposed([BUYERS], LESS, GOOD)
    assert row["selected"]
    assert len(ASKED) == 2


def test_only_what_fails_is_asked_about_again(proposed):
    rows = proposed([BUYERS, TWO_CHOICES], GOOD, GOOD | {"place": 9}, GOOD)
    assert [row["selected"] for row in rows] == [True, True]
    assert [len(conversation) for conversation in ASKED] == [1, 1, 3]


def test_a_reply_that_stays_malformed_is_a_row_that_does_not_apply(proposed):
    [row] = proposed([BUYERS], "I would rather not.")
    assert row["applies"] is False
    assert row["problem"].startswith("the proposer's reply cannot be read: ")
    assert row["sql_b"] is None
    assert len(ASKED) == 2


def test_a_query_without_a_choice_is_not_asked_about(proposed):
    assert proposed([NO_CHOICE], GOOD) == []
    assert ASKED == []


def test_sql_of_a_model_that_writes_is_refused(proposed):
    whole = {"place": 1, "old": BUYERS, "new": "DELETE FROM purchase"}
    [row] = proposed([BUYERS], whole)
    assert row["applies"] is False


RECORD = {
    "id": "bird/dev/7/counting_unit",
    "type": ChoiceType.COUNTING_UNIT,
    "benchmark": "bird",
    "source": "dev",
    "question_id": "7",
    "database": "clinic",
    "query": "abc",
    "step": 1,
    "side": "usual",
    "edit": {"taken": "rows", "other": "entities", "gates": ()},
    "origin": "reference",
    "open_by_cues": True,
    "open_by_reviewers": None,
    "confidence": Confidence.RULES,
    "evidence": {
        "move": "value_moves",
        "relative_move": 0.1,
        "reference_rows": 1,
        "other_rows": 1,
        "rows_lost": 1,
        "rows_gained": 1,
    },
}


def test_an_example_is_a_question_at_hand_that_somebody_has_read_first():
    from specbridge_pipeline.choices.answer_changes.moves import Move

    evidence = RECORD["evidence"] | {"move": next(iter(Move))}
    records = tuple(
        LibraryRecord.model_validate(RECORD | {"evidence": evidence} | changed)
        for changed in (
            {"id": "a", "question_id": "7"},
            {"id": "b", "question_id": "8", "confidence": Confidence.READ},
            {"id": "c", "question_id": "9", "confidence": Confidence.READ},
        )
    )
    library = ChoiceLibrary(records=records)
    asked = [
        BenchmarkReference(number, "clinic", "SELECT 1", question, form="bird")
        for number, question in ((7, "How many visits?"), (9, "How many patients came?"))
    ]
    found = examples_of(library, asked)
    assert found[ChoiceType.COUNTING_UNIT].question == "How many patients came?"
    assert found[ChoiceType.COUNTING_UNIT].choice
    assert "SELECT" not in str(found)
    # Without the benchmark's text there is none.
    assert examples_of(library, []) == {}


def test_at_most_one_example_is_shown_and_never_its_sql(proposed):
    example = LibraryExample("How many >>> patients came?", "Do visits count or patients?")
    tied = LibraryExample("Who has most?", "Do ties count?")
    types = {ChoiceType.COUNTING_UNIT: example, ChoiceType.TIES: tied}
    proposed([TWO_CHOICES], GOOD, examples=types)
    [prompt] = ASKED[0]
    assert prompt.count("asked of another database") == 1
    assert "How many  patients came?" in prompt
    assert "Do visits count or patients?" in prompt
    proposed([BUYERS], GOOD)
    assert "asked of another database" not in ASKED[0][0]
