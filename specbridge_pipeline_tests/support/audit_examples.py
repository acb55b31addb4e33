"""The examples of docs/audit.md, as the command prints them today.

`python -m specbridge_pipeline_tests.support.audit_examples` writes them anew.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from specbridge_pipeline.choices.audit import audit
from specbridge_pipeline.cli.audit_view import as_text
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline_tests.support.projects import CHECKOUT

DOCUMENT = CHECKOUT / "docs" / "audit.md"
BLOCK = re.compile(r"<!-- audit: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)

EXAMPLES = {
    "ties": (
        "baseball",
        "Which player had the lowest salary in 2010?",
        "SELECT p.first_name, p.last_name FROM salaries AS s JOIN people AS p "
        "ON p.player_id = s.player_id WHERE s.year = 2010 ORDER BY s.salary LIMIT 1",
    ),
    "counting": (
        "baseball",
        "How many different players from the Dominican Republic have won an award?",
        "SELECT COUNT(p.player_id) FROM people AS p JOIN player_awards AS a "
        "ON a.player_id = p.player_id WHERE p.birth_country = 'D.R.'",
    ),
    "missing": (
        "flights",
        "Which plane is the oldest?",
        "SELECT tailnum FROM planes ORDER BY year LIMIT 1",
    ),
}


def examples(folder: Path) -> dict[str, str]:
    """Return each example as a block of Markdown; sample databases are built in the folder."""
    shown = {}
    for name, (database, question, sql) in EXAMPLES.items():
        path = folder / f"{database}.sqlite"
        if not path.exists():
            build_database(path, SAMPLES[database]())
        text = as_text([("query", audit(path, sql, question))])
        command = f'$ specbridge audit --db {database} --question "{question}" \\\n    "{sql}"'
        shown[name] = f"```text\n{command}\n{text}```\n"
    return shown


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        fresh = examples(Path(temporary))
    DOCUMENT.write_text(
        BLOCK.sub(
            lambda found: f"<!-- audit: {found[1]} -->\n{fresh[found[1]]}<!-- end -->",
            DOCUMENT.read_text("utf-8"),
        ),
        "utf-8",
    )
