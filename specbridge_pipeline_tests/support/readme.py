"""The blocks of the README that show what a command prints.

`python -m specbridge_pipeline_tests.support.readme` writes them anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from specbridge_pipeline_tests.support.projects import CHECKOUT

README = CHECKOUT / "README.md"
BLOCK = re.compile(
    r"<!-- output of: specbridge (?P<arguments>[^>]*) -->\n```text\n(?P<text>.*?)```", re.DOTALL
)


def output_of(arguments: list[str]) -> str:
    """What `specbridge` prints, a hundred columns wide."""
    return subprocess.run(
        [sys.executable, "-m", "specbridge_pipeline.cli", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "100"},
        cwd=CHECKOUT,
    ).stdout


def current(match: re.Match[str]) -> str:
    """The block with what the command prints today."""
    arguments = match["arguments"]
    text = output_of(arguments.split())
    return f"<!-- output of: specbridge {arguments} -->\n```text\n{text}```"


if __name__ == "__main__":
    README.write_text(BLOCK.sub(current, README.read_text("utf-8")), "utf-8")
