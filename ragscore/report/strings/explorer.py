"""Texts of the report: the query explorer. Keys with ``js_`` are for its script."""

from __future__ import annotations

EXPLORER: dict[str, dict[str, str]] = {
    # The passages that were shortened.
    "explorer_cut_others": {
        "en": "To stay below {mb} MB, {n} passages show only their first {characters} characters "
        "in the query explorer: those that are neither relevant nor among the top 3 of a "
        "retriever. No number is left out.",
        "ko": "파일 크기를 {mb} MB 이하로 유지하기 위해, 질의 탐색기에서 문단 {n}개는 앞 "
        "{characters}자만 표시합니다. 적합한 문단도 아니고 어떤 검색기의 상위 3위 안에도 들지 않는 "
        "문단들입니다. 수치는 빠진 것이 없습니다.",
    },
    "explorer_no_others": {
        "en": "To stay below {mb} MB, {n} passages appear in the query explorer without their "
        "text: those that are neither relevant nor among the top 3 of a retriever. No number is "
        "left out.",
        "ko": "파일 크기를 {mb} MB 이하로 유지하기 위해, 질의 탐색기에서 문단 {n}개는 본문 없이 "
        "표시합니다. 적합한 문단도 아니고 어떤 검색기의 상위 3위 안에도 들지 않는 "
        "문단들입니다. 수치는 빠진 것이 없습니다.",
    },
    "explorer_cut_kept": {
        "en": "To stay below {mb} MB, {n} passages that are relevant or among the top 3 of a "
        "retriever show only their first {characters} characters in the query explorer.",
        "ko": "파일 크기를 {mb} MB 이하로 유지하기 위해, 질의 탐색기에서 적합하거나 상위 3위 "
        "안에 든 문단 {n}개는 앞 {characters}자만 표시합니다.",
    },
    "explorer_cut_depth": {
        "en": "To stay below {mb} MB, the query explorer shows the first {depth} passages of each "
        "retriever; ranks and measures are those of the full rankings.",
        "ko": "파일 크기를 {mb} MB 이하로 유지하기 위해, 질의 탐색기는 검색기마다 상위 {depth}개 "
        "문단만 표시합니다. 순위와 측도는 전체 결과에서 계산한 값입니다.",
    },
    "explorer_no_texts": {
        "en": "The texts of the passages are not known here, so the query explorer shows their "
        "ids only.",
        "ko": "문단 본문을 알 수 없어 질의 탐색기에는 문단의 ID만 표시합니다.",
    },
    # The worst queries, without a script.
    "explorer_worst": {
        "en": "The queries with the worst {label}, averaged over the retrievers ({n} of {total}): "
        "for each the {ranked_items} among the first {top} of some retriever, with their ranks.",
        "ko": "검색기 평균 {label} 값이 가장 나쁜 질의입니다({total}개 중 {n}개). 질의마다 어떤 "
        "검색기의 상위 {top}위 안에 든 {ranked_items}과 그 검색기별 순위를 표시합니다.",
    },
    "explorer_worst_undefined": {
        "en": "For a retriever that found nothing relevant, {label} is not defined; such queries "
        "come first.",
        "ko": "적합한 문단을 찾지 못한 검색기에는 {label} 값이 없으며, 그런 질의를 먼저 "
        "표시합니다.",
    },
    "explorer_units_units": {
        "en": "The judgments name units: what is ranked and judged here is a {unit}, at the rank "
        "of its first passage among the units. The texts are of the passages that came back, each "
        "after its id.",
        "ko": "판정이 단위를 가리킵니다. 여기서 순위와 판정은 {unit} 단위의 것이며, 순위는 단위 "
        "가운데 그 첫 문단의 순위입니다. 본문은 검색된 문단의 것이고 앞에 문단 ID가 있습니다.",
    },
    "explorer_units_passages": {
        "en": "The judgments name units: what is judged here is a {unit}, at the rank of its first "
        "passage among the passages; a later passage of it stands under its own id and counts "
        "nothing. The texts are of the passages that came back, each after its id.",
        "ko": "판정이 단위를 가리킵니다. 여기서 판정은 {unit} 단위의 것이며, 순위는 문단 가운데 "
        "그 첫 문단의 순위입니다. 같은 단위의 뒤따르는 문단은 자기 ID로 나오며 세지 않습니다. "
        "본문은 검색된 문단의 것이고 앞에 문단 ID가 있습니다.",
    },
    "explorer_passage": {"en": "Passage", "ko": "문단"},
    "explorer_grade": {"en": "Judgment", "ko": "판정"},
    "explorer_text": {"en": "Text", "ko": "본문"},
    "explorer_relevant": {"en": "relevant ({grade})", "ko": "적합 ({grade})"},
    "explorer_judged": {"en": "not relevant ({grade})", "ko": "적합하지 않음 ({grade})"},
    "explorer_unjudged": {"en": "unjudged", "ko": "판정 없음"},
    "explorer_missing": {
        "en": "Relevant too, but not among the first {k} of every retriever: {passages}",
        "ko": "그 밖에 적합하지만 모든 검색기의 상위 {k}위 안에 들지는 못한 문단: {passages}",
    },
    "explorer_worst_chunks": {
        "en": "A place is empty where a retriever does not search the chunk.",
        "ko": "검색기의 검색 대상이 아닌 청크의 자리는 비워 둡니다.",
    },
    "explorer_need": {"en": "need {needs}", "ko": "필요 {needs}"},
    "explorer_needs": {"en": "needs {needs}", "ko": "필요 {needs}"},
    "explorer_nowhere": {
        "en": "no retriever returned it",
        "ko": "어떤 검색기도 찾지 못함",
    },
    "explorer_more_missing": {
        "en": "{passages}; and {n} more",
        "ko": "{passages}; 그 밖에 {n}개",
    },
    # The script: controls.
    "js_explorer_search": {"en": "Search", "ko": "검색"},
    "js_explorer_search_hint": {"en": "words or id", "ko": "단어 또는 ID"},
    "js_explorer_measure": {"en": "Measure", "ko": "측도"},
    "js_explorer_sort": {"en": "Sort", "ko": "정렬"},
    "js_explorer_sort_worst": {"en": "worst value first", "ko": "값이 나쁜 순"},
    "js_explorer_sort_difference": {"en": "largest difference first", "ko": "차이가 큰 순"},
    "js_explorer_sort_first": {
        "en": "rank of the first relevant passage, worst first",
        "ko": "첫 적합 문단의 순위가 낮은 순",
    },
    "js_explorer_sort_order": {"en": "order of the dataset", "ko": "데이터셋 순서"},
    "js_explorer_sort_id": {"en": "id", "ko": "ID"},
    "js_explorer_beats": {"en": "Where", "ko": "비교"},
    "js_explorer_beats_a": {"en": "the better retriever", "ko": "더 나은 검색기"},
    "js_explorer_beats_b": {"en": "the worse retriever", "ko": "더 못한 검색기"},
    "js_explorer_beats_between": {"en": "beats", "ko": ">"},
    "js_explorer_beats_any": {"en": "any", "ko": "전체"},
    "js_explorer_beats_others": {"en": "all others", "ko": "나머지 모두"},
    "js_explorer_fails": {"en": "Fails in the first {k}", "ko": "상위 {k}위 내 실패"},
    "js_explorer_fails_any": {"en": "any query", "ko": "모든 질의"},
    "js_explorer_fails_all": {"en": "all fail", "ko": "모두 실패"},
    "js_explorer_fails_some": {"en": "some retriever fails", "ko": "하나 이상 실패"},
    "js_explorer_fails_none": {"en": "none fails", "ko": "실패 없음"},
    "js_explorer_fails_one": {"en": "{name} fails", "ko": "{name} 실패"},
    "js_explorer_tag": {"en": "Tag", "ko": "태그"},
    "js_explorer_tag_any": {"en": "any", "ko": "전체"},
    "js_explorer_tag_group": {"en": "tags", "ko": "태그"},
    "js_explorer_cause": {"en": "Cause", "ko": "실패 원인"},
    "js_explorer_cause_any": {"en": "any", "ko": "전체"},
    "js_explorer_cause_of": {"en": "retriever of the cause", "ko": "원인을 볼 검색기"},
    "js_explorer_cause_of_any": {"en": "any retriever", "ko": "모든 검색기"},
    "js_explorer_cause_failed": {"en": "did not answer", "ko": "응답하지 않음"},
    "js_explorer_cause_cut": {"en": "cut by the chunker", "ko": "청커가 자름"},
    "js_explorer_cause_nowhere": {"en": "no retriever found it", "ko": "어떤 검색기도 찾지 못함"},
    "js_explorer_cause_duplicate": {"en": "below a near-duplicate", "ko": "거의 같은 문단에 밀림"},
    "js_explorer_cause_below_k": {"en": "returned below rank {k}", "ko": "{k}위 밖에서 나옴"},
    "js_explorer_cause_not_returned": {
        "en": "not returned, others found it",
        "ko": "다른 검색기만 찾음",
    },
    "js_explorer_count": {"en": "{n} of {total} queries", "ko": "질의 {total}개 중 {n}개"},
    "js_explorer_clear": {"en": "Clear filters", "ko": "필터 지우기"},
    "js_explorer_nothing": {
        "en": "No query fits all of these filters.",
        "ko": "모든 조건을 만족하는 질의가 없습니다.",
    },
    "js_explorer_unknown_query": {
        "en": "There is no query with the id {id} here.",
        "ko": "ID가 {id}인 질의가 여기에 없습니다.",
    },
    "js_explorer_more_queries": {"en": "Show {n} more", "ko": "{n}개 더 보기"},
    "js_explorer_keys": {
        "en": "/ search, j and k next and previous, Enter open, Esc close",
        "ko": "/ 검색, j·k 다음·이전, Enter 열기, Esc 닫기",
    },
    # The script: a query.
    "js_explorer_query": {"en": "Query", "ko": "질의"},
    "js_explorer_chip": {
        "en": "{name}: first relevant passage at rank {rank}",
        "ko": "{name}: 첫 적합 문단 {rank}위",
    },
    "js_explorer_chip_none": {
        "en": "{name}: no relevant passage returned",
        "ko": "{name}: 적합한 문단을 찾지 못함",
    },
    "js_explorer_chip_unknown": {
        "en": "{name}: no relevant passage is known",
        "ko": "{name}: 알려진 적합한 문단이 없음",
    },
    "js_explorer_unanswerable": {"en": "no answer", "ko": "답 없는 질의"},
    "js_explorer_unanswerable_hint": {
        "en": "marked as having no answer in the corpus; not averaged",
        "ko": "답이 되는 문단이 없다고 표시된 질의로, 평균에 넣지 않습니다",
    },
    "js_explorer_not_averaged": {"en": "not averaged", "ko": "평균 제외"},
    "js_explorer_no_text": {"en": "(text not known)", "ko": "(본문을 알 수 없음)"},
    "js_explorer_permalink": {"en": "Link to this query", "ko": "이 질의로 가는 링크"},
    "js_explorer_loading": {"en": "Unpacking the passages …", "ko": "문단을 불러오는 중입니다 …"},
    "js_explorer_failed": {
        "en": "The explorer cannot be shown: {error}",
        "ko": "질의 탐색기를 표시할 수 없습니다: {error}",
    },
    "js_explorer_values": {"en": "Values of this query", "ko": "이 질의의 값"},
    "js_explorer_retriever": {"en": "Retriever", "ko": "검색기"},
    "js_explorer_first": {"en": "First relevant", "ko": "첫 적합 문단"},
    "js_explorer_why": {"en": "Outcome", "ko": "결과"},
    "js_explorer_found": {"en": "found in the first {k}", "ko": "상위 {k}위 안에서 찾음"},
    "js_explorer_duplicate_of": {
        "en": "{first} stands above {second}",
        "ko": "{second} 위에 {first}",
    },
    "js_explorer_moved": {
        "en": "Relevant passages that moved: best rank in an input → rank here",
        "ko": "순위가 바뀐 적합한 문단: 입력에서 가장 높은 순위 → 여기에서의 순위",
    },
    "js_explorer_up": {"en": "Moved up", "ko": "올라감"},
    "js_explorer_down": {"en": "Moved down", "ko": "내려감"},
    "js_explorer_move": {"en": "{before} → {after}", "ko": "{before} → {after}"},
    "js_explorer_missing": {
        "en": "Relevant, but not shown in every ranking below",
        "ko": "적합하지만 아래 순위 중 일부에는 표시되지 않는 문단",
    },
    "js_explorer_missing_nowhere": {
        "en": "no retriever returned it",
        "ko": "어떤 검색기도 찾지 못함",
    },
    "js_explorer_missing_rank": {"en": "rank {rank} in {name}", "ko": "{name} {rank}위"},
    "js_explorer_missing_not": {"en": "not in {name}", "ko": "{name}에 없음"},
    "js_explorer_missing_more": {"en": "Show all {n}", "ko": "{n}개 모두 보기"},
    "js_explorer_nothing_returned": {
        "en": "Nothing was returned.",
        "ko": "검색된 문단이 없습니다.",
    },
    "js_explorer_not_answered": {
        "en": "This retriever did not answer the query: {error}",
        "ko": "이 검색기는 질의에 답하지 않았습니다. {error}",
    },
    "js_explorer_deeper": {"en": "Show ranks {from} to {to}", "ko": "{from}~{to}위 보기"},
    "js_explorer_shallower": {"en": "Show the first {n} only", "ko": "상위 {n}개만 보기"},
    # The script: a passage.
    "js_explorer_relevant": {"en": "relevant", "ko": "적합"},
    "js_explorer_judged": {"en": "not relevant", "ko": "적합하지 않음"},
    "js_explorer_unjudged": {"en": "unjudged", "ko": "판정 없음"},
    "js_explorer_needs": {"en": "covers need {needs}", "ko": "필요 {needs} 충족"},
    "js_explorer_needs_again": {
        "en": "covers need {needs}, as a passage above does",
        "ko": "필요 {needs} 충족(위 문단과 같음)",
    },
    "js_explorer_grade": {"en": "grade {grade}", "ko": "등급 {grade}"},
    "js_explorer_rank": {"en": "rank {rank}", "ko": "{rank}위"},
    "js_explorer_score": {"en": "score {score}", "ko": "점수 {score}"},
    "js_explorer_tied": {
        "en": "the same score as the passage above; their order is by id",
        "ko": "바로 위 문단과 점수가 같아 ID 순으로 놓였습니다",
    },
    "js_explorer_also": {"en": "also", "ko": "다른 검색기:"},
    "js_explorer_also_more": {"en": "and {n} more", "ko": "외 {n}개"},
    "js_explorer_more": {"en": "Show all", "ko": "모두 보기"},
    "js_explorer_less": {"en": "Show less", "ko": "접기"},
    "js_explorer_cut": {
        "en": "the first {n} of {total} characters",
        "ko": "전체 {total}자 중 앞 {n}자",
    },
    "js_explorer_cut_all": {
        "en": "the text ({total} characters) is left out to keep the page small",
        "ko": "페이지 크기를 줄이려고 본문({total}자)을 생략했습니다",
    },
    "js_explorer_empty": {"en": "(empty passage)", "ko": "(빈 문단)"},
}
