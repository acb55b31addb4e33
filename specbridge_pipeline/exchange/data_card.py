"""The data card of an exported edition: what it is, its fields, how it was made, how to use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from pydantic import BaseModel

from specbridge_pipeline.choices.english import listed
from specbridge_pipeline.exchange.card_review import people_line, people_section
from specbridge_pipeline.exchange.response_rows import ResponseRow
from specbridge_pipeline.exchange.set_rows import SetRow
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.readers import provenance, readers_line
from specbridge_pipeline.request_sets.editions import EditionRecord
from specbridge_pipeline.request_sets.human_review.edition_reviews import FOLDER

SETS_FILE, RESPONSES_FILE = "sets.jsonl", "responses.jsonl"

_BY_HAND = "hand"

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
"""Size categories of data cards, each with the number that it ends before."""


def data_card(
    record: EditionRecord,
    rows: Sequence[SetRow],
    responses: Sequence[ResponseRow] = (),
    *,
    verdicts: Sequence[Mapping[str, Any]] = (),
    review: Sequence[str] = (),
) -> str:
    """Return the text of a data card in Markdown, with the head that data hubs read.

    Args:
        record: What the edition says of itself.
        rows: Its sets.
        responses: The responses that are exported with it.
        verdicts: Rows of EDITION_VERDICTS: what people say of the sets, wherever it stands.
        review: Names of the files of verdicts that are exported with it.
    """
    said = [row.model_dump(mode="json") for row in rows]
    people = people_line(verdicts, len(rows))
    title = " ".join(record.title.split())
    template = files("specbridge_pipeline.exchange").joinpath("templates", "data_card.md")
    return Template(template.read_text("utf-8")).substitute(
        pretty_name=title.replace("\\", " ").replace('"', "'"),
        title=title,
        edition=record.id,
        digest=record.digest,
        license="other",
        license_name="apache-2.0-and-data-licences",
        size=next((name for end, name in _SIZES if len(rows) < end), "n>100K"),
        configs=_configs(bool(responses), review),
        first_line=people or readers_line(said),
        counts=f"{provenance(said, judged_apart=bool(people))}\n\n{_counts(rows)}",
        people=people_section(verdicts, record.id, len(rows), review),
        fields=_fields(SetRow),
        responses=_responses(responses),
        databases=_databases(record, rows),
        built_by=record.built_by,
        engines=listed([f"{name} {version}" for name, version in sorted(record.engines.items())]),
        # Sets by hand are held to all of this but the one step.
        one_step="" if record.built_by == _BY_HAND else "; the queries differ in one step",
        selection=f" Selection: {record.selection}." if record.selection else "",
        read_by=f" Read by {listed(list(record.read_by))}." if record.read_by else "",
        licences="\n".join(
            f"- `{name}`: {database.licence}" for name, database in sorted(record.databases.items())
        ),
        reply_licence=(
            "\nReplies are the output of the models that they name, under the terms of these.\n"
            if responses
            else ""
        ),
    )


def _configs(with_responses: bool, review: Sequence[str]) -> str:
    named = [("sets", SETS_FILE), *([("responses", RESPONSES_FILE)] if with_responses else [])]
    # A hub reads the files of one configuration as one table, and YAML as none.
    named += [("verdicts", f"{FOLDER}/*.csv")] if any(map(_is_table, review)) else []
    return "\n".join(f"- config_name: {name}\n  data_files: {files}" for name, files in named)


def _is_table(name: str) -> bool:
    return name.endswith(".csv")


def _counts(rows: Sequence[SetRow]) -> str:
    counts = Counter((row.choice_type.label, row.database, row.tier or "") for row in rows)
    lines = ["| choice type | database | tier | sets |", "|---|---|---|---|"]
    lines += [
        f"| {choice} | {database} | {tier} | {count} |"
        for (choice, database, tier), count in sorted(counts.items())
    ]
    return "\n".join(lines)


def _responses(responses: Sequence[ResponseRow]) -> str:
    if not responses:
        return ""
    models = sorted({row.model for row in responses})
    return (
        f"\n`{RESPONSES_FILE}`, one response a line, {counted(len(responses), 'response')} of "
        f"{listed(models)}; `responses.schema.json` is its JSON Schema.\n\n"
        f"{_fields(ResponseRow)}\n"
    )


def _fields(model: type[BaseModel]) -> str:
    lines = ["| field | holds |", "|---|---|"]
    lines += [
        f"| `{name}` | {_cell(field.description or '')} |"
        for name, field in model.model_fields.items()
    ]
    return "\n".join(lines)


def _databases(record: EditionRecord, rows: Sequence[SetRow]) -> str:
    sets = Counter(row.database for row in rows)
    engines = {row.database: row.engine or "" for row in rows}
    lines = ["| database | engine | sets | content hash | source and licence |"]
    lines.append("|---|---|---|---|---|")
    lines += [
        f"| `{name}` | {engines.get(name, '')} | {sets[name]} | `{each.content_hash}` | "
        f"{_cell(each.licence)} |"
        for name, each in sorted(record.databases.items())
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Return a text that stays in its cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
