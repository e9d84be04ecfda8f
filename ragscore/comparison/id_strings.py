"""Sentences about ids that the judgments do not know, and how they probably differ."""

from __future__ import annotations

ID_STRINGS: dict[str, dict[str, str]] = {
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
