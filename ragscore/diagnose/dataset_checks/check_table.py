"""The checks of a dataset, by name, in the order in which they are shown.

To add one: copy a neighbour, and add a line.
"""

from __future__ import annotations

from ragscore.diagnose.dataset_checks import (
    broken_words,
    contradicting_queries,
    copied_questions,
    copies_judged_together,
    cut_passages,
    damaged_texts,
    duplicated_passages,
    empty_queries,
    graded_apart,
    hub_passages,
    ids_alike,
    nearly_equal_graded_apart,
    nearly_equal_passages,
    queries_without_judgments,
    queries_without_relevant,
    reordered_queries,
    repeated_phrases,
    repeated_queries,
    tiny_passages,
    uncovered_needs,
    unjudged_copies,
    unplaced_quotes,
    unreachable_passages,
    unused_grades,
)
from ragscore.diagnose.dataset_checks.model import Check

CHECKS: dict[str, Check] = {
    "unreachable-passages": unreachable_passages.CHECK,
    "unplaced-quotes": unplaced_quotes.CHECK,
    "empty-queries": empty_queries.CHECK,
    "uncovered-needs": uncovered_needs.CHECK,
    "contradicting-queries": contradicting_queries.CHECK,
    "graded-apart": graded_apart.CHECK,
    "unjudged-copies": unjudged_copies.CHECK,
    "copies-judged-together": copies_judged_together.CHECK,
    "queries-without-judgments": queries_without_judgments.CHECK,
    "queries-without-relevant": queries_without_relevant.CHECK,
    "repeated-queries": repeated_queries.CHECK,
    "copied-questions": copied_questions.CHECK,
    "ids-alike": ids_alike.CHECK,
    "damaged-texts": damaged_texts.CHECK,
    "broken-words": broken_words.CHECK,
    "cut-passages": cut_passages.CHECK,
    "nearly-equal-graded-apart": nearly_equal_graded_apart.CHECK,
    "reordered-queries": reordered_queries.CHECK,
    "hub-passages": hub_passages.CHECK,
    "unused-grades": unused_grades.CHECK,
    "duplicated-passages": duplicated_passages.CHECK,
    "tiny-passages": tiny_passages.CHECK,
    "repeated-phrases": repeated_phrases.CHECK,
    "nearly-equal-passages": nearly_equal_passages.CHECK,
}
"""Name to check; the most severe first."""
