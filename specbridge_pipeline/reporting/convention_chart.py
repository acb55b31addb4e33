"""The chart of conventions by author group (the paper, Figure 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from specbridge_pipeline.choices.conventions.references.author_groups import author_groups
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.reporting.svg import INK, drawing_style, empty_figure, svg_text
from specbridge_pipeline.statistics.intervals import wilson

Row = Mapping[str, Any]

DRAWN = (ChoiceType.TIES, ChoiceType.COUNTING_UNIT)
"""The choices on which groups of authors disagree."""
_COLOURS = {"train": "#0072b2", "dev": "#e69f00"}
_WIDTH = 11.0
_LABELS = 2.6
_ROW = 0.34
_HEAD = 0.5
_TITLE_LETTERS = 48
_FOOT = 0.75


def conventions_chart(rows: Sequence[Row]) -> str:
    """Draw the share of open questions whose reference takes the usual side, by author group.

    A panel a choice, a line a group, a dot with its 95% interval a split.

    Args:
        rows: Rows of CONVENTION_COUNTS.

    Returns:
        The chart as SVG; empty where nothing was counted of these choices.
    """
    shares = _shares(rows)
    groups = [each for each in author_groups() if any(key[1] == each for key in shares)]
    if not groups:
        return ""
    splits = sorted({key[2] for key in shares}, key=lambda name: (name != "train", name))
    height = _HEAD + len(groups) * _ROW + _FOOT
    with drawing_style("conventions"):
        from matplotlib.lines import Line2D

        figure = empty_figure(_WIDTH, height)
        step = (_WIDTH - _LABELS) / len(DRAWN)
        for place, choice_type in enumerate(DRAWN):
            axes = figure.add_axes(
                (
                    (_LABELS + place * step) / _WIDTH,
                    _FOOT / height,
                    (step - 0.9) / _WIDTH,
                    len(groups) * _ROW / height,
                )
            )
            axes.set_title(
                fill(f"{choice_type.label}: {CONVENTIONS[choice_type].usual}", _TITLE_LETTERS),
                loc="left",
                fontsize=9,
                fontweight="bold",
            )
            for y, group in enumerate(groups):
                present = [each for each in splits if (choice_type, group, each) in shares]
                for at, split in enumerate(present):
                    usual, count = shares[choice_type, group, split]
                    interval = wilson(usual, count)
                    line = y + 0.26 * (at - (len(present) - 1) / 2)
                    colour = _COLOURS.get(split, "#6b6b6b")
                    axes.plot((100 * interval.low, 100 * interval.high), (line, line), color=colour)
                    axes.plot(
                        100 * usual / count, line, "o", color=colour, markersize=5, clip_on=False
                    )
                    axes.text(102, line, f"{usual:,}/{count:,}", va="center", fontsize=8)
            axes.set_xlim(0, 100)
            axes.set_ylim(len(groups) - 0.5, -0.5)
            axes.set_yticks(range(len(groups)), groups if not place else [""] * len(groups))
            axes.set_xticks((0, 50, 100), ("0%", "50%", "100%"))
            axes.tick_params(length=0)
            for spine in axes.spines.values():
                spine.set_visible(False)
            axes.axvline(50, color=INK, linewidth=0.4, alpha=0.4)
        figure.legend(
            handles=[
                Line2D([], [], marker="o", color=_COLOURS.get(each, "#6b6b6b"), label=each)
                for each in splits
            ],
            loc="lower left",
            bbox_to_anchor=(_LABELS / _WIDTH - 0.01, 0),
            ncols=len(splits),
            frameon=False,
        )
        return svg_text(
            figure,
            "conventions",
            "Share of open questions whose reference takes the usual side. " + _spoken(shares),
        )


def _shares(rows: Sequence[Row]) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Return (choice type, group, split) → usual and all open questions, where there are any."""
    return {
        (row["choice_type"], row["author_group"], row["split"]): (
            row["usual"],
            row["usual"] + row["other"],
        )
        for row in rows
        if row["choice_type"] in DRAWN and row["usual"] + row["other"]
    }


def _spoken(shares: Mapping[tuple[str, str, str], tuple[int, int]]) -> str:
    return "; ".join(
        f"{ChoiceType(choice_type).label}, {group}, {split}: {usual} of {count}"
        for (choice_type, group, split), (usual, count) in sorted(shares.items())
    )
