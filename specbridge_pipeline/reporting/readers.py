"""Who wrote request sets, who read them, and who read the explanations, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from specbridge_pipeline.choices.english import listed
from specbridge_pipeline.reporting.formatting import counted

Row = Mapping[str, Any]

_RULES = "rules"


def is_rules(name: str) -> bool:
    """Whether a writer, reviewer or judge is a set of rules, not a model or a person."""
    return name == _RULES or name.startswith(f"{_RULES}/")


def named(names: Iterable[str]) -> str:
    """Name writers or reviewers so that rules cannot be taken for models.

    Args:
        names: Model ids, 'rules', 'rules/…', or 'hand'.

    Returns:
        For instance "rules (reading, requirements) and model-1"; "nobody" for no name.
    """
    distinct = sorted(set(names))
    rules = [name.partition("/")[2] for name in distinct if is_rules(name)]
    details = ", ".join(name for name in rules if name)
    parts = [f"{_RULES} ({details})" if details else _RULES] if rules else []
    parts += [name for name in distinct if not is_rules(name)]
    return listed(parts) or "nobody"


def provenance(rows: Sequence[Row], *, judged_apart: bool = False) -> str:
    """Say what request sets are and who has read them.

    That no person has read them is left to `unread_line`, which says it first.

    Args:
        rows: Sets with `database`, `writer`, `reviewers` and `human_verdict`.
        judged_apart: Whether it is said elsewhere what people judged, so that nothing is said of
            it here.

    Returns:
        For instance "16 request sets, written by hand, on 2 databases. Checked by code only: no
        reviewer and no person has judged them."
    """
    total = len(rows)
    databases = len({row["database"] for row in rows})
    writers = sorted({row["writer"] for row in rows})
    parts = [
        (f"{sum(row['writer'] == writer for row in rows)} " if len(writers) > 1 else "")
        + f"by {named([writer])}"
        for writer in writers
    ]
    written = f", written {listed(parts)}," if parts else ""
    opening = f"{counted(total, 'request set')}{written} on {counted(databases, 'database')}."
    reviewed = sum(bool(row["reviewers"]) for row in rows)
    judged = [row["human_verdict"] for row in rows if row["human_verdict"] is not None]
    readers = {name for row in rows for name in row["reviewers"] or ()}
    if judged_apart or unread_line(rows):
        said = f" {reviewed} of {total} read by {named(readers)}." if reviewed else ""
        return f"{opening} All checked by code.{said}"
    if not reviewed and not judged:
        return f"{opening} Checked by code only: no reviewer and no person has judged them."
    said = f"{reviewed} of {total} read by {named(readers)}" if reviewed else "No reviewer"
    people = (
        f"{len(judged)} of {total} judged by people, who accepted {sum(judged)}"
        if judged
        else "no person has judged any of them"
    )
    return f"{opening} All checked by code. {said}; {people}."


def unread_line(rows: Sequence[Row]) -> str:
    """Say that no person has read request sets, where none has written or read any of them.

    Args:
        rows: Sets with `writer`, `reviewers` and `human_verdict`.

    Returns:
        For instance "No person has read these request sets: they were written and reviewed by
        rules."; empty where a person has, or where there are no sets.
    """
    by_people = any(row["human_verdict"] is not None or row["writer"] == "hand" for row in rows)
    if by_people or not rows:
        return ""
    writers = named(row["writer"] for row in rows)
    readers = {name for row in rows for name in row["reviewers"] or ()}
    unreviewed = sum(not row["reviewers"] for row in rows)
    if not readers:
        how = f"written by {writers} and checked by code only"
    elif writers == _RULES and all(map(is_rules, readers)):
        how = f"written and reviewed by {_RULES}"
    else:
        by = _RULES if all(map(is_rules, readers)) else named(readers)
        how = f"written by {writers} and reviewed by {by}"
    if readers and unreviewed:
        how += f", {unreviewed} of them checked by code only"
    return f"No person has read these request sets: they were {how}."


def readers_line(rows: Sequence[Row]) -> str:
    """Say in one line who wrote and read request sets.

    Args:
        rows: Sets with `writer`, `reviewers` and `human_verdict`.
    """
    unread = unread_line(rows)
    if unread or not rows:
        return unread
    judged = sum(row["human_verdict"] is not None for row in rows)
    readers = {name for row in rows for name in row["reviewers"] or ()}
    read = f"reviewed by {named(readers)}" if readers else "checked by code"
    people = f"{judged} of {len(rows)} judged by people" if judged else "judged by no person"
    writers = named(row["writer"] for row in rows)
    return f"The request sets were written by {writers}, {read}, and {people}."


def judged_by(judge: str) -> str:
    """Say who read the explanations."""
    if not judge:
        return "Nobody has read the explanations."
    if is_rules(judge):
        return "Explanations are read by rules, not by a model or a person."
    return f"Explanations are read by a model, {judge}, not by a person."
