"""The draft: the request sets that construction accepts at present. It is not what is evaluated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.choices.english import listed
from specbridge_pipeline.reporting.construction_rows import ConstructionRows
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.readers import is_rules, named

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """What a report says of the draft.

    Attributes:
        databases: Ids of the databases on which queries were attempted.
        grammars: Versions of the grammar that generated them.
        set_ids: Content ids of the accepted sets, sorted.
        writers: Who wrote the accepted sets.
        reviewers: Who read them.
        judged: How many of the accepted sets people have judged.
        funnel: Rows of CONSTRUCTION_FUNNEL.
    """

    databases: tuple[str, ...]
    grammars: tuple[str, ...]
    set_ids: tuple[str, ...]
    writers: tuple[str, ...]
    reviewers: tuple[str, ...]
    judged: int
    funnel: Sequence[Row]


def draft_of(rows: ConstructionRows, funnel: Sequence[Row]) -> Draft | None:
    """Describe the draft.

    Args:
        rows: The stored rows of construction.
        funnel: The rows of CONSTRUCTION_FUNNEL that were counted from them.

    Returns:
        The draft; None where nothing has been built.
    """
    if rows.is_empty:
        return None
    accepted = rows.accepted_request_sets
    built = {row["database"] for row in rows.generated_queries}
    return Draft(
        databases=tuple(name for name in rows.databases if name in built),
        grammars=tuple(sorted({row["grammar"] for row in rows.generated_queries})),
        set_ids=tuple(sorted({row["set_id"] for row in accepted})),
        writers=tuple(sorted({row["writer"] for row in accepted})),
        reviewers=tuple(sorted({name for row in accepted for name in row["reviewers"] or ()})),
        judged=sum(row["human_verdict"] is not None for row in accepted),
        funnel=tuple(funnel),
    )


def draft_line(draft: Draft | None, edition_set_ids: Collection[str]) -> str:
    """Say in a line what the draft holds, and that it is not what was evaluated.

    Args:
        draft: The draft, if there is one.
        edition_set_ids: Content ids of the sets of the evaluated edition.

    Returns:
        For instance "The draft holds 64 accepted request sets on 2 databases, built by rules,
        grammar 1; it is not what was evaluated."
    """
    if draft is None:
        return "There is no draft: no request sets have been built here yet."
    sets = counted(len(draft.set_ids), "accepted request set")
    where = counted(len(draft.databases), "database")
    # Whoever writes and reviews, rules generate the queries and propose the choices.
    models = [name for name in (*draft.writers, *draft.reviewers) if not is_rules(name)]
    makers = named(["rules", *models])
    grammars = f"grammar {listed(list(draft.grammars))}"
    shared = len(set(draft.set_ids) & set(edition_set_ids))
    overlap = f", {shared} of them in the evaluated edition" if shared else ""
    return (
        f"The draft holds {sets} on {where}{overlap}, built by {makers}, {grammars}; "
        "it is not what was evaluated."
    )
