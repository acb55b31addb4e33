"""`specbridge init`."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.settings import starter_root

_STARTER = (
    "workspace.yaml",
    "dagster.yaml",
    "data/databases.yaml",
    "data/models.yaml",
    "data/catalogues",
    "data/LICENSES.md",
    "data/profiles",
    "data/editions",
    "data/recordings",
    "data/derived/generation",
)

_NOT_BARE = frozenset({"data/editions", "data/recordings", "data/derived/generation"})
"""What ships to be looked at; a project can do without it."""


@click.command("init")
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--bare", is_flag=True, help="Without editions, recordings and counted studies.")
@click.pass_context
def command(context: click.Context, folder: Path | None, bare: bool) -> None:
    """Make a folder a project (default: the current one).

    Writes the registries data/databases.yaml and data/models.yaml, a profile, the Dagster files,
    and the shipped edition with its recordings. Files that are there already stay as they are.
    """
    root = (folder or Path(context.obj["project"] or ".")).resolve()
    source = starter_root()
    if root == source:
        raise ConfigurationError("this checkout is a project already", path=root)
    written = 0
    for name in _STARTER:
        if bare and name in _NOT_BARE:
            continue
        start = source / name
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            target = root / path.relative_to(source)
            if path.is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
                written += 1
    click.echo(f"{written} files written to {root}")
    if bare:
        click.echo("next: specbridge sets import FILE --edition ID       sets made elsewhere")
        return
    click.echo(
        "next: specbridge run       evaluate the shipped edition from recorded replies\n"
        "      specbridge run -h    what else there is"
    )
