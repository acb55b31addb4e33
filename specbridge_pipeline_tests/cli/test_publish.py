"""Publishing an edition, and showing the sets of a draft, as a user does it."""

import json
import subprocess
import sys

import pytest
import yaml

from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline_tests.support.accepted import accepted_row, clinic_sets, store_accepted
from specbridge_pipeline_tests.support.projects import make_project

pytestmark = pytest.mark.slow

SETS = clinic_sets()
READ = SETS[0].id


COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli")


def specbridge(project, *arguments):
    return subprocess.run(
        [*COMMAND, "--project", str(project.root), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("publishing"), built_on=("clinic",))
    rows = [
        accepted_row(each, human_verdict=True, human_reviewers=["ann"])
        if each.id == READ
        else accepted_row(each)
        for each in SETS
    ]
    store_accepted(project, rows, "clinic")
    return project


def publish(project, *arguments):
    return specbridge(project, "publish", *arguments)


def test_all_accepted_sets_become_an_edition_that_passes_its_check(project):
    done = publish(project, "all-1", "--title", "All sets on the clinic")
    assert done.returncode == 0, done.stderr
    assert "published edition all-1: 4 sets" in done.stdout
    assert "no person has read" not in done.stdout
    edition = read_edition(project, "all-1")
    assert [each.tier for each in edition.sets] == ["short", "short", "paper", "paper"]
    assert {each.id for each in edition.sets} == {each.id for each in SETS}
    record = edition.record
    assert record.built_by == "specbridge-pipeline rules, grammar 1; requests written by rules"
    assert record.grammar == "1"
    assert record.read_by == ("rules/reading", "rules/requirements", "person/ann")
    assert record.selection is None
    assert record.databases["clinic"].licence == "a test"
    [judged] = [each for each in edition.sets if each.provenance.human_verdict is not None]
    assert judged.id == READ
    check = specbridge(project, "editions", "check", "all-1", "--json")
    assert check.returncode == 0, check.stderr
    for row in json.loads(check.stdout):
        assert row["one_step"]
        assert row["depths_agree"]
        assert row["problem"] == ""


def test_a_selection_says_how_it_was_drawn_and_is_drawn_alike_twice(project):
    first, second = (
        publish(project, name, "--title", "Two", "--count", "2", "--licence", "clinic=CC0")
        for name in ("two-1", "two-2")
    )
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    one, two = (read_edition(project, name) for name in ("two-1", "two-2"))
    assert one.sets == two.sets
    assert len(one.sets) == 2
    assert "2 of 4 accepted sets" in one.record.selection
    assert "seed 20261003" in one.record.selection
    assert one.record.databases["clinic"].licence == "CC0"


def test_a_dry_run_draws_and_writes_nothing(project):
    done = publish(
        project,
        *("dry-1", "--title", "Dry", "--dry-run", "--json"),
        *("--quota", "paper/counting_unit=1", "--quota", "short/aggregation_level=1"),
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["published"], said["record"]) == (False, None)
    assert said["sets"] == [SETS[1].id, SETS[2].id]
    assert [row["chosen"] for row in said["strata"]] == [1, 0, 0, 1]
    assert not (project.editions / "dry-1").exists()


def test_sets_can_be_limited_to_a_tier_and_types(project):
    done = publish(
        project,
        *("some-1", "--title", "Some", "--dry-run", "--json", "--database", "clinic"),
        *("--tier", "short", "--type", "counting_unit", "--type", "ties"),
    )
    assert json.loads(done.stdout)["sets"] == [READ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop-1"], "already an edition of this name"),
        (["No Id"], "'No Id' is no id of an edition"),
        (["new-1", "--count", "9"], "9 sets are asked for, and 4 are accepted"),
        (["new-1", "--count", "1", "--quota", "short/ties=1"], "exclude each other"),
        (["new-1", "--quota", "short/ties=1"], "the quota short/ties=1 cannot be met: 0 sets"),
        (["new-1", "--quota", "short/knots=1"], "is not of the form TIER/TYPE=N"),
        (
            ["new-1", "--quota", "short/ties/1=1", "--quota", "short/ties=1"],
            "sets of short/ties may belong to short/ties/1 too",
        ),
        (["new-1", "--type", "ties"], "no accepted set is as asked for"),
        (["new-1", "--database", "shop"], "no request sets are built on a database 'shop'"),
        (["new-1", "--licence", "clinic"], "is not of the form DATABASE=TEXT"),
        (["new-1", "--licence", "shop=CC0"], "a licence is given for 'shop'"),
    ],
)
def test_what_cannot_be_published_is_refused(project, arguments, said):
    done = publish(project, *arguments, "--title", "x")
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.editions / "new-1").exists()


def test_a_set_that_fails_its_re_check_stops_the_edition(tmp_path):
    project = make_project(tmp_path, built_on=("clinic",))
    wrong = SETS[0].model_copy(update={"step_depth": 2})
    wrong = wrong.model_copy(update={"id": wrong.content_id()})
    rows = [accepted_row(each) for each in (wrong, SETS[2])]
    store_accepted(project, rows, "clinic")
    done = publish(project, "new-1", "--title", "x")
    assert done.returncode == 1
    assert f"set {wrong.id} on clinic: its depths are 1 (steps)" in done.stderr
    assert not (project.editions / "new-1").exists()
    # Such an edition does not pass the check of editions either, unless a person wrote it.
    sealed = project.editions / "forced"
    sealed.mkdir()
    draft = {"sets": [wrong.model_dump(mode="json", exclude_defaults=True)]}
    (sealed / "sets.yaml").write_text(yaml.safe_dump(draft), "utf-8")
    assert specbridge(project, "editions", "check", "forced").returncode == 1
    draft["sets"][0]["provenance"] = {"writer": "hand"}
    (sealed / "sets.yaml").write_text(yaml.safe_dump(draft), "utf-8")
    assert specbridge(project, "editions", "check", "forced").returncode == 0


def test_a_draft_that_is_not_built_says_what_to_run(tmp_path):
    project = make_project(tmp_path, built_on=("clinic",))
    done = publish(project, "new-1", "--title", "x")
    assert done.returncode == 1
    assert "accepted_request_sets[clinic]" in done.stderr
    assert "specbridge run" in done.stderr


def test_the_sets_of_a_draft_are_listed_and_shown(project):
    listed = json.loads(specbridge(project, "sets", "list", "--draft", "--json").stdout)
    assert [each["id"] for each in listed] == [SETS[place].id for place in (1, 0, 3, 2)]
    shown = json.loads(specbridge(project, "sets", "show", READ[:5], "--draft", "--json").stdout)
    assert shown["id"] == READ
    nothing = specbridge(project, "sets", "show", "zzz", "--draft")
    assert "0 sets of the draft begin with 'zzz' (list them: specbridge sets list --draft)" in (
        nothing.stderr
    )
    both = specbridge(project, "sets", "list", "--draft", "--edition", "shop-1")
    assert "exclude each other" in both.stderr


def test_a_set_is_shown_from_its_query_to_its_checks(project):
    shown = specbridge(project, "sets", "show", SETS[2].id, "--draft").stdout
    for part in (
        "requests written by rules, no model",
        "Step 1, n_by_doctor:\n    SELECT doctor_id, COUNT(*) AS n\n    FROM visits",
        "Step 3, the result:",
        "2 The choice, as an edit of step n_by_doctor",
        "SELECT doctor_id, COUNT(*) AS n | SELECT doctor_id, COUNT(DISTINCT patient_id) AS n",
        "FROM visits                       FROM visits\n",
        "output rows differ",
        "specific, A: For each doctor, take the number of «visits» minus",
        "specific, B: For each doctor, take the number of «different patients» minus",
        "open: For each doctor, take the number of «patients» minus",
        "✓ code: the two queries differ in one step",
        "✓ code: step and arithmetic depth, measured again: 3 and 1",
        "✓ rules (reading): each request read against both interpretations",
        "– not read by a person",
    ):
        assert part in shown
    assert "✗" not in shown
    read = specbridge(project, "sets", "show", READ, "--draft").stdout
    assert "✓ read by a person, who accepted it" in read
