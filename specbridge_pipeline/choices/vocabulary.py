"""The words by which an English text talks about a choice of each type.

They tell whether an explanation speaks of the choice at all, not which side it takes.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from specbridge_pipeline.choices.types import ChoiceType

_WORDS = {
    ChoiceType.AGGREGATION_LEVEL: (
        r"average of (?:the )?averages?|mean of (?:the )?(?:means|ratios|rates|averages)|"
        r"(?:each|every) \w+ (?:counts?|counted|weigh\w*|equally|once)|weight\w*|pooled|"
        r"ratio of (?:the )?(?:totals?|sums?|averages?)|per-\w+ averages?|"
        r"(?:total|sum|all) \w+(?: \w+)? divided by|averag\w+ (?:each|per|within|across|over all)|"
        r"(?:team|carrier|group|airline)s?'? averages?"
    ),
    ChoiceType.COUNTING_UNIT: (
        r"distinct|unique|different|duplicat\w*|more than once|only once|several times|"
        r"multiple times|(?:each|every) (?:time|player|plane|row|record|flight)|"
        r"(?:rows?|records?) (?:or|rather than|instead of)|repeat\w*"
    ),
    ChoiceType.MISSING_VALUES: (
        r"missing|null|unknown|not recorded|unrecorded|no (?:recorded )?(?:value|delay|data)|"
        r"without (?:a|any) |cancel\w+|blank|as zero|zero flights|excluded? from the total"
    ),
    ChoiceType.STRICT_CUTOFF: (
        r"inclusive|exclusive|strict\w*|exactly|at least|or more|greater than or equal|"
        r"equal to|includ\w+ (?:the )?(?:cutoff|threshold|\d+)|more than|at the cutoff|>=|>"
    ),
    ChoiceType.TIES: (r"\btie[sd]?\b|same (?:number|count|value|place)|share\w* the|equally high"),
    ChoiceType.CALCULATION: r"formula|divided by|difference|ratio|computed as|calculated as",
    ChoiceType.QUANTIFIER: r"\ball\b|\bany\b|every|at least one|some",
    ChoiceType.CONDITION_LINKAGE: r"same (?:row|record)|both|together|separately|either",
    ChoiceType.NEGATION: r"\bnot\b|\bno\b|without|never|none|exclud\w+",
    ChoiceType.POPULATION_SCOPE: r"all|only|population|subset|overall|within",
    ChoiceType.REFERENT_COLUMN: r"column|field|refers? to|name of",
    ChoiceType.RELATIONSHIP_ROLE: r"role|relationship|link\w*|as (?:a|the) ",
    ChoiceType.TIME_SCOPE: r"time|date|year|period|since|until|between",
    ChoiceType.VALUE_MATCHING: r"match\w*|case|exact\w*|contain\w*|spelling",
}

CHOICE_WORDS = MappingProxyType(
    {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _WORDS.items()}
)
"""Choice type → pattern of the words that speak of it."""
