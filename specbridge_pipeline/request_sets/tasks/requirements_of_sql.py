"""What a query requires a text to say of it, read from the tree of its SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a query requires a text to say.

    Attributes:
        kinds: How often it does what.
        tables: How often it reads which table, in lower case.
        literals: How often it has which literal.
        columns: Names of the columns of tables that it uses, in lower case.
        outputs: Names of the columns that it returns.
    """

    kinds: Counts
    tables: Counts
    literals: Counts
    columns: frozenset[str]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, query: exp.Query) -> Requirements:
        """Read what a query requires from its tree.

        Args:
            query: The query.
        """
        entries = {entry.alias.lower() for entry in query.find_all(exp.CTE)}
        made = {
            output.alias_or_name.lower()
            for entry in query.find_all(exp.CTE)
            for output in entry.this.selects
        }
        kinds: Counts = Counter()
        literals: Counts = Counter()
        for select in query.find_all(exp.Select):
            kinds.update(_kinds_of(select, entries))
            literals.update(_literals_of(select))
        tables = Counter(
            table.name.lower()
            for table in query.find_all(exp.Table)
            if table.name.lower() not in entries
        )
        columns = {
            column.name.lower()
            for select in query.find_all(exp.Select)
            if any(table.name.lower() not in entries for table in _own(select, exp.Table))
            for column in _own(select, exp.Column)
        }
        return cls(
            kinds,
            tables,
            literals,
            frozenset(columns - (made - columns)),
            tuple(output.alias_or_name for output in query.selects),
        )


_NODES: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Sum, "a sum"),
    (exp.Avg, "an average"),
    (exp.Min, "a smallest value"),
    (exp.Max, "a largest value"),
    (exp.Rank, "a place in an order"),
    (exp.RowNumber, "a row number"),
    (exp.Sub, "a subtraction"),
    (exp.Add, "an addition"),
    (exp.Div, "a division"),
    (exp.EQ, "a test for the same"),
    (exp.NEQ, "a test for another"),
    (exp.GT, "a test for more"),
    (exp.GTE, "a test for at least"),
    (exp.LT, "a test for less"),
    (exp.LTE, "a test for at most"),
)


def _kinds_of(select: exp.Select, entries: set[str]) -> Iterator[str]:
    # What is written twice in one SELECT, as for an output and for the order, is one value.
    for node, kind in _NODES:
        yield from (kind for _ in _distinct(_own(select, node)))
    for product in _distinct(_own(select, exp.Mul)):
        if not _is_one(product.this) and not _is_one(product.expression):
            yield "a multiplication"
    for count in _distinct(_own(select, exp.Count)):
        counted = count.this
        if isinstance(counted, exp.Distinct):
            yield "a count of different values"
        else:
            yield "a count of rows" if isinstance(counted, exp.Star) else "a count of values"
    for distinct in _distinct(_own(select, exp.Distinct)):
        if isinstance(distinct.parent, exp.AggFunc):
            yield "values counted once"
    for test in _own(select, exp.Is):
        known = isinstance(test.parent, exp.Not)
        yield "a test for a known value" if known else "a test for a missing value"
    for key in _own(select, exp.Ordered):
        yield "an order from high to low" if key.args.get("desc") else "an order from low to high"
        # The parser knows where each engine puts missing values.
        yield f"missing values {'first' if key.args.get('nulls_first') else 'last'} in an order"
    for join in select.args.get("joins") or ():
        condition = join.args.get("on")
        always = condition is None or isinstance(condition, exp.Literal | exp.Boolean)
        if always and not join.args.get("using"):
            yield "a pairing of all rows"
        else:
            left = join.side == "LEFT"
            yield f"a join that {'keeps unmatched rows' if left else 'leaves unmatched rows out'}"
    if select.args.get("group"):
        yield "a grouping"
    elif any(_aggregates(select)):
        yield "a single row from all rows"
    if select.args.get("distinct"):
        yield "different rows only"
    if select.args.get("offset"):
        yield "rows passed over"


def _aggregates(select: exp.Select) -> Iterator[exp.Expr]:
    return (
        each
        for each in _own(select, exp.AggFunc)
        if not isinstance(each, exp.Rank) and not isinstance(each.parent, exp.Window)
    )


def _literals_of(select: exp.Select) -> Iterator[str]:
    for literal in _own(select, exp.Literal):
        product = literal.parent
        # The position of an output, and a join of all rows, are written with a number too.
        if isinstance(product, exp.Join | exp.Ordered):
            continue
        if isinstance(product, exp.Mul) and _is_one(literal):
            continue
        text = literal.name
        if isinstance(product, exp.Neg) and not literal.is_string:
            text = f"-{text}"
        yield shown_value(text, is_text=literal.is_string)


def _own(select: exp.Select, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the nodes of a kind that belong to a SELECT and not to one inside it."""
    return (
        node
        for node in select.find_all(kind)
        if node.find_ancestor(exp.Select) is select and node is not select
    )


def _distinct(nodes: Iterator[exp.Expr]) -> list[exp.Expr]:
    return list({node.sql().lower(): node for node in nodes}.values())


def _is_one(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) == 1


def shown_value(value: str, *, is_text: bool) -> str:
    """Return a value so that a number is told from the text of its digits."""
    # 2019 and 2019.0 are other values to some engines, so that the text must not confuse them.
    return f"'{value}'" if is_text else value


def count_differences(needed: Counts, said: Counts, sentence: str) -> Iterator[str]:
    """Say what is done or named more or less often than a query needs.

    Args:
        needed: How often the query needs what.
        said: How often it is said.
        sentence: The sentence, with "{thing}", "{said}" and "{needed}" in it.
    """
    for thing in sorted(needed | said):
        if needed[thing] != said[thing]:
            yield sentence.format(
                thing=thing, said=_times(said[thing]), needed=_times(needed[thing])
            )


def _times(count: int) -> str:
    return {0: "nowhere", 1: "once", 2: "twice"}.get(count, f"{count} times")
