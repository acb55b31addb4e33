"""From a query to its exact description: numbered steps in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.exact_description.queries.canonical import content_of
from specbridge_pipeline.exact_description.queries.model import (
    All,
    ColumnOf,
    Combination,
    Comparison,
    Condition,
    Expression,
    FunctionRows,
    HasRows,
    Join,
    JoinKind,
    ListedRows,
    Literal,
    Missing,
    OutputOf,
    Query,
    Repetition,
    RowsSoFar,
    Same,
    Selection,
    Step,
    StepRows,
    TableRows,
)
from specbridge_pipeline.exact_description.queries.step_facts import StepFacts
from specbridge_pipeline.exact_description.wording.conventions import conventions
from specbridge_pipeline.exact_description.wording.phrases import (
    COLLATED,
    IN_THE_SAME_WAY,
    PUT_TOGETHER,
)
from specbridge_pipeline.exact_description.wording.plain_names import listed, place_word, shown_name
from specbridge_pipeline.exact_description.wording.values import Wording
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules

_OPEN_CHOICE = "Where rows are tied at the cut, which of them are passed over is not determined."
_NO_CHOICE = "Which rows are first is not determined."


def sentences(query: Query, catalogue: Catalogue | None, engine: Engine = Engine.SQLITE) -> str:
    """Describe a query in English so that nothing that can change its result is left open.

    Args:
        query: The query in its canonical form.
        catalogue: What tables and columns are called; None for names alone.
        engine: The engine that runs the query.

    Returns:
        The text, one paragraph a step, outputs on lines of their own. Queries that differ only in
        names of steps, and in the order of parts whose order means nothing, have the same text.
    """
    writer = _Writer(query, catalogue, rules_of(engine))
    return "\n".join(writer.step(index) for index in range(len(query.steps)))


class _Writer:
    def __init__(self, query: Query, catalogue: Catalogue | None, rules: EngineRules) -> None:
        self._query = query
        self._rules = rules
        self._facts = StepFacts(query)
        self._words = Wording(query, self._facts, catalogue)

    def step(self, at: int) -> str:
        step = self._query.steps[at]
        is_last = at == len(self._query.steps) - 1
        lines = [*self._outer_rows(at)]
        body = step.body
        if isinstance(body, Selection):
            lines += self._rows(at, body)
            lines += self._groups(at, body)
            lines.append(self._intro(at, body, is_last))
            lines += self._outputs(at, step, body, is_last)
        elif isinstance(body, Combination):
            lines += self._combination(at, step, body, is_last)
        elif isinstance(body, Repetition):
            lines += self._repetition(at, step, body, is_last)
        else:
            lines += self._listed(at, step, body, is_last)
        lines += [
            " ".join(found)
            for part in (conventions(step, self._rules), self._selection(at, step, is_last))
            if (found := list(part))
        ]
        return f"{at + 1}. " + "\n   ".join(lines)

    def _outer_rows(self, at: int) -> Iterator[str]:
        owners = [f"step {owner + 1}" for owner in self._facts.owners(at)]
        if owners:
            yield (
                f"This step is worked out anew for each row of {listed(owners)}, the current row."
            )

    # Source rows.

    def _rows(self, at: int, body: Selection) -> Iterator[str]:
        if body.sources:
            first, name = body.sources[0], self._words.source(at, 0)
            if isinstance(first, TableRows):
                yield f"Take all rows of {name}."
            elif isinstance(first, FunctionRows):
                yield f"Take all rows that the function gives: {name}."
            elif isinstance(first, RowsSoFar):
                yield "Take the row at hand."
            elif self._facts.gives_one_row(first.step):
                yield f"Take the single row of {name}."
            else:
                yield f"Take the rows of {name}."
        rules_before: list[str] = []
        for join in body.joins:
            pairing, *rules = self._join(at, body, join)
            yield " ".join(
                [pairing, *([IN_THE_SAME_WAY] if rules and rules == rules_before else rules)]
            )
            rules_before = rules
        if body.condition is not None:
            kept = f"Keep only the rows where {self._words.condition(at, body.condition)}."
            yield kept + self._undecided(
                at, body.condition, "A row in which a compared value is missing is not kept.", "row"
            )

    def _undecided(self, at: int, condition: Condition, plain: str, rows: str) -> str:
        """Say what becomes of rows for which a condition neither holds nor does not."""
        parts = condition.parts if isinstance(condition, All) else (condition,)
        if all(isinstance(each, Comparison | Missing) for each in parts):
            return f" {plain}" if self._facts.compares_missing(at, condition) else ""
        if all(isinstance(each, Missing | HasRows | Same) for each in parts):
            return ""
        return f" A {rows} for which a missing value leaves this undecided is not kept."

    def _join(self, at: int, body: Selection, join: Join) -> Iterator[str]:
        name = self._words.source(at, join.source)
        source = body.sources[join.source]
        each = "each of them" if join.source == 1 else "each resulting row"
        later = self._words.later(at, join.source)
        if join.kind is JoinKind.CROSS:
            if isinstance(source, StepRows) and self._facts.gives_one_row(source.step):
                yield f"Beside {each}, put the single row of {name}."
            elif isinstance(source, RowsSoFar):
                yield f"Beside {each}, put {name}."
            else:
                yield f"Pair {each} with every row of {name}."
            return
        if isinstance(source, RowsSoFar) and join.on is not None:
            matching = self._words.condition(at, join.on)
            yield f"Pair {each} with {name} if {matching}."
        elif join.on is None:
            yield f"Pair {each} with every row of {name}."
        else:
            matching = self._words.condition(at, join.on)
            yield f"Pair {each} with every row of {name} for which {matching}."
        repeated = "A row with several matches is repeated, once for each"
        kept_right = (
            f"a row of {later} without a match is kept once, with all values of the others missing"
        )
        kept_left = f"a row without a match is kept once, with all values of {later} missing"
        if join.kind is JoinKind.LEFT:
            yield f"{repeated}; {kept_left}; rows of {later} without a match are left out."
        elif join.kind is JoinKind.RIGHT:
            yield f"{repeated}; {kept_right}; other rows without a match are left out."
        elif join.kind is JoinKind.FULL:
            yield f"{repeated}; {kept_left}; {kept_right}."
        else:
            yield f"{repeated}; rows without a match, on either side, are left out."
        if join.on is not None:
            undecided = self._undecided(at, join.on, "A missing value matches nothing.", "pair")
            if undecided:
                yield undecided.strip()

    # Groups.

    def _groups(self, at: int, body: Selection) -> Iterator[str]:
        if body.keys:
            names = [self._words.key(at, key) for key in body.keys]
            of = "combination of" if len(names) > 1 else "different value of"
            yield (
                f"Form one group for each {of} {listed(names)}; a missing value counts as a value "
                "of its own."
            )
        if body.group_condition is not None:
            kept = self._words.condition(at, body.group_condition)
            if body.keys:
                yield f"Keep only the groups where {kept}." + self._undecided(
                    at,
                    body.group_condition,
                    "A group in which a compared value is missing is not kept.",
                    "group",
                )
            else:
                yield (
                    f"Go on only if, over all these rows, {kept}; otherwise, and where a compared "
                    "value is missing, nothing is returned."
                )

    def _intro(self, at: int, body: Selection, is_last: bool) -> str:
        columns = _columns(len(body.values))
        if body.keys:
            rows = "For each group"
        elif body.grouped:
            rows = "From all these rows together, even if there are none," + (
                " return a single row" if is_last else " work out a single row"
            )
            return rows + (f" with {columns}:" if is_last else ":")
        elif not body.sources:
            rows = "Once"
        elif self._facts.reads_one_row(at):
            rows = "For this row"
        else:
            rows = "For each row"
        return f"{rows}, return {columns}:" if is_last else f"{rows}, work out:"

    def _outputs(self, at: int, step: Step, body: Selection, is_last: bool) -> list[str]:
        lines = []
        for position, (name, value) in enumerate(zip(step.names, body.values, strict=True)):
            text = self._words.value(at, value)
            if is_last:
                lines.append(f"- {self._named(at, name, value, text)}")
            else:
                lines.append(f"({self._words.label(at, position)}) {text}")
        return lines

    def _named(self, at: int, name: str, value: Expression, text: str) -> str:
        if not name:
            return f"(any name): {text}"
        name = shown_name(name)
        if isinstance(value, OutputOf):
            return f"{name}: {text.removesuffix(f' ({name})')}"
        if isinstance(value, ColumnOf) and (text == name or text.startswith(f"{name} [")):
            return text
        return f"{name}: {text}"

    # Rows that no single SELECT gives.

    def _combination(self, at: int, step: Step, body: Combination, is_last: bool) -> Iterator[str]:
        texts = [f"Start with the rows of step {body.first + 1}."]
        texts += [
            PUT_TOGETHER[operator].format(name=f"step {other + 1}")
            for operator, other in body.others
        ]
        if any(operator != "union_all" for operator, _ in body.others):
            collated = _collated(body.collations)
            texts.append(f"A missing value is like another missing value{collated}.")
        yield " ".join(texts)
        yield self._gained(step, is_last)
        parts = (body.first, *(other for _, other in body.others))
        for position in range(len(step.names)):
            labels = [self._words.label(part, position) for part in parts]
            labels[0] = self._words.labelled(body.first, position)
            yield self._column_line(at, step, position, listed(labels), is_last)

    def _gained(self, step: Step, is_last: bool) -> str:
        verb = "return" if is_last else "keep"
        return f"For each row so gained, {verb} {_columns(len(step.names))}:"

    def _column_line(self, at: int, step: Step, position: int, text: str, is_last: bool) -> str:
        if not is_last:
            return f"({self._words.label(at, position)}) {text}"
        name = step.names[position]
        return f"- {shown_name(name)}: {text}" if name else f"- (any name): {text}"

    def _repetition(self, at: int, step: Step, body: Repetition, is_last: bool) -> Iterator[str]:
        names = listed([f"step {each + 1}" for each in body.repeated])
        kept = (
            "unless there has been such a row before" if body.distinct else "even if they are alike"
        )
        which = "any one"
        if step.order:
            which = f"the first one when they are ordered {self._words.order(at, step.order)}"
        yield (
            f"Start with the rows of step {body.first + 1}. As long as there is a row that was not "
            f"yet at hand, take {which} of these as the row at hand, and add the rows that {names} "
            f"{'give' if len(body.repeated) > 1 else 'gives'} for it, {kept}."
        )
        yield self._gained(step, is_last)
        parts = (body.first, *body.repeated)
        for position in range(len(step.names)):
            labels = [self._words.label(part, position) for part in parts]
            labels[0] = self._words.labelled(body.first, position)
            yield self._column_line(at, step, position, listed(labels), is_last)

    def _listed(self, at: int, step: Step, body: ListedRows, is_last: bool) -> Iterator[str]:
        rows = [
            f"({', '.join(self._words.operand(at, value) for value in row)})" for row in body.rows
        ]
        yield f"Write out {'this row' if len(rows) == 1 else 'these rows'}: {', '.join(rows)}."
        yield self._gained(step, is_last)
        for position in range(len(step.names)):
            text = f"the {place_word(position)} value"
            yield self._column_line(at, step, position, text, is_last)

    # Order and cut.

    def _selection(self, at: int, step: Step, is_last: bool) -> Iterator[str]:
        body = step.body
        if isinstance(body, Selection) and body.distinct:
            which = "all of these values" if len(body.values) > 1 else "this value"
            yield f"Rows that are alike in {which} are given only once{_collated(body.collations)}."
            contents = {content_of(value) for value in body.values}
            if any(content_of(key.value) not in contents for key in step.order):
                yield (
                    "Where such rows differ in what they are sorted by, which of them counts is "
                    "not determined."
                )
        repeats = isinstance(body, Repetition)
        if step.order and not repeats:
            yield f"Sort the rows {self._words.order(at, step.order)}."
        if step.offset is not None and not isinstance(step.offset, Literal):
            yield f"Pass over as many rows as this says: {self._words.value(at, step.offset)}."
        single = isinstance(body, Selection) and body.grouped and not body.keys
        if step.limit is None:
            yield from self._uncut(step, is_last, single or self._facts.gives_one_row(at))
            return
        yield from self._cut(at, step, is_last)

    def _uncut(self, step: Step, is_last: bool, single: bool) -> Iterator[str]:
        if step.offset is not None:
            if isinstance(step.offset, Literal):
                count = step.offset.value
                assert isinstance(count, int)
                yield f"Pass over the first {_counted(count)} and return all others."
            yield _OPEN_CHOICE if step.order else _NO_CHOICE
        elif is_last and not single:
            if step.order and not isinstance(step.body, Repetition):
                yield "Rows that are tied in this come in any order."
            else:
                yield "The rows come in any order."

    def _cut(self, at: int, step: Step, is_last: bool) -> Iterator[str]:
        verb = "Return" if is_last else "Keep"
        limit = step.limit
        place = "first" if step.offset is None else "next"
        if not isinstance(limit, Literal) or not isinstance(limit.value, int):
            assert limit is not None
            yield (
                f"{verb} only the {place} rows, as many as this says: "
                f"{self._words.value(at, limit)}; all if it is negative."
            )
            yield "Which of several rows tied at the cut are taken is not determined."
            return
        count = limit.value
        if count == 0:
            yield f"{verb} no row at all."
            return
        offset = step.offset
        if isinstance(offset, Literal) and isinstance(offset.value, int):
            yield f"Pass over the first {_counted(offset.value)}."
        if isinstance(step.body, Repetition):
            yield f"Stop when {_rows(count)} {'is' if count == 1 else 'are'} gained."
            return
        if not step.order:
            which = "it is" if count == 1 else "they are"
            yield f"{verb} only {_rows(count)}; which {which} is not determined."
        elif count == 1 and offset is None:
            yield (
                f"{verb} only the first row. Where several rows are tied for it, still only one "
                "is taken, and which of them is not determined."
            )
        else:
            yield f"{verb} only the {place} {_counted(count)}, or all if there are fewer."
            yield (
                f"Where rows are tied at the cut, still no more than {_rows(count)} "
                f"{'is' if count == 1 else 'are'} taken, and which of the tied ones is not "
                "determined."
            )


def _columns(count: int) -> str:
    return "this column" if count == 1 else "these columns in this order"


def _collated(collations: tuple[str, ...]) -> str:
    return "".join(
        f"; the {place_word(at)} value is compared{COLLATED[collation]}"
        for at, collation in enumerate(collations)
        if collation
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _counted(count: int) -> str:
    """Return what stands after "the first"."""
    return "row" if count == 1 else f"{count} rows"
