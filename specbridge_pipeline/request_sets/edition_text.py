"""The file sets.yaml as people read it: queries line by line, requests as folded text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from specbridge_pipeline.request_sets.records import RequestSet, Side

_WIDTH = 92


class _Query(str):
    """A text that is written as it stands, line by line."""

    __slots__ = ()


class _Words(str):
    """A text that is folded into lines."""

    __slots__ = ()


class _Name(str):
    """A text in quotes: an id of digits and one 'e' would be read as a number."""

    __slots__ = ()


def edition_text(sets: Sequence[RequestSet], title: str) -> str:
    """Return the text of sets.yaml.

    Args:
        sets: The sets in the order in which they are to stand, with their ids.
        title: The edition's title, for the comment at the top.

    Returns:
        A text that gives the same sets when it is read.
    """
    parts = [f"# {' '.join(title.split())}", "sets:"]
    for each in sets:
        written = yaml.dump(
            [_entry(each)],
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            width=_WIDTH,
            default_flow_style=False,
        )
        # One level deeper; what a block scalar leaves empty stays empty.
        lines = [f"  {line}" if line else "" for line in written.rstrip("\n").split("\n")]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _entry(each: RequestSet) -> dict[str, Any]:
    values = each.model_dump(mode="json", exclude_defaults=True)
    sides = {
        side.value: {
            "meaning": _Words(each.interpretations[side].meaning),
            "request": _Words(each.interpretations[side].request),
            "sql": _Query(each.interpretations[side].sql),
        }
        for side in Side
    }
    entry = {"id": _Name(each.id)} | {name: values[name] for name in values if name != "id"}
    entry |= {"interpretations": sides, "open_request": _Words(each.open_request)}
    return entry


class _Dumper(yaml.SafeDumper):
    """Writes the texts of a set in their styles, and lists as items of their parent."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of a list below its key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Write a value anew wherever it stands."""
        return True


def _styled(style: str) -> Any:
    def represent(dumper: _Dumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)

    return represent


_Dumper.add_representer(_Query, _styled("|"))
_Dumper.add_representer(_Words, _styled(">"))
_Dumper.add_representer(_Name, _styled("'"))
