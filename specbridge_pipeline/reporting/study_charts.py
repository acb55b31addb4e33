"""Charts of the studies of the generator (the paper, Figures S2 and S4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.query_generation.attempt_classes import AttemptClass
from specbridge_pipeline.reporting.report_studies import COVERAGE_WORDS
from specbridge_pipeline.reporting.svg import drawing_style, empty_figure, svg_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, Any]

_CLASS_COLOURS = {
    AttemptClass.SOUND: "#009e73",
    AttemptClass.NOT_SOUND: "#e69f00",
    AttemptClass.DUPLICATE: "#cc79a7",
    AttemptClass.OFF_TARGET: "#56b4e9",
    AttemptClass.INVALID: "#b4b4b4",
    AttemptClass.NOT_BUILT: "#6b6b6b",
}
"""Okabe and Ito's palette, whose hues stay apart for colour-blind readers."""
_COVERAGE_COLOURS = {"allowed": "#b4b4b4", "accepted": "#0072b2"}
_WIDTH = 11.0
_LABELS = 2.6
_RIGHT = 0.9
_BAR = 0.32
_LEGEND = 0.75


def ablation_chart(rows: Sequence[Row]) -> str:
    """Draw what became of the attempts of each configuration: a bar each, a segment a class.

    The label behind a bar is the share that is valid, on target and sound.

    Args:
        rows: Rows of GENERATION_STUDIES; those of the ablation are drawn.

    Returns:
        The chart as SVG; empty where there are none.
    """
    from matplotlib.patches import Patch

    shares = _shares(rows, "ablation", [each.name.lower() for each in AttemptClass])
    if not shares:
        return ""
    with drawing_style("ablation"):
        figure, axes = _axes(len(shares))
        for y, values in enumerate(shares.values()):
            start = 0.0
            for each, value in zip(AttemptClass, values, strict=True):
                if value:
                    axes.barh(y, value, left=start, height=0.74, color=_CLASS_COLOURS[each])
                start += value
            axes.text(101, y, _label(values[0]), va="center", fontsize=9)
        _finish(axes, list(shares))
        figure.legend(
            handles=[Patch(color=_CLASS_COLOURS[each], label=each.value) for each in AttemptClass],
            loc="lower left",
            bbox_to_anchor=(_LABELS / _WIDTH - 0.01, 0),
            ncols=3,
            frameon=False,
            handlelength=1,
            handleheight=1,
        )
        spoken = "; ".join(f"{name}: {_label(values[0])}" for name, values in shares.items())
        return svg_text(
            figure, "ablation", f"Share of attempts valid, on target and sound. {spoken}"
        )


def coverage_chart(rows: Sequence[Row]) -> str:
    """Draw on which share of databases each feature is possible, and accepted: two bars each.

    Args:
        rows: Rows of GENERATION_STUDIES; those of the coverage are drawn.

    Returns:
        The chart as SVG; empty where there are none.
    """
    from matplotlib.patches import Patch

    shares = _shares(rows, "coverage", list(_COVERAGE_COLOURS))
    if not shares:
        return ""
    with drawing_style("coverage"):
        figure, axes = _axes(len(shares))
        for y, values in enumerate(shares.values()):
            colours = _COVERAGE_COLOURS.values()
            for offset, value, colour in zip((-0.2, 0.2), values, colours, strict=True):
                axes.barh(y + offset, value, height=0.36, color=colour)
            axes.text(101, y, " / ".join(map(_label, values)), va="center", fontsize=9)
        _finish(axes, list(shares))
        figure.legend(
            handles=[
                Patch(color=colour, label=COVERAGE_WORDS[name])
                for name, colour in _COVERAGE_COLOURS.items()
            ],
            loc="lower left",
            bbox_to_anchor=(_LABELS / _WIDTH - 0.01, 0),
            ncols=2,
            frameon=False,
            handlelength=1,
            handleheight=1,
        )
        spoken = "; ".join(
            f"{name}: {' and '.join(map(_label, values))}" for name, values in shares.items()
        )
        return svg_text(
            figure, "coverage", f"Share of databases: possible by the schema, accepted. {spoken}"
        )


def _shares(
    rows: Sequence[Row], study: str, measures: Sequence[str]
) -> dict[str, tuple[float, ...]]:
    """Return label → percent of each measure, in the order of the study."""
    found = {
        (row["place"], row["label"], row["measure"]): 100 * row["count"] / row["of_count"]
        for row in rows
        if row["study"] == study and row["measure"] in measures and row["of_count"]
    }
    labels = sorted({(place, label) for place, label, _ in found})
    return {
        label: tuple(found.get((place, label, measure), 0.0) for measure in measures)
        for place, label in labels
    }


def _axes(bars: int) -> tuple[Any, Axes]:
    height = bars * _BAR + _LEGEND + 0.15
    figure = empty_figure(_WIDTH, height)
    axes = figure.add_axes(
        (
            _LABELS / _WIDTH,
            _LEGEND / height,
            (_WIDTH - _LABELS - _RIGHT) / _WIDTH,
            bars * _BAR / height,
        )
    )
    return figure, axes


def _finish(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _label(share: float) -> str:
    return f"{share:.1f}%" if 0 < share < 1 else f"{share:.0f}%"
