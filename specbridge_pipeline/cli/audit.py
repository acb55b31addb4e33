"""`specbridge audit`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specbridge_pipeline.cli.located_databases import located
from specbridge_pipeline.cli.terminal import print_json, progress
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError

if TYPE_CHECKING:
    from specbridge_pipeline.choices.audit import Audit, Status

_NOT_AUDITED, _FOUND, _SUSPICIOUS = 2, 3, 4
_QUESTION = re.compile(r"\A(?:\s*--[^\n]*\n)*?\s*--\s*question:\s*(\S[^\n]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Query:
    """A query to audit: where it is from, its text, and what it shall answer."""

    name: str
    sql: str
    question: str


@click.command("audit")
@click.argument("targets", nargs=-1, metavar="[SQL | FILE… | FOLDER | -]")
@click.option(
    "--db",
    "database",
    required=True,
    metavar="DATABASE",
    help="A registered database's id, or the path of a database.",
)
@click.option("--question", metavar="TEXT", help="The question that the query answers.")
@click.option("--evidence", metavar="TEXT", help="What is said beside it of the words it uses.")
@click.option(
    "--conventions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Choices that are settled once for all. Default: conventions.yaml beside the database.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["against_wording", "unsettled", "suspicious", "never"]),
    default="suspicious",
    show_default=True,
    help="The least grave finding that makes the command fail.",
)
@click.option("--all", "everything", is_flag=True, help="Show findings without effect in full too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", is_flag=True, help="Print Markdown, for a comment on a change.")
@click.pass_context
def command(
    context: click.Context,
    targets: tuple[str, ...],
    database: str,
    question: str | None,
    evidence: str | None,
    conventions: Path | None,
    fail_on: str,
    everything: bool,
    as_json: bool,
    markdown: bool,
) -> int:
    """Lay open the choices that a query settles without saying so.

    Each choice is tried the other way on the database: what the query does, what else could be
    meant, how the answer moves, and the other query, ready to run. With a question, words of it
    that settle a choice are heeded. A file's question stands in its first comment:
    `-- question: …`. No language model is asked.

    Exit code 3 for a choice that changes the answer and is unsettled or against the wording,
    4 for what is suspicious without any question, 2 where a query could not be audited.

    \b
    specbridge audit --db shop.sqlite "SELECT name FROM customer ORDER BY age LIMIT 1"
    specbridge audit --db shop.sqlite --question "Who is the youngest?" query.sql
    specbridge audit --db warehouse.duckdb target/compiled --markdown --fail-on unsettled
    """  # noqa: D301
    from specbridge_pipeline.cli.audit_view import as_markdown, as_text, json_of

    if as_json and markdown:
        raise click.UsageError("give --json or --markdown, not both")
    queries = list(_queries(targets, question))
    audits: list[tuple[str, Audit | SpecBridgeError]] = []
    for name, found in _audited(context.obj["project"], database, queries, evidence, conventions):
        audits.append((name, found))
        if isinstance(found, SpecBridgeError) and context.obj["debug"]:
            raise found
    if as_json:
        print_json(json_of(audits))
    else:
        show = as_markdown if markdown else as_text
        click.echo(show(audits, everything=everything), nl=False)
    return _exit_code([found for _, found in audits], fail_on)


def _audited(
    folder: str | None,
    database: str,
    queries: list[_Query],
    evidence: str | None,
    conventions: Path | None,
) -> Iterator[tuple[str, Audit | SpecBridgeError]]:
    from specbridge_pipeline.choices.audit import audit
    from specbridge_pipeline.choices.audit.team_conventions import read_team_conventions
    from specbridge_pipeline.databases.limits import Limits
    from specbridge_pipeline.databases.runner import QueryRunner
    from specbridge_pipeline.errors import UndescribableQueryError, UnusableReferenceError

    path, limits = located(folder, database)
    settled = None if conventions is None else read_team_conventions(conventions)
    with (
        QueryRunner(workers=1, limits=Limits(**limits)) as runner,
        progress().task("queries", len(queries)) as task,
    ):
        for query in queries:
            try:
                yield (
                    query.name,
                    audit(
                        path,
                        query.sql,
                        query.question,
                        evidence=evidence or "",
                        conventions=settled,
                        runner=runner,
                    ),
                )
            except (UnusableReferenceError, UndescribableQueryError) as error:
                yield query.name, error
            task.advance()


def _queries(targets: tuple[str, ...], question: str | None) -> Iterator[_Query]:
    if not targets:
        raise click.UsageError("give a query, files or folders of queries, or - for standard input")
    for target in targets:
        path = Path(target) if len(target) < 1_000 and "\n" not in target else None
        if target == "-":
            yield _query("standard input", sys.stdin.read(), question)
        elif path is not None and path.is_dir():
            files = sorted(path.rglob("*.sql"))
            if not files:
                raise ConfigurationError(
                    "there are no queries in the folder",
                    path=path,
                    advice="name a folder with files that end in .sql",
                )
            for file in files:
                yield _query(str(file.relative_to(path)), _read(file), question)
        elif path is not None and (path.is_file() or path.suffix == ".sql"):
            yield _query(target, _read(path), question)
        else:
            yield _query("query", target, question)


def _query(name: str, text: str, question: str | None) -> _Query:
    found = _QUESTION.match(text)
    said = found.group(1).strip() if found is not None else ""
    return _Query(name, text, question if question is not None else said)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(
            f"the query cannot be read: {error.strerror}", path=path, advice="name a file"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"the query is no UTF-8 text: byte {error.start + 1}", path=path, advice="save it so"
        ) from error


def _exit_code(found: list[Audit | SpecBridgeError], fail_on: str) -> int:
    from specbridge_pipeline.choices.audit import Status

    if fail_on == "never":
        return 0
    order = list(Status)
    gravest: list[Status] = [
        each.gravest for each in found if not isinstance(each, SpecBridgeError)
    ]
    failing = [each for each in gravest if order.index(each) <= order.index(Status(fail_on))]
    if any(each in (Status.AGAINST_WORDING, Status.UNSETTLED) for each in failing):
        return _FOUND
    if failing:
        return _SUSPICIOUS
    return _NOT_AUDITED if len(gravest) < len(found) else 0
