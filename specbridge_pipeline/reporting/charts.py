"""Charts as SVG text: small, the same bytes on every run, readable on light and dark pages."""

from __future__ import annotations

import base64
import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from specbridge_pipeline.reporting.formatting import is_number, share_text
from specbridge_pipeline.reporting.numbers import MEASURES, Measure
from specbridge_pipeline.reporting.respondents import Respondent, answered_by, respondents
from specbridge_pipeline.reporting.svg import INK, drawing_style, empty_figure, svg_text
from specbridge_pipeline.reporting.wording import CONDITIONAL_MEASURES, OUTCOME_WORDS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

_DOT = "#2b83ba"
"""Three to one or better against white and against a dark page."""

_OUTCOME_COLOURS = {
    "both_returned": ("#009e73", "#000000"),
    "named_one": ("#56b4e9", "#000000"),
    "silent_one": ("#e69f00", "#000000"),
    "neither": ("#cc79a7", "#000000"),
    "computed_wrong": ("#b4b4b4", "#000000"),
    "does_not_run": ("#6b6b6b", "#ffffff"),
}
"""Fill and text of a segment: Okabe and Ito's palette, whose hues stay apart for colour-blind
readers; what says nothing about reporting is gray."""

_PANELS_A_ROW = 4
_WIDTH = 11.0
_ROW_HEIGHT = 0.27
_TITLE_LETTERS = 28
_LONGEST_LABEL = 34
_LETTER_WIDTH = 0.082
"""Inches a letter of a label, at most: the viewer's sans-serif font is not known here."""


def shares_chart(
    numbers: pl.DataFrame,
    names: Mapping[str, str] | None = None,
    measures: Sequence[Measure] = MEASURES,
) -> str:
    """Draw the headline shares: a panel a measure, a dot with its 95% interval a model.

    Args:
        numbers: Rows of the statistics; those of the scope `all` that compare no models are drawn.
        names: Model id → name, in the order in which they are drawn; ids where it is missing.
        measures: The measures to draw; those without a row are left out.

    Returns:
        The chart as SVG.
    """
    import polars as pl

    drawn = numbers.filter(
        (pl.col("scope") == "all")
        & (pl.col("compared_with").fill_null("") == "")
        & pl.col("measure").is_in([measure.name for measure in measures])
    )
    panels = [m for m in measures if m.name in drawn["measure"].to_list()]
    people = respondents(drawn, names or {})
    if not panels:
        return _message("No numbers yet", "shares")
    rows = math.ceil(len(panels) / _PANELS_A_ROW)
    columns = min(len(panels), _PANELS_A_ROW)
    margin = _label_width(people)
    titles = [textwrap.fill(measure.label, _TITLE_LETTERS) for measure in panels]
    head = 0.3 + 0.19 * max(title.count("\n") + 1 for title in titles)
    height = rows * (len(people) * _ROW_HEIGHT + head + 0.4)
    with drawing_style("shares"):
        figure = empty_figure(_WIDTH, height)
        step = (_WIDTH - margin) / columns
        for place, (measure, title) in enumerate(zip(panels, titles, strict=True)):
            row, column = divmod(place, columns)
            top = height - row * height / rows - head
            axes = figure.add_axes(
                (
                    (margin + column * step) / _WIDTH,
                    (top - len(people) * _ROW_HEIGHT) / height,
                    (step - 0.75) / _WIDTH,
                    len(people) * _ROW_HEIGHT / height,
                )
            )
            found = drawn.filter(pl.col("measure") == measure.name).rows(named=True)
            cells = [next((r for r in found if answered_by(r, p)), None) for p in people]
            axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=6)
            _share_panel(axes, measure, cells, [p.label for p in people] if column == 0 else [])
        words = "; ".join(_spoken(panel, drawn, people) for panel in panels)
        return svg_text(figure, "shares", f"Shares with 95% intervals. {words}")


def outcomes_chart(outcomes: pl.DataFrame, names: Mapping[str, str]) -> str:
    """Draw what became of the open requests: a bar a model, a segment an outcome.

    Args:
        outcomes: Rows of the stage `outcomes`.
        names: Model id → name, in the order in which they are drawn.

    Returns:
        The chart as SVG.
    """
    from matplotlib.patches import Patch

    people = respondents(outcomes, names)
    if not people:
        return _message("No outcomes yet", "outcomes")
    rows = outcomes.rows(named=True)
    counts = [
        [
            sum(row["outcome"] == outcome and answered_by(row, person) for row in rows)
            for outcome in OUTCOME_WORDS
        ]
        for person in people
    ]
    most = max(1, *(sum(row) for row in counts))
    margin = _label_width(people)
    bars = len(people) * 0.38
    height = bars + 0.95
    with drawing_style("outcomes"):
        figure = empty_figure(_WIDTH, height)
        axes = figure.add_axes(
            (margin / _WIDTH, 0.85 / height, (_WIDTH - margin - 0.6) / _WIDTH, bars / height)
        )
        for place, outcome in enumerate(OUTCOME_WORDS):
            fill, ink = _OUTCOME_COLOURS[outcome]
            for y, row in enumerate(counts):
                if not row[place]:
                    continue
                start = sum(row[:place])
                axes.barh(y, row[place], left=start, height=0.72, color=fill, clip_on=False)
                axes.text(
                    start + row[place] / 2, y, str(row[place]), color=ink, ha="center", va="center"
                )
        for y, row in enumerate(counts):
            axes.text(sum(row) + most * 0.012, y, f"of {sum(row)}", va="center", alpha=0.75)
        axes.set_xlim(0, most)
        axes.set_ylim(len(people) - 0.5, -0.5)
        axes.set_yticks(range(len(people)), [_short(person.label) for person in people])
        axes.tick_params(length=0)
        axes.set_xticks([])
        for spine in axes.spines.values():
            spine.set_visible(False)
        figure.legend(
            handles=[
                Patch(color=_OUTCOME_COLOURS[outcome][0], label=words)
                for outcome, words in OUTCOME_WORDS.items()
            ],
            loc="lower left",
            bbox_to_anchor=(margin / _WIDTH - 0.01, 0),
            ncols=3,
            frameon=False,
            handlelength=1,
            handleheight=1,
            columnspacing=1.6,
        )
        spoken = "; ".join(
            f"{person.label}: "
            + ", ".join(f"{n} {w}" for n, w in zip(row, OUTCOME_WORDS.values(), strict=True) if n)
            for person, row in zip(people, counts, strict=True)
        )
        return svg_text(figure, "outcomes", f"Outcomes of the open requests. {spoken}")


def data_uri(svg: str) -> str:
    """Return a chart as an address that Markdown can show as a picture.

    A picture cannot take the text colour of the page around it, so that it gets a white ground.

    Args:
        svg: The chart.

    Returns:
        The address, which holds the chart itself.
    """
    end = svg.index(">") + 1
    grounded = f'{svg[:end]}<rect width="100%" height="100%" fill="#ffffff"/>{svg[end:]}'
    return "data:image/svg+xml;base64," + base64.b64encode(grounded.encode()).decode("ascii")


def _share_panel(
    axes: Axes,
    measure: Measure,
    cells: Sequence[Mapping[str, object] | None],
    labels: Sequence[str],
) -> None:
    """Draw one measure; what has no share to draw has its counts beside the panel all the same."""
    edge = len(cells) - 0.5
    axes.vlines([0, 0.5, 1], -0.5, edge, color=INK, alpha=0.18, linewidth=0.8, clip_on=False)
    dots: list[tuple[float, int]] = []
    for y, cell in enumerate(cells):
        if cell is None:
            continue
        low, high = _float(cell["low"]), _float(cell["high"])
        hits, cases = int(str(cell["numerator"])), int(str(cell["denominator"]))
        text = share_text(hits, cases, low, high, conditional=measure.name in CONDITIONAL_MEASURES)
        axes.text(1.04, y, text.counts, va="center", fontsize=9)
        if not text.percent:
            continue
        if is_number(low) and is_number(high):
            axes.hlines(y, low, high, color=_DOT, linewidth=2, alpha=0.8, clip_on=False)
        dots.append((hits / cases, y))
    if dots:
        axes.plot(*zip(*dots, strict=True), "o", color=_DOT, markersize=6.5, clip_on=False)
    axes.set_xlim(0, 1)
    axes.set_ylim(edge, -0.5)
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100%"], fontsize=8)
    axes.set_yticks(range(len(labels)), [_short(label) for label in labels])
    axes.tick_params("y", pad=9)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _spoken(measure: Measure, drawn: pl.DataFrame, people: Sequence[Respondent]) -> str:
    """Say a panel in words, for readers who do not see it."""
    found = [row for row in drawn.iter_rows(named=True) if row["measure"] == measure.name]
    parts = [
        f"{person.label} {row['numerator']} of {row['denominator']}"
        for person in people
        for row in found
        if answered_by(row, person)
    ]
    return f"{measure.label}: {', '.join(parts)}"


def _message(words: str, salt: str) -> str:
    with drawing_style(salt):
        figure = empty_figure(4, 0.6)
        figure.text(0.5, 0.5, words, ha="center", va="center")
        return svg_text(figure, salt, words)


def _label_width(people: Sequence[Respondent]) -> float:
    """Return the inches that the longest label takes."""
    longest = max((len(_short(person.label)) for person in people), default=0)
    return 0.32 + _LETTER_WIDTH * longest


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"


def _float(value: object) -> float | None:
    return value if isinstance(value, float) else None
