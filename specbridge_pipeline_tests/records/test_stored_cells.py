from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.errors import StaleRecordError
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition, frame_hash
from specbridge_pipeline.records.files import write_atomically, write_bytes, write_text
from specbridge_pipeline.records.schemas import FrameSchema

SCHEMA = FrameSchema(
    name="things",
    version=1,
    columns={
        "key": "text",
        "number": "integer",
        "ratio": "float",
        "right": "boolean",
        "words": "texts",
    },
    key=("key",),
)
HERE = Partition("baseball", "a-model")
ORIGIN = Manifest(stage="things", stage_version=3, schema_version=1, inputs={"sets": "abc"})


def row(key: str = "a", **changes: Any) -> dict[str, Any]:
    return {"key": key, "number": 1, "ratio": 0.5, "right": True, "words": ["x"], **changes}


AWKWARD = [
    row("nothing", number=None, ratio=None, right=None, words=None),
    row("empty", ratio=0.0, words=[]),
    row("a list with nothing in it", words=[None, "", "x"]),
    row("no number", ratio=math.nan),
    row("endless", ratio=-math.inf, number=-(2**63)),
    row("large", ratio=1e308, number=2**63 - 1),
    row('Ünï🙂 \u0000 \u2028 \\ " \n', words=["日本語", "'"]),
    row(""),
]

texts = st.text(max_size=8)
rows_of_things = st.lists(
    st.fixed_dictionaries(
        {
            "key": texts,
            "number": st.none() | st.integers(-(2**63), 2**63 - 1),
            "ratio": st.none() | st.floats(),
            "right": st.none() | st.booleans(),
            "words": st.none() | st.lists(st.none() | texts, max_size=3),
        }
    ),
    max_size=6,
    unique_by=lambda each: each["key"],
)


@pytest.fixture
def store(tmp_path: Path) -> CellStore:
    return CellStore(tmp_path / "warehouse")


def same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return type(left) is type(right) and left == right


def test_what_is_written_is_read(store: CellStore) -> None:
    store.write(SCHEMA, HERE, SCHEMA.frame(AWKWARD), ORIGIN)
    found = store.read(SCHEMA, HERE).rows(named=True)
    expected = sorted(AWKWARD, key=lambda each: each["key"].encode())
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert all(same(one[name], other[name]) for name in SCHEMA.columns), (one, other)


def test_a_cell_without_rows(store: CellStore) -> None:
    manifest = store.write(SCHEMA, HERE, SCHEMA.frame([]), ORIGIN)
    assert manifest.rows == 0
    assert store.read(SCHEMA, HERE).schema == SCHEMA.types()


def test_the_manifest_stands_inside_the_file(store: CellStore, tmp_path: Path) -> None:
    written = store.write(SCHEMA, HERE, SCHEMA.frame(AWKWARD), ORIGIN)
    assert written.same_origin(ORIGIN)
    assert (written.rows, written.content_hash) == (
        len(AWKWARD),
        frame_hash(SCHEMA.frame(AWKWARD)),
    )
    moved = CellStore(tmp_path / "elsewhere")
    target = moved.path("things", HERE)
    target.parent.mkdir(parents=True)
    store.path("things", HERE).rename(target)
    assert moved.manifest("things", HERE) == written
    assert store.manifest("things", HERE) is None
    assert moved.read(SCHEMA, HERE).height == len(AWKWARD)


def test_another_origin_is_told_apart() -> None:
    for change in (
        {"stage_version": 4},
        {"schema_version": 2},
        {"inputs": {"sets": "abd"}},
        {"configuration": {"judge": "rules"}},
    ):
        assert not ORIGIN.same_origin(ORIGIN.model_copy(update=change))
    assert ORIGIN.same_origin(ORIGIN.model_copy(update={"rows": 5, "content_hash": "x"}))


def test_tampered_rows_are_refused(store: CellStore) -> None:
    written = store.write(SCHEMA, HERE, SCHEMA.frame([row("a"), row("b")]), ORIGIN)
    path = store.path("things", HERE)
    for rows in ([row("a"), row("b", number=2)], [row("a")], []):
        metadata = pl.read_parquet_metadata(path)
        SCHEMA.frame(rows).write_parquet(path, metadata=metadata)
        assert store.manifest("things", HERE) == written
        with pytest.raises(StaleRecordError, match="not those that its manifest vouches for"):
            store.read(SCHEMA, HERE)


def test_other_columns_than_declared_are_refused(store: CellStore) -> None:
    store.write(SCHEMA, HERE, SCHEMA.frame([row()]), ORIGIN)
    for columns in (
        {**SCHEMA.columns, "more": "text"},
        {name: kind for name, kind in SCHEMA.columns.items() if name != "ratio"},
        {**SCHEMA.columns, "number": "float"},
    ):
        newer = FrameSchema("things", 2, columns, ("key",))
        with pytest.raises(StaleRecordError, match="declared columns"):
            store.read(newer, HERE)
        with pytest.raises(StaleRecordError, match="declared columns"):
            store.write(newer, HERE, SCHEMA.frame([row()]), ORIGIN)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.6, 0.9, 0.99])
def test_a_damaged_file_is_never_taken_for_rows(share: float, store: CellStore) -> None:
    rows = [row(f"key {number}", number=number * 7919) for number in range(400)]
    frame = SCHEMA.frame(rows)
    store.write(SCHEMA, HERE, frame, ORIGIN)
    path = store.path("things", HERE)
    whole = path.read_bytes()
    at = int(share * len(whole))
    path.write_bytes(whole[:at])
    with pytest.raises(StaleRecordError):
        store.read(SCHEMA, HERE)
    path.write_bytes(whole[:at] + b"\xff" * 9 + whole[at + 9 :])
    with suppress(StaleRecordError):
        # Some bytes of the file mean nothing for its rows.
        assert store.read(SCHEMA, HERE).equals(frame)


def test_a_cell_that_is_not_there(store: CellStore) -> None:
    assert store.manifest("things", HERE) is None
    assert store.partitions("things") == []
    assert store.read_all(SCHEMA).schema == SCHEMA.types()
    with pytest.raises(StaleRecordError, match=r"things\[baseball\|a-model\]: there is no such"):
        store.read(SCHEMA, HERE)


def test_partitions_are_listed_sorted_and_read_together(store: CellStore) -> None:
    cells = [
        Partition("flights", "m.1"),
        Partition("baseball", "m-2"),
        Partition("baseball", "m.1"),
        Partition("baseball"),
        Partition(),
    ]
    for number, partition in enumerate(cells):
        store.write(SCHEMA, partition, SCHEMA.frame([row(str(number))]), ORIGIN)
    assert set(store.partitions("things")) == set(cells)
    assert [str(cell) for cell in store.partitions("things")] == sorted(map(str, cells))
    assert str(Partition()) == "all"
    assert sorted(store.read_all(SCHEMA)["key"]) == ["0", "1", "2", "3", "4"]


def test_a_cell_written_again_holds_the_new_rows_only(store: CellStore) -> None:
    for number in range(20):
        store.write(SCHEMA, HERE, SCHEMA.frame([row(number=number)]), ORIGIN)
        assert store.manifest("things", HERE) is not None
        assert store.read(SCHEMA, HERE)["number"].to_list() == [number]
    files = [path.name for path in store.path("things", HERE).parent.iterdir()]
    assert sorted(files) == [".lock", "data.parquet"]


class KilledError(BaseException):
    """Stands for the end of the process at some point of writing."""


def nothing(path: Path) -> None:
    raise KilledError


def a_part(path: Path) -> None:
    path.write_bytes(b"the begin")
    raise KilledError


@pytest.mark.parametrize("write", [nothing, a_part])
def test_a_kill_while_writing_leaves_the_old_content(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "inner" / "file"
    with pytest.raises(KilledError):
        write_atomically(path, write)
    assert not path.exists()
    write_text(path, "öld")
    with pytest.raises(KilledError):
        write_atomically(path, write)
    assert path.read_text(encoding="utf-8") == "öld"
    assert list(path.parent.iterdir()) == [path]
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_kill_between_two_writes_of_a_cell_leaves_the_old_rows(
    store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = store.write(SCHEMA, HERE, SCHEMA.frame([row("old")]), ORIGIN)

    def interrupted(frame: pl.DataFrame, target: Path, **options: Any) -> None:
        Path(target).write_bytes(b"PAR1")
        raise KilledError

    monkeypatch.setattr(pl.DataFrame, "write_parquet", interrupted)
    with pytest.raises(KilledError):
        store.write(SCHEMA, HERE, SCHEMA.frame([row("new")]), ORIGIN)
    assert store.manifest("things", HERE) == old
    assert store.read(SCHEMA, HERE)["key"].to_list() == ["old"]


@given(rows=rows_of_things, data=st.data())
def test_the_content_hash_is_that_of_the_rows_in_any_order(
    rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    frame = SCHEMA.frame(rows)
    shuffled = data.draw(st.permutations(range(frame.height)))
    assert frame_hash(frame[shuffled]) == frame_hash(frame)


@given(rows=rows_of_things.filter(bool), other=rows_of_things.filter(bool), data=st.data())
def test_the_content_hash_changes_with_a_cell(
    rows: list[dict[str, Any]], other: list[dict[str, Any]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.sampled_from(["number", "ratio", "right", "words"]))
    changed = [dict(each) for each in rows]
    changed[at][column] = other[0][column]
    unchanged = repr(changed[at][column]) == repr(rows[at][column])
    assert (frame_hash(SCHEMA.frame(changed)) == frame_hash(SCHEMA.frame(rows))) is unchanged


def test_the_content_hash_does_not_see_the_bytes_of_the_file(tmp_path: Path) -> None:
    frame = SCHEMA.frame(AWKWARD)
    hashes = set()
    for number, compression in enumerate(("zstd", "snappy", "uncompressed")):
        path = tmp_path / f"{number}.parquet"
        frame.write_parquet(path, compression=compression, row_group_size=3)  # type: ignore[arg-type]
        hashes.add(frame_hash(pl.read_parquet(path)))
    assert hashes == {frame_hash(frame)}


def test_a_row_more_or_less_changes_the_content_hash() -> None:
    frame = pl.DataFrame({"a": ["x", "x"]})
    assert len({frame_hash(frame), frame_hash(frame[:1]), frame_hash(frame[:0])}) == 3
    assert frame_hash(frame) != frame_hash(frame.rename({"a": "b"}))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"more": 1}, "other columns than declared: more"),
        ({"number": "1"}, r"things.number: '1' is no integer"),
        ({"number": 1.5}, "1.5 is no integer"),
        ({"number": 2.0}, "2.0 is no integer"),
        ({"number": True}, "True is no integer"),
        ({"number": 2**63}, "is no integer"),
        ({"ratio": "0.5"}, "'0.5' is no float"),
        ({"right": 1}, "1 is no boolean"),
        ({"key": 5}, "5 is no text"),
        ({"key": b"a"}, "is no text"),
        ({"words": "a text"}, "'a text' is no texts"),
        ({"words": [1]}, "1 is no text"),
    ],
)
def test_a_row_of_another_form_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(StaleRecordError, match=says):
        SCHEMA.frame([row("fine"), row() | changes])


def test_a_row_that_lacks_a_column_is_refused() -> None:
    lacking = row()
    del lacking["ratio"]
    with pytest.raises(StaleRecordError, match="other columns than declared: ratio"):
        SCHEMA.frame([lacking])


def test_two_rows_with_the_same_key_are_refused() -> None:
    with pytest.raises(StaleRecordError, match="things: two rows have the same key"):
        SCHEMA.frame([row("a"), row("b"), row("a", number=2)])
    pair = FrameSchema("pairs", 1, {"a": "text", "b": "text"}, ("a", "b"))
    rows = [{"a": "x", "b": "y"}, {"a": "x", "b": "z"}, {"a": "xy", "b": ""}]
    assert pair.frame(rows).height == 3
    with pytest.raises(StaleRecordError, match="the same a, b"):
        pair.frame([*rows, {"a": "x", "b": "z"}])


def test_rows_come_sorted_by_their_key_whatever_their_order() -> None:
    one, other = (SCHEMA.frame(rows) for rows in (AWKWARD, AWKWARD[::-1]))
    # By their text, since NaN equals nothing.
    assert repr(one.rows()) == repr(other.rows())
    assert one["key"].to_list() == sorted(each["key"] for each in AWKWARD)


def test_whole_numbers_are_floats_where_floats_are_declared() -> None:
    assert SCHEMA.frame([row(ratio=2)])["ratio"].to_list() == [2.0]


def test_half_a_character_in_a_reply_does_not_stop_a_cell(store: CellStore) -> None:
    rows = [row("a", words=["broken \ud83d", "whole \ud83d\ude42"])]
    store.write(SCHEMA, HERE, SCHEMA.frame(rows), ORIGIN)
    assert store.read(SCHEMA, HERE)["words"].to_list() == [["broken \ufffd", "whole 🙂"]]
