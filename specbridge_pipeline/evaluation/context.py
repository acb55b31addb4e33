"""What a model is told of a database: engine, schema and documents, the same text every time."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from string import Template

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.sql.create_statements import create_statements

LONGEST_DOCUMENT = 8_000
"""Characters of a document that a prompt carries at most."""


@dataclass(frozen=True, slots=True)
class DatabaseContext:
    """What a prompt says of a database.

    Attributes:
        database: Registry id.
        engine: Name of the engine as people write it.
        schema: Tables, columns and keys.
        documents: Texts that explain the columns: (name, text). Untrusted, quoted as data.
    """

    database: str
    engine: str
    schema: Schema
    documents: tuple[tuple[str, str], ...] = ()

    def render(self, prompt: str) -> str:
        """Fill a prompt of this room.

        Args:
            prompt: Name of a file under prompts/, with $engine, $schema and $documents in it.

        Returns:
            The prompt's text.
        """
        template = Template(
            files("specbridge_pipeline.evaluation").joinpath("prompts", prompt).read_text("utf-8")
        )
        quoted = "".join(
            f'\nDocument "{name}":\n<<<\n{text[:LONGEST_DOCUMENT]}\n>>>\n'
            for name, text in self.documents
        )
        return template.substitute(
            engine=self.engine, schema=create_statements(self.schema), documents=quoted
        )
