"""What the README says of the command is what the command says."""

import re

import pytest

from specbridge_pipeline.cli.main import cli
from specbridge_pipeline_tests.support.readme import BLOCK, README, output_of

TEXT = README.read_text("utf-8")
BLOCKS = [(match["arguments"], match["text"]) for match in BLOCK.finditer(TEXT)]


@pytest.mark.parametrize(("arguments", "text"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_the_help_in_the_readme_is_current(arguments, text):
    assert output_of(arguments.split()) == text


def test_the_readme_shows_the_help_of_the_main_commands():
    assert {"--help", "run --help", "trace --help"} <= {arguments for arguments, _ in BLOCKS}


def test_every_command_that_the_readme_names_exists():
    named = set(re.findall(r"specbridge ([a-z]+)", TEXT))
    assert named <= set(cli.list_commands(None))
