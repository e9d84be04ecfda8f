"""Texts of the report: the query explorer."""

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
}
