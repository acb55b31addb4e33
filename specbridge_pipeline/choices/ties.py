"""Ties: a list that is cut at its last place, or kept as far as the ties there reach.

The paper's Table S7 calls it ties and selection: exactly k rows, or every row whose place is
at most k.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isclose

from sqlglot import exp

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import (
    ChoiceWording,
    Edit,
    Occurrence,
    Opportunity,
    Phrases,
    Refusal,
)
from specbridge_pipeline.choices.english import looks_plural, number_word, place_word
from specbridge_pipeline.choices.statement import Statement, parse_select, read_statement
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Cell, Outcome, QueryFailure
from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Comparison,
    Literal,
    OrderKey,
    Rank,
    StepSource,
    StepValue,
    Structure,
)
from specbridge_pipeline.sql.engines import rules_of

LIMIT = "limit"
ALL_TIED = "all_tied"

choice_type: ChoiceType = ChoiceType.TIES
sides: tuple[str, str] = (LIMIT, ALL_TIED)
convention: str | None = LIMIT

_NEAR = 1e-9
"""Keys nearer to each other than this, relative to their size, may differ by rounding alone."""


def occurrences(sql: str, structure: Structure, catalogue: Catalogue) -> tuple[Occurrence, ...]:
    """Find the cut of the query's own SELECT; see `ChoiceModule.occurrences`."""
    taken = None
    if structure.result.limit is not None and structure.result.order:
        taken = LIMIT
    elif _ranked(structure) is not None:
        taken = ALL_TIED
    if taken is None:
        return ()
    return (Occurrence(choice_type, structure.result.name, None, taken),)


def opportunity(
    occurrence: Occurrence,
    sql: str,
    structure: Structure,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
) -> Opportunity:
    """Count the rows tied at the cut; see `ChoiceModule.opportunity`."""
    place_limit = _cut(structure)
    ranked_sql: str | Refusal = sql
    if occurrence.taken == LIMIT:
        ranked_sql = _to_ranks(sql, structure, catalogue.engine)
    if isinstance(ranked_sql, Refusal) or place_limit is None:
        reason = ranked_sql.reason if isinstance(ranked_sql, Refusal) else "There is no cut."
        return Opportunity(False, reason)
    statement = read_statement(ranked_sql, catalogue.engine)
    probe = None if statement is None else _probe(statement, place_limit)
    if probe is None:
        return Opportunity(False, "The places of the rows cannot be listed.")
    outcome = run(probe)
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The places cannot be counted: {outcome.message}")
    kept = [
        (_whole(place), _whole(rows))
        for place, rows, _ in outcome.rows
        if _whole(place) <= place_limit
    ]
    counted = sum(rows for _, rows in kept)
    for (_, _, one), (_, _, next_one) in zip(outcome.rows, outcome.rows[1:], strict=False):
        if (
            isinstance(one, float)
            and isinstance(next_one, int | float)
            and isclose(one, next_one, rel_tol=_NEAR)
        ):
            return Opportunity(
                False, f"The keys {one!r} and {next_one!r} differ by rounding alone."
            )
    if counted <= place_limit:
        return Opportunity(
            False, f"{counted} rows have one of the first {place_limit} places: none is cut off."
        )
    place, tied = kept[-1]
    return Opportunity(
        True,
        f"{tied} rows are tied at place {place}: {counted} rows have one of the first "
        f"{place_limit} places.",
    )


def edit(
    occurrence: Occurrence, sql: str, structure: Structure, catalogue: Catalogue
) -> Edit | Refusal:
    """Write a cut as places, or places as a cut; see `ChoiceModule.edit`."""
    if occurrence.taken == LIMIT:
        edited, side = _to_ranks(sql, structure, catalogue.engine), ALL_TIED
    else:
        edited, side = _to_limit(sql, structure, catalogue.engine), LIMIT
    return edited if isinstance(edited, Refusal) else Edit(occurrence, edited, side)


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word the rows that are kept; see `ChoiceModule.wording`."""
    cut = _cut(structure) or 1
    last = len(structure.steps) - 1
    at, keys = _keys(structure)
    singular, plural = phrases.rows(last)
    best = _best(keys, [phrases.value(at, key.value) for key in keys])
    count, place = number_word(cut), place_word(cut)
    if cut == 1:
        limit = f"one single {singular} with {best}; if several share it, any one of them"
        all_tied = f"every {singular} that has {best}, all of them if several share it"
        left_open = f"the {singular} with {best}"
        meaning_limit = (
            f"Exactly one {singular} is returned; of those that share the first place, any one."
        )
        meaning_all = (
            f"Every {singular} that is tied for the first place is returned, however many they are."
        )
    else:
        limit = (
            f"exactly {count} {plural} with {best}; if several tie for {place} place, "
            "any of them may fill the last places"
        )
        all_tied = f"the {count} {plural} with {best}, plus all others tied with the {place}"
        left_open = f"the {count} {plural} with {best}"
        meaning_limit = (
            f"Exactly {count} {plural} are returned; where more are tied for {place} place, any of "
            "them fill the list."
        )
        meaning_all = (
            f"All {plural} up to {place} place are returned, with every {singular} tied there, "
            f"even if they are more than {count}."
        )
    texts = {LIMIT: (limit, meaning_limit), ALL_TIED: (all_tied, meaning_all)}
    (a, meaning_a), (b, meaning_b) = texts[edit.occurrence.taken], texts[edit.side]
    return ChoiceWording(last, None, a, b, left_open, meaning_a, meaning_b)


_TIED = r"(?:tie[sd]?|tying|share[sd]?|sharing)"
_COUNTED = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+)"

_CUES = {
    LIMIT: re.compile(
        rf"""
        \b(?:exactly|only|just|no\ more\ than|at\ most|precisely)\ {_COUNTED}
            \b(?!\ (?:time|decimal|digit|place)s?\b)
        | \b(?:one|a)\ single\ (?!value|number|query|row\ with)\w+\ (?:with|that|which|who)\b
        | \bany\ (?:one\ )?of\ (?:them|these|those)\b
        | \b(?:arbitrar\w+|at\ random)\b
        | \b(?:break\w*|cut\w*|drop\w*|ignor\w*|disregard\w*)\ (?:off\ |through\ )?
            (?:the\ |any\ |all\ )?ties\b
        | \bwhichever\ of\ (?:them|these|those)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    ALL_TIED: re.compile(
        rf"""
        \b(?:plus|and|with|including|include|keep|keeping|also)\ (?:also\ )?(?:all|every|any)\b
            [^.;]{{0,40}}\b{_TIED}\b
        | \b(?:all|every\w*|any\w*)\ (?:[\w'-]+\ ){{0,3}}(?:that\ (?:is|are)\ )?{_TIED}
            \ (?:with|for|at)\b
        | \b(?:every|each|all)\ (?:of\ )?(?:[\w'-]+\ ){{0,4}}(?:that\ ha(?:s|ve)|with|having)\ the
            \ (?:highest|most|largest|lowest|fewest|smallest|greatest)\b
        | \ball\ of\ them\ if\b
        | \bties\ (?:\w+\ ){{0,3}}(?:included|kept|retained)\b
        | \b(?:including|keeping|keep|include)\ (?:the\ |any\ |all\ )?ties\b
        | \beven\ if\ (?:that\ (?:makes|means|gives)|there\ are|they\ are)\ more\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the cut for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))


def _ranked(structure: Structure) -> tuple[int, int, int] | None:
    """Return step, output and number of places where a query keeps rows by their place."""
    result = structure.result
    if (
        len(result.sources) != 1
        or not isinstance(result.sources[0], StepSource)
        or len(result.conditions) != 1
        or result.keys
        or result.order
        or result.limit is not None
        or result.distinct
    ):
        return None
    condition, step = result.conditions[0], result.sources[0].step
    if (
        not isinstance(condition, Comparison)
        or condition.operator != "<="
        or not isinstance(condition.left, StepValue)
        or not isinstance(condition.right, Literal)
        or not isinstance(condition.right.value, int)
        or condition.right.value < 1
    ):
        return None
    at = condition.left.output
    rank = structure.steps[step].outputs[at].value
    if not isinstance(rank, Rank) or rank.partition:
        return None
    if not all(
        isinstance(output.value, StepValue) and output.value.output != at
        for output in result.outputs
    ):
        return None
    return step, at, condition.right.value


def _cut(structure: Structure) -> int | None:
    if structure.result.limit is not None:
        return structure.result.limit
    found = _ranked(structure)
    return None if found is None else found[2]


def _keys(structure: Structure) -> tuple[int, tuple[OrderKey, ...]]:
    """Return the keys that give the places, and the index of the step whose values they are."""
    found = _ranked(structure)
    if found is not None:
        rank = structure.steps[found[0]].outputs[found[1]].value
        if isinstance(rank, Rank):
            return found[0], rank.order
    return len(structure.steps) - 1, structure.result.order


def _to_ranks(sql: str, structure: Structure, engine: Engine) -> str | Refusal:
    """Return the query with its ORDER BY and LIMIT as a place that each row has."""
    result, statement = structure.result, read_statement(sql, engine)
    main = None if statement is None else statement.select("")
    if statement is None or main is None:
        return Refusal("The query is not written as steps, each of them one SELECT.")
    if result.limit is None or not result.order:
        return Refusal("The query does not end with ORDER BY and LIMIT.")
    if result.offset:
        return Refusal("The query passes over rows with OFFSET: it has two cuts, not one.")
    if result.limit < 1:
        return Refusal("The query keeps no row.")
    if result.distinct:
        return Refusal("The query returns equal rows once, which a place in each row would undo.")
    names = [item.alias_or_name for item in main.expressions]
    if len({name.lower() for name in names}) < len(names) or "" in names or "*" in names:
        return Refusal("The query's outputs are not all named differently.")
    terms = [_key_term(main, term) for term in main.args["order"].expressions]
    keys = [term for term in terms if term is not None]
    if len(keys) < len(terms):
        return Refusal("A key of the ORDER BY mixes names of outputs and of columns.")
    ranked = statement.free_name("ranked")
    place = statement.free_name("place")
    main.set("order", None)
    main.set("limit", None)
    window = exp.Window(this=exp.Anonymous(this="RANK"), order=exp.Order(expressions=keys))
    main.append("expressions", exp.alias_(window, place))
    kept = ", ".join(rules_of(engine).quoted(name) for name in names)
    outer = parse_select(f"SELECT {kept} FROM {ranked} WHERE {place} <= {result.limit}", engine)
    return statement.with_entry(ranked, main).with_step("", outer).sql()


def _key_term(main: exp.Select, term: exp.Ordered) -> exp.Ordered | None:
    """Return a key of an ORDER BY as it stands inside OVER, where output names are not known."""
    outputs = {
        item.alias.lower(): item.this for item in main.expressions if isinstance(item, exp.Alias)
    }
    moved = term.copy()
    key = moved.this
    if isinstance(key, exp.Literal):
        if key.is_string or not 1 <= int(key.name) <= len(main.expressions):
            return None
        moved.set("this", main.expressions[int(key.name) - 1].unalias().copy())
        return moved
    if isinstance(key, exp.Column) and not key.table:
        found = outputs.get(key.name.lower())
        if found is not None:
            moved.set("this", found.copy())
        return moved
    if any(not each.table and each.name.lower() in outputs for each in key.find_all(exp.Column)):
        return None
    return moved


def _to_limit(sql: str, structure: Structure, engine: Engine) -> str | Refusal:
    """Return the query with the place of each row as an ORDER BY with a LIMIT."""
    found, statement = _ranked(structure), read_statement(sql, engine)
    if found is None or statement is None:
        return Refusal("The query does not keep rows by their place.")
    name = structure.steps[found[0]].name
    ranked, main = statement.select(name), statement.select("")
    if not name or ranked is None or main is None:
        return Refusal("The query is not written as steps, each of them one SELECT.")
    if statement.readers(name) != ("",):
        return Refusal("The step that gives the places is read by another step too.")
    if structure.steps[found[0]].distinct or ranked.args.get("limit") is not None:
        return Refusal("The step that gives the places leaves rows out for another reason.")
    window = ranked.expressions[found[1]].unalias()
    if not isinstance(window, exp.Window) or window.args.get("order") is None:
        return Refusal("The place is not given by RANK() OVER (ORDER BY …).")
    values = [output.value for output in structure.result.outputs]
    items: list[exp.Expr] = []
    for item, value in zip(main.expressions, values, strict=True):
        if not isinstance(value, StepValue):
            return Refusal("The query computes a value from the places.")
        inner = ranked.expressions[value.output]
        wanted = item.alias_or_name
        items.append(
            inner.copy() if inner.alias_or_name == wanted else exp.alias_(inner.unalias(), wanted)
        )
    aliased = {item.this.sql(): item.alias for item in items if isinstance(item, exp.Alias)}
    terms = []
    for term in window.args["order"].expressions:
        moved = term.copy()
        alias = aliased.get(moved.this.sql())
        if alias is not None:
            moved.set("this", exp.column(exp.to_identifier(alias)))
        terms.append(moved)
    ranked.set("expressions", items)
    ranked.set("order", exp.Order(expressions=terms))
    ranked.set("limit", exp.Limit(expression=exp.Literal.number(found[2])))
    return statement.without(name).with_step("", ranked).sql()


def _probe(statement: Statement, cut: int) -> str | None:
    """Return a statement that lists the first places, how many rows have each, and its key."""
    name = next((each.name for each in reversed(statement.entries)), "")
    main, ranked = statement.select(""), statement.select(name)
    if main is None or ranked is None or main.args.get("from_") is None:
        return None
    name = main.args["from_"].this.name
    ranked = statement.select(name)
    if ranked is None:
        return None
    for item in ranked.expressions:
        window = item.unalias()
        if isinstance(window, exp.Window) and isinstance(item, exp.Alias):
            key = window.args["order"].expressions[0].this.copy()
            quoted = rules_of(statement.engine).quoted
            place = quoted(item.alias)
            ordering = statement.free_name("ordering_key")
            ranked.append("expressions", exp.alias_(key, ordering))
            listing = (
                f"SELECT {place}, COUNT(*), MIN({ordering}) FROM {quoted(name)} "
                f"GROUP BY {place} ORDER BY {place} LIMIT {cut + 1}"
            )
            select = parse_select(listing, statement.engine)
            return statement.with_step(name, ranked).with_step("", select).sql()
    return None


def _whole(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _best(keys: tuple[OrderKey, ...], names: list[str]) -> str:
    """Return what the first rows have: "the highest average salary", "the most home runs"."""
    first, name = keys[0], names[0]
    if isinstance(first.value, ColumnValue) and looks_plural(name):
        best = f"the {'most' if first.descending else 'fewest'} {name}"
    else:
        best = f"the {'highest' if first.descending else 'lowest'} {name}"
    for key, further in zip(keys[1:], names[1:], strict=True):
        best += f", then the {'highest' if key.descending else 'lowest'} {further}"
    return best
