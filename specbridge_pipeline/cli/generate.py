"""`specbridge generate`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from specbridge_pipeline.cli.terminal import progress, project_of
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError

if TYPE_CHECKING:
    from specbridge_pipeline.query_generation.generation import Attempt
    from specbridge_pipeline.query_generation.requests import QueryRequest

_MOST_REASONS = 4


def _range(smallest: int, largest: int) -> Callable[..., tuple[int, int] | None]:
    """Return a callback that reads a whole number, or two with a hyphen between them."""

    def read(
        context: click.Context, parameter: click.Parameter, value: str | None
    ) -> tuple[int, int] | None:
        if value is None:
            return None
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
        if found:
            first, last = int(found[1]), int(found[2] or found[1])
            if smallest <= first <= last <= largest:
                return first, last
        raise click.BadParameter(
            f"'{value}' is no number or range between {smallest} and {largest}, "
            f"as in {smallest}-{largest}",
            context,
            parameter,
        )

    return read


_OPERATIONS = {
    "join": "another table's columns group the rows",
    "join_chain": "columns two references away do",
    "outer_join": "rows without a match count as zero",
    "count_rows": "rows are counted",
    "count_entities": "different entities are",
    "total": "a measure is added up",
    "average": "a measure is averaged",
    "highest": "the highest value of a measure",
    "lowest": "the lowest",
    "spread": "the highest less the lowest",
    "mean_of_ratios": "each row's ratio, averaged",
    "ratio_of_means": "the ratio of two averages",
    "rows_per_entity": "rows for each entity",
    "total_per_entity": "a total for each entity",
    "difference_of_totals": "one total less another",
    "difference_of_averages": "one average less another",
    "sum_of_totals": "two totals together",
    "combine": "values of two tables by the same group",
    "difference": "a value less a baseline or another value",
    "ratio": "a value divided by a baseline or another value",
    "share": "share of a total",
    "share_within_group": "share of a group's total",
    "filter": "groups above a baseline",
    "average_of_averages": "a baseline in which each group counts once",
    "pooled_average": "a baseline in which each row does",
    "reaggregate": "values of groups put together",
    "kept_by_group": "those that were kept, by group",
    "total_of_groups": "those that were kept, added up",
    "summary": "how many were kept, and their average",
    "top": "the first rows",
    "limit": "the first rows, exactly as many",
    "all_tied": "the first rows, with all that tie",
    "top_k_within_group": "the first rows of each group",
    "ranked_rows": "a table's own rows, ranked",
}
_LISTED = "\n".join(f"  {name:<24}{said}" for name, said in _OPERATIONS.items())
_HELP = f"""Generate queries on a database at the depths asked for; no model is called.

Each query is delivered with exactly the depths and operations asked for, after its steps were
checked on the data, or not at all. Prints one JSON object a line: the query, its depths, what it
does, its plan, and the number of the grammar that made it. The same seed gives the same queries on
every machine. What could not be delivered, and why, is said on stderr.

For example, ten queries that keep the first ones of each group:

\b
  specbridge generate --database baseball --require top_k_within_group

\b
What can be required:
{_LISTED}
"""


@click.command("generate", help=_HELP)
@click.option("--database", required=True, metavar="ID", help="The registered database.")
@click.option(
    "--count", default=10, show_default=True, type=click.IntRange(min=1), help="How many queries."
)
@click.option(
    "--step-depth",
    "steps",
    default="3-6",
    show_default=True,
    callback=_range(1, 6),
    metavar="N[-M]",
    help="Steps on the longest chain of dependence, 1 to 6.",
)
@click.option(
    "--arithmetic-depth",
    "arithmetic",
    callback=_range(0, 3),
    metavar="N[-M]",
    help="Deepest nesting of + - * /, 0 to 3. Default: any.",
)
@click.option(
    "--require",
    "required",
    multiple=True,
    type=click.Choice(list(_OPERATIONS)),
    metavar="OPERATION",
    help="Something that each query must do (the list above); may be given several times.",
)
@click.option("--seed", type=int, help="Seed of what is left to chance. Default: the profile's.")
@click.pass_context
def command(
    context: click.Context,
    database: str,
    count: int,
    steps: tuple[int, int],
    arithmetic: tuple[int, int] | None,
    required: tuple[str, ...],
    seed: int | None,
) -> None:
    """Generate queries and print them."""
    from specbridge_pipeline.orchestration.workspace import Workspace
    from specbridge_pipeline.query_generation.generation import generate
    from specbridge_pipeline.query_generation.requests import plain_requests
    from specbridge_pipeline.query_generation.shapes import Operation

    operations = frozenset(Operation(name) for name in required)
    requests = plain_requests(count, steps, arithmetic, operations)
    if not requests:
        raise SpecBridgeError(
            "no query has these depths" + (" and operations" if required else ""),
            advice="ask for a larger step depth or a smaller arithmetic depth"
            + (", or require less" if required else ""),
        )
    with Workspace(project_of(context)) as workspace:
        if database not in workspace.databases:
            raise ConfigurationError(
                f"there is no database '{database}'",
                path=workspace.project.databases_file,
                advice="list them: specbridge databases list",
            )
        run = workspace.run_on(database)
        catalogue = workspace.measured_catalogue(database)
        chosen = workspace.profile.seeds.generation if seed is None else seed
        attempts = []
        for attempt in generate(
            catalogue, run, requests=requests, seed=chosen, progress=progress()
        ):
            attempts.append(attempt)
            if attempt.kept:
                click.echo(json.dumps(_record(database, attempt), ensure_ascii=False))
    for line in shortfalls(requests, attempts):
        click.echo(line, err=True)


def shortfalls(requests: Sequence[QueryRequest], attempts: Sequence[Attempt]) -> list[str]:
    """Return what was asked for and not delivered, a line for each pair of depths.

    Args:
        requests: What was asked for.
        attempts: What was tried.

    Returns:
        The lines, with the commonest reasons; empty where all was delivered.
    """
    asked = Counter((request.step_depth, request.arithmetic_depth) for request in requests)
    delivered = {attempt.request for attempt in attempts if attempt.kept}
    missing = Counter(
        (request.step_depth, request.arithmetic_depth)
        for position, request in enumerate(requests)
        if position not in delivered
    )
    lines = []
    for (steps, arithmetic), number in missing.items():
        reasons = Counter(
            reason
            for attempt in attempts
            for reason in (*attempt.taken_back, attempt.reason)
            if attempt.request not in delivered
            and requests[attempt.request].step_depth == steps
            and requests[attempt.request].arithmetic_depth == arithmetic
        )
        told = ", ".join(
            f"{reason} ({many})" for reason, many in reasons.most_common(_MOST_REASONS)
        )
        depth = "any" if arithmetic is None else arithmetic
        lines.append(
            f"step depth {steps}, arithmetic depth {depth}: "
            f"{number} of {asked[steps, arithmetic]} not delivered: {told}"
        )
    return lines


def _record(database: str, attempt: Attempt) -> dict[str, object]:
    from specbridge_pipeline.query_generation.generation import query_id
    from specbridge_pipeline.query_generation.plan import GRAMMAR, plan_to_json

    assert attempt.plan is not None
    return {
        "query_id": query_id(database, attempt.sql),
        "database": database,
        "step_depth": attempt.step_depth,
        "arithmetic_depth": attempt.arithmetic_depth,
        "operations": list(attempt.operations),
        "rows": attempt.rows,
        "grammar": GRAMMAR,
        "sql": attempt.sql,
        "plan": json.loads(plan_to_json(attempt.plan)),
    }
