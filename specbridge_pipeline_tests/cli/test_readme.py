"""What the README says of the command is what the command says."""

import os
import re
import subprocess
import sys

import pytest

from specbridge_pipeline_tests.support.projects import CHECKOUT

_BLOCK = re.compile(
    r"<!-- output of: specbridge (?P<arguments>[^>]*) -->\n```text\n(?P<text>.*?)```", re.DOTALL
)
README = (CHECKOUT / "README.md").read_text("utf-8")
BLOCKS = [(match["arguments"].split(), match["text"]) for match in _BLOCK.finditer(README)]


@pytest.mark.parametrize(("arguments", "text"), BLOCKS, ids=[" ".join(a) for a, _ in BLOCKS])
def test_the_help_in_the_readme_is_current(arguments, text):
    out = subprocess.run(
        [sys.executable, "-m", "specbridge_pipeline.cli", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "100"},
        cwd=CHECKOUT,
    )
    assert out.stdout == text


def test_the_readme_shows_the_help_of_the_main_commands():
    shown = {" ".join(arguments) for arguments, _ in BLOCKS}
    assert {"--help", "run --help", "trace --help"} <= shown


def test_every_command_that_the_readme_names_exists():
    from specbridge_pipeline.cli.main import cli

    named = set(re.findall(r"specbridge ([a-z]+)", README))
    assert named <= set(cli.list_commands(None))
