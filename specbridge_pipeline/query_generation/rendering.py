"""Plans as SQL: one readable statement, a WITH entry a step, by the rules of grammar 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.naming import Names
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Base,
    Baseline,
    BaselineOf,
    Column,
    Combine,
    Compare,
    Condition,
    Contrast,
    FilterAbove,
    Fold,
    Function,
    Grouped,
    OfEntities,
    Operator,
    Overall,
    Plan,
    RankedRows,
    Reaggregate,
    Share,
    Source,
    Step,
    Summary,
    Top,
    TopWithin,
    Unmatched,
    base_of,
    keys_of,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules

_FOLDS = {Fold.AVERAGE: "AVG", Fold.HIGHEST: "MAX", Fold.LOWEST: "MIN", Fold.TOTAL: "SUM"}
_FUNCTIONS = {
    Function.TOTAL: "SUM({})",
    Function.AVERAGE: "AVG({})",
    Function.LOWEST: "MIN({})",
    Function.HIGHEST: "MAX({})",
    Function.COUNT_ROWS: "COUNT(*)",
    Function.COUNT_ENTITIES: "COUNT(DISTINCT {})",
    Function.RATIO_OF_MEANS: "AVG({}) / AVG({})",
    Function.DIFFERENCE_OF_TOTALS: "SUM({}) - SUM({})",
    Function.SUM_OF_TOTALS: "SUM({}) + SUM({})",
    Function.DIFFERENCE_OF_AVERAGES: "AVG({}) - AVG({})",
    Function.SPREAD: "MAX({0}) - MIN({0})",
}


_SHORT = {
    Function.COUNT_ROWS: "counts",
    Function.COUNT_ENTITIES: "counts",
    Function.TOTAL: "totals",
    Function.AVERAGE: "averages",
    Function.LOWEST: "lowest",
    Function.HIGHEST: "highest",
    Function.MEAN_OF_RATIOS: "average_ratios",
    Function.RATIO_OF_MEANS: "ratios",
    Function.DIFFERENCE_OF_TOTALS: "differences",
    Function.SUM_OF_TOTALS: "sums",
    Function.DIFFERENCE_OF_AVERAGES: "differences",
    Function.SPREAD: "spreads",
    Function.ROWS_PER_ENTITY: "ratios",
    Function.TOTAL_PER_ENTITY: "ratios",
}
"""What values are called in the name of a step that would else be long."""


@dataclass(frozen=True, slots=True)
class SqlStep:
    """One SELECT of a statement.

    Attributes:
        name: Its name as a WITH entry.
        outputs: Its outputs as written, with the alias where they have one.
        names: The outputs' names.
        keys: How many of the outputs are keys; they come first.
        value: Position of the output that later steps go on with.
        expression: That output without its alias.
        clauses: FROM and what follows, one clause or join a line.
        reads: Positions of the steps that it reads.
        base: The step of the plan where it reads rows of tables; None where it reads steps.
    """

    name: str
    outputs: tuple[str, ...]
    names: tuple[str, ...]
    keys: int
    value: int
    expression: str
    clauses: tuple[str, ...]
    reads: tuple[int, ...]
    base: Base | None = None

    @property
    def text(self) -> str:
        """The SELECT itself."""
        return "\n".join(_select(self.outputs, self.clauses))


def sql_steps(plan: Plan, catalogue: Catalogue) -> tuple[SqlStep, ...]:
    """Return the SELECTs of a plan, each after those that it reads.

    Args:
        plan: The plan. A `Top` is not a step of its own: it is left out here.
        catalogue: What tables and columns are called.

    Returns:
        The steps; the last one is the plan's result.
    """
    step = plan.step if isinstance(plan, Top) else plan
    writer = _Writer(catalogue, base_of(plan).source)
    writer.write(step)
    return tuple(writer.steps)


def statement(
    steps: Sequence[SqlStep],
    index: int,
    rules: EngineRules,
    known: dict[int, str] | None = None,
) -> str:
    """Return the query for one of a plan's steps.

    Args:
        steps: The steps.
        index: Position of the wanted one.
        rules: What holds for the engine that runs it.
        known: Text to take for the SELECT of an earlier step, by its position; it need not read
            what the step reads.

    Returns:
        The statement, with the steps that the wanted one depends on as WITH entries.
    """
    known = known or {}
    needed: set[int] = set()
    waiting = list(steps[index].reads)
    while waiting:
        position = waiting.pop()
        if position not in needed:
            needed.add(position)
            waiting += [] if position in known else steps[position].reads
    entries = [
        (
            _header(steps[position], position in known, rules),
            known.get(position, steps[position].text),
        )
        for position in sorted(needed)
    ]
    return _with(entries, steps[index].text)


def render(plan: Plan, catalogue: Catalogue) -> str:
    """Return a plan as one SQL statement.

    Args:
        plan: The plan.
        catalogue: What tables and columns are called, for the names of steps and outputs.

    Returns:
        The statement without a semicolon; equal plans give equal texts.
    """
    steps, rules = sql_steps(plan, catalogue), rules_of(catalogue.engine)
    last = len(steps) - 1
    if not isinstance(plan, Top):
        return statement(steps, last, rules)
    result = steps[last]
    value = rules.quoted(result.names[result.value])
    if not plan.keeps_ties:
        cut = (f"ORDER BY {value} DESC", f"LIMIT {plan.count}")
        limited = replace(result, clauses=(*result.clauses, *cut))
        return statement((*steps[:last], limited), last, rules)
    rank = f"RANK() OVER (ORDER BY {result.expression} DESC) AS place"
    ranked = replace(
        result,
        name=_ranked_name(steps, plan, catalogue),
        outputs=(*result.outputs, rank),
    )
    kept = SqlStep(
        name="",
        outputs=tuple(rules.quoted(name) for name in result.names),
        names=result.names,
        keys=result.keys,
        value=result.value,
        expression=value,
        clauses=(f"FROM {rules.quoted(ranked.name)}", f"WHERE place <= {plan.count}"),
        reads=(last,),
    )
    return statement((*steps[:last], ranked, kept), last + 1, rules)


def base_statement(
    base: Grouped | Overall, aggregates: Sequence[Aggregate], rules: EngineRules
) -> str:
    """Return the query that reads several values of a first step's groups in one pass.

    Args:
        base: The step.
        aggregates: What to compute.
        rules: What holds for the engine that runs it.

    Returns:
        The statement; its rows are the keys, the values in order, and how many rows were grouped.
    """
    source = base.source
    columns = [_column(key, source, rules) for key in keys_of(base)]
    values = [_aggregate(each, source, rules) for each in aggregates]
    grouping = (f"GROUP BY {', '.join(columns)}",) if columns else ()
    return "\n".join(_select((*columns, *values, "COUNT(*)"), (*_from(source, rules), *grouping)))


def ranked_statement(base: RankedRows, rules: EngineRules, rows: int) -> str:
    """Return the query for the first of a table's own rows, from the highest value down."""
    columns = [_column(each, base.source, rules) for each in (*base.identifiers, base.measure)]
    order = ", ".join(f"{column} DESC" for column in reversed(columns))
    clauses = (*_from(base.source, rules), f"ORDER BY {order}", f"LIMIT {rows}")
    return "\n".join(_select(columns, clauses))


class _Writer:
    def __init__(self, catalogue: Catalogue, source: Source) -> None:
        self._catalogue = catalogue
        self._names = Names(catalogue, source)
        self._rules = rules_of(catalogue.engine)
        self._quoted = self._rules.quoted
        self.steps: list[SqlStep] = []

    def write(self, step: Step) -> int:
        """Write a plan's steps up to one, and return its position."""
        match step:
            case Grouped() | Overall():
                return self._base(step)
            case RankedRows():
                return self._ranked_rows(step)
            case Reaggregate():
                return self._reaggregate(step)
            case Combine():
                return self._combine(step)
            case Compare():
                return self._compare(step)
            case FilterAbove():
                return self._filter(step)
            case Share():
                return self._share(step)
            case TopWithin():
                return self._top_within(step)
            case Summary():
                return self._summary(step)

    def _add(self, step: SqlStep) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _base(self, step: Grouped | Overall, name: str | None = None) -> int:
        source, keys = step.source, keys_of(step)
        value = self._names.aggregate(source, step.aggregate)
        expression = _aggregate(step.aggregate, source, self._rules)
        names = [name]
        if name is None and keys:
            by = f"by_{self._names.one(keys)}"
            names = [f"{value}_{by}", f"{_SHORT[step.aggregate.function]}_{by}", by]
        elif name is None:
            names = [f"overall_{value}"]
        columns = [_column(key, source, self._rules) for key in keys]
        grouping = (f"GROUP BY {', '.join(columns)}",) if keys else ()
        return self._add(
            SqlStep(
                name=self._names.step(*filter(None, names)),
                outputs=(*columns, f"{expression} AS {self._quoted(value)}"),
                names=(*(key.name for key in keys), value),
                keys=len(keys),
                value=len(keys),
                expression=expression,
                clauses=(*_from(source, self._rules), *grouping),
                reads=(),
                base=step,
            )
        )

    def _ranked_rows(self, step: RankedRows) -> int:
        columns = [
            _column(each, step.source, self._rules) for each in (*step.identifiers, step.measure)
        ]
        return self._add(
            SqlStep(
                name=self._names.step(f"ranked_{self._names.rows(step.source)}"),
                outputs=tuple(columns),
                names=tuple(each.name for each in (*step.identifiers, step.measure)),
                keys=len(step.identifiers),
                value=len(step.identifiers),
                expression=columns[-1],
                clauses=_from(step.source, self._rules),
                reads=(),
                base=step,
            )
        )

    def _reaggregate(self, step: Reaggregate) -> int:
        position = self.write(step.previous)
        previous = self.steps[position]
        kept = keys_of(step)
        dropped = tuple(key for key in keys_of(step.previous) if key not in kept)
        value = self._names.fold(step.fold, previous.names[previous.value], dropped)
        argument = self._quoted(previous.names[previous.value])
        expression = "COUNT(*)" if step.fold is Fold.COUNT else f"{_FOLDS[step.fold]}({argument})"
        keys = [self._quoted(key.name) for key in kept]
        grouping = (f"GROUP BY {', '.join(keys)}",) if keys else ()
        names = [f"overall_{value}"]
        if kept:
            by = f"by_{self._names.one(kept)}"
            names = [f"{value}_{by}", f"{step.fold.value}_{by}"]
        return self._add(
            SqlStep(
                name=self._names.step(*names),
                outputs=(*keys, f"{expression} AS {self._quoted(value)}"),
                names=(*(key.name for key in kept), value),
                keys=len(keys),
                value=len(keys),
                expression=expression,
                clauses=(f"FROM {self._quoted(previous.name)}", *grouping),
                reads=(position,),
            )
        )

    def _compare(self, step: Compare) -> int:
        position = self.write(step.previous)
        baseline = self._baseline(step.previous, step.baseline, position)
        value, average = self._value(position, baseline), self._value(baseline, position)
        if step.contrast is Contrast.DIFFERENCE:
            expression, name = f"{value} - {average}", "difference_from_average"
        else:
            expression, name = self._rules.divided(value, average), "ratio_to_average"
        name = self._names.output(name)
        outputs = self._outputs(position, baseline)
        previous = self.steps[position]
        return self._add(
            SqlStep(
                name=self._names.step(f"compared_{self._names.several(keys_of(step))}"),
                outputs=(*outputs, f"{expression} AS {name}"),
                names=(*previous.names[: previous.keys], previous.names[previous.value], name),
                keys=previous.keys,
                value=len(outputs),
                expression=expression,
                clauses=self._beside(position, baseline, step.baseline),
                reads=(position, baseline),
            )
        )

    def _filter(self, step: FilterAbove) -> int:
        position = self.write(step.previous)
        baseline = self._baseline(step.previous, step.baseline, position)
        value, average = self._value(position, baseline), self._value(baseline, position)
        previous = self.steps[position]
        outputs = self._outputs(position, baseline)
        names = (*previous.names[: previous.keys], previous.names[previous.value])
        if step.difference:
            excess = self._names.output("difference_from_average")
            outputs = (*outputs, f"{value} - {average} AS {excess}")
            names = (*names, excess)
        return self._add(
            SqlStep(
                name=self._names.step(f"{self._names.several(keys_of(step))}_above_average"),
                outputs=outputs,
                names=names,
                keys=previous.keys,
                value=previous.keys,
                expression=value,
                clauses=(
                    *self._beside(position, baseline, step.baseline),
                    f"WHERE {value} > {average}",
                ),
                reads=(position, baseline),
            )
        )

    def _combine(self, step: Combine) -> int:
        position = self.write(step.previous)
        names = Names(self._catalogue, step.other.source)
        value = names.aggregate(step.other.source, step.other.aggregate)
        other = self._base(step.other)
        previous, second = self.steps[position], self.steps[other]
        left, right = self._value(position, other), self._value(other, position)
        if step.contrast is Contrast.DIFFERENCE:
            expression, joined = f"{left} - {right}", "less"
        else:
            expression, joined = self._rules.divided(left, right), "per"
            if step.other.aggregate.function is Function.COUNT_ROWS:
                value = self._catalogue.table(step.other.source.table).singular
        name = self._names.output(f"{previous.names[previous.value]}_{joined}_{value}")
        outputs = self._outputs(position, other)
        one = _of(previous.name, previous.names[0], self._rules)
        two = _of(second.name, second.names[0], self._rules)
        return self._add(
            SqlStep(
                name=self._names.step(f"combined_{self._names.several(keys_of(step))}"),
                outputs=(*outputs, right, f"{expression} AS {self._quoted(name)}"),
                names=(
                    *previous.names[: previous.keys],
                    previous.names[previous.value],
                    second.names[second.value],
                    name,
                ),
                keys=previous.keys,
                value=len(outputs) + 1,
                expression=expression,
                clauses=(
                    f"FROM {self._quoted(previous.name)}",
                    f"JOIN {self._quoted(second.name)} ON {one} = {two}",
                ),
                reads=(position, other),
            )
        )

    def _share(self, step: Share) -> int:
        position = self.write(step.previous)
        previous = self.steps[position]
        argument = self._quoted(previous.names[previous.value])
        keys = keys_of(step)
        within = () if step.key is None else (step.key,)
        columns = [self._quoted(key.name) for key in within]
        over = tuple(key for key in keys if key not in within)
        name = f"total_over_{self._names.several(over)}"
        if within:
            name += f"_by_{self._names.one(within)}"
        total = self._add(
            SqlStep(
                name=self._names.step(name),
                outputs=(*columns, f"SUM({argument}) AS {self._names.output('total')}"),
                names=(*(key.name for key in within), self._names.output("total")),
                keys=len(within),
                value=len(within),
                expression=f"SUM({argument})",
                clauses=(
                    f"FROM {self._quoted(previous.name)}",
                    *((f"GROUP BY {', '.join(columns)}",) if columns else ()),
                ),
                reads=(position,),
            )
        )
        expression = self._rules.divided(self._value(position, total), self._value(total, position))
        share = self._names.output("share")
        outputs = self._outputs(position, total)
        return self._add(
            SqlStep(
                name=self._names.step(f"shares_of_{self._names.several(over)}"),
                outputs=(*outputs, f"{expression} AS {share}"),
                names=(*previous.names[: previous.keys], previous.names[previous.value], share),
                keys=previous.keys,
                value=len(outputs),
                expression=expression,
                clauses=self._beside(position, total, Baseline(BaselineOf.GROUPS, step.key)),
                reads=(position, total),
            )
        )

    def _top_within(self, step: TopWithin) -> int:
        position = self.write(step.previous)
        previous = self.steps[position]
        value = self._quoted(previous.names[previous.value])
        group = self._quoted(step.key.name)
        ranked = tuple(key for key in keys_of(step) if key != step.key)
        number = "RANK" if step.keeps_ties else "ROW_NUMBER"
        place = self._names.output("place")
        names = (*previous.names[: previous.keys], previous.names[previous.value])
        outputs = tuple(self._quoted(name) for name in names)
        places = self._add(
            SqlStep(
                name=self._names.step(
                    f"ranked_{self._names.several(ranked)}_by_{self._names.one((step.key,))}"
                ),
                outputs=(
                    *outputs,
                    f"{number}() OVER (PARTITION BY {group} ORDER BY {value} DESC) AS {place}",
                ),
                names=(*names, place),
                keys=previous.keys,
                value=previous.keys,
                expression=value,
                clauses=(f"FROM {self._quoted(previous.name)}",),
                reads=(position,),
            )
        )
        return self._add(
            SqlStep(
                name=self._names.step(
                    f"top_{self._names.several(ranked)}_by_{self._names.one((step.key,))}"
                ),
                outputs=outputs,
                names=names,
                keys=previous.keys,
                value=previous.keys,
                expression=value,
                clauses=(
                    f"FROM {self._quoted(self.steps[places].name)}",
                    f"WHERE {place} <= {step.count}",
                ),
                reads=(places,),
            )
        )

    def _summary(self, step: Summary) -> int:
        position = self.write(step.previous)
        previous = self.steps[position]
        keys = keys_of(step.previous)
        count = self._names.fold(Fold.COUNT, "", keys)
        value = previous.names[previous.value]
        average = self._names.fold(Fold.AVERAGE, value, keys)
        expression = f"AVG({self._quoted(value)})"
        return self._add(
            SqlStep(
                name=self._names.step(f"summary_of_{self._names.several(keys)}"),
                outputs=(
                    f"COUNT(*) AS {self._quoted(count)}",
                    f"{expression} AS {self._quoted(average)}",
                ),
                names=(count, average),
                keys=0,
                value=1,
                expression=expression,
                clauses=(f"FROM {self._quoted(previous.name)}",),
                reads=(position,),
            )
        )

    def _baseline(self, compared: Step, baseline: Baseline, position: int) -> int:
        keys = () if baseline.key is None else (baseline.key,)
        within = f"_by_{self._names.one(keys)}" if keys else ""
        if baseline.of is BaselineOf.ROWS:
            assert isinstance(compared, Grouped)
            rows: Grouped | Overall = (
                Grouped(compared.source, keys, compared.aggregate)
                if keys
                else Overall(compared.source, compared.aggregate)
            )
            return self._base(rows, None if keys else "overall")
        previous = self.steps[position]
        value = previous.names[previous.value]
        columns = [self._quoted(key.name) for key in keys]
        dropped = tuple(key for key in keys_of(compared) if key not in keys)
        expression = f"AVG({self._quoted(value)})"
        name = self._names.output("average")
        return self._add(
            SqlStep(
                name=self._names.step(f"average_over_{self._names.several(dropped)}{within}"),
                outputs=(*columns, f"{expression} AS {self._quoted(name)}"),
                names=(*(key.name for key in keys), name),
                keys=len(keys),
                value=len(keys),
                expression=expression,
                clauses=(
                    f"FROM {self._quoted(previous.name)}",
                    *((f"GROUP BY {', '.join(columns)}",) if keys else ()),
                ),
                reads=(position,),
            )
        )

    def _value(self, position: int, beside: int) -> str:
        """Return how the value of a step is written where it is joined with another one."""
        step = self.steps[position]
        return self._named(position, step.names[step.value], beside)

    def _outputs(self, position: int, beside: int) -> tuple[str, ...]:
        step = self.steps[position]
        return tuple(
            self._named(position, step.names[each], beside)
            for each in (*range(step.keys), step.value)
        )

    def _named(self, position: int, name: str, beside: int) -> str:
        """Return an output's name, with its step's name only where the other one has it too."""
        if name.lower() in {each.lower() for each in self.steps[beside].names}:
            return _of(self.steps[position].name, name, self._rules)
        return self._quoted(name)

    def _beside(self, position: int, other: int, baseline: Baseline) -> tuple[str, ...]:
        left, right = self.steps[position].name, self.steps[other].name
        if baseline.key is None:
            joined = f"CROSS JOIN {self._quoted(right)}"
        else:
            key = baseline.key.name
            one, two = (_of(each, key, self._rules) for each in (left, right))
            joined = f"JOIN {self._quoted(right)} ON {one} = {two}"
        return (f"FROM {self._quoted(left)}", joined)


def _ranked_name(steps: Sequence[SqlStep], plan: Top, catalogue: Catalogue) -> str:
    if isinstance(plan.step, RankedRows):
        return steps[-1].name
    names = Names(catalogue, base_of(plan).source)
    for step in steps[:-1]:
        names.step(step.name)
    return names.step(f"ranked_{names.several(keys_of(plan))}")


def _aggregate(aggregate: Aggregate, source: Source, rules: EngineRules) -> str:
    columns = [_column(column, source, rules) for column in aggregate.columns]
    match aggregate.function:
        case Function.COUNT_ROWS if columns:
            return f"COUNT({columns[0]})"
        case Function.ROWS_PER_ENTITY:
            return rules.divided("COUNT(*)", f"COUNT(DISTINCT {columns[0]})")
        case Function.TOTAL_PER_ENTITY:
            return rules.divided(f"SUM({columns[0]})", f"COUNT(DISTINCT {columns[1]})")
    if aggregate.function is Function.MEAN_OF_RATIOS:
        return f"AVG({rules.divided(*columns)})"
    return _FUNCTIONS[aggregate.function].format(*columns)


def _column(column: Column, source: Source, rules: EngineRules) -> str:
    if not source.joins:
        return rules.quoted(column.name)
    return _of(column.table, column.name, rules)


def _of(owner: str, name: str, rules: EngineRules) -> str:
    return f"{rules.quoted(owner)}.{rules.quoted(name)}"


def _from(source: Source, rules: EngineRules) -> tuple[str, ...]:
    clauses = [f"FROM {rules.quoted(source.table)}"]
    for join in source.joins:
        on = " AND ".join(
            f"{_of(join.owner, column, rules)} = {_of(join.table, other, rules)}"
            for column, other in zip(join.owner_columns, join.columns, strict=True)
        )
        on = " AND ".join([on, *(_test(each, source, rules) for each in join.conditions)])
        kind = "LEFT JOIN" if join.unmatched is Unmatched.KEPT else "JOIN"
        clauses.append(f"{kind} {rules.quoted(join.table)} ON {on}")
    if source.conditions:
        tests = " AND ".join(_condition(each, source, rules) for each in source.conditions)
        clauses.append(f"WHERE {tests}")
    return tuple(clauses)


def _condition(condition: Condition | OfEntities, source: Source, rules: EngineRules) -> str:
    if isinstance(condition, Condition):
        return _test(condition, source, rules)
    entity, table = condition.entity, Source(condition.entity.table)
    tests = " AND ".join(_test(each, table, rules) for each in condition.conditions)
    records = f"SELECT {rules.quoted(entity.name)} FROM {rules.quoted(entity.table)} WHERE {tests}"
    membership = "IN" if condition.present else "NOT IN"
    return f"{_column(entity, source, rules)} {membership} ({records})"


def _test(condition: Condition, source: Source, rules: EngineRules) -> str:
    column = _column(condition.column, source, rules)
    if condition.operator is Operator.PRESENT:
        return f"{column} IS NOT NULL"
    return f"{column} {condition.operator.value} {rules.literal(condition.value)}"


def _select(outputs: Sequence[str], clauses: Sequence[str]) -> list[str]:
    lines = ["SELECT", *(f"  {output}," for output in outputs[:-1]), f"  {outputs[-1]}"]
    return [*lines, *clauses]


def _header(step: SqlStep, known: bool, rules: EngineRules) -> str:
    name = rules.quoted(step.name)
    if not known:
        return name
    return f"{name} ({', '.join(rules.quoted(each) for each in step.names)})"


def _with(entries: Sequence[tuple[str, str]], main: str) -> str:
    if not entries:
        return main
    written = []
    for header, text in entries:
        body = "\n".join(f"  {line}" for line in text.split("\n"))
        written.append(f"{header} AS (\n{body}\n)")
    return "WITH " + ", ".join(written) + "\n" + main
