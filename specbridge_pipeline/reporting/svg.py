"""How a figure of matplotlib becomes SVG text that can stand inside a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#010203"
"""Stands for the page's own text colour while a chart is drawn; it becomes `currentColor`."""

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_LEFT_OUT = frozenset({"metadata", "style", "title"})
_DECIMALS = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"'?DejaVu Sans'?,?\s*(?:sans-serif)?")
_REFERENCE = re.compile(r"#([^)]+)")


@contextmanager
def drawing_style(salt: str) -> Iterator[None]:
    """Draw with the package's own settings, whatever the user's matplotlib is set to."""
    import matplotlib.style

    settings = {
        "svg.hashsalt": f"specbridge {salt}",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        # Measured with the font that comes with matplotlib: the same layout on every machine.
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 10,
        # A model's name is no formula.
        "text.parse_math": False,
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with matplotlib.style.context(["default", settings]):
        yield


def empty_figure(width: float, height: float) -> Figure:
    """Return an empty figure that pyplot, and so a screen, knows nothing of."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasSVG(figure)
    figure.patch.set_visible(False)
    return figure


def svg_text(figure: Figure, name: str, description: str) -> str:
    """Write a figure as SVG that can stand inside a page.

    Left out: the prolog, ids that nothing refers to (two charts on a page would share them), and a
    style sheet that would reach the whole page.
    """
    for axes in figure.axes:
        axes.patch.set_visible(False)
    buffer = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", metadata=nothing)
    root = ElementTree.fromstring(buffer.getvalue())
    attributes = {key: root.attrib[key] for key in ("width", "height", "viewBox")}
    used = {
        name
        for element in root.iter()
        for key, value in element.attrib.items()
        if key in (_LINK, "clip-path")
        for name in _REFERENCE.findall(value)
    }
    children = [tidied for child in root for tidied in _tidied(child, used)]
    root.clear()
    root.tag = "svg"
    root.attrib.update(
        {
            "xmlns": _SVG,
            "class": f"chart chart-{name}",
            "role": "img",
            "aria-label": description,
            "font-family": "sans-serif",
            "stroke-linejoin": "round",
            **attributes,
        }
    )
    root.extend(children)
    return ElementTree.tostring(root, encoding="unicode")


def _tidied(element: ElementTree.Element, used: set[str]) -> list[ElementTree.Element]:
    """Return what is worth keeping of an element: nothing, itself, or what is in it.

    Args:
        element: The element as matplotlib wrote it.
        used: The ids that something refers to.
    """
    tag = element.tag.removeprefix(f"{{{_SVG}}}")
    if tag in _LEFT_OUT:
        return []
    children = [tidied for child in element for tidied in _tidied(child, used)]
    kept = {
        "href" if key == _LINK else key: _plain(value)
        for key, value in element.attrib.items()
        if (key != "id" or value in used) and not value.startswith("rotate(-0")
    }
    if tag in ("g", "defs") and (not kept or not children):
        return children if tag == "g" or not children else [_element(tag, kept, None, children)]
    return [_element(tag, kept, element.text, children)]


def _element(
    tag: str, attributes: dict[str, str], text: str | None, children: list[ElementTree.Element]
) -> ElementTree.Element:
    element = ElementTree.Element(tag, attributes)
    element.text = text if text and text.strip() else None
    element.extend(children)
    return element


def _plain(value: str) -> str:
    """Return an attribute with the page's ink and font, and no more places than can be seen."""
    value = _DECIMALS.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
    return _FONT.sub("sans-serif", value.replace(INK, "currentColor").replace("\n", ""))
