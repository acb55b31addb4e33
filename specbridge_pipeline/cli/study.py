"""`specbridge study`."""

from __future__ import annotations

import click

from specbridge_pipeline.cli.late_groups import LateGroup

_STUDIES = {
    "descriptions": (
        "descriptions",
        "Describe a benchmark's references, and mutate them to see what a description misses.",
    ),
}


@click.group("study", cls=LateGroup, package="specbridge_pipeline.cli.studies", modules=_STUDIES)
def command() -> None:
    """Count over many queries what the pipeline promises of one."""
