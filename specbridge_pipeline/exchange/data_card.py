"""The data card of an exported edition: what it is, its fields, how it was made, how to use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any, get_args

from pydantic import BaseModel

from specbridge_pipeline.choices.english import listed
from specbridge_pipeline.exchange.card_review import people_line, people_section, table_cell
from specbridge_pipeline.exchange.response_rows import ResponseRow
from specbridge_pipeline.exchange.set_rows import SetRow
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.readers import is_rules, provenance, readers_line
from specbridge_pipeline.request_sets.editions import EditionRecord
from specbridge_pipeline.request_sets.human_review.edition_reviews import FOLDER

SETS_FILE, RESPONSES_FILE = "sets.jsonl", "responses.jsonl"

_BY_HAND = "hand"

_TAKEN_ALONG = (
    "\n\nThe import takes the verdicts of people along: from the rows, and as the files in "
    f"`{FOLDER}/` where that folder lies beside `{SETS_FILE}`. `specbridge run` then shows every "
    "headline number over all sets and over those that are kept."
)

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
"""Size categories of data cards, each with the number that it ends before."""


def data_card(
    record: EditionRecord,
    rows: Sequence[SetRow],
    responses: Sequence[ResponseRow] = (),
    *,
    verdicts: Sequence[Mapping[str, Any]] = (),
    review: Sequence[str] = (),
    recordings: bool = False,
) -> str:
    """Return the text of a data card in Markdown, with the head that data hubs read.

    Args:
        record: What the edition says of itself.
        rows: Its sets.
        responses: The responses that are exported with it.
        verdicts: Rows of EDITION_VERDICTS: what people say of the sets, wherever it stands.
        review: Names of the files of verdicts that are exported with it.
        recordings: Whether recorded replies are exported with it.
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
        responses=_responses(responses, len(rows)),
        databases=_databases(record, rows),
        recorded=_recorded(record.id) if recordings else "",
        taken_along=_TAKEN_ALONG if review else "",
        built_by=record.built_by,
        engines=listed([f"{name} {version}" for name, version in sorted(record.engines.items())]),
        # Sets by hand are held to all of this but the one step.
        one_step="" if record.built_by == _BY_HAND else "; the queries differ in one step",
        selection=f" Selection: {record.selection}." if record.selection else "",
        read_by=_read_by(record),
        licences="\n".join(
            f"- `{name}`: {database.licence}" for name, database in sorted(record.databases.items())
        ),
        reply_licence=(
            "\nReplies are the output of the models that they name, under the terms of these.\n"
            if responses
            else ""
        ),
    )


def _read_by(record: EditionRecord) -> str:
    if not record.read_by:
        return ""
    readers = listed([f"`{name}`" for name in record.read_by])
    said = f" Reviewers before the edition was sealed: {readers}"
    if any(map(is_rules, record.read_by)):
        said += "; what begins with `rules/` is a set of rules, neither a model nor a person"
    return f"{said}."


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


def _responses(responses: Sequence[ResponseRow], sets: int) -> str:
    if not responses:
        return ""
    models = sorted({row.model for row in responses})
    answered = len({row.set_id for row in responses})
    return (
        f"\n`{RESPONSES_FILE}`, one response a line, {counted(len(responses), 'response')} of "
        f"{listed(models)} to {answered} of {counted(sets, 'set')}; `responses.schema.json` is its "
        "JSON Schema.\n\n"
        f"{_fields(ResponseRow)}\n"
    )


def _recorded(edition: str) -> str:
    return (
        "\n\n`recordings/` holds recorded replies. With `--recordings recordings` the import takes "
        f"them along, and `specbridge run --no-draft --edition {edition}` scores them anew without "
        "asking any model. If they answer only some of the sets, the profile must draw these: its "
        "`evaluated_sets` says how many."
    )


def _fields(model: type[BaseModel]) -> str:
    return "\n".join(["| field | holds |", "|---|---|", *_field_lines(model, "")])


def _field_lines(model: type[BaseModel], within: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield f"| `{within}{name}` | {table_cell(field.description or '')} |"
        for inner in _models_in(field.annotation):
            yield from _field_lines(inner, f"{within}{name}.")


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models whose objects a field holds: one, or a list of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models_in(each)


def _databases(record: EditionRecord, rows: Sequence[SetRow]) -> str:
    sets = Counter(row.database for row in rows)
    engines = {row.database: row.engine or "" for row in rows}
    lines = ["| database | engine | sets | content hash | source and licence |"]
    lines.append("|---|---|---|---|---|")
    lines += [
        f"| `{name}` | {engines.get(name, '')} | {sets[name]} | `{each.content_hash}` | "
        f"{table_cell(each.licence)} |"
        for name, each in sorted(record.databases.items())
    ]
    return "\n".join(lines)
