"""What a query requires of a request, each requirement with the words that can express it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import Catalogue, Role
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Expression,
    JoinKind,
    Literal,
    Membership,
    Missing,
    Rank,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
    ZeroIfMissing,
)
from specbridge_pipeline.request_sets.searched_text import (
    column_names,
    entity_names,
    names_pattern,
    phrase_pattern,
    plain_words,
    table_names,
)

AVERAGE = "(?:average|averaged|averaging|mean|avg)"
TOTAL = "(?:total|totals|sum|summed|combined|altogether|overall|add|added)"
COUNT = "(?:number|count|counted|counting|many|tally)"
LOWEST = "(?:lowest|smallest|minimum|least|fewest|shortest|earliest|min|bottom|minimal)"
HIGHEST = "(?:highest|largest|maximum|most|greatest|top|longest|latest|biggest|best|max|maximal)"
DIFFERENCE = (
    "(?:difference|minus|subtract|subtracted|subtracting|deviation|gap|margin|above|below|exceed|"
    "exceeding|excess|far|compared|higher|lower|ahead|more than|less than|much more)"
)
RATIO = (
    "(?:ratio|divided|divide|dividing|time|relative|multiple|proportion|quotient|fraction|per|"
    "compared|rate)"
)
SHARE = "(?:share|fraction|percentage|percent|proportion|part)"
ABOVE = (
    "(?<!far it is )(?<!much it is )(?:above|more|higher|greater|exceed|exceeding|larger|over|beat|"
    "beating|bigger|better)(?! or (?:below|lower|less))"
)
"""Not "how far it is above", which asks for a difference."""

UPWARD = (
    "(?:high|higher|many|more|least|above|over|long|longer|large|larger|greater|exceed|exceeding"
    "|from|since|between|after|later|upward|positive|(?:not|no) (?:less|fewer)(?: than)?|>|>=|≥)"
)

ANY_KIND = f"(?:{AVERAGE}|{TOTAL}|{LOWEST}|{HIGHEST}|{COUNT})"
OTHER_KIND = f"(?:{AVERAGE}|{TOTAL}|{LOWEST}|{HIGHEST})"
"""Not counts: "the average number of wins" is an average."""

_FUNCTIONS = {
    AggregateFunction.AVERAGE: AVERAGE,
    AggregateFunction.SUM: TOTAL,
    AggregateFunction.MINIMUM: LOWEST,
    AggregateFunction.MAXIMUM: HIGHEST,
    AggregateFunction.COUNT_ROWS: COUNT,
    AggregateFunction.COUNT_VALUES: COUNT,
    AggregateFunction.COUNT_DISTINCT: COUNT,
}

_SAID = {
    AggregateFunction.AVERAGE: "average",
    AggregateFunction.SUM: "total",
    AggregateFunction.MINIMUM: "lowest value",
    AggregateFunction.MAXIMUM: "highest value",
    AggregateFunction.COUNT_ROWS: "number",
    AggregateFunction.COUNT_VALUES: "number",
    AggregateFunction.COUNT_DISTINCT: "number",
}

_AT_LEAST_BEFORE = (
    "(?:at least|minimum of|since|from|no (?:less|fewer|lower|earlier) than"
    "|starting (?:in|from|with)|not (?:less|fewer|lower|before)(?: than)?|>=|≥"
    "|greater than or equal to)"
)
_AT_LEAST_AFTER = (
    "(?:(?:or|and) (?:more|later|above|higher|greater|longer|after|over|onward|up|beyond|newer)"
    "|on|onward|upward)"
)
_MORE_BEFORE = (
    "(?:(?:more|greater|higher|longer|later|larger|bigger) than|above|over|exceed|exceeding|after"
    "|>|beyond)"
)
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]

_WORD = r"(?:[^\s.;?]+ )"
"""A word or comma and the space after it, within a sentence."""
_WORD_NOT_KIND = rf"(?:(?!{OTHER_KIND} )[^\s.;?]+ )"

_PRESENT = (
    "(?:recorded|known|available|given|present|missing|null|empty|blank|reported|stated|listed|"
    "exist|existing|unknown|unrecorded|ignore|ignoring|exclude|excluding|leave out|leaving out|"
    "left out|skip|skipping|omit|omitting|noted|filled|set)"
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that a request must say.

    Attributes:
        key: What it is. Two queries share a requirement when both have this key.
        note: What a request lacks that does not say it.
        ways: Patterns of a searched text, any of which says it.
        returned: Whether it must be said where the request lists what is returned.
    """

    key: tuple[object, ...]
    note: str
    ways: tuple[str, ...]
    returned: bool = False


def shared_requirements(
    first: Structure, second: Structure, catalogue: Catalogue
) -> list[Requirement]:
    """Return what both queries require, with the ways of saying it of either.

    Args:
        first: A query.
        second: Another one; the same one for all that it requires.
        catalogue: The database.
    """
    alike = {**_kept_twins(first), **_kept_twins(second)}
    others = {each.key: each for each in _requirements(second, catalogue, alike)}
    shared = []
    for each in _requirements(first, catalogue, alike):
        other = others.get(each.key)
        if other is not None:
            ways = tuple(dict.fromkeys((*each.ways, *other.ways)))
            shared.append(Requirement(each.key, each.note, ways, each.returned))
    # What both test alike need not be asked for again without saying how.
    asked = {(each.key[1], each.key[2], each.key[4]) for each in shared if each.key[0] == "filter"}
    apart = [each.key[1:] for each in shared if each.key[0] == "tested"]
    apart = [each for each in apart if each not in asked]
    columns = {each[:2] for each in apart}
    return [
        each
        for each in shared
        if (each.key[0] != "tested" or each.key[1:] in apart)
        and (each.key[0] != "upward" or each.key[1:] in columns)
    ]


_Twins = dict[tuple[str, str], tuple[str, str]]


def _kept_twins(structure: Structure) -> _Twins:
    """Return the keys by which a query takes in rows that have no match, each with its match.

    Whether "each member" is read in the members or in what they attended is then a choice.
    """
    twins: _Twins = {}
    for step in structure.steps:
        for join in step.joins:
            for each in join.on if join.kind is JoinKind.LEFT else ():
                if not isinstance(each, Comparison) or each.operator != "=":
                    continue
                sides = [side for side in (each.left, each.right) if isinstance(side, ColumnValue)]
                sides.sort(key=lambda side: side.source)
                if len(sides) == 2:
                    kept, brought = ((side.table, side.column) for side in sides)
                    twins[kept] = brought
    return twins


def _requirements(structure: Structure, catalogue: Catalogue, twins: _Twins) -> list[Requirement]:
    found: dict[tuple[object, ...], Requirement] = {}
    for requirement in _QueryReader(structure, catalogue, twins).requirements():
        earlier = found.get(requirement.key)
        if earlier is None:
            found[requirement.key] = requirement
        else:
            ways = tuple(dict.fromkeys((*earlier.ways, *requirement.ways)))
            found[requirement.key] = Requirement(earlier.key, earlier.note, ways, earlier.returned)
    return list(found.values())


class _QueryReader:
    """Lists the requirements of one query.

    Args:
        structure: The query.
        catalogue: The database.
        twins: Columns that have the same values for all that a request can say of them.
    """

    def __init__(self, structure: Structure, catalogue: Catalogue, twins: _Twins) -> None:
        self._structure = structure
        self._catalogue = catalogue
        self._twins = twins

    def requirements(self) -> Iterable[Requirement]:
        baselines = self._baselines()
        grouped = [
            index
            for index, step in enumerate(self._structure.steps)
            if step.keys and index not in baselines
        ]
        for index, step in enumerate(self._structure.steps):
            yield from self._conditions(step)
            yield from self._matches(step)
            keys = [
                base for key in step.keys if isinstance(base := self._base(step, key), ColumnValue)
            ]
            for key in keys:
                yield self._scope(key) if index in baselines else self._grouping(key)
            if index in grouped:
                yield from self._grouped_together(keys, alone=len(grouped) == 1)
            for output in step.outputs:
                yield from self._value(step, output.value)
            yield from self._ranking(step)
        yield from self._outputs()

    def _conditions(self, step: Step) -> Iterable[Requirement]:
        for condition in step.conditions:
            if isinstance(condition, Missing):
                if isinstance(condition.value, ColumnValue) and condition.negated:
                    yield self._recorded(condition.value)
                continue
            if isinstance(condition, Membership):
                yield from self._membership(condition)
                continue
            left, right = self._base(step, condition.left), self._base(step, condition.right)
            if isinstance(left, ColumnValue) and isinstance(right, Literal):
                yield self._filter(left, condition.operator, right.value)
                yield from self._tested(left, condition.operator, right.value)
            elif isinstance(left, Rank) or isinstance(right, Literal):
                continue
            elif condition.operator in (">", ">="):
                yield Requirement(
                    ("comparison", "above"),
                    "does not say that only values above the other one are kept",
                    (ABOVE,),
                )

    def _matches(self, step: Step) -> Iterable[Requirement]:
        for join in step.joins:
            for condition in join.on:
                if isinstance(condition, Comparison) and isinstance(condition.right, Literal):
                    column = condition.left
                    if isinstance(column, ColumnValue):
                        yield from self._tested(column, condition.operator, condition.right.value)

    def _membership(self, condition: Membership) -> Iterable[Requirement]:
        if isinstance(condition.value, ColumnValue):
            phrase = self._catalogue.column(condition.value.table, condition.value.column).plural
            yield Requirement(
                ("whose records", *self._identity(condition.value)),
                f"does not say that it is about {phrase}",
                (self._column(condition.value),),
            )
        for each in condition.conditions:
            if isinstance(each, Comparison) and isinstance(each.right, Literal):
                column = each.left
                if isinstance(column, ColumnValue):
                    yield from self._tested(column, each.operator, each.right.value)

    def _tested(self, value: ColumnValue, operator: str, literal: object) -> Iterable[Requirement]:
        """Require that a value is named with its column, however they are compared."""
        name, written = self._column(value), _written_value(literal)
        phrase = self._catalogue.column(value.table, value.column).phrase
        yield Requirement(
            ("tested", *self._identity(value), literal),
            f"does not speak of {phrase} and {literal}",
            # A date can stand for nothing else, and the words of its time lie between.
            (written,)
            if self._is_date(value)
            else (f"{name} {_WORD}{{0,9}}{written}", f"{written} {_WORD}{{0,6}}{name}"),
        )
        if operator in (">", ">="):
            yield Requirement(
                ("upward", *self._identity(value)),
                f"does not say that a high {phrase} is wanted",
                (UPWARD,),
            )

    def _is_date(self, value: ColumnValue) -> bool:
        return self._catalogue.column(value.table, value.column).role is Role.DATE

    def _filter(self, value: ColumnValue, operator: str, literal: object) -> Requirement:
        column = self._catalogue.column(value.table, value.column)
        name, written = self._column(value), _written_value(literal)
        said = written
        if column.name.lower() == "month" and isinstance(literal, int) and 1 <= literal <= 12:
            written = f"(?:{written}|{_MONTHS[literal - 1]})"
        if operator == ">=":
            ways = [
                f"{_AT_LEAST_BEFORE} {_WORD}{{0,3}}{written}",
                f"{written} {_WORD}{{0,2}}{_AT_LEAST_AFTER}",
            ]
        elif operator == ">":
            ways = [f"{_MORE_BEFORE} {_WORD}{{0,3}}{written}"]
            if literal == 0:
                ways += ["positive", "at least 1", "non ?zero", "not (?:0|zero)"]
        else:
            ways = [written]
        if not isinstance(literal, str) and column.role is not Role.DATE:
            # A bare number can stand for anything: the column's name must be near it.
            ways = [
                way
                for each in ways
                for way in (f"{name} {_WORD}{{0,8}}{each}", f"{each} {_WORD}{{0,6}}{name}")
            ] + ([written] if written != said else [])
        return Requirement(
            ("filter", value.table, value.column, operator, literal),
            f"does not say that only rows with {column.phrase} {operator} {literal} are used",
            tuple(ways),
        )

    def _recorded(self, value: ColumnValue) -> Requirement:
        name = self._column(value)
        ways = (
            f"{name} {_WORD}{{0,8}}{_PRESENT}",
            f"{_PRESENT} {_WORD}{{0,8}}{name}",
            f"(?:with|have|has|having|had|no|without|any) "
            f"(?:a |an |any |the |it |known |recorded )*{name}",
        )
        phrase = self._catalogue.column(value.table, value.column).phrase
        return Requirement(
            ("recorded", value.table, value.column),
            f"does not say that rows without {phrase} are left out",
            ways,
        )

    def _baselines(self) -> set[int]:
        """Return the steps whose values others are compared with, group by group."""
        return {
            source.step
            for step in self._structure.steps
            for join in step.joins
            if join.on and isinstance(source := step.sources[join.source], StepSource)
        }

    def _scope(self, key: ColumnValue) -> Requirement:
        name = self._column(key)
        phrase = self._catalogue.column(key.table, key.column).singular
        return Requirement(
            ("scope", *self._identity(key)),
            f"does not say that values are compared within each {phrase}",
            (
                "(?:same|within (?:each|every|the|it|their)|own|(?:for|of|in) that|(?:for|of) it)"
                f" {_WORD}{{0,3}}?{name}",
            ),
        )

    def _grouped_together(self, keys: list[ColumnValue], *, alone: bool) -> Iterable[Requirement]:
        """Require that one phrase names the groups of a step.

        Args:
            keys: What the step is grouped by.
            alone: Whether no other step is; then what the groups are called anywhere will do.
        """
        names = [self._column(key) for key in keys]
        phrases = [self._catalogue.column(key.table, key.column).singular for key in keys]
        owner = r"(?: of (?:the|it|a) [^\s.,;?]+)?"
        mark = "(?:each|every|per|by|for all|combination of|pair of)"
        if len(names) == 1:
            gap = r"(?:(?!and |combination |pair )[^\s.,;?]+ ){0,2}?"
            ways = [rf"{mark} {gap}{names[0]}(?!{owner} and )"]
        elif len(names) == 2:
            ways = [
                way
                for one, other in (names, names[::-1])
                for way in (
                    rf"{mark} {_WORD}{{0,3}}?{one}{owner} (?:and|,|in|of|within|per)"
                    rf" (?:each |every |the )*{other}",
                    rf"{mark} {_WORD}{{0,2}}?{one} {_WORD}{{0,12}}?(?:each|every|per|it) {other}",
                )
            ]
        else:
            return
        if alone:
            ways += [
                rf"(?:\d+|the|a|single|which|what|are) {_WORD}{{0,3}}?{name}" for name in names[:1]
            ]
            ways += [rf"(?:across|within|among|over) {_WORD}{{0,3}}?{names[0]}"]
        yield Requirement(
            ("grouped by", *sorted(self._identity(key) for key in keys)),
            f"does not say that values are taken for each {' and '.join(phrases)}",
            tuple(ways),
        )

    def _grouping(self, key: ColumnValue) -> Requirement:
        name = self._column(key)
        phrase = self._catalogue.column(key.table, key.column).singular
        return Requirement(
            ("grouping", *self._identity(key)),
            f"does not say that values are taken for each {phrase}",
            (
                "(?:each|every|per|by|across|within|among|combination of|over) "
                f"{_WORD}{{0,7}}?{name}",
                rf"\d+ {_WORD}{{0,3}}?{name}",
                f"(?:the|a|single|which|what) {name} "
                "(?:with|that|who|whose|having|has|have|is|tied)",
                f"(?:a|the|different) {name} {_WORD}?{ANY_KIND}",
                f"{name} (?:with|whose|by) {_WORD}?{_WORD}?{ANY_KIND}",
            ),
        )

    def _identity(self, key: ColumnValue) -> tuple[str, str]:
        identity = key.table, key.column
        return self._twins.get(identity, identity)

    def _value(self, step: Step, value: Expression) -> Iterable[Requirement]:
        if isinstance(value, Rank):
            for order in value.order:
                yield from self._value(step, order.value)
            return
        if isinstance(value, Arithmetic):
            yield from self._arithmetic(step, value)
            return
        if not isinstance(value, Aggregate):
            return
        argument: Expression | None = value.column
        if argument is None and value.argument is not None:
            argument = _unscaled(value.argument)
        if value.function in (
            AggregateFunction.COUNT_ROWS,
            AggregateFunction.COUNT_VALUES,
            AggregateFunction.COUNT_DISTINCT,
        ):
            yield self._count(step, value)
        elif isinstance(argument, Arithmetic):
            yield from self._arithmetic(step, argument)
        elif isinstance(argument, ColumnValue):
            yield self._measure(value.function, argument)
        elif isinstance(argument, StepValue):
            yield self._fold(step, value.function, argument)

    def _arithmetic(self, step: Step, value: Arithmetic) -> Iterable[Requirement]:
        value = _unscaled_arithmetic(value)
        parts = [_unscaled(value.left), _unscaled(value.right)]
        columns = [each for part in parts if (each := _only_column(part)) is not None]
        if len(columns) == 2 and value.operator == "/":
            for column in columns:
                phrase = self._catalogue.column(column.table, column.column).phrase
                yield Requirement(
                    ("part of ratio", *self._identity(column)),
                    f"does not mention {phrase}",
                    (self._column(column),),
                )
            first, second = (self._column(each) for each in columns)
            yield Requirement(
                ("ratio", *self._identity(columns[0]), *self._identity(columns[1])),
                "does not say that one quantity is divided by the other",
                (
                    f"{first} {_WORD}{{0,8}}?(?:per|divided by|over|to) {_WORD}{{0,6}}?{second}",
                    f"(?:divide|dividing) {_WORD}{{0,8}}?{first} {_WORD}{{0,14}}?by "
                    f"{_WORD}{{0,6}}?{second}",
                    f"(?:ratio|rate|quotient) {_WORD}{{0,6}}?{first} {_WORD}{{0,6}}?{second}",
                ),
            )
            return
        if value.operator == "-":
            yield Requirement(
                ("comparison", "difference"),
                "does not ask for the difference",
                (DIFFERENCE,),
            )
        elif value.operator == "/":
            share = self._is_share(step, parts[0], parts[1])
            yield Requirement(
                ("comparison", "share" if share else "ratio"),
                f"does not ask for the {'share of the total' if share else 'ratio'}",
                (SHARE,) if share else (RATIO,),
            )

    def _count(self, step: Step, value: Aggregate) -> Requirement:
        first = step.sources[0]
        argument = None if value.argument is None else self._base(step, value.argument)
        if isinstance(first, StepSource):
            names = self._row_names(first.step)
            key: tuple[object, ...] = ("count of groups",)
        else:
            # Rows that a join brings, or does not bring, are counted themselves.
            table = first.table
            if isinstance(argument, ColumnValue) and _is_brought(step, value, argument):
                table = argument.table
            names = [*table_names(self._catalogue.table(table))]
            key = ("count", table)
        if isinstance(argument, ColumnValue):
            if value.function is AggregateFunction.COUNT_VALUES:
                # Rows that a join brings are counted by one of their columns, which is not what
                # is counted.
                names += table_names(self._catalogue.table(argument.table))
            if value.function is AggregateFunction.COUNT_DISTINCT or not argument.source:
                names += entity_names(self._catalogue, argument.table, argument.column)
        counted = names_pattern(names)
        return Requirement(
            key,
            "does not ask how many there are",
            (
                f"{COUNT} {_WORD}{{0,6}}?{counted}",
                f"{counted} {_WORD}{{0,4}}?{COUNT}",
                f"(?:{HIGHEST}|{LOWEST}|more|fewer) {_WORD}{{0,3}}?{counted}",
                f"(?:many|often) {_WORD}{{0,10}}{counted}",
            ),
        )

    def _measure(self, function: AggregateFunction, argument: ColumnValue) -> Requirement:
        name, kind = self._column(argument), _FUNCTIONS[function]
        phrase = self._catalogue.column(argument.table, argument.column).phrase
        ways = [f"{kind} {_WORD_NOT_KIND}{{0,6}}?{name}", f"{name} (?:is |are )?{kind}"]
        if function is AggregateFunction.AVERAGE:
            ways.append(f"{name} {_WORD}{{0,3}}?on average")
        return Requirement(
            ("measure", function, *self._identity(argument)),
            f"does not ask for the {_SAID[function]} of {phrase}",
            tuple(ways),
        )

    def _fold(self, step: Step, function: AggregateFunction, argument: StepValue) -> Requirement:
        kind = _FUNCTIONS[function]
        names = self._names(step, argument)
        return Requirement(
            ("fold", function),
            f"does not ask for the {_SAID[function]} of the groups' values",
            (
                f"{kind} {_WORD}{{0,9}}?"
                f"(?:{names}|these|those|them|that|value|across|over|all|overall)",
                f"(?:{names}|value|overall) {_WORD}{{0,3}}?{kind}",
            ),
        )

    def _is_share(self, step: Step, part: Expression, whole: Expression) -> bool:
        whole = self._resolved(step, whole)
        return isinstance(whole, Aggregate) and whole.function is AggregateFunction.SUM

    def _ranking(self, step: Step) -> Iterable[Requirement]:
        cut, keys, at = step.limit, [*step.order], step
        for condition in step.conditions:
            if isinstance(condition, Comparison) and isinstance(condition.right, Literal):
                at, rank = self._traced(step, condition.left)
                if isinstance(rank, Rank) and isinstance(condition.right.value, int):
                    cut, keys = condition.right.value, [*rank.order]
        if cut is None or not keys:
            return
        yield Requirement(
            ("number of rows", cut),
            f"does not say that {cut} are wanted",
            (str(cut),) if cut > 1 else ("1", "single", "the only", HIGHEST, LOWEST),
        )
        for key in keys[:1]:
            best = HIGHEST if key.descending else LOWEST
            names = self._names(at, key.value)
            yield Requirement(
                ("ranking", key.descending),
                f"does not say that the {'highest' if key.descending else 'lowest'} are wanted",
                (
                    f"{best} {_WORD}{{0,8}}?{names}",
                    f"(?:rank|ranked|sort|sorted|order|ordered) by {_WORD}{{0,8}}?{names}",
                    f"{names} {_WORD}{{0,4}}?(?:is |are |being )?(?:the )?{best}",
                ),
            )

    def _outputs(self) -> Iterable[Requirement]:
        result = self._structure.result
        for position, output in enumerate(result.outputs):
            yield Requirement(
                ("output", position),
                f"does not ask to return {output.name.replace('_', ' ')}",
                (self._names(result, output.value),),
                returned=True,
            )

    def _names(self, step: Step, value: Expression) -> str:
        """Return a pattern for all that a value may be called."""
        at, resolved = self._traced(step, _unscaled(value))
        if isinstance(resolved, ZeroIfMissing):
            resolved = resolved.value
        if isinstance(resolved, ColumnValue):
            return self._column(resolved)
        if isinstance(resolved, Arithmetic):
            resolved = _unscaled_arithmetic(resolved)
            left, right = _unscaled(resolved.left), _unscaled(resolved.right)
            columns = [_only_column(left), _only_column(right)]
            if resolved.operator == "-":
                return DIFFERENCE
            if all(columns):
                return "|".join((RATIO, *(self._column(each) for each in columns if each)))
            return SHARE if self._is_share(at, left, right) else RATIO
        if isinstance(resolved, Aggregate):
            names = [_FUNCTIONS[resolved.function]]
            if resolved.argument is not None:
                names.append(self._names(at, resolved.argument))
            elif isinstance(at.sources[0], TableSource):
                names.append(names_pattern(table_names(self._catalogue.table(at.sources[0].table))))
            return f"(?:{'|'.join(names)})"
        return "(?!)"

    def _row_names(self, index: int) -> list[str]:
        """Return what one row that a step returns may be called."""
        step = self._structure.steps[index]
        keys = step.keys or tuple(output.value for output in step.outputs)
        names: list[str] = ["group", "value"]
        for key in keys:
            base = self._base(step, key)
            if isinstance(base, ColumnValue):
                names += column_names(self._catalogue.column(base.table, base.column))
        return names

    def _column(self, value: ColumnValue) -> str:
        return names_pattern(entity_names(self._catalogue, value.table, value.column))

    def _base(self, step: Step, value: Expression) -> Expression:
        return self._traced(step, value)[1]

    def _resolved(self, step: Step, value: Expression) -> Expression:
        return self._traced(step, value)[1]

    def _traced(self, step: Step, value: Expression) -> tuple[Step, Expression]:
        """Return where a value is computed and how, whatever steps it was handed on through."""
        while isinstance(value, StepValue):
            step = self._structure.steps[value.step]
            value = step.outputs[value.output].value
        return step, value


def _is_brought(step: Step, value: Aggregate, counted: ColumnValue) -> bool:
    """Say whether a count is of rows that a join brings to those of the first table."""
    if counted.source == 0:
        return False
    if value.function is AggregateFunction.COUNT_VALUES:
        return True
    return step.joins[counted.source - 1].kind is JoinKind.LEFT


def _written_value(literal: object) -> str:
    return " ".join(phrase_pattern(word) for word in plain_words(str(literal))) or "(?!)"


def _unscaled(value: Expression) -> Expression:
    """Return a value without a factor that only makes it a number with a fraction, or a percent."""
    if isinstance(value, Arithmetic) and value.operator == "*":
        for factor, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(factor, Literal) and factor.value in (1, 1.0, 100, 100.0):
                return _unscaled(other)
    return value


def _unscaled_arithmetic(value: Arithmetic) -> Arithmetic:
    inner = _unscaled(value)
    return inner if isinstance(inner, Arithmetic) else value


def _only_column(value: Expression) -> ColumnValue | None:
    """Return the column that a value is, or that it aggregates."""
    value = _unscaled(value)
    if isinstance(value, Aggregate) and value.argument is not None:
        value = _unscaled(value.argument)
    return value if isinstance(value, ColumnValue) else None
