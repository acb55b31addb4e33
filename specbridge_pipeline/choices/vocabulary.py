"""The words by which an English text speaks of a choice of each type, and takes a side of it.

They tell whether a text speaks of the choice, and which of its sides the text brings up. They do
not tell whether it calls the choice open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from specbridge_pipeline.choices.types import ChoiceType

SPOKEN_OF = "spoken of"
"""What `ChoiceVocabulary.ideas` calls it that a text speaks of the choice at all."""


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


@dataclass(frozen=True, slots=True)
class ChoiceVocabulary:
    """The words of one choice type.

    Attributes:
        about: Words that speak of the choice, whatever side they take.
        sides: Name of a side → words that take it. Types whose sides differ from set to set have
            none.
    """

    about: re.Pattern[str]
    sides: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    def ideas(self, text: str) -> frozenset[str]:
        """Return what a text says of the choice: that it is spoken of, and the sides it takes."""
        sides = {name for name, words in self.sides.items() if words.search(text)}
        if not sides and not self.about.search(text):
            return frozenset()
        return frozenset({SPOKEN_OF, *sides})


_TIE = r"(?:\bties?\b|\btied\b|\btying\b)"

_MISSING = r"""
    \bmissing\b | \bnulls?\b | \bblanks?\b | \bunrecorded\b | \bunknown\b | \bcancel\w+
    | \b(?:not|never)\ (?:recorded|available|known|reported)\b
    | \b(?:no|without)\ (?:an?\ |any\ )?(?:recorded\ )?(?:[\w-]+\ ){0,2}
        (?:values?|data|delays?|hand|flights?|records?|entries)\b
    | \bzero\ flights\b | \b(?:did|do|does)\ not\ fly\b | \bnever\ (?:flew|fly)\b
    | \b(?:is|are|was|been)\ recorded\b | \bknown\b
"""

_ROW = "row|record|entry|occurrence|appearance|instance"
_ROWS = "rows|records|entries|occurrences|appearances|instances"

_VOCABULARY = {
    ChoiceType.AGGREGATION_LEVEL: ChoiceVocabulary(
        about=_words(
            r"""
            \bweigh\w*
            | \bcounts?\ (?:equally|once)
            | \b(?:which|what)\ level | \blevel\ of\ aggregation
            """
        ),
        sides={
            "each first": _words(
                r"""
                (?:average|mean)s?\ of\ (?:the\ |these\ |those\ |all\ (?:the\ )?|each\ )?
                    (?:[\w-]+(?:'s?)?\ ){0,3}(?:averages|means|ratios|rates|speeds)
                | \b(?:average|mean)\ of\ (?:each|every)\ [\w'-]+\ (?:[\w-]+\ )?
                    (?:average|mean|rate|ratio)\b
                | \bAVG\([^)]*/
                | \baverag(?:e|es|ed|ing)\ (?:the\ |these\ |those\ )?
                    (?:[\w-]+(?:'s?)?\ ){0,2}(?:averages|ratios|rates|speeds)
                | (?:each|every)\ (?:[\w-]+\ ){1,3}(?:has|gets|with)\ (?:the\ same|equal)\ weight
                | \bunweighted | \bmean\ of\ ratios | \b(?:per|within)[\ -](?:each\ )?\w+\ averages
                | \b(?:work\w*\ out|comput\w+|calculat\w+|averag\w+|divid\w+)\b
                    [^.;]{0,60}\b(?:first|before\ averaging|then\ averag\w+)
                | \b(?:within|for|per)\ each\ \w+\ first
                """
            ),
            "pooled": _words(
                r"""
                \b(?:totals?|sums?|all)\b[^.;]{0,60}\bdivided\ by
                | \btotal\b[^.;]{0,30}\b(?:over|by|per)\ (?:the\ )?total\b | \bSUM\([^)]*\)\s*/
                | \bdivid\w+\ (?:the\ |all\ )?(?:totals?|sums?)
                | \bratio\ of\ (?:the\ )?(?:totals|sums) | \bpooled | \bpooling
                | \b(?:average|averaged|averages|averaging|mean)\b[^.;]{0,40}
                    \b(?:over|across)\ all\ (?!(?:the\ )?(?:\w+\ ){0,2}(?:averages|means|rates))
                | (?<!un)\bweighted | \bweigh(?:s|ing)?\ more
                """
            ),
        },
    ),
    ChoiceType.COUNTING_UNIT: ChoiceVocabulary(
        about=_words(
            r"""
            \bduplicat\w* | \brepeat(?:s|ed|edly|ing)?\b | \bdouble[- ]count\w*
            | \b(?:more\ than\ once|multiple\ times|several\ times|many\ times)\b
            | \bwhat\ (?:is|to\ be|should\ be)\ counted | \binstances\b
            | \b(?:rather\ than|instead\ of)\ (?:the\ )?(?:number|count)\ of\b
            """
        ),
        sides={
            "each once": _words(
                r"""
                \b(?:distinct|unique|deduplicat\w*)\b | (?<!\ba\ )\bdifferent\b
                | \b(?:only|just|exactly)\ once\b(?!\ (?:for|per)\b)
                | \bcount(?:s|ed|ing)?\b[^.;,]{0,30}\bonce\b(?!\ (?:for|per)\b)
                | \beach\ once\b(?!\ (?:for|per)\b)
                """
            ),
            "each time": _words(
                rf"""
                \bcount(?:s|ed|ing)?\ (?:all\ |the\ |each\ |every\ |total\ |number\ of\ )*
                    (?:[\w-]+\ ){{0,2}}(?:{_ROWS})
                | \b(?:number|count)\ of\ (?:all\ |the\ |total\ )?
                    (?:[\w-]+\ ){{0,2}}(?:{_ROWS}|times)
                | \b(?:each|every)\ (?:[\w-]+\ )?(?:time|{_ROW})\b
                | \bonce\ (?:for|per)\ (?:each|every|\w+)
                | \bcount(?:s|ed|ing)?\ (?:each|every)\ (?:[\w-]+\ ){{0,2}}separately
                | \bcount(?:s|ed|ing)?\ (?:as\ many\ times|multiple\ times|several\ times|again)
                | \bhow\ (?:often|many\ times) | \bhowever\ often\b(?![^.;]*\bonce)
                | \b(?:each|every)\ (?:[\w-]+\ ){{1,3}}(?:is\ counted|counts|should\ count)\b
                    (?!\ (?:only\ |just\ )?once)
                | \bwith(?:out)?\ (?:removing\ )?duplicates
                """
            ),
        },
    ),
    ChoiceType.MISSING_VALUES: ChoiceVocabulary(
        about=_words(_MISSING),
        sides={
            "left in": _words(
                rf"""
                \b(?:includ\w+|count(?:s|ed|ing)?|keep\w*|kept)\b[^.;]{{0,60}}(?:{_MISSING})
                | (?:{_MISSING})[^.;]{{0,60}}\b(?:includ\w+|counted|kept|in\ the\ total)\b
                | \bas\ (?:zero|0)\b
                | \b(?:whether\ or\ not|regardless\ of)\b[^.;]{{0,60}}(?:{_MISSING})
                """
            ),
            "left out": _words(
                rf"""
                \b(?:exclud\w+|leav\w+\ out|ignor\w+|drop\w*|omit\w*|remov\w+|skip\w*|filter\w*)\b
                    [^.;]{{0,60}}(?:{_MISSING})
                | (?:{_MISSING})[^.;]{{0,60}}
                    \b(?:exclud\w+|left\ out|ignored|dropped|omitted|removed|skipped|not\ counted)\b
                | \bnot\ null\b | \bnon-?\ ?null
                | \bonly\b[^.;]{{0,50}}\b(?:with|that\ have|whose)\b[^.;]{{0,40}}(?:{_MISSING})
                | \b(?:that\ have|with|whose)\ [^.;,]{{0,40}}\b(?<!not\ )(?:recorded|known)\b
                """
            ),
        },
    ),
    ChoiceType.STRICT_CUTOFF: ChoiceVocabulary(
        about=_words(
            r"""
            \b\d+\ (?:\w+\ )?itself\b | \bcut-?offs?\b | \bthresholds?\b | \bboundar\w+
            | \bexactly\ (?:the\ )?(?:\w+\ )?\d | \bequal(?:s|ing)?\ (?:to\ )?(?:the\ )?(?:\w+\ )?\d
            """
        ),
        sides={
            "inclusive": _words(
                r"""
                \bat\ least\b | \bor\ (?:more|above|over|higher|greater|longer|later)\b
                | \binclusive\w* | \bgreater\ than\ or\ equal | >= | ≥ | \bno\ (?:less|fewer)\ than
                | \bnot\ (?:less|fewer)\ than | \bminimum\ of
                | \binclud\w+\b[^.;]{0,40}\b(?:exactly|equal|\d)
                """
            ),
            "strict": _words(
                r"""
                (?<!no\ )(?<!not\ )\bmore\ than\b | \bstrict\w* | \bexclusive\w*
                | \bgreater\ than\b(?!\ or\ equal) | >(?!=) | \bexceed\w* | \b(?:over|above)\ \d
                | \bexclud\w+\b[^.;]{0,40}\b(?:exactly|equal|\d)
                """
            ),
        },
    ),
    ChoiceType.TIES: ChoiceVocabulary(
        about=_words(
            _TIE
            + r"""
            | \btie-?break\w* | \bshar(?:e|es|ed|ing)\ (?:the|that|this|a|first|last|\w+\ place)\b
            | \b(?:the\ )?same\ (?:number|count|value|place|rank|total|score|amount|wins)\b
            | \bequal(?:ly)?\ (?:number|count|place|rank|total|score|high|many|good)
            """
        ),
        sides={
            "all of them": _words(
                r"""
                \b(?:all|every|any\ other|every\ other|also|includ\w+|additional|both|each)\b
                    [^.;]{0,60}(?:TIE|\bshar(?:e|es|ed|ing)\b|\bthe\ same\b)
                | TIE[^.;]{0,40}\b(?:includ\w+|all|kept|also|too)\b
                | \b(?:all|every)\ (?:[\w-]+\ ){0,2}(?:with|having|that\ reached|that\ have)
                    \ the\ (?:highest|most|maximum|largest|top|lowest|fewest)
                | \bmore\ than\ (?:one|ten|\d+)\ (?:rows?|results?|teams?|players?|destinations?)
                """.replace("TIE", _TIE)
            ),
            "only so many": _words(
                r"""
                \b(?:only|just|exactly)\ (?:one|ten|five|three|\d+|a\ single|the\ first)\b
                | \b(?:a|one)\ single\b | \barbitrar\w+ | \bany\ (?:one\ )?of\ (?:them|those|these)
                | \bbreak\w*\ (?:the\ |any\ )?ties?\b | \btie-?break\w*
                | \b(?:exclud|ignor|drop|cut|without|regardless\ of)\w*\ (?:the\ |any\ |off\ )?TIE
                """.replace("TIE", _TIE)
            ),
        },
    ),
    ChoiceType.CALCULATION: ChoiceVocabulary(
        _words(r"\bformulas? | \bdivided\ by | \bdifference | \bratios?\b | \bcomputed\ as")
    ),
    ChoiceType.QUANTIFIER: ChoiceVocabulary(
        _words(
            r"""
            \ball\ (?:of\ )?(?:the|their|its|them)\b | \bany\ (?:of|one)\b | \bat\ least\ one
            | \bevery\ one | \bsome\ of | \bin\ every\b
            """
        )
    ),
    ChoiceType.CONDITION_LINKAGE: ChoiceVocabulary(
        _words(r"\bsame\ (?:row|record|entry|\w+) | \bboth\ conditions | \btogether | \bseparately")
    ),
    ChoiceType.NEGATION: ChoiceVocabulary(
        _words(r"\bnever | \bnone\ of | \bnegat\w+ | \bwithout\ any | \bno\ \w+\ at\ all")
    ),
    ChoiceType.POPULATION_SCOPE: ChoiceVocabulary(
        _words(
            r"""
            \bpopulation | \bsubset | \boverall | \bdenominator
            | \b(?:all|only)\ (?:the\ )?(?:[\w-]+\ ){1,3}(?:or|rather\ than|instead\ of)\b
            | \bonly\ (?:the\ |those\ )?[\w-]+\ (?:that|who|which|with)\b
            """
        )
    ),
    ChoiceType.REFERENT_COLUMN: ChoiceVocabulary(
        _words(r"\bcolumns?\b | \bfields?\b | \brefers?\ to\b | \bname\ of\b")
    ),
    ChoiceType.RELATIONSHIP_ROLE: ChoiceVocabulary(
        _words(r"\broles?\b | \brelationships?\b | \b(?:home|away)\b(?!\ runs?)")
    ),
    ChoiceType.TIME_SCOPE: ChoiceVocabulary(
        _words(
            r"""
            \bperiods? | \bsince\b | \buntil\b | \btime\ (?:span|range|frame) | \bdate\ range
            | \b(?:calendar|fiscal|current|whole|latest|most\ recent)\ (?:year|month|season|day)s?
            | \b(?:what|which)\ (?:year|date|month|season)s?
            """
        )
    ),
    ChoiceType.VALUE_MATCHING: ChoiceVocabulary(
        _words(r"\bmatch(?:es|ed|ing)? | \bcase[- ](?:in)?sensitiv\w* | \bcontain\w* | \bspell\w*")
    ),
}

VOCABULARY: Mapping[ChoiceType, ChoiceVocabulary] = MappingProxyType(_VOCABULARY)
"""Choice type → its words."""
