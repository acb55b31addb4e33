"""Rows that are written as CSV are read back as they were; what is no such file is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.records.row_files import read_rows, write_rows
from specbridge_pipeline.records.schemas import FrameSchema

SCHEMA = FrameSchema(
    name="things",
    version=1,
    columns={
        "name": "text",
        "count": "integer",
        "share": "float",
        "kept": "boolean",
        "notes": "texts",
    },
    key=("name",),
)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=12)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "name": WORDS,
                "count": st.none() | st.integers(-(10**12), 10**12),
                "share": st.none() | st.floats(allow_nan=False, allow_infinity=False),
                "kept": st.none() | st.booleans(),
                "notes": st.lists(WORDS, max_size=3),
            }
        ),
        max_size=6,
        unique_by=lambda row: row["name"],
    )
)
@settings(max_examples=60, deadline=None)
def test_rows_come_back_as_they_were(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "things.csv"
    write_rows(path, SCHEMA, rows)
    assert read_rows(path, SCHEMA) == sorted(rows, key=lambda row: row["name"])


def test_a_compressed_file_holds_the_same_rows_and_the_same_bytes(tmp_path):
    rows = [{"name": "a", "count": 1, "share": None, "kept": True, "notes": ["x"]}]
    files = [tmp_path / name for name in ("one.csv.gz", "two.csv.gz", "plain.csv")]
    for path in files:
        write_rows(path, SCHEMA, rows)
    assert files[0].read_bytes() == files[1].read_bytes() != files[2].read_bytes()
    assert [read_rows(path, SCHEMA) for path in files] == [rows] * 3


@pytest.mark.parametrize("cut", [0, 5, 30])
def test_a_damaged_compressed_file_is_refused(tmp_path, cut):
    path = tmp_path / "things.csv.gz"
    write_rows(path, SCHEMA, [{**dict.fromkeys(SCHEMA.columns), "name": "a", "notes": []}])
    path.write_bytes(path.read_bytes()[:cut] + b"\0\0")
    with pytest.raises(ConfigurationError, match=r"cannot be read|no rows of"):
        read_rows(path, SCHEMA)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "no rows of 'things'"),
        ("name,count\n", 1, "no rows of 'things'"),
        ("name,count,share,kept,notes\na,1,2\n", 2, "cannot be read"),
        ("name,count,share,kept,notes\na,one,,,\n", 2, "cannot be read"),
        ("name,count,share,kept,notes\na,1,,maybe,\n", 2, "'maybe' is neither true nor false"),
        ("name,count,share,kept,notes\na,1,,,[\n", 2, "cannot be read"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_line(tmp_path, text, line, said):
    path = tmp_path / "things.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=said) as raised:
        read_rows(path, SCHEMA)
    assert f"{path}:{line}" in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"gone\.csv"):
        read_rows(tmp_path / "gone.csv", SCHEMA)
