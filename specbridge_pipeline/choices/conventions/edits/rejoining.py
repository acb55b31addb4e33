"""Joining the sources of a SELECT anew, when one is added or taken away."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction
from specbridge_pipeline.sql.join_repeats import conjuncts


def rejoin(
    select: exp.Select,
    *,
    without: exp.Expr | None = None,
    added: exp.Table | None = None,
    before: exp.Expr | None = None,
    dropped: Iterable[exp.Expr] = (),
    conditions: Iterable[exp.Expr] = (),
) -> None:
    """Change the sources of a SELECT whose joins are all inner ones.

    Each condition of a join stands afterwards at the first join where all that it names is read.

    Args:
        select: The SELECT; its columns are written with their sources.
        without: What is taken out of the FROM; nothing may name it but what is dropped.
        added: What is put into it.
        before: The source that it is put in front of.
        dropped: Conditions that hold no longer, each a part of an AND in WHERE or ON.
        conditions: Conditions that hold from now on.
    """
    gone = {id(each) for each in dropped}
    joins = list(select.args.get("joins") or ())
    start = select.args["from_"]
    waiting = [
        each for join in joins for each in conjuncts(join.args.get("on")) if id(each) not in gone
    ]
    waiting += conditions
    _keep_where(select, gone)
    nodes: list[exp.Expr] = []
    for node in (start.this, *(join.this for join in joins)):
        if added is not None and node is before:
            nodes.append(added)
        if node is not without:
            nodes.append(node)
    names: set[str] = {nodes[0].alias_or_name.lower()}
    known = {node.alias_or_name.lower() for node in nodes}
    kinds = {id(join.this): join for join in joins}
    rebuilt: list[exp.Expr] = []
    for node in nodes[1:]:
        names.add(node.alias_or_name.lower())
        ready = [each for each in waiting if _named_in(each, known) <= names]
        waiting = [each for each in waiting if _named_in(each, known) - names]
        join = kinds.get(id(node))
        kind = None if join is None or not ready else join.args.get("kind")
        rebuilt.append(
            exp.Join(this=node, on=conjunction(ready), kind=None if kind == "CROSS" else kind)
        )
    select.set("from_", exp.From(this=nodes[0]))
    select.set("joins", rebuilt)
    if waiting:
        where = select.args.get("where")
        kept = [] if where is None else list(conjuncts(where.this))
        select.set("where", exp.Where(this=conjunction([*kept, *waiting])))


def _keep_where(select: exp.Select, gone: Collection[int]) -> None:
    where = select.args.get("where")
    if where is None:
        return
    members = list(conjuncts(where.this))
    kept = [each for each in members if id(each) not in gone]
    if len(kept) < len(members):
        rest = conjunction(kept)
        select.set("where", None if rest is None else exp.Where(this=rest))


def _named_in(condition: exp.Expr, known: set[str]) -> set[str]:
    return {node.table.lower() for node in condition.find_all(exp.Column)} & known
