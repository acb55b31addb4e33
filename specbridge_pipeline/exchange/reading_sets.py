"""Reading sets that were made elsewhere: what must hold of a file before anything is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from specbridge_pipeline.errors import ImportFaultsError
from specbridge_pipeline.exchange.json_lines import ReadRow, read_json_lines, repeated
from specbridge_pipeline.exchange.set_rows import SetRow, VerdictRow, set_of
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.request_sets.human_review.decisions import FIRST_PASS
from specbridge_pipeline.request_sets.human_verdicts import Verdict
from specbridge_pipeline.request_sets.review_text import shown

_OTHER_THAN_CONTENT = {
    "id",
    "edition",
    "database_licence",
    "engine",
    "tier",
    "exact_description_a",
    "exact_description_b",
    "plan_items",
    "step_depth",
    "arithmetic_depth",
    "proposer",
    "writer",
    "reviewers",
    "human_verdict",
    "human_verdicts",
}


@dataclass(frozen=True, slots=True)
class RegisteredDatabase:
    """What a project knows of a database on which sets may be.

    Attributes:
        content_hash: Hash of its content.
        engine: The engine that runs its queries.
    """

    content_hash: str
    engine: str


def read_set_rows(
    path: Path,
    registered: Callable[[str], RegisteredDatabase | None],
    verdicts: Sequence[Verdict] = (),
) -> list[ReadRow[SetRow]]:
    """Read a file of sets, all of them or none.

    Args:
        path: JSON Lines, a set a line.
        registered: Database id → what is known of it; None where it is not registered. Asked only
            for databases that the file names, once for each.
        verdicts: The project's own verdicts of people, which those of the file may not contradict.

    Returns:
        The rows in order.

    Raises:
        ImportFaultsError: The file cannot be read or has a line that is no set in the documented
            form, an id that is not that of its content, a set twice, a database that is not
            registered, has another content or another engine, a reviewer with two verdicts on a
            set, two licences for one database, or tiers that fit neither the depths nor one
            another. The error names all such places.
    """
    problems: list[str] = []
    rows = read_json_lines(path, SetRow, problems)
    for each in rows:
        problems += [f"{each.where}: {fault}" for fault in _row_faults(each.row, verdicts)]
    problems += repeated((each.where, _content(each.row), "this set") for each in rows)
    problems += _database_faults(rows, registered)
    problems += _licence_faults(rows)
    problems += _tier_faults(rows)
    if problems:
        raise ImportFaultsError(tuple(problems))
    return rows


def stated_tier(rows: Iterable[SetRow]) -> str | None:
    """Return the one tier that all sets of a file state against their depths; None without one."""
    listed = list(rows)
    if any(row.tier is not None and row.tier != _tier_by_depth(row) for row in listed):
        return listed[0].tier
    return None


def _content(row: SetRow) -> str:
    return content_hash(row.model_dump(mode="json", exclude=_OTHER_THAN_CONTENT))


def _row_faults(row: SetRow, verdicts: Sequence[Verdict]) -> Iterator[str]:
    depths = (row.step_depth, row.arithmetic_depth)
    if row.id is not None:
        if row.step_depth is None or row.arithmetic_depth is None:
            yield "it has an id and no depths, from which the id follows too; leave the id out"
        elif (content := set_of(row, row.step_depth, row.arithmetic_depth).id) != row.id:
            yield (
                f"set {row.id} has another content than its id says: of this content it is "
                f"{content}"
            )
    elif None in depths and depths != (None, None):
        yield "one of its two depths is given and the other is not"
    if row.tier is not None and row.step_depth is None:
        yield "it has a tier and no step_depth"
    given: dict[str, list[VerdictRow]] = {}
    for each in row.human_verdicts:
        given.setdefault(each.reviewer.casefold(), []).append(each)
    for found in given.values():
        passes = {each.pass_number or FIRST_PASS for each in found if each.label}
        if len(found) > 1 and len(passes) < len(found):
            yield f"{shown(found[0].reviewer)} has two verdicts on it"
    for each in row.human_verdicts:
        if each.label:
            # Those that ship with an edition are read with its files.
            continue
        if each.pass_number is not None:
            yield f"the verdict of {shown(each.reviewer)} has a pass and no label"
        for known in verdicts:
            if (known.set_id, known.reviewer) == (row.id, each.reviewer) and known.accepted != (
                each.verdict == "accept"
            ):
                yield (
                    f"{shown(each.reviewer)} has another verdict on it here, at "
                    f"{known.file}:{known.line}"
                )
    if row.human_verdicts and row.id is None:
        yield "it has verdicts of people and no id, which says what they have seen"


def _database_faults(
    rows: Sequence[ReadRow[SetRow]], registered: Callable[[str], RegisteredDatabase | None]
) -> Iterator[str]:
    known = {name: registered(name) for name in dict.fromkeys(each.row.database for each in rows)}
    for each in rows:
        row, found = each.row, known[each.row.database]
        if found is None:
            yield (
                f"{each.where}: there is no database '{row.database}'; register it: specbridge "
                f"databases add PATH --id {row.database}"
            )
        elif found.content_hash != row.database_hash:
            yield (
                f"{each.where}: the database '{row.database}' has another content here "
                f"({found.content_hash[:12]}…) than the one that the set was checked on "
                f"({row.database_hash[:12]}…)"
            )
        elif row.engine not in (None, found.engine):
            yield (
                f"{each.where}: the set is for {row.engine}, and the database '{row.database}' is "
                f"for {found.engine} here"
            )


def _licence_faults(rows: Sequence[ReadRow[SetRow]]) -> Iterator[str]:
    first: dict[str, ReadRow[SetRow]] = {}
    for each in rows:
        other = first.setdefault(each.row.database, each)
        if other.row.database_licence != each.row.database_licence:
            yield (
                f"{each.where}: the licence of '{each.row.database}' is "
                f"{shown(each.row.database_licence)} here and "
                f"{shown(other.row.database_licence)} at {other.where}"
            )


def _tier_faults(rows: Sequence[ReadRow[SetRow]]) -> Iterator[str]:
    """Refuse tiers that an edition cannot have: by depth, or the same for all of its sets."""
    if len({each.row.tier for each in rows}) < 2:
        return
    for each in rows:
        row = each.row
        if row.tier is not None and row.step_depth is not None and row.tier != _tier_by_depth(row):
            yield (
                f"{each.where}: its tier is {row.tier} and its step_depth {row.step_depth}; an "
                "edition has tiers by depth (short up to 2), or one for all of its sets"
            )


def _tier_by_depth(row: SetRow) -> str | None:
    if row.step_depth is None:
        return None
    return set_of(row, row.step_depth, row.arithmetic_depth or 0).tier
