"""Replies made elsewhere become respondents of an edition, read from one file as a whole."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from specbridge_pipeline.errors import ImportFaultsError
from specbridge_pipeline.evaluation.methods import imported
from specbridge_pipeline.exchange.json_lines import ReadRow, read_json_lines, repeated
from specbridge_pipeline.exchange.response_rows import KINDS, ResponseRow
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.recordings import SUFFIX, export_recording
from specbridge_pipeline.language_models.registry import (
    ImportedReplies,
    ModelEntry,
    put_imported,
)
from specbridge_pipeline.language_models.requests import FIRST_ROUND, ModelReply, ModelRequest
from specbridge_pipeline.records.canonical import canonical_json
from specbridge_pipeline.request_sets.editions import Edition
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project

_MOST_MISSING = 5
"""So many requests without a reply are named."""


@dataclass(frozen=True, slots=True)
class ImportedRespondent:
    """A respondent of a file, with its replies.

    Attributes:
        entry: Its entry in the registry.
        replies: Its replies, each with what it is archived under.
        whole_sets: Sets of which all three requests are answered.
    """

    entry: ModelEntry
    replies: tuple[tuple[ModelRequest, ModelReply], ...]
    whole_sets: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Ids of respondents that a file cannot use.

    Attributes:
        registered: Those of models that are asked from here.
        imported: Those that were imported before → edition and digest of their file.
    """

    registered: Collection[str]
    imported: Mapping[str, tuple[str, str]]


def plan_responses(
    path: Path,
    edition: Edition,
    taken: Taken,
    *,
    renamed: Mapping[str, str] | None = None,
    partial: bool = False,
    replace: bool = False,
) -> list[ImportedRespondent]:
    """Read a file of replies to an edition, all of it or none.

    Args:
        path: JSON Lines, a reply a line.
        edition: The edition.
        taken: Ids that are taken.
        renamed: Model id in the file → id that it gets here.
        partial: Whether requests may go without a reply.
        replace: Whether a respondent takes the place of one that was imported before.

    Returns:
        The respondents by id.

    Raises:
        ImportFaultsError: The file cannot be read or has a line that is no reply in the documented
            form, an unknown set, another edition or a later round, a request answered twice, a
            model whose id is taken, or requests without a reply where all are wanted. The error
            names all such places.
    """
    problems: list[str] = []
    names = renamed or {}
    rows = read_json_lines(path, ResponseRow, problems)
    sets = {each.id: each for each in edition.sets}
    for each in rows:
        problems += [f"{each.where}: {fault}" for fault in _faults(each.row, edition, sets)]
    problems += repeated(
        (
            each.where,
            f"{_name(each.row, names)}/{each.row.set_id}/{each.row.request}",
            f"the reply of '{_name(each.row, names)}' to request '{each.row.request}' of set "
            f"{each.row.set_id}",
        )
        for each in rows
    )
    models = {each.row.model for each in rows}
    problems += [
        f"{path.name}: it has no model '{name}' that could be renamed"
        for name in sorted(names.keys() - models)
        if rows
    ]
    by_model: dict[str, list[ReadRow[ResponseRow]]] = defaultdict(list)
    for each in rows:
        by_model[_name(each.row, names)].append(each)
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if rows else ""
    for name, listed in sorted(by_model.items()):
        problems += _taken(name, listed[0].where, (edition.id, digest), taken, replace)
    # What is missing of a file that has other faults may only be misspelt.
    if not problems and not partial:
        for name, listed in sorted(by_model.items()):
            problems += _missing(path.name, name, listed, edition.sets)
    if problems:
        raise ImportFaultsError(tuple(problems))
    return [
        _respondent(name, listed, sets, edition.id, path.name, digest)
        for name, listed in sorted(by_model.items())
    ]


def write_responses(
    project: Project,
    archive: ResponseArchive,
    edition: str,
    respondents: Sequence[ImportedRespondent],
) -> None:
    """Archive imported replies, keep them as recordings, and register who gave them.

    The registry comes last: whatever stops it before, the same import mends.

    Args:
        project: The project.
        archive: Its archive.
        edition: The edition's id.
        respondents: The respondents.
    """
    for each in respondents:
        assert each.entry.imported is not None
        archive.add_recording(
            each.entry.imported.file,
            each.entry.imported.digest,
            [
                (reply, request.model, request.round, canonical_json(request.canonical()))
                for request, reply in each.replies
            ],
        )
        path = project.recordings / edition / f"{each.entry.id}{SUFFIX}"
        export_recording(archive, [request.key for request, _ in each.replies], path)
    put_imported(project, [each.entry for each in respondents])


def _name(row: ResponseRow, renamed: Mapping[str, str]) -> str:
    return renamed.get(row.model, row.model)


def _faults(row: ResponseRow, edition: Edition, sets: Mapping[str, RequestSet]) -> Iterator[str]:
    if row.edition not in (None, edition.id):
        yield f"it answers edition '{row.edition}', and is imported for '{edition.id}'"
    elif row.set_id not in sets:
        yield f"edition '{edition.id}' has no set {row.set_id}"
    if row.round not in (None, FIRST_ROUND):
        yield f"it is of round '{row.round}'; replies of round {FIRST_ROUND} alone are imported"


def _taken(
    name: str, where: str, source: tuple[str, str], taken: Taken, replace: bool
) -> Iterator[str]:
    if name in taken.registered:
        yield (
            f"{where}: '{name}' is a model that is asked from here; import it under another id: "
            f"--rename {name}=OTHER"
        )
    elif name in taken.imported and taken.imported[name] != source and not replace:
        edition = taken.imported[name][0]
        yield (
            f"{where}: other replies of '{name}' were imported before, to edition '{edition}'; "
            f"replace them with --replace, or use another id: --rename {name}=OTHER"
        )


def _missing(
    file: str,
    name: str,
    rows: Sequence[ReadRow[ResponseRow]],
    sets: Sequence[RequestSet],
) -> Iterator[str]:
    given = {(each.row.set_id, each.row.request) for each in rows}
    missing = [
        f"{each.id} {request}"
        for each in sets
        for request in KINDS
        if (each.id, request) not in given
    ]
    if missing:
        shown = ", ".join(missing[:_MOST_MISSING])
        more = f" and {len(missing) - _MOST_MISSING} more" if len(missing) > _MOST_MISSING else ""
        yield (
            f"{file}: '{name}' has no reply to {len(missing)} of {len(KINDS) * len(sets)} "
            f"requests: {shown}{more}; with --partial it is measured on the sets that it answered "
            "whole"
        )


def _respondent(
    name: str,
    rows: Sequence[ReadRow[ResponseRow]],
    sets: Mapping[str, RequestSet],
    edition: str,
    file: str,
    digest: str,
) -> ImportedRespondent:
    on = Counter(sets[each.row.set_id].database for each in rows)
    entry = ModelEntry(
        id=name,
        imported=ImportedReplies(
            edition=edition, file=file, digest=digest, replies=dict(sorted(on.items()))
        ),
        revision=digest,
        parameters={},
    )
    replies = []
    for each in rows:
        request = imported.build_request(entry, sets[each.row.set_id], each.row.kind)
        # Cost, latency and time are not known here.
        text, key = each.row.reply_text, request.key
        replies.append((request, ModelReply.made_elsewhere(text, imported.FINISHED, key)))
    of_set = Counter(each.row.set_id for each in rows)
    whole = sum(count == len(KINDS) for count in of_set.values())
    return ImportedRespondent(entry, tuple(replies), whole)
