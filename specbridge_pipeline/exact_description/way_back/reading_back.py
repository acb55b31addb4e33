"""From the text of an exact description to a query that gives the result described."""

from __future__ import annotations

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnreadableDescriptionError
from specbridge_pipeline.exact_description.way_back.queries import QueryWriter
from specbridge_pipeline.exact_description.way_back.steps import read_steps
from specbridge_pipeline.exact_description.way_back.words import words_of


def query_from_text(text: str, schema: Schema) -> str:
    """Read an exact description back into a query.

    Only what the text says is used, by the grammar of docs/description_grammar.md, and the names
    and declared types of the database's columns.

    Args:
        text: The description in the numbered style.
        schema: The tables of the SQLite database that it is about.

    Returns:
        A SQLite query that gives the result described, its columns under the names given. Columns
        of any name have one of the engine's choice.

    Raises:
        UnreadableDescriptionError: A sentence cannot be read, can be read in two ways, or names
            what is not there; the error names the step and the sentence.
    """
    if schema.engine is not Engine.SQLITE:
        raise UnreadableDescriptionError(
            "only descriptions of SQLite queries can be read back",
            advice="use the schema of a SQLite database",
        )
    try:
        return QueryWriter(read_steps(text, words_of(schema)), schema).query()
    except RecursionError as error:
        raise UnreadableDescriptionError("the description is nested too deeply") from error
