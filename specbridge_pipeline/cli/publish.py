"""`specbridge publish`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import click

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.cli.terminal import print_json, print_table, progress, project_of
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError, StaleRecordError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.stratified_selection import (
    Quota,
    canonical_order,
    select_count,
    select_quotas,
    stratum_of,
)
from specbridge_pipeline.settings import SLUG

if TYPE_CHECKING:
    from specbridge_pipeline.request_sets.editions import EditionDatabase, EditionRecord
    from specbridge_pipeline.request_sets.records import RequestSet

Row = Mapping[str, Any]

_TIERS = ("short", "paper")
_TYPES = tuple(each.value for each in ChoiceType)


def _quotas(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[Quota, int]:
    quotas: dict[Quota, int] = {}
    for value in values:
        found = re.fullmatch(r"(\w+)/(\w+)(?:/([1-9]))?=(\d+)", value)
        if not found or found[1] not in _TIERS or found[2] not in _TYPES:
            raise click.BadParameter(
                f"'{value}' is not of the form TIER/TYPE=N or TIER/TYPE/DEPTH=N; "
                f"tiers: {', '.join(_TIERS)}; types: {', '.join(_TYPES)}",
                context,
                parameter,
            )
        quota = Quota(found[1], found[2], int(found[3]) if found[3] else None)
        if quota in quotas:
            raise click.BadParameter(f"{quota.name} stands twice", context, parameter)
        for other in quotas:
            if other[:2] == quota[:2] and None in (other.step_depth, quota.step_depth):
                raise click.BadParameter(
                    f"sets of {quota.name} may belong to {other.name} too", context, parameter
                )
        quotas[quota] = int(found[4])
    return quotas


def _licences(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    for value in values:
        if not re.fullmatch(r"[^=]+=.*\S.*", value):
            raise click.BadParameter(
                f"'{value}' is not of the form DATABASE=TEXT", context, parameter
            )
    return dict(value.split("=", 1) for value in values)


@click.command("publish")
@click.argument("edition")
@click.option("--title", required=True, help="A name for people.")
@click.option(
    "--count",
    type=click.IntRange(min=1),
    help="Draw this many sets, in proportion to the accepted ones of each database, tier and "
    "choice type (largest remainder). Default: all of them.",
)
@click.option(
    "--quota",
    "quotas",
    multiple=True,
    callback=_quotas,
    metavar="TIER/TYPE[/DEPTH]=N",
    help="Draw so many sets of a tier and choice type, or of one step depth of it, instead; "
    "repeatable.",
)
@click.option("--tier", type=click.Choice(_TIERS), help="Only sets of this tier.")
@click.option(
    "--type",
    "choice_types",
    multiple=True,
    type=click.Choice(_TYPES),
    metavar="TYPE",
    help="Only sets of this choice type; repeatable.",
)
@click.option(
    "--database",
    "databases",
    multiple=True,
    metavar="ID",
    help="Only sets on this database; repeatable.",
)
@click.option("--seed", type=int, help="Of the draw. Default: the profile's seeds.selection.")
@click.option(
    "--licence",
    "licences",
    multiple=True,
    callback=_licences,
    metavar="DATABASE=TEXT",
    help="Licence of a database's data. Default: its source in the registry.",
)
@click.option("--dry-run", is_flag=True, help="Draw and check, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    context: click.Context,
    edition: str,
    title: str,
    count: int | None,
    quotas: dict[Quota, int],
    tier: str | None,
    choice_types: tuple[str, ...],
    databases: tuple[str, ...],
    seed: int | None,
    licences: dict[str, str],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Cut an edition from the accepted sets of the draft.

    Each set is checked anew by running it: its queries differ in one step, its depths are those it
    states, and no answer fits both interpretations. EDITION is the id of the new folder below
    data/editions; an edition that is there is never overwritten.

    The draft is what the stage accepted_request_sets has stored; `specbridge run` builds it.
    """
    from specbridge_pipeline.request_sets.publishing import (
        accepted_set,
        publish,
        recheck_all,
        require_new,
    )

    if not re.fullmatch(SLUG, edition):
        raise ConfigurationError(
            f"'{edition}' is no id of an edition",
            advice="use lower-case letters, digits, '_', '.', '-'",
        )
    if count is not None and quotas:
        raise ConfigurationError("--count and --quota exclude each other", advice="give one")
    with Workspace(project_of(context), progress=progress()) as workspace:
        require_new(workspace.project, edition)
        accepted = [
            row
            for row in _accepted(workspace, databases)
            if tier in (None, row["tier"])
            and (not choice_types or row["choice_type"] in choice_types)
        ]
        if not accepted:
            raise SpecBridgeError(
                "no accepted set is as asked for", advice="list them: specbridge sets list --draft"
            )
        seed = workspace.profile.seeds.selection if seed is None else seed
        selection = None
        if quotas:
            chosen = select_quotas(accepted, quotas, seed)
            drawn = ", ".join(f"{quota.name}={n}" for quota, n in quotas.items())
            selection = f"quotas {drawn} over databases by largest remainder, seed {seed}"
        elif count is not None:
            chosen = select_count(accepted, count, seed)
            selection = (
                f"{count} of {len(accepted)} accepted sets, strata database x tier x choice type "
                f"by largest remainder, seed {seed}"
            )
        else:
            chosen = sorted(accepted, key=canonical_order)
        sets = [accepted_set(row) for row in chosen]
        imprint_databases = _databases(workspace, sets, licences)
        recheck_all(
            sets,
            workspace.run_on,
            workspace.progress,
            engine_of=workspace.engine,
            copies_on=workspace.copies_on,
        )
        record = None
        if not dry_run:
            imprint = _imprint(workspace, title, chosen, selection, imprint_databases)
            record = publish(workspace.project, edition, sets, imprint)
    _print(edition, accepted, chosen, record, as_json)


def _accepted(workspace: Workspace, databases: Sequence[str]) -> list[Row]:
    """Return the accepted sets of the draft on some databases, or on all that it is built on."""
    from specbridge_pipeline.records.cells import Partition
    from specbridge_pipeline.request_sets.construction_records import ACCEPTED_REQUEST_SETS

    known = workspace.construction_databases
    for name in databases:
        if name not in known:
            raise ConfigurationError(
                f"no request sets are built on a database '{name}'",
                path=workspace.project.databases_file,
                advice=f"databases to build on: {', '.join(known) or 'none'}",
            )
    return [
        row
        for name in databases or known
        for row in workspace.store.read(ACCEPTED_REQUEST_SETS, Partition(database=name)).iter_rows(
            named=True
        )
    ]


def _databases(
    workspace: Workspace, sets: Sequence[RequestSet], licences: Mapping[str, str]
) -> dict[str, EditionDatabase]:
    from specbridge_pipeline.request_sets.editions import EditionDatabase

    used = sorted({each.database for each in sets})
    for name in licences:
        if name not in used:
            raise ConfigurationError(
                f"a licence is given for '{name}', on which the edition has no set",
                advice=f"its databases: {', '.join(used)}",
            )
    found = {}
    for name in used:
        database = workspace.databases[name]
        licence = licences.get(name) or database.entry.source
        if not licence:
            raise ConfigurationError(
                f"the licence of database '{name}' is not known",
                path=database.registered_in[0],
                line=database.registered_in[1],
                advice=f"give its source there, or add --licence '{name}=…'",
            )
        found[name] = EditionDatabase(
            content_hash=workspace.files.content_hash(database), licence=licence
        )
    return found


def _imprint(
    workspace: Workspace,
    title: str,
    chosen: Sequence[Row],
    selection: str | None,
    databases: Mapping[str, EditionDatabase],
) -> Any:
    from specbridge_pipeline.request_sets.publishing import Imprint, read_by

    grammar = _grammar(workspace, chosen)
    writers = ", ".join(sorted({row["writer"] for row in chosen}))
    return Imprint(
        title=title,
        built_by=f"specbridge-pipeline rules, grammar {grammar}; requests written by {writers}",
        grammar=grammar,
        read_by=read_by(chosen),
        selection=selection,
        code_version=version("specbridge-pipeline"),
        engines=workspace.engine_numbers(databases),
        databases=databases,
    )


def _grammar(workspace: Workspace, chosen: Sequence[Row]) -> str:
    """Return the version of the grammar that the queries were generated by."""
    from specbridge_pipeline.query_generation.records import FILTER_QUERIES, GENERATED_QUERIES
    from specbridge_pipeline.records.cells import Partition

    grammars = set()
    for name in sorted({row["database"] for row in chosen}):
        wanted = {row["query_id"] for row in chosen if row["database"] == name}
        partition = Partition(database=name)
        found = {
            row["query_id"]: row["grammar"]
            for schema in (GENERATED_QUERIES, FILTER_QUERIES)
            # A draft of before there were filters has no cell of them.
            if partition in workspace.store.partitions(schema.name)
            for row in workspace.store.read(schema, partition).iter_rows(named=True)
            if row["kept"] and row["query_id"] in wanted
        }
        if found.keys() != wanted:
            raise StaleRecordError(
                f"{len(wanted - found.keys())} queries of accepted sets are not among the "
                "generated ones",
                where=f"generated_queries[{name}]",
                advice="build the draft anew: specbridge run",
            )
        grammars |= set(found.values())
    return ", ".join(sorted(grammars))


def _print(
    edition: str,
    accepted: Sequence[Row],
    chosen: Sequence[Row],
    record: EditionRecord | None,
    as_json: bool,
) -> None:
    there, drawn = (Counter(map(stratum_of, rows)) for rows in (accepted, chosen))
    strata = [
        {
            "database": database,
            "tier": tier,
            "choice_type": choice_type,
            "accepted": there[database, tier, choice_type],
            "chosen": drawn[database, tier, choice_type],
        }
        for database, tier, choice_type in sorted(
            there, key=lambda key: (key[0], _TIERS.index(key[1]), key[2])
        )
    ]
    if as_json:
        print_json(
            {
                "edition": edition,
                "published": record is not None,
                "record": None if record is None else record.model_dump(mode="json"),
                "strata": strata,
                "sets": [row["set_id"] for row in chosen],
            }
        )
        return
    print_table(list(strata[0]), [list(row.values()) for row in strata])
    click.echo(f"{len(chosen)} of {len(accepted)} accepted sets, each checked anew")
    if not any(row["human_verdict"] for row in chosen):
        click.echo("no person has read these sets")
    if record is None:
        click.echo("dry run: nothing is written")
    else:
        click.echo(f"published edition {record.id}: {record.sets} sets, {record.digest[:12]}…")
