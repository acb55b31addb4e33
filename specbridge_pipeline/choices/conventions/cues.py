"""Words of a question that settle a choice, from a file beside the module of its type.

A file lists cues. Each has a name, the side that it settles, and words: regular expressions,
whole words in any case, one of which must occur. Examples show what it matches, and what it
must not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from specbridge_pipeline.configuration_files import StrictModel, read_configuration


class CueEntry(StrictModel):
    """A cue as its file has it.

    Attributes:
        cue: Its name.
        settles: The side that it settles; "choice" where it says that there is none, or which of
            the two is meant differs.
        words: Regular expressions for whole words, in any case.
        looks_in: What is searched.
        examples: Texts that it matches.
        passes_over: Texts that it does not match, though they come near.
    """

    cue: str
    settles: Literal["usual", "other", "choice"]
    words: tuple[str, ...] = Field(min_length=1)
    looks_in: Literal["both", "question", "evidence"] = "both"
    examples: tuple[str, ...] = Field(min_length=1)
    passes_over: tuple[str, ...] = ()


class AskingEntry(StrictModel):
    """Words one of which must occur in the question for the choice to arise in it."""

    cue: str
    words: tuple[str, ...] = Field(min_length=1)
    examples: tuple[str, ...] = Field(min_length=1)
    passes_over: tuple[str, ...] = ()


class CueFile(StrictModel):
    """The cues of one choice type."""

    asks: tuple[AskingEntry, ...] = ()
    settles: tuple[CueEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class CueMatch:
    """A cue that was found.

    Attributes:
        cue: Its name.
        settles: The side that it settles, or "choice".
    """

    cue: str
    settles: str


@dataclass(frozen=True, slots=True)
class Texts:
    """What is searched for cues: both without the values that the query compares with."""

    question: str
    evidence: str

    def of(self, looks_in: str) -> Iterator[str]:
        """Yield the texts of a cue's `looks_in`."""
        if looks_in in ("both", "question"):
            yield self.question
        if looks_in in ("both", "evidence"):
            yield self.evidence


@dataclass(frozen=True, slots=True)
class Cues:
    """The cues of one choice type, ready to be searched.

    Attributes:
        file: As read.
    """

    file: CueFile

    def asked(self, texts: Texts) -> bool:
        """Say whether a question brings the choice up, as far as words must."""
        return not self.file.asks or any(
            pattern_of(entry.words).search(texts.question) for entry in self.file.asks
        )

    def settling(self, texts: Texts) -> tuple[CueMatch, ...]:
        """Return the cues that settle the choice, in the order of the file."""
        return tuple(
            CueMatch(entry.cue, entry.settles)
            for entry in self.file.settles
            if any(pattern_of(entry.words).search(text) for text in texts.of(entry.looks_in))
        )


def without_values(text: str, values: Iterable[str]) -> str:
    """Return a text in which names and other values of the data are blanked.

    "Sunset Over All" as the name of a film speaks of no choice.

    Args:
        text: The text.
        values: The values; those that are no more than a word in lower case are kept, since the
            text may use the same word for itself.
    """
    for value in sorted(values, key=lambda each: (-len(each), each)):
        shown = value.strip("%").strip()
        if len(shown) < 3 or not re.search(r"[A-Z\s]", shown):
            continue
        text = re.sub(rf"(?<!\w){re.escape(shown)}(?!\w)", "“…”", text)
    return text


@cache
def pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return words of a cue as one expression."""
    # A sign is no part of a word, whatever follows it: ">1980".
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?:(?<!\w)|(?!\w))", re.IGNORECASE)


def read_cues(module: str) -> Cues:
    """Read the cues that stand beside a module.

    Args:
        module: The module's file.

    Returns:
        The cues of the file of its name that ends in ``.yaml``.

    Raises:
        ConfigurationError: The file is not there or of another form.
    """
    return Cues(read_configuration(Path(module).with_suffix(".yaml")).parse(CueFile))
