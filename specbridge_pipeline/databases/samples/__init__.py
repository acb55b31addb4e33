"""Sample databases, built at first run from data packages: baseball and flights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specbridge_pipeline.databases.samples.building import SampleTable


def _baseball() -> Sequence[SampleTable]:
    from specbridge_pipeline.databases.samples.baseball import baseball_tables

    return baseball_tables()


def _flights() -> Sequence[SampleTable]:
    from specbridge_pipeline.databases.samples.flights import flights_tables

    return flights_tables()


SAMPLES: dict[str, Callable[[], Sequence[SampleTable]]] = {
    "baseball": _baseball,
    "flights": _flights,
}
"""Reader of each sample's tables; nothing is read before it is called."""
