"""Options with which a command is told what sets it is about: an edition's, or the draft's."""

from __future__ import annotations

from collections.abc import Sequence

import click

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.records import RequestSet

edition_option = click.option("--edition", help="Edition. Default: the profile's.")
draft_option = click.option(
    "--draft", is_flag=True, help="Accepted sets of the draft instead of an edition's."
)


def chosen_sets(
    workspace: Workspace, edition: str | None, draft: bool
) -> tuple[Sequence[RequestSet], str]:
    """Return the sets that are asked for, and what they are the sets of.

    Raises:
        ConfigurationError: Both an edition and the draft are asked for.
    """
    if not draft:
        return workspace.edition.sets, f"edition {workspace.edition.id}"
    if edition is not None:
        raise ConfigurationError("--draft and --edition exclude each other", advice="give one")
    from specbridge_pipeline.request_sets.construction_records import ACCEPTED_REQUEST_SETS
    from specbridge_pipeline.request_sets.publishing import accepted_set
    from specbridge_pipeline.request_sets.stratified_selection import canonical_order

    rows = workspace.store.read_all(ACCEPTED_REQUEST_SETS).to_dicts()
    return [accepted_set(row) for row in sorted(rows, key=canonical_order)], "the draft"
