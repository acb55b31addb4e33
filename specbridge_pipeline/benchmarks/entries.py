"""Benchmark files: JSON lists of objects, which are untrusted input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from specbridge_pipeline.errors import ConfigurationError

Entry = TypeVar("Entry", bound=BaseModel)


def read_entries(
    path: Path, form: type[Entry], *, unread: str, unfit: str, advice: str
) -> list[Entry]:
    """Read the objects of a file, each in the form that is asked for.

    Args:
        path: The file.
        form: What each object has to be.
        unread: What to say where the file cannot be read.
        unfit: What to say where an object is of another form.
        advice: What to do then.

    Returns:
        The entries, in the file's order.

    Raises:
        ConfigurationError: The file is not there, is no JSON, or is of another form.
    """
    try:
        return TypeAdapter(list[form]).validate_python(  # type: ignore[valid-type]
            json.loads(path.read_text(encoding="utf-8"))
        )
    except OSError as error:
        raise ConfigurationError(f"{unread}: {error.strerror}", path=path, advice=advice) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError("this is no JSON", path=path, advice=advice) from error
    except ValidationError as error:
        first = error.errors()[0]
        problem = ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))
        raise ConfigurationError(f"{unfit}: {problem}", path=path, advice=advice) from error
