"""What each mechanism of generation is worth: the same attempts with each one switched off.

After the paper's Figure S2. A configuration makes a fixed number of attempts, over all databases
and seeds together; each is one construction and is put into one of six classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.query_generation.attempt_classes import AttemptClass, AttemptClasses
from specbridge_pipeline.query_generation.generation import generate
from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.requests import plain_requests

ATTEMPTS = 2_350
"""Attempts of a configuration, as the paper makes them."""
SEEDS = (1, 2, 3)
STEP_DEPTHS = (3, 6)
ARITHMETIC_DEPTHS = (1, 2)

CONFIGURATIONS: Mapping[str, Mechanisms] = {
    "all": ALL,
    **{f"without_{name}": ALL.without(name) for name in Mechanisms.names()},
    "none": Mechanisms.none(),
}
"""Name of a configuration → the mechanisms that are at work in it, in the order of the figure."""


def configuration_words(name: str) -> str:
    """Return what a configuration is called in a table: "all mechanisms", "− look-ahead"."""
    if name == "all":
        return "all mechanisms"
    if name == "none":
        return "none (naive)"
    words = name.removeprefix("without_")
    return f"− {'look-ahead' if words == 'look_ahead' else words.replace('_', ' ')}"


def shares_of(total: int, parts: int) -> tuple[int, ...]:
    """Split a number into parts that differ by one at the most, the larger ones first.

    Args:
        total: The number.
        parts: How many parts.
    """
    return tuple(total // parts + (place < total % parts) for place in range(parts))


def ablation_rows(
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    attempts: Mapping[int, int],
    configurations: Sequence[str] = tuple(CONFIGURATIONS),
    progress: Progress | None = None,
) -> Iterator[dict[str, Any]]:
    """Make the attempts of each configuration on a database, and count them by class.

    Args:
        catalogue: The database's catalogue.
        run: Runs a query on it; best one that remembers, since configurations run much alike.
        attempts: Seed → how many attempts a configuration makes with it.
        configurations: Names of `CONFIGURATIONS`.
        progress: Told about each attempt.

    Yields:
        Rows of GENERATION_ABLATION, but for their source: every class of every configuration and
        seed, also those in which nothing is.
    """
    total = len(configurations) * sum(attempts.values())
    with (progress or SilentProgress()).task(f"{catalogue.database} · ablation", total) as task:
        for configuration in configurations:
            for seed, count in attempts.items():
                classes = _classes(
                    catalogue, run, CONFIGURATIONS[configuration], seed, count, task.advance
                )
                for each in AttemptClass:
                    yield {
                        "database": catalogue.database,
                        "configuration": configuration,
                        "seed": seed,
                        "attempt_class": each.value,
                        "attempts": classes[each],
                    }


def _classes(
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    mechanisms: Mechanisms,
    seed: int,
    count: int,
    told: Callable[[], None],
) -> Counter[AttemptClass]:
    requests = plain_requests(count, STEP_DEPTHS, ARITHMETIC_DEPTHS)
    classes = AttemptClasses(catalogue, run)
    found: Counter[AttemptClass] = Counter()
    for attempt in generate(
        catalogue,
        run,
        requests=requests,
        seed=seed,
        attempts_per_request=1,
        mechanisms=mechanisms,
    ):
        found[classes.of(attempt, requests[attempt.request])] += 1
        told()
    return found


def counts_by_class(
    rows: Iterable[Mapping[str, Any]],
) -> dict[str, dict[AttemptClass, int]]:
    """Add up rows of GENERATION_ABLATION over databases and seeds.

    Args:
        rows: The rows.

    Returns:
        Name of a configuration → class → attempts, both in the order of the figure; only
        configurations with attempts.
    """
    found: Counter[tuple[str, str]] = Counter()
    for row in rows:
        found[row["configuration"], row["attempt_class"]] += row["attempts"]
    return {
        name: {each: found[name, each.value] for each in AttemptClass}
        for name in CONFIGURATIONS
        if any(found[name, each.value] for each in AttemptClass)
    }
