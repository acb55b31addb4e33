"""What is quoted in a prompt, between marks that it must not end."""

from __future__ import annotations

from importlib.resources import files
from string import Template

OPENING, CLOSING = "<<<", ">>>"


def without_marks(text: str) -> str:
    """Return text that cannot end the quotation in which a prompt gives it.

    Args:
        text: What somebody else wrote: a name, a document, a query.

    Returns:
        The text; the marks themselves are left out wherever they stand, also those that only come
        to be when others are left out.
    """
    while OPENING in text or CLOSING in text:
        text = text.replace(OPENING, "").replace(CLOSING, "")
    return text


def quoting_prompt(package: str, name: str, **quoted: str) -> str:
    """Return a prompt with what it quotes, none of which can end its quotation.

    Args:
        package: The package whose folder `prompts` holds it.
        name: Name of its file.
        quoted: What it quotes, by the name of its place.
    """
    template = files(package).joinpath("prompts", name).read_text("utf-8")
    return Template(template).substitute(
        {place: without_marks(text) for place, text in quoted.items()}
    )
