"""Stage `edition_sets`: the evaluated sets of the published edition, each checked by running it."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.errors import EditionError
from specbridge_pipeline.orchestration.stage import Dimension, Rows, Stage, edition_databases
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.checks import SetCheck, check_set
from specbridge_pipeline.request_sets.editions import Edition
from specbridge_pipeline.request_sets.records import EDITION_SETS, RequestSet, Side


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    record = workspace.edition.record
    return {
        "edition": record.id,
        "digest": record.digest,
        "tier": record.tier,
        **workspace.drawn_sets,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    database = partition.database
    assert database is not None
    edition = workspace.evaluated
    found = workspace.files.content_hash(workspace.databases[database])
    expected = edition.record.databases[database].content_hash
    if found != expected:
        raise EditionError(
            f"its database '{database}' has another content than the one that the sets were "
            f"checked on ({found[:12]}… instead of {expected[:12]}…)",
            where=f"edition {edition.id}",
            advice="use the database that the edition names",
        )
    run, engine = workspace.run_on(database), workspace.engine(database)
    return for_each(
        edition.sets_on(database),
        lambda each: [_row(edition, each, check_set(run, each, engine), found)],
        description=f"{database} · checking sets",
        progress=workspace.progress,
        at_once=AT_ONCE,
    )


def _row(edition: Edition, each: RequestSet, check: SetCheck, content_hash: str) -> dict[str, Any]:
    if not check.disjoint:
        raise EditionError(
            f"set {each.id} cannot tell its interpretations apart: {check.problem}",
            where=f"edition {edition.id}, database {each.database}",
            advice="an edition holds only sets that pass this check",
        )
    return {
        "edition": edition.id,
        "set_id": each.id,
        "database": each.database,
        "choice_type": each.choice_type.value,
        "tier": edition.tier_of(each),
        "step_depth": each.step_depth,
        "arithmetic_depth": each.arithmetic_depth,
        "ordered": each.ordered,
        "meaning_a": each.interpretations.a.meaning,
        "meaning_b": each.interpretations.b.meaning,
        "request_a": each.interpretations.a.request,
        "request_b": each.interpretations.b.request,
        "request_open": each.open_request,
        "sql_a": each.interpretations.a.sql,
        "sql_b": each.interpretations.b.sql,
        "rows_a": check.rows[Side.A],
        "rows_b": check.rows[Side.B],
        "regions_disjoint": check.disjoint,
        "writer": each.provenance.writer,
        "reviewers": list(each.provenance.reviewers),
        "human_verdict": each.provenance.human_verdict,
        "database_hash": content_hash,
    }


STAGE = Stage(
    schema=EDITION_SETS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("database_files",),
    group="evaluation",
    description="Sets of the published edition that are put to models; both queries run, regions "
    "disjoint.",
    configuration=_configuration,
    compute=_compute,
    partitions=edition_databases,
    preview=("set_id", "choice_type", "tier", "request_open", "rows_a", "rows_b"),
)
