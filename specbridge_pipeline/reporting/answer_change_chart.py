"""The chart of open questions whose answer changes (the paper, Figure 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.choices.answer_changes.counts import ANY, PUBLISHED, label_of
from specbridge_pipeline.reporting.report_answer_changes import LEAST_FOR_SHARE, questions_name
from specbridge_pipeline.reporting.svg import drawing_style, empty_figure, svg_text

Row = Mapping[str, Any]

_PARTS = {
    "a single number moves by more than half": ("#d55e00", ("over_half",)),
    "by 10 to 50%": ("#e69f00", ("tenth_to_half",)),
    "by less": ("#f0e442", ("under_a_tenth",)),
    "another single value": ("#56b4e9", ("missing_value", "another_value")),
    "other rows": ("#b4b4b4", ("other_rows",)),
}
_WIDTH = 11.0
_LABELS = 1.9
_BAR = 0.32
_HEAD = 0.45
_FOOT = 0.95
_RIGHT = 1.1


def answer_changes_chart(rows: Sequence[Row]) -> str:
    """Draw the share of open questions whose answer changes, by choice type and how far.

    A panel a benchmark's questions, a bar a choice type with a proved edit, the largest share
    first; the label behind a bar gives the counts, and stands alone where they are too few.

    Args:
        rows: Rows of ANSWER_CHANGE_COUNTS.

    Returns:
        The chart as SVG; empty where nothing was edited.
    """
    panels = {
        key: sorted(
            (row for row in rows if _key(row) == key and _drawn(row)),
            key=lambda row: (_is_few(row), -row["changed"] / row["edited"], row["choice_type"]),
        )
        for key in sorted({_key(row) for row in rows if _drawn(row)})
    }
    if not panels:
        return ""
    most = max(len(listed) for listed in panels.values())
    height = _HEAD + most * _BAR + _FOOT
    with drawing_style("answer changes"):
        from matplotlib.patches import Patch

        figure = empty_figure(_WIDTH, height)
        step = _WIDTH / len(panels)
        for place, (key, listed) in enumerate(panels.items()):
            tall = len(listed) * _BAR
            axes = figure.add_axes(
                (
                    (place * step + _LABELS) / _WIDTH,
                    (height - _HEAD - tall) / height,
                    (step - _LABELS - _RIGHT) / _WIDTH,
                    tall / height,
                )
            )
            axes.set_title(questions_name(*key), loc="left", fontsize=9, fontweight="bold")
            for y, row in enumerate(listed):
                start = 0.0
                for colour, names in _PARTS.values():
                    width = 100 * sum(row[name] for name in names) / row["edited"]
                    if width and not _is_few(row):
                        axes.barh(y, width, left=start, height=0.74, color=colour)
                    start += width
                axes.text(102, y, f"{row['changed']:,}/{row['edited']:,}", va="center", fontsize=8)
            axes.set_xlim(0, 100)
            axes.set_ylim(len(listed) - 0.5, -0.5)
            axes.set_yticks(range(len(listed)), [label_of(row["choice_type"]) for row in listed])
            axes.set_xticks((0, 100), ("0%", "100%"))
            axes.tick_params(length=0)
            for spine in axes.spines.values():
                spine.set_visible(False)
        figure.legend(
            handles=[Patch(color=colour, label=label) for label, (colour, _) in _PARTS.items()],
            loc="lower left",
            bbox_to_anchor=(0, 0),
            ncols=3,
            frameon=False,
            handlelength=1,
            handleheight=1,
        )
        spoken = "; ".join(
            f"{questions_name(*key)}, {label_of(row['choice_type'])}: "
            f"{row['changed']} of {row['edited']}"
            for key, listed in panels.items()
            for row in listed
        )
        return svg_text(
            figure, "answer-changes", f"Share of edited open questions that change. {spoken}"
        )


def _key(row: Row) -> tuple[str, str]:
    return (row["benchmark"], row["split"])


def _is_few(row: Row) -> bool:
    return bool(row["edited"] < LEAST_FOR_SHARE)


def _drawn(row: Row) -> bool:
    return bool(row["edited"]) and row["choice_type"] not in (ANY, PUBLISHED)
