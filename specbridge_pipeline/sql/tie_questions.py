"""Questions about ties at a cut: do rows tied there differ in what is used afterwards?"""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.alikeness import any_differ, flag, near
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.order_keys import OrderKey, visible_name


def tie_question(
    query: exp.Query,
    keys: tuple[OrderKey, ...],
    width: int,
    used: frozenset[int],
    cuts: tuple[int, ...],
    engine: Engine = Engine.SQLITE,
) -> str:
    """Ask whether a cut goes through tied rows that are not alike.

    Args:
        query: The query that is cut, its ORDER BY, LIMIT and OFFSET included.
        keys: Its bound ORDER BY keys; without any all rows are tied.
        width: How many columns it gives.
        used: Which of them are used afterwards, at least one.
        cuts: After which rows, counted from 1 in key order, it is cut.
        engine: The engine to write for.

    Returns:
        A query of one number: 1 where rows tied at one of the cuts lie on both sides of it and
        differ in a used column, else 0. Keys within rounding noise are tied.
    """
    shown = [visible_name(index) for index in sorted(used)]
    orders = [f"order_{index + 1}" for index in range(len(keys))]
    prefixes = [f"rank_{index + 1}" for index in range(len(keys))]
    carried = ", ".join([*orders, *prefixes, "place"])
    cut_columns = ", ".join(f"{name} AS cut_{name}" for name in [*orders, *prefixes, "place"])
    places = ", ".join(map(str, cuts))
    condition = f"MAX(place) > cut_place AND ({any_differ(shown, engine)})"
    return (
        f"WITH {_ranked(query, keys, width, sorted(used), engine)}, "
        f"specbridge_cut AS (SELECT {cut_columns} FROM specbridge_ranked WHERE place IN ({places}))"
        f", specbridge_tied AS (SELECT {', '.join(shown)}, {carried}, cut_place "
        f"FROM specbridge_ranked JOIN specbridge_cut ON {_tied(len(keys), engine)}) "
        f"SELECT COALESCE(MAX(specbridge_open), 0) FROM (SELECT {flag(condition)} "
        f"AS specbridge_open FROM specbridge_tied GROUP BY cut_place) AS specbridge_cuts"
    )


def function_question(
    query: exp.Query, keys: tuple[OrderKey, ...], width: int, engine: Engine = Engine.SQLITE
) -> str:
    """Ask whether ORDER BY keys are no functions of the output columns.

    Args:
        query: A SELECT DISTINCT.
        keys: Its ORDER BY keys, at least one of them hidden.
        width: How many columns it gives.
        engine: The engine to write for.

    Returns:
        A query of one number: 1 where rows that DISTINCT takes for one differ in a key.
    """
    columns = [visible_name(index) for index in range(width)]
    hidden = [f"key_{index + 1}" for index, key in enumerate(keys) if key.hidden is not None]
    body: exp.Query = query.copy()
    body.set("distinct", None)
    return (
        f"WITH specbridge_body({', '.join([*columns, *hidden])}) AS ({_uncut(body, keys, engine)})"
        f" SELECT COALESCE(MAX(specbridge_open), 0) FROM (SELECT "
        f"{flag(any_differ(hidden, engine))} AS specbridge_open FROM specbridge_body "
        f"GROUP BY {', '.join(columns)}) AS specbridge_rows"
    )


def kept_question(
    query: exp.Query,
    keys: tuple[OrderKey, ...],
    width: int,
    marked: int,
    end: int,
    engine: Engine = Engine.SQLITE,
) -> str:
    """Ask whether a mark is set on a row before a cut or tied with the last one before it.

    Args:
        query: The query that is cut.
        keys: Its bound ORDER BY keys, at least one.
        width: How many columns it gives.
        marked: The position of the column that holds the mark, 1 or 0.
        end: After which row, counted from 1, it is cut.
        engine: The engine to write for.

    Returns:
        A query of one number.
    """
    last = f"rank_{len(keys)}"
    return (
        f"WITH {_ranked(query, keys, width, [marked], engine)} "
        f"SELECT COALESCE(MAX({visible_name(marked)}), 0) FROM specbridge_ranked WHERE "
        f"{last} <= (SELECT MAX({last}) FROM specbridge_ranked WHERE place <= {end})"
    )


def _ranked(
    query: exp.Query, keys: tuple[OrderKey, ...], width: int, shown: list[int], engine: Engine
) -> str:
    """Write the tables up to one that has the rows with their keys, ranks and places."""
    columns = [visible_name(index) for index in range(width)]
    hidden = {index: f"key_{index + 1}" for index, key in enumerate(keys) if key.hidden is not None}
    head = ", ".join([*columns, *hidden.values()])
    kept = ", ".join(visible_name(index) for index in shown)
    values = "".join(
        f", {_value(key, hidden.get(index))} AS order_{index + 1}" for index, key in enumerate(keys)
    )
    directions = [f"order_{index + 1} {key.direction}" for index, key in enumerate(keys)]
    orders = "".join(f", order_{index + 1}" for index in range(len(keys)))
    ranks = "".join(
        f", DENSE_RANK() OVER (ORDER BY {', '.join(directions[: index + 1])}) AS rank_{index + 1}"
        for index in range(len(keys))
    )
    by = f"ORDER BY {', '.join(directions)}" if directions else ""
    return (
        f"specbridge_body({head}) AS ({_uncut(query, keys, engine)}), "
        f"specbridge_keyed AS (SELECT {kept}{values} FROM specbridge_body), "
        f"specbridge_ranked AS (SELECT {kept}{orders}{ranks}, ROW_NUMBER() OVER ({by}) AS place "
        f"FROM specbridge_keyed)"
    )


def _tied(keys: int, engine: Engine) -> str:
    """Write when a row's order against the cut's row is open.

    It is where all keys are the same, and where the first one that is not differs by noise only.
    """
    if not keys:
        return "1 = 1"
    ways = [f"rank_{keys} = cut_rank_{keys}"]
    for index in range(1, keys + 1):
        way = near(f"order_{index}", f"cut_order_{index}", engine)
        ways.append(way if index == 1 else f"(rank_{index - 1} = cut_rank_{index - 1} AND {way})")
    # A first key within noise is no tie where it is the very same: then the later keys decide.
    exact = [
        ways[0],
        *(
            f"({way} AND rank_{index} <> cut_rank_{index})"
            for index, way in enumerate(ways[1:], start=1)
        ),
    ]
    return f"({' OR '.join(exact)})"


def _value(key: OrderKey, hidden: str | None) -> str:
    if key.position is not None:
        return visible_name(key.position)
    return hidden or key.derived or ""


def _uncut(query: exp.Query, keys: tuple[OrderKey, ...], engine: Engine) -> str:
    """Write a query without order and cut, its hidden keys at the end of its select list."""
    body = query.copy()
    for name in ("order", "limit", "offset"):
        body.set(name, None)
    hidden = [key.hidden for key in keys if key.hidden is not None]
    if not hidden or not isinstance(body, exp.Select):
        return emit(body, engine)
    # The hidden keys are text: quoting in backticks does not survive the parser.
    markers = [f"specbridge_hidden_{index}_" for index in range(len(hidden))]
    for marker in markers:
        body.append("expressions", exp.column(marker))
    text = emit(body, engine)
    for marker, expression in zip(markers, hidden, strict=True):
        text = text.replace(marker, f"({expression})", 1)
    return text
