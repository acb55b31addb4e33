"""`specbridge study`."""

from __future__ import annotations

import click

from specbridge_pipeline.cli.late_groups import LateGroup

_STUDIES = {
    "descriptions": (
        "descriptions",
        "Describe a benchmark's references, and mutate them to see what a description misses.",
    ),
    "conventions": (
        "conventions",
        "Count which side of each choice a benchmark's references take where the words leave it.",
    ),
    "edits": (
        "edits",
        "Edit a benchmark's references to the other side of each choice, and prove the edits.",
    ),
    "answer-changes": (
        "answer_changes",
        "Count the open questions whose answer changes under the other interpretation.",
    ),
    "data-kinds": (
        "data_kinds",
        "Count on databases the kinds of data on which an unstated choice changes an answer.",
    ),
    "ablation": ("ablation", "Switch each mechanism of generation off, to see what it is worth."),
    "coverage": ("coverage", "Count on how many databases each feature of a query can be had."),
    "construction": ("construction", "Count what is delivered of the queries asked for."),
    "writing": ("writing", "Have a model write requests with a plan and directly, and compare."),
}


@click.group("study", cls=LateGroup, package="specbridge_pipeline.cli.studies", modules=_STUDIES)
def command() -> None:
    """Count over many queries what the pipeline promises of one."""
