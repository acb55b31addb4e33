"""Stage `choice_proposals`: each query with a choice taken the other way, and what checks keep."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.choices.records import CHOICE_OPPORTUNITIES, CHOICE_PROPOSALS
from specbridge_pipeline.databases.many_queries import AT_ONCE
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    construction_roles,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.records import FILTER_QUERIES, GENERATED_QUERIES
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.files import library_path
from specbridge_pipeline.settings import Construction

if TYPE_CHECKING:
    from specbridge_pipeline.choices.library_examples import LibraryExample
    from specbridge_pipeline.choices.types import ChoiceType


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    by_models = construction_roles(workspace, "proposer", "reviewers")
    # One reviewer is asked whether a choice is open; the other one changes nothing here.
    first, default = workspace.profile.construction.reviewers[0], Construction().reviewers[0]
    entries = by_models.pop("reviewers", {})
    if first != default:
        by_models["reviewer"] = {first: entries[first]}
    if "proposer" in by_models:
        examples = _examples(workspace)
        by_models["examples"] = {
            name.value: content_hash([each.question, each.choice])
            for name, each in sorted(examples.items())
        }
    return {
        "engine_version": workspace.engine_version(database_of(partition)),
        "seed": workspace.profile.seeds.selection,
        **by_models,
    }


def _examples(workspace: Workspace) -> Mapping[ChoiceType, LibraryExample]:
    """Return the library's examples whose questions the registered databases have."""
    from specbridge_pipeline.benchmarks.references import read_references
    from specbridge_pipeline.choices.choice_library import read_library
    from specbridge_pipeline.choices.library_examples import examples_of

    # The project's own run writes the library; before the first one there is none.
    path = library_path(workspace.project)
    files = [
        workspace.project.root / name
        for database in workspace.databases.values()
        for name in database.entry.questions
    ]
    if not path.is_file() or not files:
        return {}
    questions = [reference for file in files for reference in read_references(file)]
    return examples_of(read_library(path), questions)


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.choices.proposals import check_filter_queries, propose
    from specbridge_pipeline.choices.proposing_by_model import propose_by_model
    from specbridge_pipeline.request_sets.open_choices import OpenRequestReviewer

    database, entry = database_of(partition), workspace.proposer
    reviewer = OpenRequestReviewer(
        workspace.set_reviewers[0], workspace.schema(database), workspace.catalogue(database)
    )
    by_somebody = (
        propose
        if entry is None
        else partial(
            propose_by_model,
            gateway=workspace.gateway,
            entry=entry,
            examples=_examples(workspace),
        )
    )
    proposed = by_somebody(
        workspace.store.read(GENERATED_QUERIES, partition).to_dicts(),
        workspace.store.read(CHOICE_OPPORTUNITIES, partition).to_dicts(),
        workspace.schema(database),
        workspace.catalogue(database),
        workspace.run_on(database),
        seed=workspace.profile.seeds.selection,
        progress=workspace.progress,
        at_once=AT_ONCE,
        reviewer=reviewer,
    )
    of_filters = check_filter_queries(
        workspace.store.read(FILTER_QUERIES, partition).to_dicts(),
        workspace.schema(database),
        workspace.catalogue(database),
        workspace.run_on(database),
        progress=workspace.progress,
        at_once=AT_ONCE,
        reviewer=reviewer,
    )
    return [*proposed, *of_filters]


STAGE = Stage(
    schema=CHOICE_PROPOSALS,
    version=4,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "generated_queries", "filter_queries", "choice_opportunities"),
    group="request_set_writing",
    description="Edits by rules or a model, filters by rules; each check is a column.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    costs_money=True,
    preview=("choice_type", "taken", "side", "selected", "problem"),
)
