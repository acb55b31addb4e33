"""The promises of the stages as asset checks: queries over the warehouse that return violations."""

from dataclasses import dataclass

from dagster import AssetCheckResult, AssetChecksDefinition, MetadataValue, asset_check

from specbridge_pipeline.orchestration.resources import SpecBridgeResource
from specbridge_pipeline.orchestration.stages import STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.views import query_warehouse


@dataclass(frozen=True, slots=True)
class Promise:
    """Something that always holds of a stage's rows.

    Attributes:
        name: The promise, as an identifier.
        stage: The stage.
        description: The promise in a sentence.
        violations: A query over the warehouse's views that returns the rows that break it.
    """

    name: str
    stage: str
    description: str
    violations: str


PROMISES: tuple[Promise, ...] = (
    Promise(
        "a_verdict_is_of_a_set_that_was_written",
        "human_verdicts",
        "People judged sets of the draft or of the edition; others are named here and count not.",
        "SELECT v.file, v.line, v.set_id FROM human_verdicts AS v "
        "ANTI JOIN set_reviews USING (set_id) ANTI JOIN edition_sets USING (set_id)",
    ),
    Promise(
        "a_set_is_kept_when_all_who_judged_it_accept_it",
        "edition_verdicts",
        "Each verdict is on a set of the edition, and a set stands as the last words on it say.",
        "SELECT set_id FROM edition_verdicts WHERE final GROUP BY set_id "
        "HAVING bool_and(accepted) <> bool_and(standing = 'kept') "
        "UNION ALL SELECT set_id FROM edition_verdicts ANTI JOIN edition_sets USING (set_id)",
    ),
    Promise(
        "no_count_of_a_review_is_larger_than_what_it_is_of",
        "review_numbers",
        "Each count is at most its denominator, and as many sets are kept as verdicts say.",
        "SELECT number_id FROM review_numbers WHERE numerator > denominator "
        "UNION ALL SELECT number_id FROM review_numbers WHERE number_id = 'review/kept' "
        "AND numerator <> (SELECT count(DISTINCT set_id) FROM edition_verdicts "
        "WHERE standing = 'kept')",
    ),
    Promise(
        "every_column_has_a_role_and_a_name",
        "catalogue",
        "Each column of a table has a role, and words for one and for many.",
        "SELECT database, table_name, column_names FROM catalogue WHERE kind = 'column' AND "
        "(role IS NULL OR coalesce(singular, '') = '' OR coalesce(plural, '') = '')",
    ),
    Promise(
        "a_choice_is_open_where_no_cue_settles_it",
        "reference_conventions",
        "A question leaves a choice open exactly where none of its words settles it, and a verdict "
        "is about an open question whose reference takes the other side.",
        "SELECT benchmark, source, question_id, choice_type FROM reference_conventions "
        "WHERE open <> (len(cues) = 0) "
        "OR (verdict IS NOT NULL AND NOT (open AND side = 'other'))",
    ),
    Promise(
        "an_answer_changes_by_a_proved_edit_and_says_how",
        "answer_changes",
        "An answer that changes has a proved edit, a verdict and a move; an answer of which "
        "nothing can be said has a reason.",
        "SELECT benchmark, source, question_id, choice_type FROM answer_changes "
        "WHERE CASE effect WHEN 'changed' THEN proved = 0 OR move IS NULL "
        "OR comparison IS DISTINCT FROM 'not_equal' OR rows_lost + rows_gained = 0 "
        "WHEN 'same' THEN proved = 0 OR comparison IS DISTINCT FROM 'equal' OR move IS NOT NULL "
        "ELSE move IS NOT NULL END "
        "OR (effect IN ('undetermined', 'undecided', 'limit', 'failed') AND reason = '')",
    ),
    Promise(
        "a_kind_of_data_that_is_present_has_an_example",
        "data_kinds",
        "A kind of data is present exactly where a column or join is counted and named.",
        "SELECT source, database, kind FROM data_kinds "
        "WHERE present <> (count > 0) OR present = (example = '') OR count > of_count",
    ),
    Promise(
        "no_query_is_kept_twice",
        "generated_queries",
        "No two kept queries of a database are the same.",
        "SELECT database, sql FROM generated_queries WHERE kept GROUP BY ALL HAVING count(*) > 1",
    ),
    Promise(
        "depths_are_those_of_the_tier",
        "generated_queries",
        "A kept query has the step depth of its tier: 1 or 2 for short, 3 to 6 for paper.",
        "SELECT database, query_id, tier, step_depth FROM generated_queries WHERE kept AND "
        "CASE tier WHEN 'short' THEN step_depth NOT BETWEEN 1 AND 2 "
        "ELSE step_depth NOT BETWEEN 3 AND 6 END",
    ),
    Promise(
        "a_filter_is_read_in_two_ways",
        "filter_queries",
        "A request for a filter has at most one kept query, and its two readings are two queries.",
        "SELECT database, request FROM filter_queries WHERE kept "
        "GROUP BY ALL HAVING count(*) > 1 OR bool_or(sql_a = sql_b OR taken = side)",
    ),
    Promise(
        "every_query_is_described_or_refused",
        "exact_descriptions",
        "A query has a text, or the reason why it has none.",
        "SELECT database, query_id FROM exact_descriptions "
        "WHERE described = (problem <> '') OR described = (description = '')",
    ),
    Promise(
        "two_readers_read_every_description",
        "task_reviews",
        "Each described query is read by two readers, and one that is not accepted has a fault.",
        "SELECT e.database, e.query_id FROM exact_descriptions AS e LEFT JOIN task_reviews AS r "
        "ON e.database = r.database AND e.query_id = r.query_id WHERE e.described "
        "GROUP BY ALL HAVING count(DISTINCT r.reviewer) < 2 "
        "OR bool_or(r.accepted = (len(r.faults) > 0))",
    ),
    Promise(
        "every_attempt_has_one_class",
        "generation_ablation",
        "With a seed, every configuration makes equally many attempts, each in one of six classes.",
        "SELECT source, database, seed FROM (SELECT source, database, seed, configuration, "
        "count(*) AS classes, sum(attempts) AS made FROM generation_ablation GROUP BY ALL) "
        "GROUP BY ALL HAVING min(made) <> max(made) OR min(classes) <> 6 OR max(classes) <> 6",
    ),
    Promise(
        "what_is_accepted_was_delivered_and_is_allowed",
        "feature_coverage",
        "A feature is accepted only where a query with it was delivered, and delivered only where "
        "the look-ahead says that the schema allows it; what is not usable has a reason.",
        "SELECT database, feature FROM feature_coverage WHERE (accepted AND NOT delivered) "
        "OR (delivered AND NOT allowed) "
        "OR (feature = 'usable' AND delivered = (coalesce(reason, '') <> ''))",
    ),
    Promise(
        "every_delivered_query_passes_the_second_look",
        "construction_counts",
        "No two delivered statements are the same, and each passes the second look.",
        "SELECT database, faults FROM construction_counts "
        'WHERE "distinct" <> delivered OR sound <> delivered OR delivered > queries',
    ),
    Promise(
        "no_study_counts_more_than_there_are",
        "generation_studies",
        "No count of a study is above that of which it is a part.",
        "SELECT study, item, measure FROM generation_studies WHERE count > of_count",
    ),
    Promise(
        "what_is_unread_is_counted_on_the_other_side",
        "convention_counts",
        "References that nobody has read, and the usual ones that could differ, are part of those "
        "of their side.",
        "SELECT choice_type, author_group, split FROM convention_counts "
        "WHERE unread > other OR usual_that_could_differ > usual",
    ),
    Promise(
        "answers_that_change_are_counted_by_how",
        "answer_change_counts",
        "Answers that change are part of those compared, these of those edited, and each of them "
        "moves in one way.",
        "SELECT benchmark, split, choice_type FROM answer_change_counts "
        "WHERE changed > compared OR compared + undetermined + no_result <> edited "
        "OR edited > with_database OR with_database > open OR changed <> over_half + "
        "tenth_to_half + under_a_tenth + missing_value + another_value + other_rows",
    ),
    Promise(
        "what_is_mined_from_references_is_open_by_cues",
        "choice_library",
        "A choice from a reference is open by cues, and no reviewer has been asked about it.",
        "SELECT record_id FROM choice_library WHERE origin = 'reference' "
        "AND (NOT open_by_cues OR open_by_reviewers IS NOT NULL)",
    ),
    Promise(
        "a_request_is_accepted_or_has_a_problem",
        "natural_requests",
        "A request by itself is accepted by both reviewers, or says what is wrong with it.",
        "SELECT database, query_id FROM natural_requests WHERE accepted = (problem <> '')",
    ),
    Promise(
        "a_choice_is_found_in_a_kept_query",
        "choice_opportunities",
        "A place of choice lies in a query that was kept, and says what was measured there.",
        "SELECT o.database, o.query_id FROM choice_opportunities AS o LEFT JOIN "
        "generated_queries AS q ON o.database = q.database AND o.query_id = q.query_id AND q.kept "
        "WHERE q.query_id IS NULL OR o.evidence = ''",
    ),
    Promise(
        "a_selected_choice_passed_every_check",
        "choice_proposals",
        "A selected edit runs, changes the answer, is described, changes one step and is open.",
        "SELECT proposal_id FROM choice_proposals WHERE selected AND NOT "
        "coalesce(applies AND runs AND disjoint AND described AND one_step AND found_open, false)",
    ),
    Promise(
        "a_query_has_one_choice",
        "choice_proposals",
        "No query has two selected choices.",
        "SELECT database, query_id FROM choice_proposals WHERE selected "
        "GROUP BY ALL HAVING count(*) > 1",
    ),
    Promise(
        "a_set_has_three_requests",
        "request_sets",
        "The three requests of a set that passes the checks are three different texts.",
        "SELECT set_id FROM request_sets WHERE passed "
        "AND len(list_distinct([request_a, request_b, request_open])) <> 3",
    ),
    Promise(
        "two_reviewers_read_every_request",
        "set_reviews",
        "In each revision, two reviewers judge each of the three requests.",
        "SELECT proposal_id, revision FROM set_reviews GROUP BY ALL "
        "HAVING count(*) <> 6 OR count(DISTINCT reviewer) <> 2",
    ),
    Promise(
        "accepted_sets_were_kept_by_both_reviewers",
        "accepted_request_sets",
        "An accepted set is one that its reviews keep, in the words that they read.",
        "SELECT a.set_id FROM accepted_request_sets AS a ANTI JOIN set_reviews AS r "
        "ON a.database = r.database AND a.set_id = r.set_id AND r.keep",
    ),
    Promise(
        "no_accepted_set_was_rejected_by_a_person",
        "accepted_request_sets",
        "A set that a person rejects is not accepted.",
        "SELECT set_id FROM accepted_request_sets WHERE NOT human_verdict",
    ),
    Promise(
        "interpretations_are_told_apart",
        "edition_sets",
        "No answer can be accepted for both interpretations of a set.",
        "SELECT set_id FROM edition_sets WHERE NOT regions_disjoint",
    ),
    Promise(
        "every_request_is_answered_once",
        "responses",
        "A model has three responses a set, method and round.",
        "SELECT set_id, model, method, round, count(*) AS responses FROM responses "
        "GROUP BY ALL HAVING count(*) <> 3",
    ),
    Promise(
        "every_response_names_its_calls",
        "responses",
        "Every response names the archived calls that it was read from.",
        "SELECT response_id FROM responses WHERE len(calls) = 0",
    ),
    Promise(
        "no_failure_of_ours_is_scored",
        "scores",
        "No infrastructure failure stands as a verdict.",
        "SELECT score_id, reason FROM scores WHERE verdict = 'infrastructure'",
    ),
    Promise(
        "no_query_answers_both",
        "scores",
        "No query is accepted for both interpretations.",
        "SELECT response_id, query FROM scores WHERE verdict = 'equal' "
        "GROUP BY response_id, query HAVING count(*) > 1",
    ),
    Promise(
        "every_query_is_scored_for_both",
        "scores",
        "Main query and alternatives each have a verdict for A and one for B.",
        "SELECT r.response_id FROM responses AS r LEFT JOIN scores AS s USING (response_id) "
        "GROUP BY r.response_id, len(r.alternative_sql) "
        "HAVING count(s.score_id) <> 2 * (1 + len(r.alternative_sql))",
    ),
    Promise(
        "every_response_is_judged",
        "judgements",
        "Every response has a judgement.",
        "SELECT r.response_id FROM responses AS r ANTI JOIN judgements USING (response_id)",
    ),
    Promise(
        "outcomes_cover_every_set",
        "outcomes",
        "Every set that a model answered has one outcome.",
        "SELECT set_id, model, method, round FROM responses "
        "EXCEPT SELECT set_id, model, method, round FROM outcomes",
    ),
    Promise(
        "no_stage_keeps_more_than_it_was_given",
        "construction_funnel",
        "No count of the draft is above that of the stage that it is a part of.",
        "SELECT number_id FROM construction_funnel WHERE count > of_count",
    ),
    Promise(
        "shares_are_shares",
        "statistics",
        "No numerator exceeds its denominator, and every interval holds its value.",
        "SELECT number_id FROM statistics WHERE compared_with = '' AND denominator > 0 AND "
        "(numerator > denominator OR value < low - 1e-12 OR value > high + 1e-12)",
    ),
)


def violations(workspace: Workspace, promise: Promise) -> tuple[int, str]:
    """Return how many rows break a promise, and the first of them as JSON-like text."""
    schemas = [stage.schema for stage in STAGES]
    found = query_warehouse(workspace.store, schemas, promise.violations).rows
    return len(found), "; ".join(str(row) for row in found[:5])


def check_of(promise: Promise) -> AssetChecksDefinition:
    """Return the Dagster asset check of a promise."""

    @asset_check(asset=promise.stage, name=promise.name, description=promise.description)
    def checked(specbridge: SpecBridgeResource) -> AssetCheckResult:
        with specbridge.open() as workspace:
            count, first = violations(workspace, promise)
        return AssetCheckResult(
            passed=count == 0,
            metadata={"violations": count, "first": MetadataValue.text(first)},
        )

    return checked


CHECKS: list[AssetChecksDefinition] = [check_of(promise) for promise in PROMISES]
