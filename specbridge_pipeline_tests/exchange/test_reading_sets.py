"""Files of sets made elsewhere: each kind of fault has its own words, and good ones are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.errors import ImportFaultsError
from specbridge_pipeline.exchange import json_lines
from specbridge_pipeline.exchange.json_lines import ReadRow
from specbridge_pipeline.exchange.reading_sets import (
    RegisteredDatabase,
    read_set_rows,
    stated_tier,
)
from specbridge_pipeline.exchange.set_rows import SetRow, set_of
from specbridge_pipeline.request_sets.human_verdicts import Verdict

HERE = Path(__file__).parent
HASH = "h" * 64
ROWS: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "clinic_rows.yaml").read_text("utf-8"))[
    "rows"
]
FAULTS = yaml.safe_load((HERE / "set_faults.yaml").read_text("utf-8"))


def digits(text: str) -> str:
    """Hash of a database in the tests: readable in the cases, hexadecimal in the rows."""
    return text.replace("h", "a")


def row(name: str, **changes: Any) -> dict[str, Any]:
    values = {**ROWS[name], "database_hash": digits(HASH)} | changes
    if values.get("id") == "ID":
        values["id"] = id_of(name)
    return {key: value for key, value in values.items() if value is not None}


def id_of(name: str) -> str:
    read = SetRow.model_validate_json(json.dumps(row(name)))
    assert read.step_depth is not None
    assert read.arithmetic_depth is not None
    return set_of(read, read.step_depth, read.arithmetic_depth).id


NAMED = {
    "GOOD": row("COUNTING"),
    "GOOD_BY_ANOTHER": row("COUNTING", writer="somebody"),
    "OTHER": row("TIES"),
}
KNOWN = [Verdict("known.csv", 7, id_of("COUNTING"), "bea", False, "other", "")]


def registered(name: str) -> RegisteredDatabase | None:
    return RegisteredDatabase(digits(HASH), "sqlite") if name == "clinic" else None


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    return path


def read(path: Path) -> list[ReadRow[SetRow]]:
    return read_set_rows(path, registered, KNOWN)


def problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(ImportFaultsError) as caught:
        read(path)
    return caught.value.problems


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_file_and_line(name: str, tmp_path: Path) -> None:
    case = FAULTS[name]
    path = tmp_path / "file.jsonl"
    if "text" in case:
        path.write_text(case["text"], "utf-8")
    elif "repeat" in case:
        path.write_text(case["repeat"]["text"] * case["repeat"]["times"], "utf-8")
    elif "lines" in case:
        write(path, [NAMED[line] for line in case["lines"]])
    else:
        write(path, [row("COUNTING", **case["change"]), NAMED["OTHER"]])
    found = problems(path)
    assert len(found) == case.get("count", len(case["says"])), found
    for problem, says in zip(found, case["says"], strict=False):
        assert problem.startswith(says.replace("hhhhhhhhhhhh", digits("h" * 12)))


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(json.dumps(row("TIES", writer="naïve"), ensure_ascii=False).encode("latin-1"))
    [problem] = problems(path)
    assert problem.startswith("file.jsonl: cannot be read: it is not UTF-8 at byte ")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    with path.open("wb") as file:
        file.truncate(json_lines.LARGEST_FILE + 1)
    [problem] = problems(path)
    assert problem == "file.jsonl: cannot be read: it has more than 100,000,000 bytes"


def test_a_file_of_another_kind_does_not_flood_the_screen(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text("no set\n" * 5_000, "utf-8")
    found = problems(path)
    assert len(found) == 21
    assert found[-1] == "file.jsonl: and 4980 more of this kind"


def test_a_byte_order_mark_and_empty_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    lines = f"\n{json.dumps(NAMED['GOOD'])}\r\n\n{json.dumps(NAMED['OTHER'])}"
    path.write_bytes(b"\xef\xbb\xbf" + lines.encode())
    assert [each.where for each in read(path)] == ["file.jsonl:2", "file.jsonl:4"]


def test_a_database_is_asked_for_once(tmp_path: Path) -> None:
    asked = []

    def ask(name: str) -> RegisteredDatabase | None:
        asked.append(name)
        return registered(name)

    path = write(tmp_path / "file.jsonl", [NAMED["GOOD"], NAMED["OTHER"], row("RATES")])
    assert len(read_set_rows(path, ask)) == 3
    assert asked == ["clinic"]


def test_one_tier_for_all_sets_goes_before_their_depths(tmp_path: Path) -> None:
    rows = [row("COUNTING", tier="paper"), row("TIES", tier="paper")]
    assert stated_tier(each.row for each in read(write(tmp_path / "file.jsonl", rows))) == "paper"
    rows = [row("COUNTING", tier="short"), row("TIES", tier="short")]
    assert stated_tier(each.row for each in read(write(tmp_path / "file.jsonl", rows))) is None
