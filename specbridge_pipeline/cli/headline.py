"""The headline table: models, measures and tiers, and what the sets behind it are."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.evaluation.methods.imported import NAME as IMPORTED
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.construction_rows import read_construction
from specbridge_pipeline.reporting.draft import draft_line, draft_of
from specbridge_pipeline.reporting.formatting import counted, share_text
from specbridge_pipeline.reporting.numbers import MEASURES
from specbridge_pipeline.reporting.readers import provenance, readers_line
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline.reporting.report_review import review_line
from specbridge_pipeline.reporting.review_numbers import reviewed_ids, shown_scopes
from specbridge_pipeline.reporting.wording import CONDITIONAL_MEASURES, HEADLINE_SCOPES
from specbridge_pipeline.request_sets.edition_sample import sample_line
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS

_MOST_BESIDE_EACH_OTHER = 4


def headline_rows(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the rows of `statistics` over all sets, in the order of models and measures."""
    return _rows(workspace, "all")


def headline_table(workspace: Workspace) -> tuple[list[str], list[list[str]]]:
    """Return the headline table as text: column names and rows.

    An edition with sets of both tiers has its numbers over all sets and by tier, and one that
    people have judged over the sets that were judged and that are kept, each under a row that says
    how many sets they are over. Few models stand beside each other, a row a measure;
    many below each other, a row a model.
    """
    everything_in, *tiers = (
        (scope, title, _sets_in(workspace, scope)) for scope, title in HEADLINE_SCOPES
    )
    scopes = [everything_in, *_review_scopes(workspace)]
    if all(sets for _, _, sets in tiers):
        scopes += tiers
    several = len(scopes) > 1
    # A table beside another has the same columns, whoever lacks numbers in one of them.
    everything = headline_rows(workspace)
    titles = list(dict.fromkeys(_title(workspace, row, everything) for row in everything))
    labels = [measure.label for measure in MEASURES]
    beside = len(titles) <= _MOST_BESIDE_EACH_OTHER
    table: list[list[str]] = []
    for scope, scope_title, sets in scopes:
        cells: dict[tuple[str, str], str] = {}
        for row in _rows(workspace, scope):
            cells[_title(workspace, row, everything), row["label"]] = str(
                share_text(
                    row["numerator"],
                    row["denominator"],
                    row["low"],
                    row["high"],
                    conditional=scope != "all" or row["measure"] in CONDITIONAL_MEASURES,
                )
            )
        if not cells:
            continue
        if several:
            width = len(titles) if beside else len(labels)
            table.append([f"{scope_title}: {counted(sets, 'set')}", *[""] * width])
        margin = "  " if several else ""
        if beside:
            table += [
                [margin + label, *(cells.get((title, label), "n/a") for title in titles)]
                for label in labels
            ]
        else:
            table += [
                [margin + title, *(cells.get((title, label), "n/a") for label in labels)]
                for title in titles
            ]
    return ["", *titles] if beside else ["model", *labels], table


def sets_line(workspace: Workspace) -> str:
    """Say in a line who wrote and read the evaluated sets, and which of the edition they are."""
    evaluated = workspace.evaluated.sets
    sets = [{"database": each.database, **each.provenance.model_dump()} for each in evaluated]
    judged = review_line(_verdicts(workspace), len(sets))
    said = f"{judged} {provenance(sets, judged_apart=True)}" if judged else readers_line(sets)
    drawn = sample_line(len(sets), workspace.edition, workspace.profile.seeds.selection)
    return f"{said} {drawn}".rstrip()


def draft_line_of(workspace: Workspace) -> str:
    """Say in a line what the draft holds; empty where no database is there to build on."""
    if not workspace.construction_databases:
        return ""
    draft = draft_of(read_construction(workspace.store, workspace.construction_databases), ())
    return draft_line(draft, [each.id for each in workspace.edition.sets])


def _verdicts(workspace: Workspace) -> list[dict[str, Any]]:
    if workspace.store.manifest(EDITION_VERDICTS.name, Partition()) is None:
        return []
    rows = workspace.store.read(EDITION_VERDICTS, Partition()).to_dicts()
    return [row for row in rows if row["edition"] == workspace.edition.id]


def _review_scopes(workspace: Workspace) -> list[tuple[str, str, int]]:
    found = reviewed_ids(_verdicts(workspace))
    counts = {scope: len(sets) for scope, sets in found.items()}
    shown = shown_scopes(counts, len(workspace.evaluated.sets))
    return [(scope, title, counts[scope]) for scope, title in shown]


def _rows(workspace: Workspace, scope: str) -> list[dict[str, Any]]:
    if workspace.store.manifest(STATISTICS.name, Partition()) is None:
        return []
    frame = workspace.store.read(STATISTICS, Partition())
    order = {name: index for index, name in enumerate(workspace.all_models)}
    rank = {measure.name: index for index, measure in enumerate(MEASURES)}
    rows = [
        row
        for row in frame.to_dicts()
        if row["scope"] == scope and not row["compared_with"] and row["model"] in order
    ]
    return sorted(
        rows,
        key=lambda r: (order[r["model"]], r["method"], r["round"], r["judge"], rank[r["measure"]]),
    )


def _title(workspace: Workspace, row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return a model's name, with what its rows do not share with all others.

    That replies were imported is always said.
    """
    varying = [
        name for name in ("method", "round", "judge") if len({each[name] for each in rows}) > 1
    ]
    name = workspace.all_models[row["model"]].name
    if row["method"] == IMPORTED and "method" not in varying:
        varying.insert(0, "method")
    details = ", ".join(row[each] for each in varying)
    return f"{name} ({details})" if details else name


def _sets_in(workspace: Workspace, scope: str) -> int:
    edition = workspace.evaluated
    tiers = [edition.tier_of(each) for each in edition.sets]
    return len(tiers) if scope == "all" else tiers.count(scope.removeprefix("tier="))
