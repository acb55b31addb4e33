"""The two reviewers by rules, which share no code that reads."""

from __future__ import annotations

from specbridge_pipeline.request_sets.reviewing_by_reading import ReadingReviewer
from specbridge_pipeline.request_sets.reviewing_by_requirements import RequirementsReviewer

RULE_REVIEWERS: tuple[ReadingReviewer, RequirementsReviewer] = (
    ReadingReviewer(),
    RequirementsReviewer(),
)
"""Who reads sets where nobody else is named."""
