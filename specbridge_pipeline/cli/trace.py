"""`specbridge trace`."""

from __future__ import annotations

import json
from typing import Any

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.reporting.formatting import (
    cell_text,
    difference_text,
    kappa_text,
    p_value_text,
    share_text,
)
from specbridge_pipeline.reporting.trace import (
    Trace,
    TracedCount,
    TracedResponse,
    TracedRow,
    Tracer,
    as_json,
)
from specbridge_pipeline.reporting.wording import CONDITIONAL_MEASURES

_SHOWN_ROWS = 5
_LONG_PROMPT = 500


@click.command("trace")
@click.argument("number_id")
@click.option("--profile", default="default", show_default=True, help="Profile to follow.")
@click.option("--brief", is_flag=True, help="One line a row, without prompts and replies.")
@click.option("--rescore", is_flag=True, help="Run every query again and compare its verdicts.")
@click.option("--json", "json_", is_flag=True, help="Print the whole chain as JSON.")
@click.pass_context
def command(
    context: click.Context,
    number_id: str,
    profile: str,
    brief: bool,
    rescore: bool,
    json_: bool,
) -> None:
    """Follow a reported number down to the replies behind it.

    Prints the number with its formula, the rows behind it, and for each row its set, both queries
    with their results, the database with its hash, and each reply with prompt, raw text and
    scores. On the way the number is computed again from its rows, each row from its scores, and
    each response from its archived reply; a difference is an error. NUMBER_ID may be shortened
    where the rest is clear: both_returned/NAME/all. A count of the draft (funnel/…) or of the
    review (review/…) is shown with the stored rows that it counts.
    """
    from specbridge_pipeline.reporting import trace as tracing

    with Workspace(project_of(context), profile_name=profile) as workspace:
        tracer = Tracer(
            workspace.store,
            workspace.archive,
            seed=workspace.profile.seeds.bootstrap,
            resamples=workspace.profile.resamples,
        )
        number_id = _completed(number_id, tracer)
        if number_id in tracer.count_ids:
            _show_count(tracer.count(number_id), brief=brief, as_json=json_)
            return
        if number_id in tracer.review_ids:
            _show_review(tracer.review(number_id), brief=brief, as_json=json_)
            return
        trace = tracer.trace(number_id)
        workspace.use_edition(trace.number["edition"])
        compared = tracing.rescore(trace, _scorer(workspace)) if rescore else 0
        if json_:
            print_json(as_json(trace))
            return
        _print_number(trace)
        if rescore:
            click.echo(f"verdicts run again and equal: {compared}")
        if brief:
            _print_rows(trace)
            return
        shown: dict[str, str] = {}
        for row in trace.rows:
            _print_row(workspace, row, shown)


def _completed(number_id: str, tracer: Tracer) -> str:
    known_ids = [*tracer.number_ids, *tracer.count_ids, *tracer.review_ids]
    if number_id in known_ids:
        return number_id
    longer = [known for known in known_ids if known.startswith(f"{number_id}/")]
    if len(longer) > 1:
        raise SpecBridgeError(
            f"{len(longer)} numbers begin with '{number_id}'",
            advice=f"give the whole id of one: {', '.join(longer[:6])}",
        )
    return longer[0] if len(longer) == 1 else number_id


def _scorer(workspace: Workspace) -> Any:
    from specbridge_pipeline.evaluation.stages import score_rows

    def score(database: str, responses: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return score_rows(
            lambda queries: workspace.run_many(database, queries),
            workspace.evaluated.sets_on(database),
            responses,
            workspace.engine(database),
        )

    return score


def _show_count(trace: TracedCount, *, brief: bool, as_json: bool) -> None:
    """Print a count of the funnel with the rows behind it; in brief, only some of them."""
    number = trace.number
    if as_json:
        _print_count_json(trace)
        return
    of = f" of {number['of_count']}" if number["of_stage"] else ""
    click.echo(f"number    {number['number_id']}")
    click.echo(
        f"label     {number['label']}, {number['database'] or 'all databases'}, {number['scope']}"
    )
    click.echo(f"value     {number['count']}{of}")
    _print_rows_behind(trace, "the draft: it is not what was evaluated", brief=brief)


def _show_review(trace: TracedCount, *, brief: bool, as_json: bool) -> None:
    """Print a number of the review with the verdicts behind it; in brief, only some of them."""
    number = trace.number
    if as_json:
        _print_count_json(trace)
        return
    kappa = number["kappa"]
    click.echo(f"number    {number['number_id']}")
    click.echo(f"label     {number['label']}")
    click.echo(
        f"value     {number['numerator']} of {number['denominator']}"
        + (f", Cohen's κ {kappa_text(kappa)}" if number["between"] else "")
    )
    _print_rows_behind(trace, f"verdicts on edition {number['edition']}", brief=brief)


def _print_count_json(trace: TracedCount) -> None:
    rows = [dict(zip(trace.columns, row, strict=True)) for row in trace.rows]
    print_json({"number": dict(trace.number), "rows": rows})


def _print_rows_behind(trace: TracedCount, origin: str, *, brief: bool) -> None:
    click.echo(f'formula   specbridge sql "{trace.number["formula"]}"')
    click.echo(f"origin    {origin}")
    click.echo("counted again from the stored rows, and by the query: equal")
    shown = trace.rows[:_SHOWN_ROWS] if brief else trace.rows
    print_table(trace.columns, shown)
    if len(shown) < len(trace.rows):
        click.echo(f"and {len(trace.rows) - len(shown)} more rows")


def _print_number(trace: Trace) -> None:
    number = trace.number
    counted = (number["numerator"], number["denominator"], number["low"], number["high"])
    if number["compared_with"]:
        value = f"{difference_text(*counted)}, p = {p_value_text(number['p_value'])}"
    else:
        conditional = number["measure"] in CONDITIONAL_MEASURES
        value = f"{share_text(*counted, conditional=conditional)} (interval: {number['interval']})"
    who = number["model"] + (
        f" against {number['compared_with']}" if number["compared_with"] else ""
    )
    click.echo(f"number    {number['number_id']}")
    click.echo(f"label     {number['label']}, {who}, {number['scope']}")
    click.echo(f"value     {value}")
    click.echo(f"formula   {number['formula']}")
    click.echo(
        f"origin    edition {number['edition']}, method {number['method']}, round "
        f"{number['round']}, explanations read by {number['judge']}"
    )
    click.echo(f"rows      {len(trace.rows)} of the view {number['source']}")
    click.echo("recomputed from rows, scores, judgements and archived replies: equal")


def _print_rows(trace: Trace) -> None:
    names = ("outcome_id", "choice_type", "right_a", "right_b", "both_returned", "named", "outcome")
    print_table(names, [[row.outcome[name] for name in names] for row in trace.rows])


def _print_row(workspace: Workspace, row: TracedRow, shown_prompts: dict[str, str]) -> None:
    of_set, outcome = row.request_set, row.outcome
    click.echo(f"\n{'═' * 100}\nrow       {outcome['outcome_id']}")
    shown = ("right_a", "right_b", "both_returned", "named", "main_answer", "outcome")
    click.echo("          " + ", ".join(f"{name}={outcome[name]}" for name in shown))
    click.echo(
        f"set       {of_set['set_id']} of edition {of_set['edition']}: {of_set['choice_type']}, "
        f"{of_set['tier']} tier, written by {of_set['writer']}"
    )
    click.echo(f"database  {of_set['database']}, content {of_set['database_hash']}")
    for side in "ab":
        click.echo(f"\n{side.upper()}         {of_set[f'meaning_{side}']}")
        click.echo(_indented(of_set[f"sql_{side}"]))
        result = workspace.run_many(of_set["database"], [of_set[f"sql_{side}"]])[0]
        if isinstance(result, QueryFailure):
            click.echo(f"          {result.kind}: {result.message}")
            continue
        lines = [", ".join(result.columns)]
        lines += [", ".join(cell_text(cell) for cell in r) for r in result.rows[:_SHOWN_ROWS]]
        rest = len(result.rows) - _SHOWN_ROWS
        lines += [f"… and {rest} more rows"] if rest > 0 else []
        click.echo(_indented("\n".join(lines), "            "))
    for response in row.responses:
        _print_response(response, shown_prompts)


def _print_response(response: TracedResponse, shown_prompts: dict[str, str]) -> None:
    """Print a response; a long prompt that was printed before is only named again."""
    row = response.row
    click.echo(f"\n{'─' * 100}\nresponse  {row['response_id']}")
    for call in response.replies:
        click.echo(f"call      {call.reply.key}, asked {call.reply.asked_at}")
        if call.request is None:
            click.echo("prompt    (ships without its prompt)")
        else:
            for role, content in json.loads(call.request)["messages"]:
                before = shown_prompts.setdefault(content, row["response_id"])
                if before != row["response_id"] and len(content) > _LONG_PROMPT:
                    click.echo(f"prompt    {role}: the same as of response {before}")
                    continue
                click.echo(f"prompt    {role}:")
                click.echo(_indented(content))
        click.echo(f"reply     finish reason {call.reply.finish_reason}")
        click.echo(_indented(call.reply.text))
    for score in response.scores:
        reason = f": {score['reason']}" if score["reason"] else ""
        click.echo(
            f"score     {score['query']} for {score['interpretation'].upper()}: "
            f"{score['verdict']}{reason}"
        )
    judgement = response.judgement
    said = f": “{judgement['evidence']}”" if judgement["evidence"] else ""
    named = "names the choice" if judgement["names_choice"] else "does not name the choice"
    click.echo(f"judged    by {judgement['judge']}: {named}{said}")


def _indented(text: str, margin: str = "          ") -> str:
    return "\n".join(margin + line for line in text.rstrip().splitlines())
