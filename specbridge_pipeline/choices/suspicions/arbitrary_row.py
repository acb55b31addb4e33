"""A value beside groups that comes from any one of their rows."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look, counted, listed
from specbridge_pipeline.choices.suspicions.suspicion import (
    ONLY_SQLITE,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.aggregates import aggregates_rows
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.group_questions import (
    MARK,
    bare_conditions,
    bare_expressions,
    lone_extreme,
    marked,
)
from specbridge_pipeline.sql.places import Place, place_of


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        select = scope.select
        if not aggregates_rows(select) or lone_extreme(select) is not None:
            continue
        if place_of(select) is Place.EXISTENCE:
            continue
        bare = bare_expressions(select)
        shown = [node for _, node in bare.shown]
        counts = {
            id(each): found
            for each in (*shown, *bare.filtering, *bare.ordering)
            if (found := _groups(look, scope, each)) is not None and found[0]
        }
        values = [each for each in (*shown, *bare.filtering, *bare.ordering) if id(each) in counts]
        if not values:
            continue
        open_groups, groups = max(counts.values())
        only_shown = all(any(each is one for one in shown) for each in values) and not bare.star
        names = [look.name(scope, value) for value in values]
        grouped = select.args.get("group") is not None
        what = "a group" if grouped else "all"
        edited = _by_values(look, scope, values) if grouped and only_shown else None
        yield Suspicion(
            SuspicionKind.ARBITRARY_ROW,
            False,
            f"{listed(names)} {'comes' if len(set(names)) == 1 else 'come'} from any one row of "
            f"{what}, and the rows differ.",
            "There is a row for each of its values."
            if edited is not None
            else "One certain row is meant, and the query does not say which.",
            f"{open_groups:,} of {counted(groups, 'group')} {'has' if open_groups == 1 else 'have'}"
            " several values."
            if grouped
            else "There are several values.",
            edited,
            values[0],
        )


def _groups(look: Look, scope: Scope, value: exp.Expr) -> tuple[int, int] | None:
    """Count the groups whose rows differ in a value, and all groups."""
    alone = look.standalone(scope)
    if alone is None:
        return None
    statement = marked(alone, bare_conditions([value], look.engine), look.engine)
    found = look.numbers(f"SELECT SUM({MARK}), COUNT(*) FROM ({statement}) AS specbridge_groups")
    return None if found is None else (int(found[0]), int(found[1]))


def _by_values(look: Look, scope: Scope, values: list[exp.Expr]) -> str | None:
    # A condition on groups, or a cut, would be one on other groups.
    if any(scope.select.args.get(name) is not None for name in ("having", "limit")) or not all(
        isinstance(value, exp.Column) for value in values
    ):
        return None
    tree, (select,) = look.copied(scope.select)
    group = select.args["group"]
    added: list[exp.Expr] = []
    for value in values:
        if value not in added:
            added.append(value.copy())
    group.set("expressions", [*group.expressions, *added])
    return look.text(tree)


DETECTOR = Detector(SuspicionKind.ARBITRARY_ROW, ONLY_SQLITE, _find)
