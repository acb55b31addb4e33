"""`specbridge run`."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from specbridge_pipeline.cli.databases import registered_below
from specbridge_pipeline.cli.terminal import print_json, print_table, progress, project_of
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.settings import Mode


@click.command("run")
@click.option("--profile", default="default", show_default=True, help="Profile to follow.")
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    help="replay: recorded replies only. auto: ask for what is missing. live: every model must be "
    "reachable before the first question. Default: the profile's.",
)
@click.option("--edition", help="Edition to evaluate. Default: the profile's.")
@click.option("--model", "models", multiple=True, help="Only this model; may be repeated.")
@click.option("--database", "databases", multiple=True, help="Only this database; may be repeated.")
@click.option(
    "--databases",
    "places",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Only this database file, or the ones below this folder; they are registered first where "
    "they are not yet. May be repeated.",
)
@click.option(
    "--new-round",
    is_flag=True,
    help="Ask again in a round named after today; rows of earlier rounds stay.",
)
@click.option("--no-draft", is_flag=True, help="Evaluate only; leave the draft as it is.")
@click.option("--dry-run", is_flag=True, help="Say what is stale and what asking would take.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_context
def command(
    context: click.Context,
    profile: str,
    mode: str | None,
    edition: str | None,
    models: tuple[str, ...],
    databases: tuple[str, ...],
    places: tuple[Path, ...],
    new_round: bool,
    no_draft: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Bring everything up to date and print the headline table.

    Only stale cells are made: those whose inputs, configuration or code changed since. The runs
    show in the Dagster UI (`make ui`, or `dagster dev` in the project's folder). A run has two
    parts: the draft of request sets is built from the databases, and an edition is evaluated.

    \b
    specbridge run                            the draft, and the shipped edition as recorded
    specbridge run --no-draft                 the shipped edition alone
    specbridge run --databases FOLDER         a draft on databases of your own
    specbridge run --dry-run --mode auto      what a live evaluation would ask and cost
    specbridge run --mode auto --model NAME   evaluate a model that was added to models.yaml
    """  # noqa: D301
    round_name = datetime.now(UTC).date().isoformat() if new_round else None
    project = project_of(context)
    if places:
        databases = (*databases, *registered_below(project, places))
    with Workspace(
        project,
        profile_name=profile,
        mode=Mode(mode) if mode else None,
        edition=edition,
        new_round=round_name,
        progress=progress(),
    ) as workspace:
        _require_known(workspace, models, databases)
        if new_round:
            _require_new(workspace, models, databases)
        if dry_run:
            return _dry_run(workspace, models, databases, no_draft, as_json)
        return _run(workspace, models, databases, no_draft, as_json)


def _require_known(
    workspace: Workspace, models: tuple[str, ...], databases: tuple[str, ...]
) -> None:
    for kind, names, known in (
        ("evaluated model", models, list(workspace.models)),
        ("database", databases, list(workspace.databases)),
    ):
        for name in names:
            if name not in known:
                raise ConfigurationError(
                    f"there is no {kind} '{name}'", advice=f"known: {', '.join(known)}"
                )


def _require_new(workspace: Workspace, models: tuple[str, ...], databases: tuple[str, ...]) -> None:
    if workspace.profile.mode is Mode.REPLAY:
        raise ConfigurationError(
            "a new round asks models, and the mode is replay", advice="add --mode auto"
        )
    known = [
        f"{model} on {database}"
        for model in models or workspace.models
        for database in databases or workspace.evaluated_databases
        if workspace.new_round in workspace.archive.rounds(workspace.subject(database, model))
    ]
    if known:
        raise ConfigurationError(
            f"the round {workspace.new_round} exists already for {', '.join(known[:3])}",
            advice="rounds are named after the day; leave out --new-round to complete it",
        )


def _selected(
    models: tuple[str, ...], databases: tuple[str, ...], no_draft: bool
) -> dict[str, Any]:
    from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES, STAGES

    return {
        "databases": databases or None,
        "models": models or None,
        "stages": EVALUATION_STAGES if no_draft else STAGES,
    }


def _run(
    workspace: Workspace,
    models: tuple[str, ...],
    databases: tuple[str, ...],
    no_draft: bool,
    as_json: bool,
) -> int:
    from specbridge_pipeline.orchestration.planner import plan

    selected = _selected(models, databases, no_draft)
    stale = plan(workspace, **selected)
    if not as_json:
        _say_what_runs(workspace, len(stale), Counter(cell.stage for cell in stale))
    runs: list[str] = []
    failures: list[str] = []
    if stale:
        from specbridge_pipeline.orchestration.launching import dagster_instance, run_stale
        from specbridge_pipeline.orchestration.resources import listen

        if workspace.profile.mode is Mode.LIVE:
            for name, entry in workspace.models.items():
                if entry.imported is None and (not models or name in models):
                    workspace.gateway.check_reachable(entry)
            if workspace.profile.judge in workspace.all_models:
                workspace.gateway.check_reachable(workspace.all_models[workspace.profile.judge])
        listen(workspace.progress)
        with dagster_instance(workspace) as instance:
            report = run_stale(
                workspace,
                instance,
                configuration={
                    "profile": workspace.profile_name,
                    "mode": workspace.profile.mode.value,
                    "edition": workspace.edition.id,
                    "new_round": workspace.new_round or "",
                },
                told=lambda run: (
                    None
                    if as_json
                    else click.echo(f"  {', '.join(run.stages)}{_range(run.first, run.last)}")
                ),
                **selected,
            )
        runs, failures = report.runs, report.failures
        for text in report.tracebacks:
            logging.getLogger(__name__).info(text)
    others = len(plan(workspace, stages=selected["stages"])) if models or databases else 0
    if others and not as_json:
        click.echo(f"{others} other cells are stale and enter the numbers as they are")
    _print_headline(workspace, runs, failures, as_json)
    return 1 if failures else 0


def _range(first: str, last: str) -> str:
    if not first:
        return ""
    return f" [{first}]" if first == last else f" [{first} … {last}]"


def _say_what_runs(workspace: Workspace, stale: int, by_stage: Counter[str]) -> None:
    edition = workspace.evaluated
    drawn, total = len(edition.sets), len(workspace.edition.sets)
    click.echo(
        f"edition {edition.id}: {drawn}{'' if drawn == total else f' of {total}'} request sets on "
        f"{len(edition.databases)} databases; {len(workspace.models)} models; "
        f"mode {workspace.profile.mode.value}"
    )
    if not stale:
        click.echo("everything is up to date")
        return
    counts = ", ".join(f"{name} {count}" for name, count in by_stage.items())
    click.echo(f"{stale} stale cells: {counts}")


def _dry_run(
    workspace: Workspace,
    models: tuple[str, ...],
    databases: tuple[str, ...],
    no_draft: bool,
    as_json: bool,
) -> int:
    from specbridge_pipeline.evaluation.stages import answering_method
    from specbridge_pipeline.language_models.budget import estimate
    from specbridge_pipeline.orchestration.construction_calls import construction_calls
    from specbridge_pipeline.orchestration.planner import plan
    from specbridge_pipeline.request_sets.records import RequestKind

    stale = plan(workspace, **_selected(models, databases, no_draft))
    construction = construction_calls(workspace, stale)
    asking = []
    method = answering_method(workspace.profile.method)
    for name, entry in workspace.models.items():
        if (models and name not in models) or entry.imported is not None:
            continue
        missing = []
        for database in workspace.evaluated_databases:
            if databases and database not in databases:
                continue
            context = workspace.context(database)
            requests = [
                method.build_request(context, each.request(kind), entry, round=round)
                for each in workspace.evaluated.sets_on(database)
                for kind in RequestKind
                for round in workspace.rounds(database, name)
            ]
            unanswered = set(workspace.archive.missing(request.key for request in requests))
            missing += [request for request in requests if request.key in unanswered]
        planned = estimate(entry, missing)
        asking.append({"model": name, "calls": planned.calls, "cost_usd": planned.cost_usd})
    if as_json:
        print_json(
            {
                "stale": [
                    {"stage": c.stage, "partition": str(c.partition), "reason": c.reason}
                    for c in stale
                ],
                "calls": asking,
                "construction": [asdict(each) for each in construction],
            }
        )
        return 0
    print_table(
        ["stage", "cell", "why it is stale"],
        [[cell.stage, cell.partition, cell.reason] for cell in stale],
        f"{len(stale)} stale cells",
    )
    print_table(
        ["model", "calls, without repairs", "estimated cost"],
        [
            [
                row["model"],
                row["calls"],
                "unknown" if row["cost_usd"] is None else f"${row['cost_usd']:.2f}",
            ]
            for row in asking
        ],
        "what asking would take",
    )
    if construction:
        print_table(
            ["role", "model", "databases", "calls, at most"],
            [[each.role, each.model, each.databases, each.calls] for each in construction],
            "what building the draft would ask, without repairs",
        )
    if workspace.profile.judge in workspace.all_models:
        click.echo(f"and one call to the judge {workspace.profile.judge} for each new response")
    return 0


def _print_headline(
    workspace: Workspace, runs: list[str], failures: list[str], as_json: bool
) -> None:
    from specbridge_pipeline.cli.headline import (
        draft_line_of,
        headline_rows,
        headline_table,
        sets_line,
    )
    from specbridge_pipeline.reporting.files import report_path

    report = report_path(workspace.project)
    shown = report.relative_to(workspace.project.root) if report.exists() else None
    if as_json:
        print_json(
            {
                "edition": workspace.edition.id,
                "runs": runs,
                "failures": failures,
                "sets": sets_line(workspace),
                "draft": draft_line_of(workspace),
                "headline": headline_rows(workspace),
                "report": None if shown is None else str(shown),
            }
        )
        return
    columns, rows = headline_table(workspace)
    if rows:
        print_table(
            columns,
            rows,
            f"edition {workspace.edition.id}, explanations read by "
            f"{workspace.profile.judge}; 95% intervals in brackets",
        )
        click.echo(sets_line(workspace))
        first = headline_rows(workspace)[0]["number_id"]
        click.echo(f"trace a number: specbridge trace {first}")
    draft = draft_line_of(workspace)
    if draft:
        click.echo(draft)
    for failure in failures:
        click.echo(f"failed: {failure}", err=True)
    if shown is not None:
        click.echo(f"report: {report}")
