"""Writing an edition for others: a folder of files that are the same every time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exchange.data_card import RESPONSES_FILE, SETS_FILE, data_card
from specbridge_pipeline.exchange.json_lines import json_lines
from specbridge_pipeline.exchange.response_rows import ResponseRow
from specbridge_pipeline.exchange.set_rows import SetRow
from specbridge_pipeline.records.files import write_bytes, write_text
from specbridge_pipeline.request_sets.editions import EditionRecord
from specbridge_pipeline.request_sets.human_review.edition_reviews import FOLDER

CARD_FILE = "README.md"
RECORDINGS_FOLDER = "recordings"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def require_empty(folder: Path) -> None:
    """Refuse a place for an export that holds anything.

    Raises:
        SpecBridgeError: It is no folder, or one that is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecBridgeError(
            "there is something here already, and nothing is overwritten",
            where=str(folder),
            advice="name a folder that does not exist, or an empty one",
        )


def write_export(
    folder: Path,
    record: EditionRecord,
    rows: Sequence[SetRow],
    *,
    verdicts: Sequence[Mapping[str, Any]] = (),
    review: Sequence[Path] = (),
    responses: Sequence[ResponseRow] = (),
    recordings: Iterable[Path] = (),
) -> list[Path]:
    """Write an edition for others.

    Args:
        folder: Where to; made where it is missing.
        record: What the edition says of itself.
        rows: Its sets.
        verdicts: Rows of EDITION_VERDICTS: what people say of them, wherever it stands.
        review: The files of the review that ships with it; copied as they are.
        responses: Responses to them, if they are to go along.
        recordings: Files of recorded replies, if they are to go along; copied as they are.

    Returns:
        The files, the data card first.
    """
    recorded = list(recordings)
    texts = {
        CARD_FILE: data_card(
            record,
            rows,
            responses,
            verdicts=verdicts,
            review=[path.name for path in review],
            recordings=bool(recorded),
        ),
        SETS_FILE: json_lines(rows),
        "sets.schema.json": row_schema(SetRow),
    }
    if responses:
        texts |= {
            RESPONSES_FILE: json_lines(responses),
            "responses.schema.json": row_schema(ResponseRow),
        }
    written = []
    for name, text in texts.items():
        write_text(folder / name, text)
        written.append(folder / name)
    copied = [(FOLDER, path) for path in review]
    copied += [(RECORDINGS_FOLDER, path) for path in recorded]
    for name, path in copied:
        target = folder / name / path.name
        write_bytes(target, path.read_bytes())
        written.append(target)
    return written


def row_schema(model: type[BaseModel]) -> str:
    """Return the JSON Schema of a row, as text."""
    schema = {"$schema": _DIALECT} | model.model_json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
