"""Where the report stands in a project."""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline.settings import Project


def report_path(project: Project) -> Path:
    """Return the path of the HTML report."""
    return project.report / "report.html"


def library_path(project: Project) -> Path:
    """Return the path of the choice library that the project's own run writes."""
    return project.report / "choice_library.json"
