"""Referent column: which column does a phrase mean? Only the words tell."""

from __future__ import annotations

from specbridge_pipeline.choices.conventions.convention import Convention
from specbridge_pipeline.choices.conventions.cues import CueFile, Cues
from specbridge_pipeline.choices.types import ChoiceType

CONVENTION = Convention(
    choice_type=ChoiceType.REFERENT_COLUMN,
    meaning="Which of several columns does a phrase mean?",
    usual="the column that the reference reads",
    other="another column that the phrase fits as well",
    read=None,
    cues=Cues(CueFile()),
    unread="a reference shows the column that it reads, not which others its question's words fit",
    unedited="a query names the column that it reads and no phrase, so that code cannot tell which "
    "other columns a phrase would fit, and another column alone makes another question",
)
