"""The report: one HTML file that needs no network, no other file, and no JavaScript to be read."""

from __future__ import annotations

from specbridge_pipeline.reporting.answer_change_chart import answer_changes_chart
from specbridge_pipeline.reporting.charts import outcomes_chart, shares_chart
from specbridge_pipeline.reporting.convention_chart import conventions_chart
from specbridge_pipeline.reporting.draft import draft_line
from specbridge_pipeline.reporting.funnel_chart import funnel_chart
from specbridge_pipeline.reporting.gallery import MOST_PER_TYPE, gallery
from specbridge_pipeline.reporting.page_templates import (
    page_environment,
    page_text,
    script_digest,
)
from specbridge_pipeline.reporting.readers import judged_by, provenance, unread_line
from specbridge_pipeline.reporting.report_answer_changes import arrange_answer_changes
from specbridge_pipeline.reporting.report_conventions import arrange_conventions
from specbridge_pipeline.reporting.report_data import (
    MeasuredDatabase,
    MeasuredModel,
    ReportData,
    ResultPreview,
)
from specbridge_pipeline.reporting.report_funnel import arrange_funnel
from specbridge_pipeline.reporting.report_numbers import arrange_numbers
from specbridge_pipeline.reporting.report_review import arrange_review, review_line
from specbridge_pipeline.reporting.report_sets import answering, set_views
from specbridge_pipeline.reporting.report_studies import arrange_studies
from specbridge_pipeline.reporting.respondents import answered_by, respondents
from specbridge_pipeline.reporting.study_charts import ablation_chart, coverage_chart
from specbridge_pipeline.reporting.wording import FEWER_IS_BETTER, OUTCOME_WORDS

__all__ = [
    "MeasuredDatabase",
    "MeasuredModel",
    "ReportData",
    "ResultPreview",
    "render_report",
]


def render_report(data: ReportData) -> str:
    """Write the report.

    Everything that comes from databases and models is escaped; only the charts, which are drawn
    here, are put in as they are. A content policy in the page lets nothing be fetched, and no
    script run but the page's own.

    Args:
        data: What to report.

    Returns:
        The page.
    """
    from markupsafe import Markup

    environment = page_environment()
    people = answering(data)
    judged = review_line(data.verdicts, data.sets.height)
    text = environment.get_template("report.html.j2").render(
        data=data,
        unread=judged or unread_line(data.sets.rows(named=True)),
        provenance=provenance(data.sets.rows(named=True), judged_apart=bool(judged)),
        review=arrange_review(data.verdicts, data.review),
        readers=judged_by(data.judge),
        draft_line=draft_line(data.draft, data.edition_sets),
        funnel=arrange_funnel(data.draft) if data.draft else None,
        funnel_chart=Markup(funnel_chart(data.draft.funnel)) if data.draft else "",
        studies=arrange_studies(data.studies),
        ablation_chart=Markup(ablation_chart(data.studies)),
        coverage_chart=Markup(coverage_chart(data.studies)),
        conventions=arrange_conventions(data.conventions),
        conventions_chart=Markup(conventions_chart(data.conventions)),
        answer_changes=arrange_answer_changes(data.answer_changes, data.data_kinds),
        answer_changes_chart=Markup(answer_changes_chart(data.answer_changes)),
        numbers=arrange_numbers(data),
        fewer_is_better=FEWER_IS_BETTER,
        set_counts=_set_counts(data),
        shares=Markup(shares_chart(data.statistics, data.names)),
        outcomes=Markup(outcomes_chart(data.outcomes, data.names)),
        outcome_words=OUTCOME_WORDS,
        outcome_counts=_outcome_counts(data),
        examples=gallery(data, people),
        most_examples=MOST_PER_TYPE,
        sets=set_views(data, people),
        people=people,
        choice_types=sorted(set(data.sets["choice_type"].to_list())),
        set_databases=sorted(set(data.sets["database"].to_list())),
        script_digest=script_digest(environment, "report.js"),
    )
    return page_text(text)


def _set_counts(data: ReportData) -> dict[str, int]:
    """Return how many sets each database has."""
    counts: dict[str, int] = {}
    for name in data.sets["database"].to_list():
        counts[name] = counts.get(name, 0) + 1
    return counts


def _outcome_counts(data: ReportData) -> list[tuple[str, list[int]]]:
    """Return the counts behind the chart of outcomes."""
    rows = data.outcomes.rows(named=True)
    return [
        (
            person.label,
            [
                sum(row["outcome"] == outcome and answered_by(row, person) for row in rows)
                for outcome in OUTCOME_WORDS
            ],
        )
        for person in respondents(data.outcomes, data.names)
    ]
