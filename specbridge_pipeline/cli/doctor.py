"""`specbridge doctor`."""

from __future__ import annotations

import os

import click

from specbridge_pipeline.cli.terminal import print_json, project_of
from specbridge_pipeline.orchestration.workspace import Workspace


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Free what is found. Use it when no run is under way.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(context: click.Context, fix: bool, as_json: bool) -> int:
    """Find what a killed run left behind: runs that count as going, pool slots, claims, files.

    Without --fix nothing is changed, and the exit code is 1 if something was found.
    """
    from specbridge_pipeline.orchestration.recovery import examine, repair

    with Workspace(project_of(context)) as workspace:
        from specbridge_pipeline.orchestration.launching import dagster_instance

        with dagster_instance(workspace, prepare=False) as instance:
            findings = examine(workspace, instance)
            if fix:
                repair(workspace, instance, findings)
    if as_json:
        print_json({"findings": findings.as_json(), "fixed": fix, "process": os.getpid()})
        return 0 if fix or findings.healthy else 1
    for line in findings.lines():
        click.echo(line)
    if not findings.healthy:
        click.echo("freed" if fix else "run `specbridge doctor --fix` when no run is under way")
    return 0 if fix or findings.healthy else 1
