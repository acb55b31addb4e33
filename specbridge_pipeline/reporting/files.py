"""Where the report stands in a project."""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline.settings import Project


def report_path(project: Project) -> Path:
    """Return the path of the HTML report."""
    return project.report / "report.html"
