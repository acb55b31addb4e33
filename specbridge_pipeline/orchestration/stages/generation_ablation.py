"""Stage `generation_ablation`: attempts by class, with each mechanism of generation switched off.

It is made where the profile asks for it.
"""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.plan import GRAMMAR
from specbridge_pipeline.query_generation.study_records import GENERATION_ABLATION, REGISTERED
from specbridge_pipeline.records.cells import Partition


def _attempts(workspace: Workspace, partition: Partition) -> dict[int, int]:
    """Return seed → attempts of a configuration on a database."""
    from specbridge_pipeline.query_generation.ablation import shares_of

    seeds, databases = workspace.profile.seeds.ablation, workspace.construction_databases
    total = workspace.profile.studies.ablation_attempts
    shares = shares_of(total, len(databases) * len(seeds))
    first = databases.index(database_of(partition)) * len(seeds)
    found = dict(zip(seeds, shares[first : first + len(seeds)], strict=True))
    return {seed: count for seed, count in found.items() if count}


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    attempts = _attempts(workspace, partition)
    if not attempts:
        return {"not_made": "the profile asks for no attempts: studies.ablation_attempts"}
    return {
        "grammar": GRAMMAR,
        "engine_version": workspace.engine_version(database_of(partition)),
        "attempts": {str(seed): count for seed, count in attempts.items()},
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.query_generation.ablation import ablation_rows

    attempts = _attempts(workspace, partition)
    if not attempts:
        return ()
    database = database_of(partition)
    rows = ablation_rows(
        workspace.catalogue(database),
        workspace.run_on(database),
        attempts=attempts,
        progress=workspace.progress,
    )
    return ({"source": REGISTERED, **row} for row in rows)


STAGE = Stage(
    schema=GENERATION_ABLATION,
    version=2,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue",),
    group="query_generation",
    description="What each mechanism of generation is worth: attempts by class without it.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("configuration", "seed", "attempt_class", "attempts"),
)
