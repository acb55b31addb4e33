"""The method `imported`: replies that were made elsewhere, by prompts that nobody here knows.

They are read as replies of `explained` are, but there is no repair turn: nobody can be asked. What
the archive holds of their requests is which request of which set was answered, and nothing of how.
"""

from __future__ import annotations

from collections.abc import Sequence

from specbridge_pipeline.errors import MissingRepliesError
from specbridge_pipeline.evaluation.methods import explained
from specbridge_pipeline.evaluation.responses import Response
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet

NAME = "imported"
FINISHED = "imported"
"""Why a reply ended, as far as it is known here."""


def build_request(entry: ModelEntry, request_set: RequestSet, kind: RequestKind) -> ModelRequest:
    """Return what an imported reply is archived under: who answered what, from which file.

    Args:
        entry: The respondent; its revision is the digest of the file.
        request_set: The set.
        kind: Which of its requests was answered.
    """
    return ModelRequest(
        model=entry.identity,
        revision=entry.revision,
        messages=(
            Message("imported", f"{kind} of set {request_set.id}; the prompt is not known here"),
            Message("request", request_set.request(kind)),
        ),
    )


def answers(
    archive: ResponseArchive,
    entry: ModelEntry,
    asked: Sequence[tuple[RequestSet, RequestKind]],
    *,
    where: str,
) -> list[Response | None]:
    """Return the imported responses to requests on one database.

    Args:
        archive: Where they are kept.
        entry: The respondent.
        asked: The requests.
        where: The database.

    Returns:
        One response a request, in order; None where the file had none.

    Raises:
        MissingRepliesError: Fewer replies are archived than were imported.
    """
    assert entry.imported is not None
    keys = [build_request(entry, each, kind).key for each, kind in asked]
    replies = [archive.get(key) for key in keys]
    expected = entry.imported.replies.get(where, 0)
    found = sum(reply is not None for reply in replies)
    if found != expected:
        raise MissingRepliesError(
            f"{found} of the {expected} replies that were imported are in the archive",
            keys=tuple(key for key, reply in zip(keys, replies, strict=True) if reply is None),
            where=f"model {entry.id}, {where}",
            advice=f"import {entry.imported.file} again: specbridge responses import",
        )
    return [None if reply is None else read_response([reply]) for reply in replies]


def read_response(replies: Sequence[ModelReply]) -> Response:
    """Read a response from its archived reply."""
    return explained.read_response(replies)
