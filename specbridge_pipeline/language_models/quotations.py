"""What is quoted in a prompt, between marks that it must not end."""

from __future__ import annotations

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
