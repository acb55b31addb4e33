"""An edition with its review, exported and imported into an empty project, gives the same numbers.

Those over the sets that the review keeps are among them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from specbridge_pipeline.cli.headline import headline_rows, headline_table, sets_line
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.records import REVIEW_NUMBERS
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    RejectionReason,
    Verdict,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    edition_digests,
    review_folder,
    review_texts,
)
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS
from specbridge_pipeline.settings import Mode, Project
from specbridge_pipeline_tests.support.projects import CHECKOUT, LABEL, run

SHIPPED = "generated-1"


def project_at(root: Path, databases: Path) -> Project:
    """Make a bare project with the sample databases."""
    done = CliRunner().invoke(cli, ["init", str(root), "--bare"])
    assert done.exit_code == 0, done.output
    shutil.copytree(databases, root / "data" / "databases")
    return Project(root)


def review(project: Project) -> dict[str, str]:
    """Ship a review with the edition, and return its files.

    Of six sets that ann reads twice four are accepted both times and one in a second pass; on one
    her readings differ. Bea has read one of them.
    """
    edition = read_edition(project, SHIPPED)
    digests = edition_digests(edition)
    listed = sorted(digests)[:6]

    def decision(name: str, reviewer: str, accepted: bool, number: int = 1) -> Decision:
        if accepted:
            return Decision(name, digests[name], reviewer, number, Verdict.ACCEPT, None, "fine, so")
        reason = RejectionReason.UNNATURAL
        return Decision(name, digests[name], reviewer, number, Verdict.REJECT, reason, 'not "so"')

    decisions = [
        decision(name, reviewer, (place, reviewer) not in ((4, "ann/1"), (5, "ann/2")))
        for place, name in enumerate(listed)
        for reviewer in ("ann/1", "ann/2")
    ]
    decisions += [decision(listed[4], reviewer, True, 2) for reviewer in ("ann/1", "ann/2")]
    decisions.append(decision(listed[0], "bea", True))
    labels = {"ann": LABEL, "bea": "an independent review"}
    texts = review_texts(decisions, labels)
    review_folder(edition).mkdir()
    for name, text in texts.items():
        (review_folder(edition) / name).write_text(text, "utf-8")
    return texts


def stored(project: Project) -> list[list[dict[str, Any]]]:
    """Return every verdict on the edition with what follows from it, and the review's counts."""
    with Workspace(project, edition=SHIPPED) as workspace:
        return [
            workspace.store.read(schema, Partition()).to_dicts()
            for schema in (EDITION_VERDICTS, REVIEW_NUMBERS)
        ]


def headline(project: Project) -> tuple[list[dict[str, Any]], Any, str]:
    """Evaluate from recorded replies alone."""
    report = run(project, stages=EVALUATION_STAGES, mode=Mode.REPLAY, edition=SHIPPED)
    assert report.failures == []
    with Workspace(project, edition=SHIPPED) as workspace:
        return headline_rows(workspace), headline_table(workspace), sets_line(workspace)


@pytest.mark.slow
def test_an_exported_edition_gives_the_same_headline_elsewhere(tmp_path: Path) -> None:
    databases = tmp_path / "databases"
    for name, tables in SAMPLES.items():
        build_database(databases / f"{name}.sqlite", tables())
    here = project_at(tmp_path / "here", databases)
    for folder in ("editions", "recordings"):
        shutil.copytree(CHECKOUT / "data" / folder / SHIPPED, here.data / folder / SHIPPED)
        # The edition may ship a review of its own; this test is about one that it knows.
        shutil.rmtree(here.data / folder / SHIPPED / "verdicts", ignore_errors=True)
    texts = review(here)
    there = project_at(tmp_path / "there", databases)
    out = tmp_path / "out"
    command = ["editions", "export", SHIPPED, "--out", str(out), "--recordings"]
    done = CliRunner().invoke(cli, ["--project", str(here.root), *command])
    assert done.exit_code == 0, done.output
    command = ["sets", "import", str(out / "sets.jsonl"), "--edition", SHIPPED]
    command += ["--recordings", str(out / "recordings")]
    done = CliRunner().invoke(cli, ["--project", str(there.root), *command], standalone_mode=False)
    assert done.return_value == 0, done.output
    ours, theirs = (read_edition(project, SHIPPED) for project in (here, there))
    assert theirs.sets == ours.sets
    assert theirs.record.digest == ours.record.digest
    assert {path.name: path.read_text("utf-8") for path in review_folder(theirs).iterdir()} == texts
    first, second = headline(here), headline(there)
    assert first[0]
    titles = [row[0] for row in first[1][1]]
    assert "Sets that were judged in review: 6 sets" in titles
    assert "Sets that the review keeps: 5 sets" in titles
    assert first[2].startswith(
        f"6 of 40 request sets were judged by ann in 2 passes ({LABEL}) and bea (an independent "
        "review); 5 are kept."
    )
    # A p-value that there is none of is NaN, which equals nothing.
    assert repr(first) == repr(second)
    assert repr(stored(here)) == repr(stored(there))
    assert sum(len(rows) for rows in stored(here)) > 15
    again = tmp_path / "again"
    command = ["editions", "export", SHIPPED, "--out", str(again)]
    done = CliRunner().invoke(cli, ["--project", str(there.root), *command])
    assert done.exit_code == 0, done.output
    judged, judged_again = (
        [json.loads(line)["human_verdicts"] for line in (folder / "sets.jsonl").open("rb")]
        for folder in (out, again)
    )
    assert judged == judged_again
    assert sum(map(len, judged)) == 15
    people, people_again = (
        (folder / "README.md")
        .read_text("utf-8")
        .split("## Who has read the sets")[1]
        .split("## Fields")[0]
        for folder in (out, again)
    )
    assert people == people_again
