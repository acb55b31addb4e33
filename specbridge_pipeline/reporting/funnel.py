"""The funnel of construction: what each stage keeps, from attempts to accepted request sets.

After the paper's Figure 5, which counts from proposed choices to accepted sets. Every count comes
with the query of the warehouse that lists the rows behind it; tracing runs that query, so that the
count is made twice, by code that shares nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.reporting.construction_rows import ConstructionRows, Rows

Row = Mapping[str, Any]
_Kind = tuple[str, str | None, str | None, str | None]
"""Database, tier, choice type and source of a counted row."""

TIERS = ("short", "paper")
"""The tiers in the order in which they are shown."""

REJECTED = "rejected"
"""The stage that counts rejected attempts, by reason."""


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """A count of the funnel.

    Attributes:
        name: Its name in number ids.
        label: Its name for people.
        unit: What it counts: "query", "choice" or "set".
        of: Name of the stage that it is a part of; empty where it is the first of its unit.
        rows: Query of the warehouse that gives the counted rows, with their database and, where
            they have them, tier and choice type.
    """

    name: str
    label: str
    unit: str
    of: str
    rows: str


_FILTER = "filter"
"""The source of choices that lie in a filter; those of the others have none."""

_KEPT = (
    "(SELECT database, query_id, tier, NULL AS source FROM generated_queries WHERE kept "
    f"UNION ALL SELECT database, query_id, tier, '{_FILTER}' FROM filter_queries WHERE kept)"
)
_FILTERED = "SELECT DISTINCT database, request, tier FROM filter_queries"
_ATTEMPTS = "SELECT database, attempt, query_id, tier, reason FROM generated_queries"
_OF_QUERY = f"JOIN {_KEPT} USING (database, query_id)"
_PLACES = (
    "SELECT database, query_id, tier, choice_type, source, step, output, detail "
    f"FROM choice_opportunities {_OF_QUERY}"
)
_PROPOSALS = (
    "SELECT database, proposal_id, query_id, tier, choice_type, source "
    f"FROM choice_proposals {_OF_QUERY}"
)
_SOURCE = f"JOIN (SELECT database, query_id, source FROM {_KEPT}) USING (database, query_id)"
_SETS = f"SELECT database, proposal_id, tier, choice_type, source FROM request_sets {_SOURCE}"


def _reviewed(condition: str) -> str:
    return (
        f"{_SETS} SEMI JOIN (SELECT database, proposal_id FROM set_reviews WHERE {condition}) "
        "USING (database, proposal_id)"
    )


FUNNEL: tuple[FunnelStage, ...] = (
    FunnelStage("attempts", "Queries attempted", "query", "", _ATTEMPTS),
    FunnelStage("kept", "Queries kept", "query", "attempts", f"{_ATTEMPTS} WHERE kept"),
    FunnelStage(
        "described",
        "Described exactly",
        "query",
        "kept",
        f"SELECT database, query_id, tier FROM exact_descriptions {_OF_QUERY} WHERE described",
    ),
    FunnelStage(
        "natural_request",
        "Natural request accepted",
        "query",
        "described",
        f"SELECT database, query_id, tier FROM natural_requests {_OF_QUERY} WHERE accepted",
    ),
    FunnelStage("filters", "Queries with a filter asked for", "query", "", _FILTERED),
    FunnelStage(
        "filters_kept",
        "Both readings of the filter pass every check",
        "query",
        "filters",
        f"{_FILTERED} WHERE kept",
    ),
    FunnelStage("opportunities", "Places where a query takes a side", "choice", "", _PLACES),
    FunnelStage(
        "matters", "The data make it matter", "choice", "opportunities", f"{_PLACES} WHERE matters"
    ),
    FunnelStage("proposed", "Choices proposed", "choice", "", _PROPOSALS),
    FunnelStage("applies", "The edit applies", "choice", "proposed", f"{_PROPOSALS} WHERE applies"),
    FunnelStage("runs", "Both queries run", "choice", "applies", f"{_PROPOSALS} WHERE runs"),
    FunnelStage(
        "disjoint",
        "The other interpretation changes the answer",
        "choice",
        "runs",
        f"{_PROPOSALS} WHERE disjoint",
    ),
    FunnelStage(
        "both_described",
        "Both interpretations described exactly",
        "choice",
        "disjoint",
        f"{_PROPOSALS} WHERE described",
    ),
    FunnelStage(
        "one_step",
        "They differ in one step",
        "choice",
        "both_described",
        f"{_PROPOSALS} WHERE one_step",
    ),
    FunnelStage(
        "found_open",
        "A reviewer finds the choice open",
        "choice",
        "one_step",
        f"{_PROPOSALS} WHERE found_open",
    ),
    FunnelStage(
        "selected",
        "One choice kept per query",
        "choice",
        "found_open",
        f"{_PROPOSALS} WHERE selected",
    ),
    FunnelStage("written", "Request sets written", "set", "", _SETS),
    FunnelStage(
        "passed", "Pass the code checks as first written", "set", "written", f"{_SETS} WHERE passed"
    ),
    FunnelStage(
        "kept_at_first",
        "Kept by code and reviewers at first",
        "set",
        "written",
        _reviewed("keep AND revision = 0"),
    ),
    FunnelStage(
        "kept_after_revision",
        "Kept at first or after the one revision",
        "set",
        "written",
        _reviewed("keep"),
    ),
    FunnelStage(
        "accepted",
        "Accepted",
        "set",
        "kept_after_revision",
        "SELECT database, set_id, proposal_id, tier, choice_type, source "
        f"FROM accepted_request_sets {_SOURCE}",
    ),
    FunnelStage(
        "read_by_people",
        "Read by a person",
        "set",
        "written",
        f"{_SETS} SEMI JOIN (SELECT database, proposal_id FROM set_reviews "
        "JOIN human_verdicts USING (set_id)) USING (database, proposal_id)",
    ),
)
"""The stages in their order."""

FUNNEL_STAGES: dict[str, FunnelStage] = {stage.name: stage for stage in FUNNEL}


def construction_funnel(rows: ConstructionRows) -> list[dict[str, Any]]:
    """Count what each stage of construction kept.

    Every stage is counted over all databases and on each, over everything and by tier; choices and
    sets by choice type too, and those of filters by themselves. A rejected attempt has the tier
    that was known of it by then, or none, so that the tiers of the attempts need not add up to all
    of them.

    Args:
        rows: The draft.

    Returns:
        Rows of CONSTRUCTION_FUNNEL; none where nothing has been built.
    """
    if rows.is_empty:
        return []
    members = _members(rows)
    scopes = _scopes(members)
    counts = {
        name: Counter(
            (each["database"], each["tier"], each.get("choice_type"), each.get("source"))
            for each in listed
        )
        for name, listed in members.items()
    }
    counted = []
    for database in ("", *rows.databases):
        for scope in scopes:
            here = {name: _count(each, database, scope) for name, each in counts.items()}
            for place, stage in enumerate(FUNNEL):
                if stage.unit != "query" or not scope.startswith(("choice_type=", "source=")):
                    counted.append(_row(rows, stage, place, database, scope, here))
    return counted + _rejected(rows)


def _members(rows: ConstructionRows) -> dict[str, list[Row]]:
    """Return the rows that each stage counts, each with database, tier and choice type."""
    known = {
        (row["database"], row["query_id"]): {"tier": row["tier"], "source": source}
        for queries, source in ((rows.generated_queries, None), (rows.filter_queries, _FILTER))
        for row in queries
        if row["kept"]
    }

    def of_kept(listed: Rows) -> list[Row]:
        keys = [(row["database"], row["query_id"]) for row in listed]
        return [
            {**row, **known[key]} for row, key in zip(listed, keys, strict=True) if key in known
        ]

    places = of_kept(rows.choice_opportunities)
    proposals = of_kept(rows.choice_proposals)
    sets = of_kept(rows.request_sets)
    judged = {row["set_id"] for row in rows.human_verdicts}

    def reviewed(reviews: Iterable[Row]) -> list[Row]:
        keys = {(row["database"], row["proposal_id"]) for row in reviews}
        return [row for row in sets if (row["database"], row["proposal_id"]) in keys]

    return {
        "attempts": list(rows.generated_queries),
        "kept": _where(rows.generated_queries, "kept"),
        "described": _where(of_kept(rows.exact_descriptions), "described"),
        "natural_request": _where(of_kept(rows.natural_requests), "accepted"),
        "filters": _requests(rows.filter_queries),
        "filters_kept": _requests(_where(rows.filter_queries, "kept")),
        "opportunities": places,
        "matters": _where(places, "matters"),
        "proposed": proposals,
        "applies": _where(proposals, "applies"),
        "runs": _where(proposals, "runs"),
        "disjoint": _where(proposals, "disjoint"),
        "both_described": _where(proposals, "described"),
        "one_step": _where(proposals, "one_step"),
        "found_open": _where(proposals, "found_open"),
        "selected": _where(proposals, "selected"),
        "written": list(sets),
        "passed": _where(sets, "passed"),
        "kept_at_first": reviewed(
            row for row in rows.set_reviews if row["keep"] and row["revision"] == 0
        ),
        "kept_after_revision": reviewed(row for row in rows.set_reviews if row["keep"]),
        "accepted": of_kept(rows.accepted_request_sets),
        "read_by_people": reviewed(row for row in rows.set_reviews if row["set_id"] in judged),
    }


def _requests(attempts: Iterable[Row]) -> list[Row]:
    """Return one row a request, of the attempts at it."""
    keys = ("database", "request", "tier")
    found = dict.fromkeys(tuple(row[key] for key in keys) for row in attempts)
    return [dict(zip(keys, each, strict=True)) for each in found]


def _count(counts: Mapping[_Kind, int], database: str, scope: str) -> int:
    column, _, value = scope.partition("=")
    return sum(
        count
        for (of_database, tier, choice_type, source), count in counts.items()
        if database in ("", of_database)
        and {"all": "", "tier": tier, "choice_type": choice_type, "source": source}[column] == value
    )


def _where(rows: Iterable[Row], column: str) -> list[Row]:
    return [row for row in rows if row[column]]


def _scopes(members: Mapping[str, Iterable[Row]]) -> list[str]:
    """Return the scopes of the draft: everything, each tier, choices of filters, each type."""
    tiers = {row["tier"] for row in members["attempts"]} - {None}
    types = {
        row["choice_type"]
        for name in ("opportunities", "proposed", "written")
        for row in members[name]
    }
    order = [tier for tier in TIERS if tier in tiers] + sorted(tiers - set(TIERS))
    return [
        "all",
        *(f"tier={tier}" for tier in order),
        *([f"source={_FILTER}"] if members["filters"] else []),
        *(f"choice_type={name}" for name in sorted(types)),
    ]


def _row(
    rows: ConstructionRows,
    stage: FunnelStage,
    place: int,
    database: str,
    scope: str,
    counts: Mapping[str, int],
) -> dict[str, Any]:
    return {
        "number_id": _number_id(stage.name, scope, database),
        "place": place,
        "stage": stage.name,
        "label": stage.label,
        "unit": stage.unit,
        "database": database,
        "scope": scope,
        "count": counts[stage.name],
        "of_stage": stage.of,
        "of_count": counts[stage.of] if stage.of else None,
        "formula": _formula(rows, stage.rows, database, scope),
    }


def _rejected(rows: ConstructionRows) -> list[dict[str, Any]]:
    """Count the rejected attempts by reason, over all databases and on each."""
    rejected = [row for row in rows.generated_queries if not row["kept"]]
    counted = []
    for database in ("", *rows.databases):
        attempts = [row for row in rows.generated_queries if database in ("", row["database"])]
        reasons = Counter(
            row["reason"] or "" for row in rejected if database in ("", row["database"])
        )
        for reason, count in sorted(reasons.items()):
            scope = f"reason={reason}"
            counted.append(
                {
                    "number_id": _number_id(REJECTED, scope, database),
                    "place": len(FUNNEL),
                    "stage": REJECTED,
                    "label": "Attempts rejected",
                    "unit": "query",
                    "database": database,
                    "scope": scope,
                    "count": count,
                    "of_stage": "attempts",
                    "of_count": len(attempts),
                    "formula": _formula(rows, f"{_ATTEMPTS} WHERE NOT kept", database, scope),
                }
            )
    return counted


def _number_id(stage: str, scope: str, database: str) -> str:
    return "/".join(["funnel", stage, scope, *([database] if database else [])])


def _formula(rows: ConstructionRows, listing: str, database: str, scope: str) -> str:
    """Return the query that lists the rows behind a count.

    It names the databases: cells of those that are no longer used stay stored.
    """
    names = [database] if database else sorted(rows.databases)
    conditions = [f"database IN ({', '.join(map(_quoted, names))})"]
    column, _, value = scope.partition("=")
    if column == "reason" and not value:
        conditions.append("coalesce(reason, '') = ''")
    elif value:
        conditions.append(f"{column} = {_quoted(value)}")
    return f"SELECT * FROM ({listing}) WHERE {' AND '.join(conditions)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
