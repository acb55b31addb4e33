"""Who wrote the questions of a benchmark's databases."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from specbridge_pipeline.configuration_files import StrictModel, read_configuration


class _AuthorGroups(StrictModel):
    by_form: dict[str, str]
    by_database: dict[str, tuple[str, ...]]


@cache
def _groups() -> _AuthorGroups:
    return read_configuration(Path(__file__).with_suffix(".yaml")).parse(_AuthorGroups)


def author_group(form: str, database: str) -> str:
    """Return the group of authors of a question.

    Args:
        form: Whose form its file has: "spider" or "bird".
        database: Its database's id.
    """
    for group, databases in _groups().by_database.items():
        if form == "spider" and database in databases:
            return group
    return _groups().by_form[form]


def author_groups() -> tuple[str, ...]:
    """Return all groups, in the order in which they are shown."""
    return (*_groups().by_form.values(), *_groups().by_database)
