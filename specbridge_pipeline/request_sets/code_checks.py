"""What code can tell of three requests: that they share all but the choice, and say all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.registry import CHOICES
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.construction import RequestPlan, Requests
from specbridge_pipeline.request_sets.expected_words import missing_words
from specbridge_pipeline.request_sets.plan import MOST_WORDS
from specbridge_pipeline.request_sets.records import RequestKind

_SQL = re.compile(
    r"\b(?:SELECT|FROM|WHERE|GROUP BY|ORDER BY|HAVING|JOIN|LIMIT|DISTINCT|NULL|RANK|WITH)\b"
    r"|\b(?:COUNT|SUM|AVG|MIN|MAX)\b\s*\(?|[<>=]=?|\bselect\s+\*"
)
_TALK_OF_SETS = re.compile(r"\b(?:interpretation|query|step|request) [AB\d]\b", re.IGNORECASE)
_DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_UNTIDY = re.compile(r"  |\s[.,;?]|[,;][.?]|\.\.|,,|[\n\t\N{OBJECT REPLACEMENT CHARACTER}]")
_QUOTED = re.compile(r"'(?:[^']|'')*?'(?!\w)")
_SENTENCE = re.compile(r"(?<=[.?])\s+(?=[A-Z])")


def check_requests(plan: RequestPlan, requests: Requests, catalogue: Catalogue) -> tuple[str, ...]:
    """Say what is wrong with three requests.

    The paper, Section 2.4: no requirement may be lost or changed in any of them, and they may
    differ in the choice's phrase alone.

    Args:
        plan: What they share, and the choice.
        requests: The three texts.
        catalogue: The database.

    Returns:
        One sentence a problem; empty where none was found.
    """
    found = [*_differences(plan, requests), *_settling(plan, requests)]
    for kind in RequestKind:
        text = requests[kind]
        found += [f"{kind.value}: {each}" for each in _form(text)]
        found += [
            f"{kind.value}: {each}"
            for each in missing_words(text, plan.structure, catalogue, plan.wording)
        ]
    return tuple(dict.fromkeys(found))


def check_request(text: str, structure: Structure, catalogue: Catalogue) -> tuple[str, ...]:
    """Say what is wrong with the form and completeness of a request for a query by itself.

    Args:
        text: The request.
        structure: The query.
        catalogue: The database.

    Returns:
        One sentence a problem; empty where none was found.
    """
    return (*_form(text), *missing_words(text, structure, catalogue))


def _differences(plan: RequestPlan, requests: Requests) -> Iterator[str]:
    """Check that the texts are one text but for the choice's phrase."""
    wording = plan.wording
    if len({requests.a, requests.b, requests.open}) < len(RequestKind):
        yield "two of the three requests are the same text"
    splits = _splits(requests.a, wording.a)
    if not splits:
        yield "the request for A does not have A's phrase of the choice"
        return
    for name, text, phrase in (
        ("request for B", requests.b, wording.b),
        ("open request", requests.open, wording.open),
    ):
        if not _splits(text, phrase):
            yield f"the {name} does not have its phrase of the choice"
    if not any(
        requests.b == before + wording.b + after and requests.open == before + wording.open + after
        for before, after in splits
    ):
        yield "the requests differ in more than the one phrase of the choice"


def _splits(text: str, phrase: str) -> list[tuple[str, str]]:
    """Return what stands before and after a phrase, for each place where it stands."""
    starts = [found.start() for found in re.finditer(f"(?={re.escape(phrase)})", text)]
    return [(text[:start], text[start + len(phrase) :]) for start in starts]


def _settling(plan: RequestPlan, requests: Requests) -> Iterator[str]:
    """Check which sides the words take."""
    module = CHOICES[plan.choice_type]
    sides = {
        "A": module.settled_by(plan.wording.a),
        "B": module.settled_by(plan.wording.b),
    }
    if any(len(found) != 1 for found in sides.values()) or sides["A"] == sides["B"]:
        yield "the phrases for A and B do not settle the choice for a side each"
    if module.settled_by(requests.open):
        yield "words of the open request settle the choice"
    for name, text in (("A", requests.a), ("B", requests.b)):
        if module.settled_by(text) != sides[name]:
            yield f"the request for {name} does not settle the choice for {name} alone"


def _form(text: str) -> Iterator[str]:
    """Check one text's form."""
    plain = _QUOTED.sub("'…'", text)
    if not text or not (text[0].isupper() or text[0].isdigit()):
        yield "it does not begin with a capital letter"
    if not text.endswith((".", "?")):
        yield "it does not end with a full stop or question mark"
    words = len(text.split())
    if words > MOST_WORDS:
        yield f"it has {words} words, more than {MOST_WORDS}"
    if _UNTIDY.search(plain):
        yield "it has untidy blanks or marks"
    doubled = _DOUBLED.search(plain)
    if doubled is not None:
        yield f"it says '{doubled[1]}' twice in a row"
    fragment = _SQL.search(plain)
    if fragment is not None:
        yield f"it has a piece of SQL: '{fragment[0].strip()}'"
    if _TALK_OF_SETS.search(plain):
        yield "it speaks of interpretations, queries or steps by letter or number"
    for identifier in re.findall(r"\b\w+_\w+\b", plain):
        yield f"it has an identifier: '{identifier}'"
    for sentence in _SENTENCE.split(plain):
        if not sentence[:1].isupper() and not sentence[:1].isdigit():
            yield "a sentence does not begin with a capital letter"
