from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from specbridge_pipeline.configuration_files import StrictModel, read_configuration, read_entries
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.settings import SLUG

FAULTS = yaml.safe_load(
    Path(__file__).with_name("configuration_faults.yaml").read_text(encoding="utf-8")
)


class Inner(StrictModel):
    depth: int


class Thing(StrictModel):
    id: str = Field(pattern=SLUG)
    size: int
    inner: Inner | None = None
    words: tuple[str, ...] = ()


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


def fault_of(path: Path) -> ConfigurationError:
    before = {each: each.read_bytes() for each in path.parent.iterdir()}
    with pytest.raises(ConfigurationError) as caught:
        read_entries(path, "things", Thing)
    assert {each: each.read_bytes() for each in path.parent.iterdir()} == before
    return caught.value


@pytest.mark.parametrize("case", named([*FAULTS["registry"], *FAULTS["not_yaml"]]))
def test_one_error_with_file_and_line(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "things.yaml"
    path.write_text(case["text"], encoding="utf-8")
    error = fault_of(path)
    assert case["says"] in error.what
    assert error.path == path
    assert error.line == (case["line"] or None)
    place = f"{path}:{case['line']}: " if case["line"] else f"{path}: "
    assert str(error).startswith(place)
    assert "\n" not in str(error)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        read_entries(tmp_path / "things.yaml", "things", Thing)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_configuration(tmp_path)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "things.yaml"
    path.write_bytes(b"things:\n  - id: caf\xe9\n")
    assert "cannot be read" in fault_of(path).what


def test_entries_come_in_file_order_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "things.yaml"
    path.write_text(
        "# a comment\nthings:\n  - {id: b, size: 2}\n\n  - id: a\n    size: 1\n    words: [ä, ö]\n",
        encoding="utf-8",
    )
    assert read_entries(path, "things", Thing) == [
        (Thing(id="b", size=2), 3),
        (Thing(id="a", size=1, words=("ä", "ö")), 5),
    ]


def test_a_list_without_entries(tmp_path: Path) -> None:
    path = tmp_path / "things.yaml"
    for text in ("things: []\n", "things:\n"):
        path.write_text(text)
        assert read_entries(path, "things", Thing) == []


def test_aliases_cannot_make_reading_endless(tmp_path: Path) -> None:
    levels = [f"  - &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 30)]
    path = tmp_path / "things.yaml"
    path.write_text("\n".join(["things:", "  - &l0 [x]", *levels]))
    assert fault_of(path).line == 2


@given(
    sizes=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6),
    gaps=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    bad=st.integers(0, 5),
)
def test_the_line_is_that_of_the_fault_wherever_it_stands(
    sizes: list[int], gaps: list[int], bad: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bad %= len(sizes)
    lines = ["things:"]
    expected = 0
    for number, size in enumerate(sizes):
        lines += ["", "  # a comment"] * gaps[number]
        lines += [f"  - id: thing-{number}", f"    size: {'big' if number == bad else size}"]
        if number == bad:
            expected = len(lines)
    path = tmp_path_factory.mktemp("lines") / "things.yaml"
    path.write_text("\n".join(lines))
    assert fault_of(path).line == expected
