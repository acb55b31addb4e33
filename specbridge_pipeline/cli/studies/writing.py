"""`specbridge study writing`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specbridge_pipeline.cli.studies.studied_databases import output_options
from specbridge_pipeline.cli.terminal import print_json, print_table, progress, project_of
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError
from specbridge_pipeline.settings import Mode

if TYPE_CHECKING:
    from specbridge_pipeline.orchestration.workspace import Workspace

_LABELS = {
    "readable": "reply can be read",
    "kept_requirements": "all requirements kept",
    "passed": "all checks passed",
}


@click.command("writing")
@click.option(
    "--model",
    required=True,
    metavar="ID",
    help="The writer: a model of the registry with the role writer.",
)
@click.option(
    "--tasks",
    "count",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Tasks, drawn from the draft's selected choices.",
)
@click.option(
    "--seed", type=int, default=20261003, show_default=True, help="Seed of what is left to chance."
)
@click.option(
    "--database", "only", multiple=True, metavar="ID", help="Only this database; may be repeated."
)
@click.option("--profile", default="default", show_default=True, help="Profile to follow.")
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    help="replay: archived replies only. auto: ask for what is missing. Default: the profile's.",
)
@output_options
@click.pass_context
def command(
    context: click.Context,
    model: str,
    count: int,
    seed: int,
    only: Sequence[str],
    profile: str,
    mode: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Have a model write the same tasks with a plan and directly, and count what code accepts.

    A task is a choice that the draft selected, so that `specbridge run` comes first. With a plan
    the writer sees what the three requests share, item by item; directly it sees the query and its
    exact description. The choice, its phrases and the names of tables and columns are the same in
    both. The drafts are checked as first written, without a revision, and compared by the exact
    McNemar test.

    \b
    specbridge study writing --model MODEL --mode auto
    specbridge study writing --model MODEL --tasks 40 --json --out drafts.csv
    """  # noqa: D301
    from specbridge_pipeline.orchestration.workspace import Workspace
    from specbridge_pipeline.records.row_files import write_rows
    from specbridge_pipeline.request_sets.writing_study import WRITING_DRAFTS

    with Workspace(
        project_of(context),
        profile_name=profile,
        mode=None if mode is None else Mode(mode),
        progress=progress(),
    ) as workspace:
        rows = _drafts(workspace, model, count, seed, only)
    if out is not None:
        write_rows(out, WRITING_DRAFTS, rows)
    result = _result(rows)
    if as_json:
        print_json({"model": model, "seed": seed, **result})
    else:
        _print(result)


def _drafts(
    workspace: Workspace, model: str, count: int, seed: int, only: Sequence[str]
) -> list[dict[str, Any]]:
    from specbridge_pipeline.choices.records import CHOICE_PROPOSALS
    from specbridge_pipeline.language_models.registry import Role
    from specbridge_pipeline.records.cells import Partition
    from specbridge_pipeline.request_sets.building import planned
    from specbridge_pipeline.request_sets.writing_study import (
        StudyTask,
        draw_tasks,
        write_in_both_ways,
    )

    entry = workspace.all_models.get(model)
    if entry is None or Role.WRITER not in entry.roles:
        raise ConfigurationError(
            f"'{model}' is no model with the role writer",
            path=workspace.project.models_file,
            advice="give a model that role",
        )
    names = [name for name in workspace.construction_databases if not only or name in only]
    stored = set(workspace.store.partitions(CHOICE_PROPOSALS.name))
    proposals = [
        row
        for name in names
        if Partition(database=name) in stored
        for row in workspace.store.read(CHOICE_PROPOSALS, Partition(database=name)).to_dicts()
    ]
    drawn = draw_tasks(proposals, count, seed)
    if not drawn:
        raise SpecBridgeError(
            "the draft has no selected choice to write requests for",
            where=f"project {workspace.project.root}",
            advice="build the draft first: specbridge run",
        )
    rows: list[dict[str, Any]] = []
    for name in names:
        mine = [row for row in drawn if row["database"] == name]
        if mine:
            schema, catalogue = workspace.schema(name), workspace.catalogue(name)
            tasks = [StudyTask(row, planned(row, schema, catalogue)) for row in mine]
            rows += write_in_both_ways(tasks, catalogue, workspace.gateway, entry)
    return rows


def _result(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from specbridge_pipeline.request_sets.writing_study import OUTCOMES, paired, tested

    outcomes: dict[str, Any] = {}
    for outcome in OUTCOMES:
        counts = paired(rows, outcome)
        outcomes[outcome] = {
            "plan": counts.both + counts.only_first,
            "direct": counts.both + counts.only_second,
            "only_plan": counts.only_first,
            "only_direct": counts.only_second,
            "p_value": tested(counts).p_value,
        }
    return {"tasks": sum(counts), "outcomes": outcomes}


def _print(result: Mapping[str, Any]) -> None:
    print_table(
        [f"of {result['tasks']} drafts", "plan", "direct", "only plan", "only direct", "exact p"],
        [
            [
                _LABELS[name],
                *(each[key] for key in ("plan", "direct", "only_plan", "only_direct")),
                f"{each['p_value']:.3g}",
            ]
            for name, each in result["outcomes"].items()
        ],
    )
