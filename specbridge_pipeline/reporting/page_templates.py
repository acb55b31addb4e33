"""How pages are made from templates: everything escaped, no script but the page's own."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.formatting import cell_text
from specbridge_pipeline.reporting.readers import named
from specbridge_pipeline.reporting.wording import spaced

if TYPE_CHECKING:
    from jinja2 import Environment


def page_environment() -> Environment:
    """Return the templates, in which everything is escaped and nothing may be missing."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("specbridge_pipeline.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {"cell": cell_text, "named": named, "spaced": spaced}
    environment.filters.update(filters)
    return environment


def script_digest(environment: Environment, script: str) -> str:
    """Return the digest by which a page's content policy lets its script run.

    Args:
        environment: The templates.
        script: The template of the script, which the page includes as it is.
    """
    text = environment.get_template(script).render()
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def page_text(text: str) -> str:
    """Return a page as a file can hold it: a lone surrogate, which texts can contain, is none."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
