"""What ``ragscore check`` says, in English and Korean: the texts of all checks, and those around
them."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.check_table import CHECKS
from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "check_head_documents": {
        "en": "{dataset}: {documents} documents, {passages} passages, {queries} queries, "
        "{judgments} judgments, {evidence} pieces of evidence; {checks} checks.",
        "ko": "{dataset}: 문서 {documents}개, 문단 {passages}개, 질의 {queries}개, 판정 "
        "{judgments}개, 근거 {evidence}개. 검사 {checks}개.",
    },
    "check_documents_alone": {
        "en": "Each document is checked as one passage.",
        "ko": "문서 하나를 문단 하나로 보고 검사합니다.",
    },
    "check_head": {
        "en": "{dataset}: {passages} passages, {queries} queries, {judgments} judgments; "
        "{checks} checks.",
        "ko": "{dataset}: 문단 {passages}개, 질의 {queries}개, 판정 {judgments}개. "
        "검사 {checks}개.",
    },
    "check_found": {
        "en": "Errors: {error}, warnings: {warning}, notes: {note}.",
        "ko": "오류 {error}, 경고 {warning}, 참고 {note}.",
    },
    "check_clean": {"en": "Nothing was found.", "ko": "발견된 문제가 없습니다."},
    "finding": {
        "en": "{severity} {check}: {what}: {count} of {n}",
        "ko": "{severity} {check}: {what}: {n}개 중 {count}개",
    },
    "severity_error": {"en": "ERROR", "ko": "오류"},
    "severity_warning": {"en": "WARNING", "ko": "경고"},
    "severity_note": {"en": "NOTE", "ko": "참고"},
    "finding_example": {"en": "For example {example}", "ko": "예: {example}"},
    "finding_why": {"en": "Why it matters: {why}", "ko": "중요한 까닭: {why}"},
    "finding_fix": {"en": "What to do: {fix}", "ko": "할 일: {fix}"},
}

STRINGS = StringTable(
    TEXTS,
    {
        f"{name}_{part}": {"en": text["en"], "ko": text["ko"]}
        for name, check in CHECKS.items()
        for part, text in (("what", check.what), ("why", check.why), ("fix", check.fix))
    },
)
