"""What is wrong with the data of a comparison, and what to do, in English and Korean."""

from __future__ import annotations

CHECK_TEXTS: dict[str, dict[str, str]] = {
    "check_data": {
        "en": "Do not read the ranking yet: {problem} ({count} of {n}). {fix}.",
        "ko": "아직 순위를 읽지 마십시오: {problem} ({n}개 중 {count}개). {fix}.",
    },
    "few_common": {
        "en": "few queries were scored for every retriever",
        "ko": "모든 검색기에 점수가 있는 질의가 적습니다",
    },
    "few_common_fix": {
        "en": "Search all queries with every retriever",
        "ko": "모든 검색기로 모든 질의를 검색하십시오",
    },
    "none_in_run": {
        "en": "no judged query is in the run of {retriever}",
        "ko": "{retriever} 검색 결과에 판정된 질의가 하나도 없습니다",
    },
    "none_in_run_fix": {
        "en": "Check that the run and the judgments use the same query ids",
        "ko": "검색 결과와 판정이 같은 질의 ID를 쓰는지 확인하십시오",
    },
    "most_got_nothing": {
        "en": "{retriever} returned nothing for most queries",
        "ko": "{retriever} 쪽은 대부분의 질의에 아무것도 찾지 못했습니다",
    },
    "most_got_nothing_fix": {
        "en": "Check that the run is complete and that its query ids are those of the judgments",
        "ko": "검색 결과가 온전한지, 질의 ID가 판정의 것과 같은지 확인하십시오",
    },
    "most_empty": {
        "en": "{retriever} found nothing for most queries",
        "ko": "{retriever} 쪽은 대부분의 질의에 아무것도 찾지 못했습니다",
    },
    "most_empty_fix": {
        "en": "Check that its filter, if it has one, leaves passages for these queries, and that "
        "its tokenizer or encoder knows their language",
        "ko": "필터를 썼다면 이 질의들에 남는 문단이 있는지, 토크나이저나 인코더가 질의의 언어를 "
        "다루는지 확인하십시오",
    },
    "most_failed": {
        "en": "{retriever} did not answer most queries",
        "ko": "{retriever} 쪽은 대부분의 질의에 답하지 않았습니다",
    },
    "most_failed_fix": {
        "en": "See the errors of the failed queries, and ask them again once the system answers",
        "ko": "실패한 질의의 오류를 확인하고, 시스템이 응답하면 다시 질의하십시오",
    },
    "nothing_relevant": {
        "en": "most queries have no passage that is judged relevant",
        "ko": "대부분의 질의에 적합하다고 판정된 문단이 없습니다",
    },
    "nothing_relevant_fix": {
        "en": "Judge them, or leave them out",
        "ko": "해당 질의를 판정하거나 빼십시오",
    },
    "grades_too_low": {
        "en": "no grade reaches what {M} counts as relevant",
        "ko": "{M} 기준에서 적합으로 치는 등급에 이르는 판정이 없습니다",
    },
    "grades_too_low_fix": {
        "en": "Lower relevant_from, or check the grades",
        "ko": "relevant_from 값을 낮추거나 등급을 확인하십시오",
    },
    "all_zero": {
        "en": "{M} is 0 for every retriever on every query",
        "ko": "모든 검색기의 모든 질의에서 {M} 값이 0입니다",
    },
    "one_zero": {
        "en": "{M} is 0 for {retriever} on every query",
        "ko": "{retriever} 쪽은 모든 질의에서 {M} 값이 0입니다",
    },
    "zero_fix": {
        "en": "Check that the run and the judgments use the same passage ids",
        "ko": "검색 결과와 판정이 같은 문단 ID를 쓰는지 확인하십시오",
    },
    "undefined": {
        "en": "few queries have a value of {M} for every retriever",
        "ko": "모든 검색기에 {M} 값이 있는 질의가 적습니다",
    },
    "contradiction": {
        "en": "the order on {M} depends on the queries that have a value; for all have one",
        "ko": "{M} 순위가 어느 질의에 값이 있느냐에 따라 달라집니다. 모든 검색기에 값이 있는 질의",
    },
    "undefined_fix": {
        "en": "List another measure first, one that every query has a value of",
        "ko": "모든 질의에 값이 있는 다른 측도를 첫 번째로 적으십시오",
    },
    # Ids that the judgments do not know, and how they probably differ.
    "unknown_query_ids": {
        "en": "no query id of {retriever} is in the judgments",
        "ko": "{retriever} 검색 결과의 질의 ID가 판정에 하나도 없습니다",
    },
    "unknown_passage_ids": {
        "en": "no passage id of {retriever} is in the judgments",
        "ko": "{retriever} 검색 결과의 문단 ID가 판정에 하나도 없습니다",
    },
    "differing_query_ids": {
        "en": "judged queries have other ids in {retriever}",
        "ko": "{retriever} 검색 결과에는 판정된 질의의 ID가 다르게 적혀 있습니다",
    },
    "differing_passage_ids": {
        "en": "judged passages have other ids in {retriever}",
        "ko": "{retriever} 검색 결과에는 판정된 문단의 ID가 다르게 적혀 있습니다",
    },
    "ids_case": {
        "en": "Upper and lower case differ: '{run_id}' in the run, '{judged_id}' in the "
        "judgments. Write the ids alike",
        "ko": "대소문자가 다릅니다: 검색 결과에는 '{run_id}', 판정에는 '{judged_id}'. ID "
        "표기를 맞추십시오",
    },
    "ids_unicode": {
        "en": "The same characters are encoded in two ways (Unicode NFC and NFD): "
        "'{run_id}'. Normalise the ids of both to NFC",
        "ko": "같은 글자가 두 가지 방식(유니코드 NFC와 NFD)으로 쓰였습니다: '{run_id}'. "
        "양쪽 ID를 모두 NFC로 맞추십시오",
    },
    "ids_blanks": {
        "en": "Blanks differ: '{run_id}' in the run, '{judged_id}' in the judgments. Write "
        "the ids alike",
        "ko": "공백이 다릅니다: 검색 결과에는 '{run_id}', 판정에는 '{judged_id}'. ID 표기를 "
        "맞추십시오",
    },
    "ids_suffix": {
        "en": "A file suffix is on one side only: '{run_id}' in the run, '{judged_id}' in "
        "the judgments. Write the ids alike",
        "ko": "한쪽에만 파일 확장자가 붙어 있습니다: 검색 결과에는 '{run_id}', 판정에는 "
        "'{judged_id}'. ID 표기를 맞추십시오",
    },
    "ids_folder": {
        "en": "A folder is on one side only: '{run_id}' in the run, '{judged_id}' in the "
        "judgments. Write the ids alike",
        "ko": "한쪽에만 폴더 이름이 붙어 있습니다: 검색 결과에는 '{run_id}', 판정에는 "
        "'{judged_id}'. ID 표기를 맞추십시오",
    },
    "ids_decimal": {
        "en": "Whole numbers became decimals on one side: '{run_id}' in the run, "
        "'{judged_id}' in the judgments. Write ids as text",
        "ko": "한쪽에서 정수가 소수로 바뀌었습니다: 검색 결과에는 '{run_id}', 판정에는 "
        "'{judged_id}'. ID를 문자열로 저장하십시오",
    },
    "ids_zeros": {
        "en": "Leading zeros differ: '{run_id}' in the run, '{judged_id}' in the judgments. "
        "Write ids as text",
        "ko": "앞에 붙은 0이 다릅니다: 검색 결과에는 '{run_id}', 판정에는 '{judged_id}'. "
        "ID를 문자열로 저장하십시오",
    },
    "ids_letters": {
        "en": "The letters before the number differ: '{run_id}' in the run, '{judged_id}' "
        "in the judgments. Write the ids alike",
        "ko": "번호 앞의 글자가 다릅니다: 검색 결과에는 '{run_id}', 판정에는 '{judged_id}'. "
        "ID 표기를 맞추십시오",
    },
    "ids_unknown": {
        "en": "The ids have nothing in common: '{run_id}' in the run, '{judged_id}' in the "
        "judgments. Check that both belong to the same collection",
        "ko": "ID에 공통점이 없습니다: 검색 결과에는 '{run_id}', 판정에는 '{judged_id}'. "
        "양쪽이 같은 데이터에서 나왔는지 확인하십시오",
    },
}
