"""A part of an edition, drawn so that its databases, tiers and choice types keep their shares."""

from __future__ import annotations

from dataclasses import replace

from specbridge_pipeline.request_sets.editions import Edition
from specbridge_pipeline.request_sets.stratified_selection import select_count


def drawn_from(edition: Edition, count: int, seed: int) -> Edition:
    """Return an edition with only some of its sets, in their order in the file.

    What the edition says of itself stays: its id and digest are those of all its sets.

    Args:
        edition: The edition.
        count: How many sets to draw; each database, tier and choice type gets its share of them by
            largest remainder. An edition that has no more is returned whole.
        seed: Decides which sets of a stratum are drawn.
    """
    if count >= len(edition.sets):
        return edition
    rows = [
        {
            "database": each.database,
            "tier": edition.tier_of(each),
            "choice_type": each.choice_type.value,
            "set_id": each.id,
        }
        for each in edition.sets
    ]
    drawn = {row["set_id"] for row in select_count(rows, count, seed)}
    return replace(edition, sets=tuple(each for each in edition.sets if each.id in drawn))


def sample_line(drawn: int, edition: Edition, seed: int) -> str:
    """Say in a sentence which sets of an edition were put to models; empty where all were.

    Args:
        drawn: How many were.
        edition: The whole edition.
        seed: The seed of the draw.
    """
    total = len(edition.sets)
    if drawn == total:
        return ""
    return (
        f"{drawn} of the edition's {total} sets were put to the models, drawn in proportion from "
        f"each database, tier and choice type (seed {seed})."
    )
