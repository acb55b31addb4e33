"""The options by which studies of benchmarks are told their files."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

questions_option = click.option(
    "--questions",
    required=True,
    multiple=True,
    type=_FILE,
    help="Questions with their references, in Spider's or BIRD's form; several files may follow.",
)
tables_option = click.option(
    "--tables",
    required=True,
    multiple=True,
    type=_FILE,
    help="The databases' tables, in Spider's form; several files may follow.",
)
