"""What ``ragscore anchor`` and ``ragscore migrate`` say, in English and Korean."""

from __future__ import annotations

from ragscore.anchoring.migration_strings import MIGRATION_TEXTS
from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "anchor_title": {
        "en": "Evidence of {file}: {count}",
        "ko": "{file}의 근거: {count}",
    },
    "count_evidence": {"en": "{count} pieces", "ko": "{count}개"},
    "count_evidence_one": {"en": "1 piece", "ko": "1개"},
    "column_how": {"en": "Found", "ko": "찾은 방법"},
    "column_evidence": {"en": "Evidence", "ko": "근거"},
    "column_meaning": {"en": "Meaning", "ko": "뜻"},
    "how_differs": {"en": "differs", "ko": "내용 다름"},
    "how_offsets": {"en": "offsets", "ko": "위치"},
    "how_exact": {"en": "exact", "ko": "정확"},
    "how_normal": {"en": "normal form", "ko": "정규형"},
    "how_fuzzy": {"en": "fuzzy", "ko": "근사"},
    "how_ambiguous": {"en": "ambiguous", "ko": "여러 곳"},
    "how_missing": {"en": "not found", "ko": "없음"},
    "how_wrong": {"en": "wrong", "ko": "오류"},
    "meaning_differs": {
        "en": "it nearly does, but a number or a negation differs: correct the quote, or write "
        "start and end",
        "ko": "거의 같은 글이 있지만 숫자나 부정 표현이 다릅니다. 인용문을 고치거나 start와 end를 "
        "쓰세요",
    },
    "meaning_offsets": {
        "en": "its offsets agree with the document",
        "ko": "적힌 위치가 문서와 맞습니다",
    },
    "meaning_exact": {
        "en": "the quote stands in the document once",
        "ko": "인용문이 문서에 한 번 나옵니다",
    },
    "meaning_normal": {
        "en": "it does but for white space, quotation marks, dashes or Unicode's form",
        "ko": "공백, 따옴표, 줄표, 유니코드 형식만 다르게 한 번 나옵니다",
    },
    "meaning_fuzzy": {
        "en": "it nearly does: check the old and the found text below",
        "ko": "거의 같은 글이 한 곳에 있습니다. 아래의 원래 글과 찾은 글을 확인하세요",
    },
    "meaning_ambiguous": {
        "en": "it may be in several places: write start and end, or a longer quote",
        "ko": "여러 곳일 수 있습니다. start와 end를 쓰거나 더 길게 인용하세요",
    },
    "meaning_missing": {
        "en": "nothing in the document is similar enough ({similarity} or more)",
        "ko": "문서에 충분히 비슷한 글({similarity} 이상)이 없습니다",
    },
    "meaning_wrong": {
        "en": "its document, offsets or quote cannot be right",
        "ko": "문서, 위치, 인용문 가운데 틀린 것이 있습니다",
    },
    "differs_title": {
        "en": "A number or a negation differs: the quote / the document",
        "ko": "숫자나 부정 표현이 다른 것: 인용문 / 문서",
    },
    "fuzzy_title": {
        "en": "Fuzzy matches: the quotes are replaced by what was found",
        "ko": "근사 일치: 인용문을 찾은 글로 바꿉니다",
    },
    "ambiguous_title": {"en": "Ambiguous: the places", "ko": "여러 곳: 찾은 위치"},
    "missing_title": {"en": "Not found", "ko": "없음"},
    "wrong_title": {"en": "Wrong", "ko": "오류"},
    "column_line": {"en": "Line", "ko": "줄"},
    "column_query": {"en": "Query", "ko": "질의"},
    "column_document": {"en": "Document", "ko": "문서"},
    "column_quote": {"en": "Quote", "ko": "인용문"},
    "column_found": {"en": "Text found", "ko": "찾은 글"},
    "column_apart": {"en": "Differs", "ko": "차이"},
    "column_start": {"en": "Start", "ko": "시작"},
    "column_end": {"en": "End", "ko": "끝"},
    "column_similarity": {"en": "Similarity", "ko": "유사도"},
    "column_problem": {"en": "Problem", "ko": "문제"},
    "anchor_written": {
        "en": "{file} has the offsets of {count}.",
        "ko": "{file}: 근거 {count}의 위치를 썼습니다.",
    },
    "anchor_rest": {
        "en": "{count} pieces kept as in the ground truth: they have no certain place.",
        "ko": "위치가 확실하지 않은 {count}개는 그대로 두었습니다.",
    },
    "anchor_rest_one": {
        "en": "1 piece kept as in the ground truth: it has no certain place.",
        "ko": "위치가 확실하지 않은 1개는 그대로 두었습니다.",
    },
    "anchor_not_written": {
        "en": "Nothing was written: -o FILE writes the ground truth with offsets.",
        "ko": "아무것도 쓰지 않았습니다. -o FILE을 주면 위치를 더한 정답을 씁니다.",
    },
}

STRINGS = StringTable(TEXTS, MIGRATION_TEXTS)
