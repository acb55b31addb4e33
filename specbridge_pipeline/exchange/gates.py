"""The gates of construction, run again on a set of which only its texts and queries are known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.registry import CHOICES
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.acceptance import LEAST_SHARE, qualifies
from specbridge_pipeline.request_sets.code_checks import check_request
from specbridge_pipeline.request_sets.construction import Requests, ReviewSubject
from specbridge_pipeline.request_sets.recheck import recheck_set
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side
from specbridge_pipeline.request_sets.reviews import keeps
from specbridge_pipeline.request_sets.rule_reviewers import RULE_REVIEWERS

_MOST_NOTES = 3
"""So many notes of a reviewer are quoted where it does not keep a set."""


class Gate(StrEnum):
    """What a set has to pass."""

    QUERIES = "queries"
    """Both run and are determined, also on copies with their rows in another order; each is
    accepted for itself and refused for the other, no answer fits both; they differ in one step;
    depths are as stated."""
    TYPE = "type"
    """References of benchmarks disagree on its type of choice, in at least 1% of open ones."""
    REQUESTS = "requests"
    """Code checks: form, words for what the queries require, and which sides the words settle."""
    REVIEWERS = "reviewers"
    """Two sets of rules that share no code read every request, and keep the set."""


LEAVABLE = (Gate.TYPE, Gate.REQUESTS, Gate.REVIEWERS)
"""The gates that an import may leave out; the edition then says so."""


@dataclass(frozen=True, slots=True)
class GateFailure:
    """Why a set does not pass.

    Attributes:
        gate: The gate.
        reason: What is wrong, in one sentence.
    """

    gate: Gate
    reason: str

    def __str__(self) -> str:
        """Return gate and reason in one line."""
        return f"{self.gate}: {self.reason}"


@dataclass(frozen=True, slots=True)
class GatedDatabase:
    """A database as the gates need it.

    Attributes:
        run: Runs one query on it.
        engine: Its engine.
        copies: Each runs a query on a copy with its rows in another order.
        schema: Its schema.
        catalogue: Its catalogue.
    """

    run: Callable[[str], Outcome]
    engine: Engine
    copies: Sequence[Callable[[str], Outcome]]
    schema: Schema
    catalogue: Catalogue


def gate_failures(
    each: RequestSet, database: GatedDatabase, left_out: Collection[Gate] = ()
) -> list[GateFailure]:
    """Put a set through the gates.

    Args:
        each: The set.
        database: The database that it is on.
        left_out: Gates that are not asked.

    Returns:
        What is wrong with it, by gate; empty where it passes.

    Raises:
        WorkerError: A query could not be run for a reason of ours, which says nothing of the set.
    """
    checked = recheck_set(database.run, each, database.engine, database.copies)
    found = [GateFailure(Gate.QUERIES, problem) for problem in checked.problems]
    if Gate.TYPE not in left_out and not qualifies(each.choice_type):
        found.append(
            GateFailure(
                Gate.TYPE,
                f"under {LEAST_SHARE:.0%} of open benchmark references take the rarer side of a "
                f"{each.choice_type.label} choice, or nobody has counted",
            )
        )
    for gate, problems in ((Gate.REQUESTS, _requests), (Gate.REVIEWERS, _reviewers)):
        if gate not in left_out:
            found += [GateFailure(gate, reason) for reason in _said(problems, each, database)]
    return found


_Problems = Callable[[RequestSet, GatedDatabase, dict[Side, Structure]], Iterator[str]]


def _said(problems: _Problems, each: RequestSet, database: GatedDatabase) -> list[str]:
    """Return what rules say of the words; where they do not know such a query, that they do not.

    The rules were made for queries of the package's own grammar, and meet any query here.
    """
    try:
        structures = {
            side: read_structure(each.interpretations[side].sql, database.schema) for side in Side
        }
        return list(dict.fromkeys(problems(each, database, structures)))
    except (SpecBridgeError, ValueError, LookupError, AssertionError) as error:
        return [f"rules cannot read queries of this form: {error or type(error).__name__}"]


def _requests(
    each: RequestSet, database: GatedDatabase, structures: dict[Side, Structure]
) -> Iterator[str]:
    """Check the words by code, without knowing which phrase of them states the choice."""
    catalogue = database.catalogue
    for kind, side in ((RequestKind.SPECIFIC_A, Side.A), (RequestKind.SPECIFIC_B, Side.B)):
        for problem in check_request(each.request(kind), structures[side], catalogue):
            yield f"{kind}: {problem}"
    # What the open request lacks for one side alone is the choice, which it leaves open.
    for_b = check_request(each.open_request, structures[Side.B], catalogue)
    for problem in check_request(each.open_request, structures[Side.A], catalogue):
        if problem in for_b:
            yield f"{RequestKind.OPEN}: {problem}"
    module = CHOICES.get(each.choice_type)
    if module is None:
        yield f"code cannot tell which words settle a {each.choice_type.label} choice"
        return
    a, b = (module.settled_by(each.interpretations[side].request) for side in Side)
    if len(a) != 1 or len(b) != 1 or a == b:
        yield "the specific requests do not settle the choice for a side each"
    if module.settled_by(each.open_request):
        yield "words of the open request settle the choice"


def _reviewers(
    each: RequestSet, database: GatedDatabase, structures: dict[Side, Structure]
) -> Iterator[str]:
    subject = ReviewSubject(
        choice_type=each.choice_type,
        requests=Requests(
            each.interpretations.a.request, each.interpretations.b.request, each.open_request
        ),
        structures=structures,
        descriptions={
            side: describe(each.interpretations[side].sql, database.schema, database.catalogue).text
            for side in Side
        },
        catalogue=database.catalogue,
    )
    reviews = {reviewer.name: reviewer.review(subject) for reviewer in RULE_REVIEWERS}
    if keeps(True, reviews):
        return
    for name, given in reviews.items():
        notes = [f"{review.kind}: {note}" for review in given for note in review.notes]
        if notes:
            yield f"{name}: {'; '.join(notes[:_MOST_NOTES])}"
    if not any(review.notes for given in reviews.values() for review in given):
        yield "no reviewer accepts the open request for both interpretations"
