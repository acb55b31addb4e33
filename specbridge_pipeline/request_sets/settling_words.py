"""The words that would settle a choice for a side, looked for with the nouns of the two queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.types import ChoiceType
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
    StepValue,
    Structure,
    TableSource,
    ZeroIfMissing,
)
from specbridge_pipeline.request_sets.records import Side
from specbridge_pipeline.request_sets.searched_text import (
    SearchedText,
    column_names,
    entity_names,
    names_pattern,
    plain_words,
    table_names,
)

_GAP = r"(?:(?!of )[^\s.,;?()]+ )"
"""A word within a phrase; 'of' would begin another one."""
_WORD = r"(?:[^\s.;?]+ )"

_ONLY_SO_MANY = (
    r"(?:exactly|only|just|precisely|no more than|at most|not more than|limited to|never more than)"
    r" (?:the )?(?:top |first )?(?:\d+|a single)(?! (?:time|decimal|digit))",
    r"(?:1|a) single",
    r"(?:any|whichever|either|some|which) (?:1 )?of (?:them|these|those|the tied)",
    r"(?:any|either|whichever) (?:1 )?(?:will|may|can|is fine)",
    r"(?:arbitrary|arbitrarily|at random|randomly)",
    r"(?:break|breaking|broken|cut|cutting|drop|dropping|ignore|ignoring|resolve|resolving)"
    rf" {_WORD}{{0,4}}tie",
    r"(?:leave|leaving|left) (?:out|off) (?:any |the |all )?(?:other |further )?tie(?:d)?",
)
_TIED = r"(?:tie|tied|tying|share|sharing|shared|same|equal)"
_ALL_TIED = (
    rf"(?:plus|also|include|including|together with|as well as|along with|and|with|keep|keeping)"
    rf" (?:also |of )*(?:every|all|any|each|other)(?: other)? {_GAP}{{0,4}}{_TIED}",
    r"all of them",
    rf"(?:every|all|any)(?: other)? {_GAP}{{0,4}}(?:tie|tied|tying)",
    r"(?:keep|keeping|include|including|with|retain|retaining) (?:the |all |any )*(?:tie|tied)",
    rf"tie {_GAP}{{0,3}}(?:include|included|kept|too|also)",
    rf"(?:every|all|each) (?:\d+ )?{_GAP}{{0,4}}(?:with|having|has|have|that|reached|reaching)"
    rf" {_WORD}{{0,2}}?(?:highest|most|largest|greatest|lowest|fewest|smallest|maximum|top)",
    r"(?:more|further|additional) (?:row|than \d+ row)",
    r"(?:as many|however many) (?:as )?(?:tie|share|there are)",
)
_UNIT_ONCE = "(?:only |just |exactly )?(?:once|equally|equal|the same|alike)"


def settled_sides(
    choice_type: ChoiceType,
    texts: Iterable[SearchedText],
    structures: dict[Side, Structure],
    catalogue: Catalogue,
) -> list[frozenset[Side]]:
    """Return for each request of a set the sides that its words settle the choice for.

    Words that all of the requests have in common belong to what the two queries share, and settle
    nothing.

    Args:
        choice_type: The choice.
        texts: The requests.
        structures: Side → its query.
        catalogue: The database.

    Returns:
        The sides for each text, in order.
    """
    sides = _patterns(choice_type, structures, catalogue)
    evidence = [_evidence(text, sides) for text in texts]
    common = evidence[0]
    for each in evidence[1:]:
        common = common & each
    if len(evidence) == 1:
        common = Counter()
    return [frozenset(side for side, _ in (each - common)) for each in evidence]


def unread_sides(
    choice_type: ChoiceType,
    text: SearchedText,
    structures: dict[Side, Structure],
    catalogue: Catalogue,
) -> frozenset[Side]:
    """Return the sides that a request cannot mean since it lacks what they are about.

    "The average salary" is no average of the teams' averages where no team is mentioned.

    Args:
        choice_type: The choice.
        text: The request.
        structures: Side → its query.
        catalogue: The database.
    """
    if choice_type is not ChoiceType.AGGREGATION_LEVEL:
        return frozenset()
    first = _nested_side(structures)
    of_ratios = _ratios_averaged(structures[first]) > _ratios_averaged(structures[first.other])
    _, _, units = _level_nouns(structures, first, of_ratios, catalogue)
    if of_ratios or not units or text.has(names_pattern(units)):
        return frozenset()
    return frozenset({first})


def _evidence(text: SearchedText, sides: dict[Side, tuple[str, ...]]) -> Counter[tuple[Side, str]]:
    """Return what is found for each side; what is named only to be ruled out counts for nothing."""
    words = _without_contrasts(text)
    found: Counter[tuple[Side, str]] = Counter()
    for side, patterns in sides.items():
        for pattern in patterns:
            found.update((side, match) for match in words.found(pattern))
    return found


def _without_contrasts(text: SearchedText) -> SearchedText:
    words = text.words
    for contrast in text.found(r"(?:rather than|instead of|as opposed to|, not) [^,.;?]*"):
        words = words.replace(contrast, ",")
    return text.narrowed(words)


def _patterns(
    choice_type: ChoiceType, structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    readers: dict[ChoiceType, Callable[..., dict[Side, tuple[str, ...]]]] = {
        ChoiceType.TIES: _tie_patterns,
        ChoiceType.COUNTING_UNIT: _counting_patterns,
        ChoiceType.AGGREGATION_LEVEL: _level_patterns,
        ChoiceType.TIME_SCOPE: _range_patterns,
        ChoiceType.STRICT_CUTOFF: _cutoff_patterns,
        ChoiceType.NEGATION: _negation_patterns,
        ChoiceType.CONDITION_LINKAGE: _linkage_patterns,
        ChoiceType.POPULATION_SCOPE: _population_patterns,
        ChoiceType.MISSING_VALUES: _missing_patterns,
    }
    reader = readers.get(choice_type)
    return {} if reader is None else reader(structures, catalogue)


_VALUE = rf"(?:the )?(?:{_GAP}{{0,2}}?)\d+(?:[\s.]\d+)?"
_ENDS = r"both(?: of them| end| limit| date| day| year| of the year| hour)?"
_RANGE_WITH_ENDS = (
    rf"{_ENDS} (?:are |being |is )*(?:include|included|count|counted|in|inclusive)",
    rf"(?:include|including|counting|with) {_ENDS}",
    r"(?:inclusive|through|up to and including|from and including)",
    rf"(?:on or (?:after|before)|no (?:earlier|later) than) {_VALUE}",
)
_RANGE_WITHOUT_ENDS = (
    rf"{_ENDS} (?:are |being |is )*(?:exclude|excluded|out|exclusive|left out|not counted)",
    rf"(?:exclude|excluding|without|leaving out) {_ENDS}",
    r"(?:exclusive|strictly(?: \S+)?)",
)
_AT_LEAST = (
    rf"(?:at least|(?:no|not) (?:less|fewer|lower|below)(?: than)?|minimum of) {_VALUE}",
    r"\d+ (?:or|and) (?:more|above|over|higher|greater|longer|later|up)",
    r"(?:>=|≥|equal to or (?:more|above|greater))",
)
_MORE_THAN = (
    rf"(?<!no )(?<!not )(?:more|greater|higher|longer|larger|bigger) than {_VALUE}",
    rf"(?:above|over|beyond|exceed|exceeds|exceeding) {_VALUE}",
)
_NO_RECORD_AT_ALL = (
    rf"(?:leaving out|leave out|exclude|excluding|without|drop|dropping) (?:all|every|any|each)"
    rf" {_GAP}{{1,4}}?(?:that|which|who|with)",
    r"(?:that|which|who) (?:have|has) (?:no|never|not 1|not any)",
    r"(?:never|not even 1|none of (?:their|it|the)|no \S+ at all)",
)
_OTHER_RECORDS_COUNT = (
    r"(?:leaving out|leave out|exclude|excluding|drop|dropping) (?:only|just)",
    r"(?:other than|themselve|different from|anything but|all but)",
    rf"(?:is|are) not {_GAP}{{0,1}}?\S+ [,.?]",
)
_IN_ONE_RECORD = (
    r"(?:in|on|within|by) (?:1 and the same|the same|1 single|a single|1|1 of (?:their|it))"
    r" (?!or )\S+",
    r"(?:at once|simultaneously|at the same time|together)",
)
_IN_ANY_RECORDS = (
    r"(?:in|on|by|within) any (?:1 )?of (?:the|their|it|they)",
    r"(?:separately|not necessarily|even if in|the same or (?:another|a different|different))",
    r"(?:in|on) (?:different|separate|several)",
)
_ZERO_COUNTS = (
    r"(?:count|counting|counted|as|with|at|of) (?:a )?(?:0|nought|nil)(?! (?:filter|or))",
    r"(?:include|including|keep|keeping) (?:the |those |every |all |also )*\S+ (?:without|with no)",
    r"(?:whether or not|even if|even those|all of the)",
)
_WITHOUT_ZERO_COUNTS = (
    rf"(?:leaving out|leave out|ignore|ignoring|exclude|excluding|drop|dropping|skip|skipping"
    rf"|(?:not|without) counting)"
    rf" (?:the |those |all |any )*{_GAP}{{0,3}}?(?:without|with no|that have no|who have no)",
    rf"only (?:the |those |count |counting )*{_GAP}{{0,3}}?(?:with|that have|who have|which have)",
    r"(?:that|who|which) (?:have|has) (?:any|some|at least 1)",
)


def _range_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    with_ends = _side_with(structures, lambda each: _operators(each) >= {">=", "<="})
    return {with_ends: _RANGE_WITH_ENDS, with_ends.other: _RANGE_WITHOUT_ENDS}


def _cutoff_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    inclusive = _side_with(structures, lambda each: ">=" in _operators(each))
    return {inclusive: _AT_LEAST, inclusive.other: _MORE_THAN}


def _negation_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    whole = _side_with(structures, lambda each: bool(_memberships(each)))
    return {whole: _NO_RECORD_AT_ALL, whole.other: _OTHER_RECORDS_COUNT}


def _linkage_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    together = _side_with(structures, lambda each: len(_memberships(each)) == 1)
    return {together: _IN_ONE_RECORD, together.other: _IN_ANY_RECORDS}


def _population_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    everyone = _side_with(
        structures,
        lambda each: any(join.kind is JoinKind.LEFT for step in each.steps for join in step.joins),
    )
    return {everyone: _ZERO_COUNTS, everyone.other: _WITHOUT_ZERO_COUNTS}


def _missing_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    zeros = {side: _zeros(structure) for side, structure in structures.items()}
    required = {side: _required(structure) for side, structure in structures.items()}
    if required[Side.A] == required[Side.B] and zeros[Side.A] == zeros[Side.B]:
        return _population_patterns(structures, catalogue)
    taken_in = _side_with(structures, lambda each: bool(_zeros(each)))
    columns = zeros[taken_in] - zeros[taken_in.other]
    if not columns:
        left_out = Side.A if required[Side.A] > required[Side.B] else Side.B
        taken_in, columns = left_out.other, required[left_out] - required[left_out.other]
    names = [name for each in columns for name in entity_names(catalogue, each.table, each.column)]
    value = rf"(?:a |an |any |the |it |recorded |known |given )*{names_pattern(names)}"
    lacking = rf"(?:without|no|lack|lacking|missing|unknown|unrecorded|blank|empty) {value}"
    near = rf"(?:(?!{_KEEPING} |{_LEAVING} )[^\s.,;?]+ )"
    groups = (
        rf"(?:{_KEEPING}) (?:out )?{near}{{0,9}}?{lacking}",
        rf"{lacking} {near}{{0,6}}?(?:group|category)",
        r"group of (?:it|their|its) own|(?:it|their|its|an) own group",
    )
    zero = (
        rf"{lacking} {near}{{0,5}}?(?:as|with|for|to|by|of) (?:a )?(?:0|nought|nil)",
        rf"(?:0|nought|nil) (?:for|where|when|if|in) {near}{{0,7}}?{lacking}",
    )
    return {
        taken_in: zero if zeros[taken_in] else groups,
        taken_in.other: (
            rf"(?:{_LEAVING}) (?:out |off )?{near}{{0,9}}?{lacking}",
            rf"{lacking} {near}{{0,3}}?(?:left|ignored|excluded|dropped|omitted|skipped)",
            rf"only {near}{{0,4}}?(?:with|have|has|having|whose) {value}",
            rf"{value} (?:is |are )?(?:known|recorded|given|available|not missing)",
        ),
    }


_KEEPING = "keep|keeping|kept|include|including|retain|retaining|count|counting|treat|treating"
_LEAVING = (
    "leave|leaving|ignore|ignoring|exclude|excluding|drop|dropping|skip|skipping|omit|omitting"
    "|disregard|disregarding"
)


def _zeros(structure: Structure) -> frozenset[ColumnValue]:
    """Return the columns whose missing values are averaged as zero."""
    return frozenset(
        value.argument.value
        for step in structure.steps
        for value in _aggregates(step)
        if isinstance(value.argument, ZeroIfMissing)
    )


def _required(structure: Structure) -> frozenset[ColumnValue]:
    """Return the columns without whose values a row is left out."""
    return frozenset(
        condition.value
        for step in structure.steps
        for condition in step.conditions
        if isinstance(condition, Missing)
        and condition.negated
        and isinstance(condition.value, ColumnValue)
    )


def _side_with(structures: dict[Side, Structure], has: Callable[[Structure], bool]) -> Side:
    """Return the side whose query alone has something."""
    return Side.A if has(structures[Side.A]) else Side.B


def _operators(structure: Structure) -> set[str]:
    """Return the operators by which the rows of tables are compared with values."""
    return {
        condition.operator
        for step in structure.steps
        if isinstance(step.sources[0], TableSource)
        for condition in step.conditions
        if isinstance(condition, Comparison) and isinstance(condition.right, Literal)
    }


def _memberships(structure: Structure) -> list[Membership]:
    return [
        condition
        for step in structure.steps
        for condition in step.conditions
        if isinstance(condition, Membership)
    ]


def _tie_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    limits = {
        side: sum(step.limit is not None for step in s.steps) for side, s in structures.items()
    }
    limited = Side.A if limits[Side.A] > limits[Side.B] else Side.B
    return {limited: _ONLY_SO_MANY, limited.other: _ALL_TIED}


def _counting_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    counts = {side: _distinct_counts(structure) for side, structure in structures.items()}
    entities = Side.A if len(counts[Side.A]) > len(counts[Side.B]) else Side.B
    extra = list((Counter(counts[entities]) - Counter(counts[entities.other])).elements())
    names: list[str] = []
    tables: list[str] = []
    for step, column in extra:
        names += entity_names(catalogue, column.table, column.column)
        tables += [source.table for source in step.sources[:1] if isinstance(source, TableSource)]
    records: list[str] = []
    for table in tables:
        records += table_names(catalogue.table(table))
    # A flight's number is no flight, though "flight" is short for "flight number"; and of a table
    # of managers whose rows are manager records, "manager" means the person.
    rows = [noun for table in tables for noun in _row_nouns(catalogue, table)]
    names = _without(names, rows) or names
    records = _without(records, names)
    # "Counting every pair" counts film category pairs; "every category" would not.
    own = {word for name in names for word in plain_words(name)}
    heads = sorted({plain_words(each)[-1] for each in records} - own)
    entity, record = names_pattern(names), names_pattern(records)
    any_record = f"(?:{record}|{'|'.join(heads) or '(?!)'}|row|record|entry|appearance|time)"
    for_each = r"(?:for|per) (?:each|every|a|any|1)?"
    once = rf"(?:once|1 time)(?! {for_each})(?! per)"
    return {
        entities: (
            rf"(?:different|distinct|unique|separate|deduplicated) (?:{_GAP}{{0,1}})?{entity}",
            rf"(?:each|every|a|the same|any) {_GAP}{{0,2}}"
            rf"(?:count |is counted |being counted |counted )?(?:only |just )?{once}",
            rf"count(?:ed|ing)? {_WORD}{{0,5}}?{once}",
            r"(?:without|no) (?:repeat|duplicate|repetition|double counting)",
            rf"{entity} (?:are |is )?(?:counted )?(?:only|just) {once}",
        ),
        entities.other: (
            rf"(?:number|count|total) of (?:all |the |all the )?{record}",
            rf"(?:how many|count(?:ing)?) (?:all |the |all the )?{record}",
            rf"count(?:ing|ed)? (?:every|each|all)(?: of)?(?: the)? {_GAP}{{0,1}}?{any_record}",
            rf"(?:every|each) {_GAP}{{0,1}}?{any_record} (?:count|is counted|counted|counting)",
            rf"once {for_each} ?{_GAP}{{0,2}}?(?:{any_record}|[a-z_]+)",
            rf"(?:again|anew|separately) (?:for|in) (?:each|every) {_GAP}{{0,2}}?{any_record}",
            r"(?:each|every) time",
            r"(?:as often as|as many time as|more than once|several time|multiple time|repeatedly)",
            r"(?:with|including|keeping) (?:repeat|duplicate|repetition)",
        ),
    }


def _row_nouns(catalogue: Catalogue, table: str) -> tuple[str, str]:
    found = catalogue.table(table)
    return found.singular, found.plural


def _without(names: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the names that are none of the others, in the singular or plural."""
    excluded = [plain_words(each) for each in others]
    return [each for each in names if plain_words(each) not in excluded]


def _distinct_counts(structure: Structure) -> list[tuple[Step, ColumnValue]]:
    return [
        (step, value.argument)
        for step in structure.steps
        for value in _aggregates(step)
        if value.function is AggregateFunction.COUNT_DISTINCT
        and isinstance(value.argument, ColumnValue)
    ]


def _level_patterns(
    structures: dict[Side, Structure], catalogue: Catalogue
) -> dict[Side, tuple[str, ...]]:
    first = _nested_side(structures)
    pooled = first.other
    of_ratios = _ratios_averaged(structures[first]) > _ratios_averaged(structures[pooled])
    records, measures, units = _level_nouns(structures, first, of_ratios, catalogue)
    record = names_pattern(records)
    unit = record if of_ratios else names_pattern(units)
    rows = _without([*records, *measures], () if of_ratios else units)
    once_first, once_pooled = _once(unit), _once(names_pattern(rows))
    kept = r"(?:(?!divided |by |over |to |per |of |and |all )[^\s.,;?()]+ )"
    each_first = [
        rf"(?:average|mean) (?:of|over|across) (?:the |their |these |those |all |it |each |every )*"
        rf"{kept}{{0,4}}?(?:average|mean|ratio|rate|quotient)",
        r"(?:average|averaged|averaging|mean of) (?:these|those|them)(?: \S+)?",
        rf"(?:average|averaging|averaged) (?:the |it |their )?{kept}{{0,3}}?"
        r"(?:ratio|rate|quotient)",
        r"(?:then|before|afterward) (?:\S+ )?(?:average|averaged|averaging|the average of)",
        rf"(?:for|within|in|by|per|of) (?:each|every) {_GAP}{{0,2}}?first",
        rf"first {_WORD}{{0,8}}?(?:for|within|in|by|per|of) (?:each|every) {unit}",
        r"(?:unweighted|simple average|simple mean|equally weighted|equal weight)",
        rf"per {unit} average",
        rf"(?:average|mean) (?:over|across|of|for) (?:all |the )*{_GAP}{{0,3}}?"
        rf"of (?:each|every) {unit}",
    ]
    all_together = [
        rf"(?:average|averaged|averaging|mean) (?:(?!average|mean){_WORD}){{0,6}}?"
        rf"(?:(?:over|across|from|together) (?:all|every|each|the individual|every single)|of all) "
        rf"(?:the |of the |individual |single )*"
        rf"(?:{_GAP}{{0,2}}?){record}(?! average)",
        rf"all (?:of )?(?:the |individual )*{_GAP}{{0,3}}?(?:together|at once|directly|pooled)",
        r"(?:pooled|pooling|pool|taken together|combined)",
        rf"(?:whatever|regardless of|irrespective of|no matter) (?:the |it |their |which )*{unit}",
        r"(?:weigh|weighs|weighing|count|counting) (?:for )?more",
        r"(?:weighted|directly over|straight over)",
    ]
    if of_ratios:
        quantity = "(?:average|total|sum|mean)"
        all_together += [
            rf"{quantity} {_WORD}{{0,6}}?(?:divided by|over|to|by|per|and divide by) "
            rf"(?:the |it |their |that |of )*{quantity}",
            rf"(?:divide|dividing) {_WORD}{{0,3}}?{quantity} {_WORD}{{0,12}}?by {_WORD}{{0,2}}?"
            rf"{quantity}",
            rf"(?:ratio|quotient) of (?:the |their |it |2 )*{quantity}",
        ]
        each_first += [
            rf"(?:each|every) {unit} (?:own )?(?:{_GAP}{{0,4}}?)(?:ratio|rate|divided|per)",
            rf"(?:of|for|over|in|within) (?:each|every) {unit}",
        ]
    else:
        each_first += [
            rf"(?:average|mean) of (?:the |each |every |all )*{unit} {_GAP}{{0,3}}?"
            r"(?:average|mean)",
        ]
        all_together += [
            rf"(?:average|averaging|mean of) (?:over |of )?(?:all|every|each) "
            rf"(?:the |of the |individual )*(?:{record}|{names_pattern(measures)})(?! average)",
        ]
    return {
        first: (*each_first, *once_first),
        pooled: (*all_together, *(() if of_ratios else once_pooled)),
    }


def _nested_side(structures: dict[Side, Structure]) -> Side:
    """Return the side that averages values worked out before."""
    nested = {side: len(_nested_averages(structure)) for side, structure in structures.items()}
    return Side.A if nested[Side.A] > nested[Side.B] else Side.B


def _once(unit: str) -> tuple[str, ...]:
    """Return patterns for a unit of which each one counts once."""
    return (
        rf"(?:each|every|all) {_GAP}{{0,2}}?{unit} (?:is |are |being |has |have |get )*"
        rf"(?:count|counted|counting|weigh|weighted|weight|given|treated|considered) {_UNIT_ONCE}",
        rf"count(?:ed|ing)? (?:each|every|all) {_GAP}{{0,2}}?{unit} {_UNIT_ONCE}",
        rf"(?:equal|same) weight (?:to|for) (?:each|every|all) (?:the )?{unit}",
        rf"(?:each|every) {unit} (?:has|have|having|with|get|carries|given) "
        r"(?:an |the )?(?:equal|same) weight",
    )


def _level_nouns(
    structures: dict[Side, Structure], first: Side, of_ratios: bool, catalogue: Catalogue
) -> tuple[list[str], list[str], list[str]]:
    """Return names of the averaged rows, of what is averaged, and of the groups averaged first."""
    records: list[str] = []
    measures: list[str] = []
    units: list[str] = []
    extra = Counter(_nested_averages(structures[first]))
    extra -= Counter(_nested_averages(structures[first.other]))
    for step, value in extra or Counter(_nested_averages(structures[first])):
        inner = step
        if not of_ratios and isinstance(value, StepValue):
            inner = structures[first].steps[value.step]
            kept = {_base(structures[first], key) for key in step.keys}
            for key in inner.keys:
                base = _base(structures[first], key)
                if base not in kept and isinstance(base, ColumnValue):
                    column = catalogue.column(base.table, base.column)
                    units += column_names(column)
                    table = catalogue.table(base.table)
                    units += table_names(table) if table.key == (column.name,) else ()
        for source in inner.sources[:1]:
            if isinstance(source, TableSource):
                records += table_names(catalogue.table(source.table))
        for aggregate in _aggregates(inner):
            if isinstance(aggregate.argument, ColumnValue):
                column = catalogue.column(aggregate.argument.table, aggregate.argument.column)
                measures += column_names(column)
    return records, measures, units


def _nested_averages(structure: Structure) -> list[tuple[Step, Expression]]:
    """Return averages of averages and of ratios of columns: the step, and what is averaged."""
    return [
        (step, value.argument)
        for step in structure.steps
        for value in _aggregates(step)
        if value.function is AggregateFunction.AVERAGE
        and value.argument is not None
        and (_divides(value.argument) or _is_average(structure, value.argument))
    ]


def _ratios_averaged(structure: Structure) -> int:
    return sum(_divides(value) for _, value in _nested_averages(structure))


def _divides(value: Expression) -> bool:
    return isinstance(value, Arithmetic) and (
        value.operator == "/" or _divides(value.left) or _divides(value.right)
    )


def _is_average(structure: Structure, value: Expression) -> bool:
    base = _base(structure, value) if isinstance(value, StepValue) else None
    return isinstance(base, Aggregate) and base.function is AggregateFunction.AVERAGE


def _base(structure: Structure, value: Expression) -> Expression:
    while isinstance(value, StepValue):
        value = structure.steps[value.step].outputs[value.output].value
    return value


def _aggregates(step: Step) -> list[Aggregate]:
    found: list[Aggregate] = []
    waiting = [output.value for output in step.outputs]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, Aggregate):
            found.append(value)
        elif isinstance(value, Arithmetic):
            waiting += [value.left, value.right]
        elif isinstance(value, Rank):
            waiting += [key.value for key in value.order if key.value not in found]
    return list(dict.fromkeys(found))
