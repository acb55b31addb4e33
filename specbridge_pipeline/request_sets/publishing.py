"""Cutting an edition from accepted sets: each is checked anew, and all appear at once or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.errors import EditionError, StaleRecordError
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.records.files import write_bytes, write_text
from specbridge_pipeline.records.processes import has_ended, this_process
from specbridge_pipeline.request_sets.draft_sets import request_set_of
from specbridge_pipeline.request_sets.edition_text import edition_text
from specbridge_pipeline.request_sets.editions import (
    EDITION_FILE,
    SETS_FILE,
    EditionDatabase,
    EditionRecord,
    read_draft,
    seal_edition,
)
from specbridge_pipeline.request_sets.recheck import recheck_set
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project

Row = Mapping[str, Any]
RunOn = Callable[[str], Callable[[str], Outcome]]
"""Database → how one query is run on it."""

_UNFINISHED = ".publishing."


@dataclass(frozen=True, slots=True)
class Imprint:
    """What an edition says of itself beside its sets.

    Attributes:
        title: A name for people.
        built_by: The generator, its grammar, and who worded the requests.
        grammar: Version of the grammar.
        read_by: Who read the sets beside code.
        selection: How they were drawn; None where all accepted sets are in it.
        code_version: Version of this package.
        engines: Engine → version that the sets were checked with.
        databases: What to say of each database.
        tier: The tier of all its sets; None where each set's depth decides.
    """

    title: str
    built_by: str
    grammar: str | None
    read_by: tuple[str, ...]
    selection: str | None
    code_version: str
    engines: Mapping[str, str]
    databases: Mapping[str, EditionDatabase]
    tier: Literal["short", "paper"] | None = None


def accepted_set(row: Row) -> RequestSet:
    """Return an accepted set in the form in which an edition holds it.

    Args:
        row: A row of ACCEPTED_REQUEST_SETS.

    Raises:
        StaleRecordError: Its id is not that of its content.
    """
    built = request_set_of(row)
    if built.id != row["set_id"]:
        raise StaleRecordError(
            f"an accepted set is stored under the id {row['set_id']}, and the id of its content "
            f"is {built.id}",
            where=f"accepted_request_sets[{row['database']}]",
            advice="build the draft anew: specbridge run",
        )
    return built


def read_by(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return who read accepted sets: reviewers by name, people as 'person/…'."""
    listed = list(rows)
    reviewers = {name for row in listed for name in row["reviewers"] or ()}
    people = {f"person/{name}" for row in listed for name in row["human_reviewers"] or ()}
    return (*sorted(reviewers), *sorted(people))


def require_new(project: Project, edition: str) -> None:
    """Refuse the name of an edition, or of a draft, that is there already.

    Raises:
        EditionError: There is something under this name.
    """
    folder = project.editions / edition
    if os.path.lexists(folder):
        state = "an edition" if (folder / EDITION_FILE).exists() else "a folder"
        raise EditionError(
            f"there is already {state} of this name, and nothing published is overwritten",
            where=str(folder),
            advice="publish under another id",
        )


def recheck_all(
    sets: Sequence[RequestSet],
    run_on: RunOn,
    progress: Progress | None = None,
    *,
    engine_of: Callable[[str], Engine] = lambda database: Engine.SQLITE,
    copies_on: Callable[[str], Sequence[Callable[[str], Outcome]]] = lambda database: (),
) -> None:
    """Check sets anew, each from its texts and its database alone.

    Args:
        sets: The sets.
        run_on: Database → how one query is run on it.
        progress: Told of each set.
        engine_of: Database → its engine.
        copies_on: Database → how one query is run on each copy of it with its rows in another
            order.

    Raises:
        EditionError: Sets fail; all of them are named.
    """
    runs: dict[str, Callable[[str], Outcome]] = {}
    problems = []
    with (progress or SilentProgress()).task("checking sets anew", len(sets)) as task:
        for each in sets:
            if each.database not in runs:
                runs[each.database] = run_on(each.database)
            result = recheck_set(
                runs[each.database], each, engine_of(each.database), copies_on(each.database)
            )
            problems += [f"set {each.id} on {each.database}: {said}" for said in result.problems]
            task.advance()
    if problems:
        raise EditionError(
            "sets do not pass the re-check:\n  " + "\n  ".join(problems),
            advice="nothing is published; build the draft anew (specbridge run), or report this",
        )


def publish(
    project: Project,
    edition: str,
    sets: Sequence[RequestSet],
    imprint: Imprint,
    *,
    unsealed: Mapping[str, bytes] | None = None,
) -> EditionRecord:
    """Write an edition of checked sets and seal it.

    Everything is written to a folder beside the final one, which is then renamed: a reader finds
    the whole edition or none.

    Args:
        project: The project.
        edition: The edition's id.
        sets: Its sets with their ids, in their order.
        imprint: What it says of itself.
        unsealed: What appears with it and is no part of what is sealed, such as verdicts: path
            in the edition's folder → content.

    Returns:
        What edition.yaml says.

    Raises:
        EditionError: There is something under this name already, or the edition cannot be sealed.
    """
    require_new(project, edition)
    final = project.editions / edition
    with _folder_beside(project.editions) as beside:
        folder = beside / edition
        write_text(folder / SETS_FILE, edition_text(sets, imprint.title))
        if read_draft(folder) != tuple(sets):
            raise EditionError(
                "its sets cannot be written so that they are read again as they are",
                where=edition,
                advice="report this with the draft",
            )
        record = seal_edition(
            folder,
            title=imprint.title,
            built_by=imprint.built_by,
            code_version=imprint.code_version,
            engines=imprint.engines,
            databases=imprint.databases,
            grammar=imprint.grammar,
            read_by=imprint.read_by,
            selection=imprint.selection,
            tier=imprint.tier,
        )
        for name, content in (unsealed or {}).items():
            write_bytes(folder / name, content)
        require_new(project, edition)
        folder.rename(final)
    _sync(project.editions)
    return record


@contextmanager
def _folder_beside(editions: Path) -> Iterator[Path]:
    """Make a folder that goes away at the end, and with it those that killed runs left."""
    editions.mkdir(parents=True, exist_ok=True)
    for left in editions.glob(f"{_UNFINISHED}*"):
        if has_ended(left.name.removeprefix(_UNFINISHED)):
            shutil.rmtree(left, ignore_errors=True)
    folder = editions / f"{_UNFINISHED}{this_process()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
