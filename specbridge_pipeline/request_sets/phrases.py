"""Natural names for the parts of a query: its rows, groups, conditions and values."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    Role,
)
from specbridge_pipeline.choices.english import listed, looks_plural
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Condition,
    Expression,
    Literal,
    Membership,
    Missing,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
)
from specbridge_pipeline.request_sets.calculation import (
    UnknownShapeError,
    counts_for_owner,
    origin,
    quotient,
)

_COUNTS = (AggregateFunction.COUNT_ROWS, AggregateFunction.COUNT_DISTINCT)
_BEGINS_WITH_VOWEL = re.compile(r"[aeio]|u(?!ni|s[ae]|ri|t)|hour|honou?r|heir", re.IGNORECASE)
_PERIODS = ("year", "month", "week", "quarter", "season", "decade")


@dataclass(frozen=True, slots=True)
class Noun:
    """What a value is called once it is known: "that average", "these averages".

    Attributes:
        one: The singular.
        many: The plural.
        is_plural: Whether one value is named by a plural word ("the seats").
    """

    one: str
    many: str
    is_plural: bool = False


class CataloguePhrases:
    """Names the parts of one query in the words of a catalogue.

    Implements `choices.choice.Phrases`.

    Args:
        structure: The query.
        catalogue: What tables and columns are called.
    """

    def __init__(self, structure: Structure, catalogue: Catalogue) -> None:
        self._structure = structure
        self._catalogue = catalogue

    def value(self, step: int, expression: Expression) -> str:
        """Name a value without article: "average salary", "number of flights".

        Args:
            step: Index of the step in whose terms the value is written.
            expression: The value.
        """
        at, value = origin(self._structure, step, expression)
        if isinstance(value, ColumnValue):
            return self.column(value).phrase
        if isinstance(value, Aggregate):
            return self._aggregate(at, value)
        if isinstance(value, Arithmetic):
            averaged = self._ratio_of_averages(value)
            if averaged is not None:
                return f"ratio of average {averaged[0]} to average {averaged[1]}"
        return self.noun(step, expression).one

    def rows(self, step: int) -> tuple[str, str]:
        """Name what one row that a step returns stands for.

        Args:
            step: Index of the step.

        Returns:
            Singular and plural: ("team", "teams"), ("combination of team and year", …); for rows of
            a table its row noun, and ("row", "rows") where it is one row in all.
        """
        keys = self.keys(step)
        if keys is None:
            table = self.source_table(step)
            return table.singular, table.plural
        names = [self.key_nouns(step, key) for key in keys]
        if not names:
            return "row", "rows"
        if len(names) == 1:
            return names[0]
        joined = listed([name for name, _ in names])
        return f"combination of {joined}", f"combinations of {joined}"

    def source(self, step: int) -> tuple[str, str]:
        """Name what one row that a step reads is.

        Args:
            step: Index of the step.

        Returns:
            Singular and plural: ("salary record", "salary records").
        """
        first = self._structure.steps[step].sources[0]
        if isinstance(first, StepSource):
            return self.rows(first.step)
        table = self._catalogue.table(first.table)
        return table.singular, table.plural

    def source_table(self, step: int) -> CatalogueTable:
        """Return the table whose rows are counted or measured at the start of a step's values."""
        first = self._structure.steps[step].sources[0]
        while isinstance(first, StepSource):
            first = self._structure.steps[first.step].sources[0]
        return self._catalogue.table(first.table)

    def column(self, value: ColumnValue) -> CatalogueColumn:
        """Return what is known of a column."""
        return self._catalogue.column(value.table, value.column)

    def keys(self, step: int) -> tuple[ColumnValue, ...] | None:
        """Return the columns that name the groups which a step returns.

        Args:
            step: Index of the step.

        Returns:
            The columns; none for one row in all, and None where rows of a table are returned.
        """
        current = self._structure.steps[step]
        if current.aggregates:
            found = [origin(self._structure, step, key)[1] for key in current.keys]
            return tuple(key for key in found if isinstance(key, ColumnValue))
        first = current.sources[0]
        return self.keys(first.step) if isinstance(first, StepSource) else None

    def key_nouns(self, step: int, key: ColumnValue) -> tuple[str, str]:
        """Return what one group stands for by one of its keys, and several: "team", "teams".

        Where the key's noun is the row noun of the source, the column's own name tells them apart.
        """
        column = self.column(key)
        if counts_for_owner(self._base(step)):
            # All rows of that table are groups, not only those that something refers to.
            table = self.source_table(step)
            return table.singular, table.plural
        if column.singular.lower() == self.source_table(step).singular.lower():
            return column.phrase, _plural(column.phrase)
        return column.singular, column.plural

    def owner(self, step: int, value: ColumnValue) -> str:
        """Return whose column it is, where a row of the source refers to it: "player", else ""."""
        base = self._base(step)
        if value.source == 0 or len(base.sources) < 2:
            return ""
        return self.parent_noun(base)

    def parent_noun(self, base: Step) -> str:
        """Return what a source row's joined parent is to it: "player", "destination airport".

        It is what the referring column stands for, where that says more than the parent's row noun:
        an id names its entity, and of two references to one table each has its own name.
        """
        child, parent = base.sources[0], base.sources[1]
        if not isinstance(child, TableSource) or not isinstance(parent, TableSource):
            return ""
        noun = self._catalogue.table(parent.table).singular
        columns = _referring(base)
        if len(columns) != 1:
            return noun
        column = self.column(columns[0])
        alike = [
            each
            for each in self._catalogue.relationships_of(child.table)
            if each.parent.lower() == parent.table.lower() and len(each.child_columns) == 1
        ]
        names_entity = column.role is Role.IDENTIFIER and column.singular != column.phrase
        return column.singular if names_entity or len(alike) > 1 else noun

    def each(self, step: int, *, owned: bool = True) -> str:
        """Return the groups of a step after "for": "each team", "each team and year".

        Args:
            step: Index of the step.
            owned: Whether a parent's column says whose it is: "each birth country of the player".
        """
        keys = self.keys(step) or ()
        plain = [self.key_nouns(step, key)[0] for key in keys]
        names = [self._owned_key(step, key) for key in keys] if owned else plain
        if len(names) < 2:
            return f"each {names[0]}" if names else ""
        periods = [name for name in names if name in _PERIODS]
        if len(names) == 2 and len(periods) == 1 and names == plain:
            other = next(name for name in names if name not in _PERIODS)
            # "Each day of the month and month" would have one word for two things.
            if periods[0] not in other.split():
                return f"each {other} and {periods[0]}"
        return f"each combination of {listed(names)}"

    def among(self, step: int) -> str:
        """Return the preposition that goes before the plural of a step's source rows."""
        return "in" if self.source(step)[1].endswith("records") else "among"

    def group(self, step: int) -> tuple[str, str]:
        """Return a short name for the groups of a step: ("team", "teams"), ("combination", …)."""
        keys = self.keys(step)
        if keys is not None and len(keys) > 1:
            return "combination", "combinations"
        return self.rows(step)

    def noun(self, step: int, expression: Expression) -> Noun:
        """Return what a value is called once it has been introduced.

        Args:
            step: Index of the step in whose terms the value is written.
            expression: The value.
        """
        _, value = origin(self._structure, step, expression)
        if isinstance(value, ColumnValue):
            column = self.column(value)
            return Noun(column.phrase, column.phrase, is_plural(column))
        if isinstance(value, Aggregate):
            if value.function in _COUNTS or value.function is AggregateFunction.COUNT_VALUES:
                return Noun("number", "numbers")
            if value.function is AggregateFunction.SUM:
                return Noun("total", "totals")
            if value.function is AggregateFunction.MAXIMUM:
                return Noun("maximum", "maximums")
            if value.function is AggregateFunction.MINIMUM:
                return Noun("minimum", "minimums")
            if value.argument is not None and quotient(value.argument):
                return Noun("rate", "rates")
            return Noun("average", "averages")
        if isinstance(value, Arithmetic):
            if value.operator == "-":
                return Noun("difference", "differences")
            if self._ratio_of_averages(value) is not None:
                return Noun("rate", "rates")
            if self._is_share(value):
                return Noun("share", "shares")
            return Noun("ratio", "ratios")
        return Noun("value", "values")

    def rate(self, numerator: ColumnValue, denominator: ColumnValue) -> str:
        """Name a ratio of two columns: "home runs per game", "ratio of distance to air time"."""
        above, below = self.column(numerator), self.column(denominator)
        if below.singular.lower() == below.phrase.lower():
            return f"ratio of {above.phrase} to {below.phrase}"
        return f"{above.phrase} per {below.singular}"

    def condition(self, step: int, condition: Condition) -> str:
        """Say a condition after the plural of the source rows: "whose origin is 'JFK'".

        Args:
            step: Index of the step that reads the tables.
            condition: It; not one that only asks for a value to be there.
        """
        assert isinstance(condition, Comparison)
        left, right = condition.left, condition.right
        assert isinstance(left, ColumnValue)
        column, owner = self.column(left), self.owner(step, left)
        if not isinstance(right, Literal):
            raise ValueError("a condition on rows compares a column with a literal")
        value = written(right)
        operator = condition.operator
        if operator == ">" and right.value == 0 and not isinstance(right.value, bool) and not owner:
            return f"with {column.phrase} above 0"
        if not owner and column.phrase in _PERIODS and isinstance(right.value, int):
            place = "from the year" if column.phrase == "year" else f"in {column.phrase}"
            if operator == "=":
                return f"{place} {value}"
            if operator == ">=" and column.phrase == "year":
                return f"{place} {value} on"
        subject = f"{owner}'s {column.phrase}" if owner else column.phrase
        if column.role is Role.FLAG and operator == "=":
            return f"whose {subject} value is {value}"
        later = column.role is Role.DATE
        tested = {
            "=": f"is {value}",
            "<>": f"is not {value}",
            ">": f"is {'after' if later else 'above'} {value}",
            ">=": f"is {value} or {'later' if later else 'more'}",
            "<": f"is {'before' if later else 'below'} {value}",
            "<=": f"is {value} or {'earlier' if later else 'less'}",
        }[operator]
        if is_plural(column) and column.role is Role.MEASURE:
            tested = tested.replace("is", "are", 1)
        return f"whose {subject} {tested}"

    def absence(self, step: int, condition: Missing) -> str:
        """Say which rows a condition leaves out for want of a value: "without a league"."""
        value = condition.value
        assert isinstance(value, ColumnValue)
        column, owner = self.column(value), self.owner(step, value)
        # A measure that is not there is not zero: it was not recorded.
        recorded = "recorded " if column.role is Role.MEASURE or is_plural(column) else ""
        name = f"{recorded}{column.phrase}"
        if owner:
            return f"whose {owner} has no {name}"
        return f"without {name if is_plural(column) else article(name)}"

    def unmatched(self, step: int) -> str:
        """Say which rows a join leaves out: "without a matching plane"; empty where none is."""
        base = self._base(step)
        if len(base.sources) < 2:
            return ""
        child, parent = base.sources[0], base.sources[1]
        if not isinstance(child, TableSource) or not isinstance(parent, TableSource):
            return ""
        used = {column.column.lower() for column in _referring(base)}
        for each in self._catalogue.relationships_of(child.table):
            names = {name.lower() for name in each.child_columns}
            if names != used or each.parent.lower() != parent.table.lower():
                continue
            if each.unmatched_children or each.missing_children:
                noun = self._catalogue.table(parent.table).singular
                return f"without a matching {noun}"
        return ""

    def is_plural(self, value: ColumnValue) -> bool:
        """Say whether a column's phrase is a plural: "home runs", "votes received"."""
        return is_plural(self.column(value))

    def rows_read(self, step: int, *, stated: Collection[Condition] = (), phrase: str = "") -> str:
        """Name the rows that a step reads from tables, with all conditions on them.

        Args:
            step: Index of the step.
            stated: Conditions that a phrase states.
            phrase: It; it stands after all others that say which rows are read.

        Returns:
            "salary records from the year 2006, leaving out those without a team".

        Raises:
            UnknownShapeError: There is a condition for which rules have no words.
        """
        base = self._base(step)
        name = self.source(step)[1]
        conditions = [each for each in base.conditions if each not in stated]
        if any(isinstance(each, Membership) for each in conditions):
            raise UnknownShapeError("a condition asks for other rows of a table")
        said = [self.condition(step, each) for each in conditions if isinstance(each, Comparison)]
        left_out = [self.absence(step, each) for each in conditions if isinstance(each, Missing)]
        unmatched = self.unmatched(step)
        if unmatched:
            left_out.append(unmatched)
        left_out.sort(key=lambda each: each.startswith("whose"))
        # "From the year 2006" is one with its noun: "and" would part them.
        periods = [each for each in said if not each.startswith(("whose", "with"))]
        others = [each for each in said if each not in periods]
        text = " ".join([name, *periods, *([" and ".join(others)] if others else [])])
        if phrase:
            # After the phrase "those" could be what it speaks of.
            ending = f", and leaving out {name} {' or '.join(left_out)}" if left_out else ""
            return f"{text} {phrase}{ending}"
        if left_out:
            text += f", leaving out those {' or '.join(left_out)}"
        return text

    def _owned_key(self, step: int, key: ColumnValue) -> str:
        name = self.key_nouns(step, key)[0]
        owner = self.owner(step, key)
        if not owner or set(owner.lower().split()) & set(name.lower().split()):
            return name
        return f"{name} of the {owner}"

    def _base(self, step: int) -> Step:
        current = self._structure.steps[step]
        while isinstance(current.sources[0], StepSource):
            current = self._structure.steps[current.sources[0].step]
        return current

    def _aggregate(self, at: int, value: Aggregate) -> str:
        function, argument = value.function, value.argument
        if function is AggregateFunction.COUNT_ROWS:
            return f"number of {self._counted(at)}"
        assert argument is not None
        if isinstance(argument, StepValue):
            return self._folded(at, function, argument)
        ratio = quotient(argument)
        if ratio is not None and function is AggregateFunction.AVERAGE:
            above, below = ratio
            assert isinstance(above, ColumnValue)
            assert isinstance(below, ColumnValue)
            return f"average {self.rate(above, below)}"
        assert isinstance(argument, ColumnValue)
        column = self.column(argument)
        if function is AggregateFunction.COUNT_DISTINCT:
            return f"number of different {column.plural}"
        if function is AggregateFunction.COUNT_VALUES:
            return f"number of {column.plural}"
        if function is AggregateFunction.SUM:
            return f"total {column.phrase}"
        word = {
            AggregateFunction.AVERAGE: "average",
            AggregateFunction.MINIMUM: "minimum",
            AggregateFunction.MAXIMUM: "maximum",
        }[function]
        return f"{word} {_amount(column)}"

    def _counted(self, at: int) -> str:
        """Return the plural of what a step counts: rows of a table, or groups by lost keys."""
        first = self._structure.steps[at].sources[0]
        if not isinstance(first, StepSource):
            return self.source(at)[1]
        lost = self.lost_keys(first.step, at)
        return lost[0][1] if len(lost) == 1 else self.group(first.step)[1]

    def lost_keys(self, before: int, after: int) -> tuple[tuple[str, str], ...]:
        """Return the nouns of the keys that one step has and a later one no longer has.

        Args:
            before: Index of the one step.
            after: Index of the later one.

        Returns:
            Singular and plural of each.
        """
        kept = self.keys(after) or ()
        return tuple(
            self.key_nouns(before, key) for key in self.keys(before) or () if key not in kept
        )

    def _folded(self, at: int, function: AggregateFunction, argument: StepValue) -> str:
        """Name a value computed from the values of an earlier step."""
        if function is AggregateFunction.AVERAGE:
            inner_at, inner = origin(self._structure, at, argument)
            if isinstance(inner, Aggregate) and inner.function in _COUNTS:
                return f"average {self.value(inner_at, inner)}"
            return "average"
        return {
            AggregateFunction.MAXIMUM: "maximum",
            AggregateFunction.MINIMUM: "minimum",
            AggregateFunction.SUM: "total",
        }.get(function, "number")

    def _ratio_of_averages(self, value: Arithmetic) -> tuple[str, str] | None:
        """Return the phrases of two columns whose averages are divided; else None."""
        parts = quotient(value)
        if parts is None:
            return None
        names = []
        for part in parts:
            if not isinstance(part, Aggregate) or not isinstance(part.argument, ColumnValue):
                return None
            names.append(self.column(part.argument).phrase)
        return names[0], names[1]

    def _is_share(self, value: Arithmetic) -> bool:
        if not isinstance(value.right, StepValue):
            return False
        total = self._structure.steps[value.right.step].outputs[value.right.output].value
        return isinstance(total, Aggregate) and total.function is AggregateFunction.SUM


def _referring(base: Step) -> list[ColumnValue]:
    """Return the columns of the first source by which a second one is joined."""
    return [
        side
        for condition in base.joins[0].on
        if isinstance(condition, Comparison)
        for side in (condition.left, condition.right)
        if isinstance(side, ColumnValue) and side.source == 0
    ]


def written(literal: Literal) -> str:
    """Return a value of a query as a sentence has it: text in single quotes, numbers as stored."""
    value = literal.value
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else str(value)


def article(noun: str) -> str:
    """Return a noun with its indefinite article: "a league", "an hour", "a unit price"."""
    return f"{'an' if _BEGINS_WITH_VOWEL.match(noun) else 'a'} {noun}"


def is_plural(column: CatalogueColumn) -> bool:
    """Say whether a column's phrase is a plural: "home runs", "votes received"."""
    return _is_counted(column) or looks_plural(column.phrase)


def _is_counted(column: CatalogueColumn) -> bool:
    """Say whether a column's phrase begins with the plural of what it counts."""
    counted = column.plural.lower()
    return counted != column.singular.lower() and column.phrase.lower().startswith(counted)


def _amount(column: CatalogueColumn) -> str:
    """Return a measure after "average": countable things are numbers of them."""
    return f"number of {column.phrase}" if _is_counted(column) else column.phrase


def _plural(phrase: str) -> str:
    return phrase if phrase.endswith("s") else f"{phrase}s"
