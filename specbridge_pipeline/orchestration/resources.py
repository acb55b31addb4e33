"""The Dagster resource: how a run opens the project, configurable in the launchpad."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dagster import ConfigurableResource

from specbridge_pipeline.language_models.budget import Spending
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.settings import Budget, Mode, find_project

_listener: list[Progress] = [SilentProgress()]


def listen(progress: Progress) -> None:
    """Have the runs of this process report their progress; the command line does so."""
    _listener[0] = progress


@cache
def _spending(root: Path, profile: str, budget: Budget) -> Spending:
    """Return what this process has spent on a project: its assets share one budget."""
    return Spending(budget)


class SpecBridgeResource(ConfigurableResource):  # type: ignore[type-arg]
    """The project in SPECBRIDGE_HOME or the current folder, as one run sees it.

    Attributes:
        profile: Name of the profile to follow.
        mode: replay, auto or live; empty: the profile's.
        edition: Id of the edition to evaluate; empty: the profile's.
        new_round: Name of a round to open, so that models are really asked again; empty: none.
    """

    profile: str = "default"
    mode: str = ""
    edition: str = ""
    new_round: str = ""

    def open(self) -> Workspace:
        """Open the project.

        Raises:
            ConfigurationError: A registry, the profile or the edition is not valid.
        """
        project = find_project()
        budget = project.profile(self.profile).budget
        return Workspace(
            project,
            profile_name=self.profile,
            mode=Mode(self.mode) if self.mode else None,
            edition=self.edition or None,
            new_round=self.new_round or None,
            progress=_listener[0],
            spending=_spending(project.root, self.profile, budget),
        )
