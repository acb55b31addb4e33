"""`specbridge models`."""

from __future__ import annotations

from typing import Any

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.orchestration.workspace import Workspace


@click.group("models")
def command() -> None:
    """List models and the cells they have."""


@command.command("list")
@click.option("--profile", default="default", show_default=True, help="Profile to follow.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(context: click.Context, profile: str, as_json: bool) -> None:
    """List the registered models, their rounds, and which databases they were evaluated on."""
    with Workspace(project_of(context), profile_name=profile) as workspace:
        rows: list[dict[str, Any]] = [
            {
                "id": name,
                "title": entry.name,
                "asked_as": entry.identity,
                "revision": entry.revision,
                "roles": [role.value for role in entry.roles],
                "retired": entry.retired,
                "rounds": sorted(
                    {
                        round
                        for database in workspace.evaluated_databases
                        for round in workspace.rounds(database, name)
                    }
                ),
                "evaluated_on": [
                    part.database
                    for part in workspace.store.partitions("outcomes")
                    if part.model == name
                ],
            }
            for name, entry in workspace.all_models.items()
        ]
    if as_json:
        print_json(rows)
        return
    print_table(
        ["id", "asked as", "revision", "roles", "rounds", "evaluated on"],
        [
            [
                row["id"],
                row["asked_as"],
                row["revision"],
                ", ".join(row["roles"]) + (" (retired)" if row["retired"] else ""),
                ", ".join(row["rounds"]),
                ", ".join(row["evaluated_on"]),
            ]
            for row in rows
        ],
    )
