"""The plain words in which the report says what the stored names of measures and outcomes mean."""

from __future__ import annotations

CONDITIONAL_MEASURES = frozenset({"both_returned_computable", "missed_computable"})
"""Measures whose denominator depends on the model's own answers. Such a share is not printed from
few cases: its denominator is a matter of luck as well."""

FEWER_IS_BETTER = frozenset({"false_alarm"})
"""Measures of which a low share is the good one."""

OUTCOME_WORDS: dict[str, str] = {
    "both_returned": "both interpretations returned",
    "named_one": "choice named, one interpretation returned",
    "silent_one": "one interpretation, choice not named",
    "neither": "neither, though it can compute both",
    "computed_wrong": "a specific request computed wrong",
    "does_not_run": "a specific answer does not run",
}
"""Outcomes of the open request, from the best to the least that can be said."""

HEADLINE_SCOPES: tuple[tuple[str, str], ...] = (
    ("all", "All sets"),
    ("tier=short", "Short tier, step depth 1 and 2"),
    ("tier=paper", "Paper tier, step depth 3 to 6"),
)
"""The scopes of the headline table, with their titles."""

REQUEST_WORDS: dict[str, str] = {
    "specific_a": "Request for A",
    "specific_b": "Request for B",
    "open": "Open request",
}
"""The three requests of a set, in the order in which they are shown."""

VERDICT_WORDS: dict[str, str] = {
    "equal": "gives the result",
    "not_equal": "another result",
    "format_only": "differs only in format, no credit",
    "candidate_error": "does not run",
    "timeout": "out of time",
    "too_large": "result too large",
    "nondeterministic": "result changes from run to run",
    "undecided": "undecided",
    "infrastructure": "failure of ours, not scored",
}
"""What execution found of a query, against one interpretation."""


def outcome_words(outcome: str) -> str:
    """Return an outcome in words; an unknown one as it is stored."""
    return OUTCOME_WORDS.get(outcome, spaced(outcome))


def verdict_words(verdict: str) -> str:
    """Return a verdict in words; an unknown one as it is stored."""
    return VERDICT_WORDS.get(verdict, spaced(verdict))


def scope_words(scope: str) -> str:
    """Return a scope such as `choice_type=counting_unit` as a reader would say it."""
    words = {"all": "all sets", "review=read": "judged in review", "review=kept": "kept in review"}
    return words.get(scope, spaced(scope.rpartition("=")[2]))


def spaced(name: str) -> str:
    """Return a stored name with blanks for underscores."""
    return name.replace("_", " ")
