"""The syntax tree of a query, close to the text: each node knows where it begins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A column, by itself or after its table.

    Attributes:
        table: The table or alias before the point; empty without one.
        column: The column's name, `*` excluded.
        quote: The mark that the column's name stands between; empty without one.
        at: Where it begins in the text.
    """

    table: str
    column: str
    quote: str
    at: int


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text between single quotes, its doubled quotes undone."""

    value: str
    at: int


@dataclass(frozen=True, slots=True)
class Blob:
    """A blob as hexadecimal digits."""

    digits: str
    at: int


@dataclass(frozen=True, slots=True)
class Constant:
    """NULL, CURRENT_DATE, CURRENT_TIME or CURRENT_TIMESTAMP."""

    word: str
    at: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A typed text of DuckDB: DATE '2020-01-31' or TIMESTAMP '…'."""

    word: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Unary:
    """A sign or ~ or NOT before an operand."""

    operator: str
    operand: Expression
    at: int


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and what stands between them, in upper case."""

    operator: str
    left: Expression
    right: Expression
    at: int


@dataclass(frozen=True, slots=True)
class IsNull:
    """ISNULL and NOTNULL (also NOT NULL) behind an operand."""

    operand: Expression
    negated: bool
    at: int


@dataclass(frozen=True, slots=True)
class Matched:
    """LIKE, GLOB, REGEXP or MATCH."""

    operator: str
    operand: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool
    at: int


@dataclass(frozen=True, slots=True)
class Between:
    """BETWEEN … AND …."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool
    at: int


@dataclass(frozen=True, slots=True)
class InList:
    """IN with a list of values."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool
    at: int


@dataclass(frozen=True, slots=True)
class InQuery:
    """IN with a query, or with a table's name, which stands for all of the table."""

    operand: Expression
    query: Query
    negated: bool
    at: int


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS with a query."""

    query: Query
    at: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A query used as a value."""

    query: Query
    at: int


@dataclass(frozen=True, slots=True)
class Row:
    """Several values between parentheses."""

    items: tuple[Expression, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Case:
    """CASE, with or without a value that the branches are compared with."""

    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression | None
    at: int


@dataclass(frozen=True, slots=True)
class Cast:
    """CAST to a type, spelled as written."""

    operand: Expression
    type_name: str
    at: int


@dataclass(frozen=True, slots=True)
class Collate:
    """COLLATE behind an operand."""

    operand: Expression
    collation: str
    at: int


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a frame: `kind` is UNBOUNDED PRECEDING, PRECEDING, CURRENT ROW, …."""

    kind: str
    offset: Expression | None


@dataclass(frozen=True, slots=True)
class Frame:
    """ROWS, RANGE or GROUPS between two ends, with what is excluded (empty for nothing)."""

    unit: str
    start: Bound
    end: Bound
    exclude: str


@dataclass(frozen=True, slots=True)
class Window:
    """What stands behind OVER; `base` is a named window that it starts from."""

    base: str
    partition: tuple[Expression, ...]
    order: tuple[Ordering, ...]
    frame: Frame | None
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments.

    Attributes:
        name: The function, in lower case.
        arguments: What stands between the parentheses.
        star: Whether that is `*`.
        distinct: Whether DISTINCT stands before the arguments.
        order: An ORDER BY behind the arguments.
        filter: The condition of FILTER.
        window: What stands behind OVER.
        at: Where it begins.
    """

    name: str
    arguments: tuple[Expression, ...]
    star: bool
    distinct: bool
    order: tuple[Ordering, ...]
    filter: Expression | None
    window: Window | None
    at: int


@dataclass(frozen=True, slots=True)
class Ordering:
    """A term of an ORDER BY; `nulls` is FIRST, LAST or empty."""

    value: Expression
    descending: bool
    nulls: str
    at: int


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a select list; `alias` is None without one."""

    value: Expression
    alias: str | None


@dataclass(frozen=True, slots=True)
class Star:
    """`*` or `table.*` in a select list."""

    table: str
    at: int


@dataclass(frozen=True, slots=True)
class TableItem:
    """A table in a FROM clause; `alias` is empty without one."""

    name: str
    alias: str
    at: int


@dataclass(frozen=True, slots=True)
class FunctionItem:
    """A table-valued function in a FROM clause."""

    name: str
    arguments: tuple[Expression, ...]
    alias: str
    at: int


@dataclass(frozen=True, slots=True)
class QueryItem:
    """A derived table; `columns` are the names that its alias gives its columns."""

    query: Query
    alias: str
    columns: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class JoinedItem:
    """A join between parentheses."""

    joined: From
    alias: str
    at: int


@dataclass(frozen=True, slots=True)
class Join:
    """An item of a FROM clause after the first and how it comes in.

    Attributes:
        kind: INNER, LEFT, RIGHT, FULL or CROSS.
        natural: Whether NATURAL stands before it.
        item: What comes in.
        on: The condition; None without one.
        using: The columns of USING.
        at: Where it begins.
    """

    kind: str
    natural: bool
    item: FromItem
    on: Expression | None
    using: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class From:
    """A FROM clause."""

    first: FromItem
    joins: tuple[Join, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT without its order and limit."""

    distinct: bool
    items: tuple[Item | Star, ...]
    source: From | None
    where: Expression | None
    groups: tuple[Expression, ...]
    having: Expression | None
    windows: tuple[tuple[str, Window], ...]
    at: int


@dataclass(frozen=True, slots=True)
class Values:
    """VALUES with its rows."""

    rows: tuple[tuple[Expression, ...], ...]
    at: int


@dataclass(frozen=True, slots=True)
class WithEntry:
    """An entry of a WITH clause."""

    name: str
    columns: tuple[str, ...]
    query: Query
    at: int


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query: WITH, SELECTs with what joins them from left to right, order and limit.

    Attributes:
        entries: The WITH entries.
        first: The first SELECT.
        others: UNION, UNION ALL, INTERSECT or EXCEPT, each with what comes behind it.
        order: The ORDER BY of the whole.
        limit: How many rows.
        offset: How many are passed over first.
        at: Where it begins.
    """

    entries: tuple[WithEntry, ...]
    first: Core
    others: tuple[tuple[str, Core], ...]
    order: tuple[Ordering, ...]
    limit: Expression | None
    offset: Expression | None
    at: int


Core = Select | Values
FromItem = TableItem | FunctionItem | QueryItem | JoinedItem
Expression = (
    Name
    | Number
    | Text
    | Blob
    | Constant
    | Moment
    | Unary
    | Binary
    | IsNull
    | Matched
    | Between
    | InList
    | InQuery
    | Exists
    | Scalar
    | Row
    | Case
    | Cast
    | Collate
    | Call
)
