"""The chart of the funnel of construction, a bar a stage (the paper, Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.formatting import percent
from specbridge_pipeline.reporting.funnel import FUNNEL, TIERS
from specbridge_pipeline.reporting.report_funnel import UNIT_WORDS
from specbridge_pipeline.reporting.svg import drawing_style, empty_figure, svg_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, Any]

_COLOURS = {"short": "#56b4e9", "paper": "#0072b2", "": "#b4b4b4"}
_WORDS = {"short": "short tier", "paper": "paper tier", "": "tier not known"}
_WIDTH = 11.0
_LABELS = 3.75
_COUNTS = 1.5
_BAR = 0.3
_HEAD = 0.42
_LEGEND = 0.4


def funnel_chart(funnel: Sequence[Row]) -> str:
    """Draw what each stage of construction kept, over all databases.

    Queries, choices and sets have a panel and a scale each: there are many choices in a query.

    Args:
        funnel: Rows of CONSTRUCTION_FUNNEL.

    Returns:
        The chart as SVG.
    """
    from matplotlib.patches import Patch

    counts = {
        (row["stage"], row["scope"].removeprefix("tier=")): row
        for row in funnel
        if not row["database"] and (row["scope"] == "all" or row["scope"].startswith("tier="))
    }
    panels = {
        title: [stage for stage in FUNNEL if stage.unit == unit]
        for unit, title in UNIT_WORDS.items()
    }
    if not counts:
        with drawing_style("funnel"):
            figure = empty_figure(4, 0.6)
            figure.text(0.5, 0.5, "Nothing built yet", ha="center", va="center")
            return svg_text(figure, "funnel", "Nothing built yet")
    height = _LEGEND + sum(_HEAD + _BAR * len(stages) for stages in panels.values())
    with drawing_style("funnel"):
        figure = empty_figure(_WIDTH, height)
        top = height
        segments: set[str] = set()
        for title, stages in panels.items():
            top -= _HEAD + _BAR * len(stages)
            axes = figure.add_axes(
                (
                    _LABELS / _WIDTH,
                    top / height,
                    (_WIDTH - _LABELS - _COUNTS) / _WIDTH,
                    _BAR * len(stages) / height,
                )
            )
            bars = [_segments(counts, stage.name) for stage in stages]
            segments |= {tier for bar in bars for tier, count in bar.items() if count}
            axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=5)
            _panel(axes, bars, [counts[stage.name, "all"] for stage in stages])
        figure.legend(
            handles=[
                Patch(color=_COLOURS[tier], label=_WORDS[tier])
                for tier in (*TIERS, "")
                if tier in segments
            ],
            loc="lower left",
            bbox_to_anchor=(_LABELS / _WIDTH - 0.01, 0),
            ncols=3,
            frameon=False,
            handlelength=1,
            handleheight=1,
        )
        spoken = "; ".join(
            f"{stage.label}: {counts[stage.name, 'all']['count']}"
            for stages in panels.values()
            for stage in stages
        )
        return svg_text(figure, "funnel", f"What each stage of construction kept. {spoken}")


def _segments(counts: Mapping[tuple[str, str], Row], stage: str) -> dict[str, int]:
    """Return how many rows of a stage are of each tier, and of none that is known."""
    found = {tier: counts[stage, tier]["count"] if (stage, tier) in counts else 0 for tier in TIERS}
    return {**found, "": counts[stage, "all"]["count"] - sum(found.values())}


def _panel(axes: Axes, bars: Sequence[Mapping[str, int]], totals: Sequence[Row]) -> None:
    most = max(1, *(row["count"] for row in totals))
    for y, (bar, row) in enumerate(zip(bars, totals, strict=True)):
        start = 0
        for tier, count in bar.items():
            if count:
                axes.barh(y, count, left=start, height=0.74, color=_COLOURS[tier], clip_on=False)
            start += count
        text = f"{row['count']:,}"
        if row["stage"] == "read_by_people" and not row["count"]:
            text = "none read"
        elif row["of_count"]:
            text += f" ({percent(row['count'], row['of_count'])})"
        axes.text(start + most * 0.012, y, text, va="center", fontsize=9)
    axes.set_xlim(0, most)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.set_yticks(range(len(bars)), [row["label"] for row in totals])
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
