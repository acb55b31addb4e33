"""From syntax to functions, aggregates and windows."""

from __future__ import annotations

from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.interpreting.affinity import (
    NUMERIC_NATURES,
    Affinity,
    Nature,
    Typed,
    shared_nature,
    usual,
)
from specbridge_pipeline.exact_description.interpreting.places import (
    GROUPS,
    ROWS,
    Place,
    Values,
    calculated,
    is_matching,
    number_read,
)
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    Bound,
    Case,
    Frame,
    Function,
    Literal,
    Truth,
    Window,
    nodes_in,
)
from specbridge_pipeline.exact_description.wording.function_phrases import (
    NATURES,
    NUMBER_FUNCTIONS,
    SAME_FUNCTIONS,
    phrase_of,
)
from specbridge_pipeline.sql.syntax import nodes

_AGGREGATES = {
    "sum": "sum",
    "avg": "average",
    "total": "total",
    "group_concat": "joined",
    "json_group_array": "json_array",
    "json_group_object": "json_object",
}
_EXTREMES = {"min": "minimum", "max": "maximum"}
_WINDOW_FUNCTIONS = {
    "row_number": (0, 0),
    "rank": (0, 0),
    "dense_rank": (0, 0),
    "percent_rank": (0, 0),
    "cume_dist": (0, 0),
    "ntile": (1, 1),
    "lag": (1, 3),
    "lead": (1, 3),
    "first_value": (1, 1),
    "last_value": (1, 1),
    "nth_value": (2, 2),
}
FRAMELESS = frozenset(_WINDOW_FUNCTIONS) - {"first_value", "last_value", "nth_value"}


class FunctionReader:
    """Reads the functions of one SELECT.

    Args:
        values: Reads their arguments.
    """

    def __init__(self, values: Values) -> None:
        self._values = values

    def call(self, node: nodes.Call, place: Place) -> Typed:
        """Read a function, an aggregate or a window.

        Args:
            node: Its syntax.
            place: What may stand there.

        Raises:
            UndescribableQueryError: There are no words for it, or it may not stand there.
        """
        name = SAME_FUNCTIONS.get(node.name, node.name)
        count = len(node.arguments)
        if node.window is not None:
            return self._window(node, name, place)
        if name == "count" or name in _AGGREGATES or (name in _EXTREMES and count == 1):
            if not place.aggregates:
                raise self._error(f"the aggregate {name.upper()} cannot stand here", node.at)
            aggregate = self._aggregate(node, name, ROWS)
            self._values.scope.aggregated = True
            return aggregate
        if node.distinct or node.star or node.order or node.filter is not None:
            raise self._error(
                f"DISTINCT, *, ORDER BY or FILTER in {name.upper()} cannot be described", node.at
            )
        if name in _WINDOW_FUNCTIONS:
            raise self._error(f"{name.upper()} without OVER cannot be described", node.at)
        if name in ("iif", "if") and count in (2, 3):
            condition = self._values.condition(node.arguments[0], place)
            results = [self._values.value(each, place) for each in node.arguments[1:]]
            default = results[1].value if count == 3 else Literal(None)
            return Typed(
                Case(((condition, results[0].value),), default),
                nature=shared_nature(each.nature for each in results),
            )
        if is_matching(node):
            condition = self._values.condition(node, place)
            return Typed(Truth(condition), nature=Nature.INTEGER)
        arguments = tuple(self._values.value(each, place) for each in node.arguments)
        return self._function(node, name, arguments)

    def _function(self, node: nodes.Call, name: str, arguments: tuple[Typed, ...]) -> Typed:
        if name in ("likelihood", "likely", "unlikely") and arguments:
            return arguments[0]._replace(affinity=Affinity.NOTHING)
        if name == "coalesce" and len(arguments) < 2:
            raise self._error("COALESCE of one value", node.at)
        if phrase_of(name, len(arguments)) is None:
            count = "1 argument" if len(arguments) == 1 else f"{len(arguments)} arguments"
            raise self._error(
                f"the function {name.upper()} with {count} cannot be described", node.at
            )
        self.refuse_collated(arguments[1:], node.at)
        collation = ""
        if name in ("max", "min", "nullif"):
            collation = next((each.collation for each in arguments if each.collation), "")
            if all(each.nature in NUMERIC_NATURES for each in arguments):
                collation = ""
        else:
            self.refuse_collated(arguments[:1], node.at)
        if name in NUMBER_FUNCTIONS:
            taken = calculated if name in ("abs", "round") else number_read
            arguments = tuple(taken(each) for each in arguments)
        nature = NATURES.get(name, Nature.ANY)
        if name in ("coalesce", "max", "min"):
            nature = shared_nature(each.nature for each in arguments if each.value != Literal(None))
        elif name == "nullif":
            nature = arguments[0].nature
        elif name == "abs":
            kept = (Nature.INTEGER, Nature.REAL, Nature.COMPUTED_REAL)
            nature = arguments[0].nature if arguments[0].nature in kept else Nature.NUMBER
        elif name in ("ceil", "floor", "trunc"):
            nature = Nature.NUMBER
        values = tuple(each.value for each in arguments)
        return Typed(Function(name, values, usual(collation)), nature=nature)

    def refuse_collated(self, parts: tuple[Typed, ...], at: int) -> None:
        """Refuse a COLLATE that the engine would hand on to what is made of the value.

        Raises:
            UndescribableQueryError: One of the values has one.
        """
        if any(each.explicit for each in parts):
            raise self._error("COLLATE inside a calculation cannot be described", at)

    def _aggregate(self, node: nodes.Call, name: str, place: Place) -> Typed:
        """Read an aggregate whose arguments stand at a place."""
        condition = None if node.filter is None else self._values.condition(node.filter, place)
        if node.star or (name == "count" and not node.arguments):
            if name != "count":
                raise self._error(f"{name.upper()}(*) cannot be described", node.at)
            return Typed(Aggregate("count_rows", (), False, condition), nature=Nature.INTEGER)
        arguments = tuple(self._values.value(each, place) for each in node.arguments)
        self._check_aggregate(node, name, arguments)
        first = arguments[0]
        order = self._values.order(node.order, place) if node.order else ()
        values = tuple(each.value for each in arguments)
        distinct = node.distinct
        if name == "count":
            constant = isinstance(first.value, Literal) and first.value.value is not None
            if constant and not distinct:
                return Typed(Aggregate("count_rows", (), False, condition), nature=Nature.INTEGER)
            collation = self._distinct_collation(node, first)
            counted = Aggregate("count", values, distinct, condition, (), collation)
            return Typed(counted, nature=Nature.INTEGER)
        if name in _EXTREMES:
            collation = "" if first.nature in NUMERIC_NATURES else usual(first.collation)
            extreme = Aggregate(_EXTREMES[name], values, False, condition, (), collation)
            return Typed(extreme, nature=first.nature)
        function = _AGGREGATES[name]
        nature = Nature.TEXT
        if function in ("sum", "average", "total"):
            values = (calculated(first).value,)
            nature = Nature.COMPUTED_REAL
            if function == "sum":
                kept = (Nature.INTEGER, Nature.REAL, Nature.COMPUTED_REAL)
                nature = first.nature if first.nature in kept else Nature.NUMBER
            order = ()
        elif function == "joined" and len(values) == 1:
            values = (*values, Literal(","))
        collation = self._distinct_collation(node, first)
        whole = Aggregate(function, values, distinct, condition, order, collation)
        return Typed(whole, nature=nature)

    def _distinct_collation(self, node: nodes.Call, first: Typed) -> str:
        if not node.distinct or first.nature in NUMERIC_NATURES:
            return ""
        return usual(first.collation)

    def _check_aggregate(self, node: nodes.Call, name: str, arguments: tuple[Typed, ...]) -> None:
        allowed = {"group_concat": (1, 2), "json_group_object": (2, 2)}.get(name, (1, 1))
        if not allowed[0] <= len(arguments) <= allowed[1]:
            raise self._error(
                f"{name.upper()} of {len(arguments)} values cannot be described", node.at
            )
        columns = [
            each.depth
            for argument in arguments
            for each in nodes_in(argument.value)
            if hasattr(each, "depth")
        ]
        if columns and max(columns) < self._values.scope.depth:
            raise self._error(
                "an aggregate of the rows of a query around it cannot be described", node.at
            )

    def _window(self, node: nodes.Call, name: str, place: Place) -> Typed:
        if not place.windows:
            raise self._error("a window function cannot stand here", node.at)
        assert node.window is not None
        window = self._named_window(node.window, set())
        partition = tuple(self._values.value(each, GROUPS).value for each in window.partition)
        order = self._values.order(window.order, GROUPS)
        frame = None if window.frame is None else self._frame(window.frame)
        if name in _WINDOW_FUNCTIONS:
            low, high = _WINDOW_FUNCTIONS[name]
            if not low <= len(node.arguments) <= high or node.distinct or node.star:
                raise self._error(f"{name.upper()} cannot be described like this", node.at)
            if node.filter is not None:
                raise self._error(f"FILTER of {name.upper()} cannot be described", node.at)
            arguments = tuple(self._values.value(each, GROUPS) for each in node.arguments)
            if name in FRAMELESS:
                frame = None
            nature = Nature.INTEGER
            if name in ("percent_rank", "cume_dist"):
                nature = Nature.COMPUTED_REAL
            elif arguments and name != "ntile":
                nature = arguments[0].nature if len(arguments) < 3 else Nature.ANY
            values = tuple(each.value for each in arguments)
            return Typed(Window(name, values, None, partition, order, frame), nature=nature)
        if name == "count" or name in _AGGREGATES or name in _EXTREMES:
            if node.distinct:
                raise self._error("DISTINCT in a window cannot be described", node.at)
            typed = self._aggregate(node, name, GROUPS)
            assert isinstance(typed.value, Aggregate)
            whole = Window("", (), typed.value, partition, order, frame)
            return typed._replace(value=whole)
        raise self._error(f"the window function {name.upper()} cannot be described", node.at)

    def _named_window(self, window: nodes.Window, seen: set[str]) -> nodes.Window:
        if not window.base:
            return window
        base = window.base.lower()
        if base not in self._values.scope.windows or base in seen:
            raise self._error(f"there is no window {window.base}", window.at)
        found = self._named_window(self._values.scope.windows[base], seen | {base})
        return nodes.Window(
            "",
            window.partition or found.partition,
            window.order or found.order,
            window.frame or found.frame,
            window.at,
        )

    def _frame(self, frame: nodes.Frame) -> Frame | None:
        start, end = self._bound(frame.start), self._bound(frame.end)
        unit = frame.unit.lower()
        if (unit, start.kind, end.kind, frame.exclude) == ("range", "first", "this", ""):
            # The engine's default.
            return None
        exclude = {"CURRENT ROW": "row", "GROUP": "group", "TIES": "ties"}.get(frame.exclude, "")
        return Frame(unit, start, end, exclude)

    def _bound(self, bound: nodes.Bound) -> Bound:
        kinds = {
            "UNBOUNDED PRECEDING": "first",
            "PRECEDING": "before",
            "CURRENT ROW": "this",
            "FOLLOWING": "after",
            "UNBOUNDED FOLLOWING": "last",
        }
        offset = None if bound.offset is None else self._values.value(bound.offset, ROWS).value
        return Bound(kinds[bound.kind], offset)

    def _error(self, problem: str, at: int) -> UndescribableQueryError:
        return self._values.refusals.error(problem, at)
