"""A database that a user names: by its id in a project, or by its path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from specbridge_pipeline.errors import ConfigurationError


def located(folder: str | None, database: str) -> tuple[Path, dict[str, Any]]:
    """Return where a database is, and the limits that its project's profile sets.

    A name with a slash is a path; any other is an id first, where there is a project.

    Args:
        folder: The project's folder as the user gave it; None for the current one.
        database: A registered id, or a path.

    Returns:
        The path, and limits of `Limits` by name; none for a path.

    Raises:
        ConfigurationError: There is neither.
    """
    path = Path(database)
    known = ""
    if len(path.parts) == 1:
        # What a project needs takes a moment to load, and a path needs none of it.
        from specbridge_pipeline.orchestration.workspace import Workspace
        from specbridge_pipeline.settings import find_project

        try:
            project = find_project(folder)
        except ConfigurationError:
            if folder is not None:
                raise
        else:
            with Workspace(project) as workspace:
                if database in workspace.databases:
                    profile = workspace.profile
                    limits = {"steps": profile.query_steps, "seconds": profile.query_seconds}
                    return workspace.database_path(database), limits
                known = ", ".join(workspace.databases)
    if not path.exists():
        raise ConfigurationError(
            "there is no such database",
            path=database,
            advice=f"give a path, or an id: {known}"
            if known
            else "give the path of a database, or name a project with --project to use its ids",
        )
    return path, {}
