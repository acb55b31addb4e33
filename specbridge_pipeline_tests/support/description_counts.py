"""The counts of the study of descriptions as `docs/description-proofs.md` shows them.

`python -m specbridge_pipeline_tests.support.description_counts` writes the tables anew.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from specbridge_pipeline.sql.mutation.kinds import MutationKind
from specbridge_pipeline_tests.support.projects import CHECKOUT

PAGE = CHECKOUT / "docs" / "description-proofs.md"
FOLDER = CHECKOUT / "data" / "derived" / "descriptions"
MARK = "<!-- tables of data/derived/descriptions -->\n"
BENCHMARKS = {
    "spider-dev": "Spider dev",
    "spider-train": "Spider train",
    "spider-train-others": "Spider train, others",
    "bird-dev": "BIRD dev",
}
_FATES = ("killed", "refused", "survived")


def read_counts() -> dict[str, dict[str, Any]]:
    """Return the counts of each benchmark."""
    return {
        name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        for name in BENCHMARKS
    }


def tables() -> str:
    """Return the tables as the page shows them."""
    counts = read_counts()
    head = ["", *(BENCHMARKS[name] for name in counts)]
    rows: list[list[object]] = [
        [key.replace("_", " "), *(each[key] for each in counts.values())]
        for key in ("references", "parsed", "described")
    ]
    for title in ("not_parsed", "not_described"):
        rows += _reasons(title, counts)
    back: list[list[object]] = [
        ["described", *(each["described"] for each in counts.values())],
        [
            "back with the same result",
            *(each["round_trips"] - each["round_trips_by_text"] for each in counts.values()),
        ],
        [
            "back with the same description, no result to compare",
            *(each["round_trips_by_text"] for each in counts.values()),
        ],
        *_reasons("no_round_trip", counts),
    ]
    mutation: list[list[object]] = [
        ["queries mutated", *(_judged(each, each["queries_mutated"]) for each in counts.values())],
        *_reasons("not_mutated", counts),
        ["mutants that return something else", *(each["mutants"] for each in counts.values())],
    ]
    named = {
        "killed": "… told apart by another text",
        "refused": "… told apart by having no description",
        "survived": "… not told apart (survivors)",
    }
    for fate, words in named.items():
        numbers = [_judged(each, _total(each, fate)) for each in counts.values()]
        mutation.append([words, *numbers])
    for fate in sorted({fate for each in counts.values() for fate in each["mutants_left_out"]}):
        words = f"left out: {fate.replace('_', ' ')}"
        mutation.append(
            [words, *(each["mutants_left_out"].get(fate, 0) for each in counts.values())]
        )
    by_kind: list[list[object]] = []
    for kind in MutationKind:
        fates: Counter[str] = Counter()
        for each in counts.values():
            fates.update(each["mutants_by_kind"].get(kind.value, {}))
        by_kind.append([kind.value, *(fates[fate] for fate in _FATES)])
    return "\n".join(
        [
            "## Coverage\n",
            _table(head, rows),
            "\n## Mutation\n",
            _table(head, mutation),
            "\nAll benchmarks together, by what was changed:\n",
            _table(["", "another text", "no description", "survived"], by_kind),
            "\n## The way back\n",
            _table(head, back),
            "",
        ]
    )


def _judged(counts: dict[str, Any], number: int) -> int | None:
    """Return a number of mutants; None where none were judged."""
    return None if counts["mutants"] is None else number


def _total(counts: dict[str, Any], fate: str) -> int:
    return sum(kind[fate] for kind in counts["mutants_by_kind"].values())


def _reasons(title: str, counts: dict[str, dict[str, Any]]) -> list[list[object]]:
    """Return a row for each reason, the commonest first."""
    total: Counter[str] = Counter()
    for each in counts.values():
        total.update({reason: len(ids) for reason, ids in each[title].items()})
    return [
        [
            f"{title.replace('_', ' ')}: {reason}",
            *(len(each[title].get(reason, ())) for each in counts.values()),
        ]
        for reason, _ in sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def _table(head: list[str], rows: list[list[object]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])]]
    lines += [[_cell(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|")


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(MARK)] + MARK + "\n" + tables(), encoding="utf-8")
