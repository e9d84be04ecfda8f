"""Texts of the report's sections."""

from __future__ import annotations

SECTIONS: dict[str, dict[str, str]] = {
    # Headings.
    "budgets": {
        "en": "What the same context holds",
        "ko": "같은 크기의 컨텍스트에 담기는 것",
    },
    "curves": {
        "en": "Precision and recall against k",
        "ko": "k에 따른 정밀도와 재현율",
    },
    "equal_budgets": {
        "en": "What fits a context of so many {unit}",
        "ko": "컨텍스트 크기별로 담기는 것({unit})",
    },
    "column_at_budget": {"en": "{measure} in {limit} {unit}", "ko": "{measure}, {limit} {unit}"},
    "equal_budgets_says": {
        "en": "Recall, the share of queries with every need covered (Complete), and precision of "
        "the first passages that fit together, so that large chunks have no advantage over small "
        "ones. The first passage that does not fit ends a context, and text that passages share "
        "counts for each.",
        "ko": "함께 담기는 앞쪽 문단들의 재현율, 필요를 모두 채운 질의의 비율(Complete), "
        "정밀도이므로, 큰 청크가 작은 청크보다 유리하지 않습니다. 담기지 않는 첫 문단에서 "
        "컨텍스트가 끝나며, 여러 문단이 함께 가진 글은 문단마다 셉니다.",
    },
    "equal_budgets_short": {
        "en": "{retrievers}: everything that was recorded fits {limit} {unit}; a larger depth "
        "would fill them.",
        "ko": "{retrievers}: 기록한 모든 문단이 {limit} {unit}에 담깁니다. depth를 늘리면 더 "
        "채워집니다.",
    },
    "differences": {"en": "Where they differ", "ko": "어디에서 차이가 나는가"},
    "failures": {"en": "Failures by cause", "ko": "원인별 실패"},
    "queries": {"en": "Queries one by one", "ko": "질의별 살펴보기"},
    "slices": {"en": "Slices", "ko": "질의 유형별 결과"},
    "judgments": {"en": "Judgments, ties, missing queries", "ko": "판정, 동점, 빠진 질의"},
    "measures": {"en": "All measures, all pairs", "ko": "모든 측도, 모든 쌍"},
    "computed": {"en": "How it was computed", "ko": "계산 방법"},
    # Facts of the head.
    "head_dataset": {"en": "Dataset", "ko": "데이터셋"},
    "head_queries": {"en": "Queries", "ko": "질의"},
    "head_passages": {"en": "Passages", "ko": "문단"},
    "head_units": {"en": "{Items}", "ko": "{Items}"},
    "head_judgments": {"en": "Judgments", "ko": "판정"},
    "head_primary": {"en": "Primary measure", "ko": "주 측도"},
    "head_created": {"en": "Searched", "ko": "검색 시각"},
    "head_unanswerable": {
        "en": "{queries}, of these {unanswerable} unanswerable",
        "ko": "{queries}(답 없는 질의 {unanswerable} 포함)",
    },
    # A column of tables with a query in each row.
    "column_one_query": {"en": "Query", "ko": "질의"},
    "section_failed": {
        "en": "The section '{name}' could not be made: {told}",
        "ko": "'{name}' 섹션을 만들지 못했습니다: {told}",
    },
    "section_absent": {
        "en": "The section '{name}' is left out: the package that brings it is not installed "
        "here. `ragscore list sections` shows what is.",
        "ko": "'{name}' 섹션을 뺐습니다: 이 섹션을 제공하는 패키지가 여기에 설치되어 있지 "
        "않습니다. 설치된 섹션은 `ragscore list sections`로 볼 수 있습니다.",
    },
    # Words that many tables share.
    "unknown": {"en": "unknown", "ko": "알 수 없음"},
    "none": {"en": "none", "ko": "없음"},
    "range": {"en": "{low} to {high}", "ko": "{low} ~ {high}"},
    "of": {"en": "{part} of {whole}", "ko": "{whole} 중 {part}"},
    "column_share": {"en": "Share", "ko": "비율"},
    "column_error": {"en": "Error", "ko": "오류"},
    "note_bold": {
        "en": "Bold: decided to be better than every other.",
        "ko": "굵은 글씨: 다른 모든 검색기보다 나은 것으로 확정됨.",
    },
    "retriever_failed": {
        "en": "{retriever} failed: {error}",
        "ko": "검색기 {retriever}: 실행하지 못했습니다. {error}",
    },
    "state_k": {"en": "Recommended k", "ko": "권장 k"},
    "state_cut": {"en": "Recommended cut", "ko": "권장 기준"},
    "state_no_k": {"en": "How many passages", "ko": "문단 수"},
    "nothing_to_compare": {
        "en": "There is one retriever, so nothing is compared.",
        "ko": "검색기가 하나뿐이므로 비교하지 않습니다.",
    },
    "not_compared": {
        "en": "The retrievers could not be compared; the notes under Judgments say why.",
        "ko": "검색기를 비교하지 못했습니다. 이유는 '판정, 동점, 빠진 질의' 부분에 적혀 있습니다.",
    },
    # The leaderboard.
    "leaderboard_title": {"en": "Leaderboard", "ko": "순위표"},
    # Curves.
    "recommended_title": {"en": "Recommended: {rule}", "ko": "권장 값: {rule}"},
    "note_reaching": {
        "en": "Nothing is recommended without a rule. Say what k is for, with tune: {{rule: "
        "recall, target: 0.8}} in the experiment or with ragscore tune --rule.",
        "ko": "기준이 없으면 아무것도 권하지 않습니다. 실험 파일에 tune: {{rule: recall, target: "
        "0.8}} 설정을 넣거나 ragscore tune --rule 명령을 쓰십시오.",
    },
    "column_held_out": {"en": "{label}, held out", "ko": "{label}(따로 둔 질의)"},
    "hint_held_out": {
        "en": "What choosing k this way is worth on queries it did not choose on",
        "ko": "k를 고를 때 쓰지 않은 질의에서 이 방법이 내는 값",
    },
    "note_bands": {
        "en": "Means with 95 % intervals, each k or cut taken alone.",
        "ko": "평균과 95 % 신뢰구간(k 또는 기준마다 따로 계산).",
    },
    "note_held_out": {
        "en": "Held out: cross-validated, so that the luck of choosing does not count; its "
        "interval is approximate.",
        "ko": "따로 둔 질의: 교차 검증 값이므로 고르는 과정의 운이 들어가지 않습니다. 구간은 "
        "근사치입니다.",
    },
    # Differences.
    "fewer_figures": {
        "en": "Charts show the {shown} best other retrievers on {label}; tables show all.",
        "ko": "{label} 기준으로 가장 좋은 다른 검색기 {shown}개의 그림만 표시합니다. 표에는 모두 "
        "있습니다.",
    },
    # Failures.
    "failures_says": {
        "en": "A query fails for a retriever where none of its relevant {items} is among the "
        "first {k}. Each of the {total} queries that have a relevant {item} counts once "
        "for each retriever.",
        "ko": "적합한 {item}이 상위 {k}개 안에 하나도 없으면 그 검색기에서 실패한 질의입니다. "
        "적합한 {items}이 있는 질의 {total}개를 검색기마다 한 번씩 셉니다.",
    },
    "failures_says_needs": {
        "en": "A query fails for a retriever whose top {k} holds no relevant {item}. A query whose "
        "{items} share needs fails where the top {k} leaves a need uncovered: a relevant {item} "
        "is then one that covers it, and of several such needs one names the cause. Each of the "
        "{total} queries that have a relevant {item} counts once for each retriever.",
        "ko": "적합한 {item}이 상위 {k}개 안에 하나도 없으면 그 검색기에서 실패한 질의입니다. "
        "{items}이 필요를 나누어 충족하는 질의는 상위 {k}개로 충족되지 않은 필요가 하나라도 "
        "있으면 실패입니다. 이때 적합한 {item}이란 그 필요를 충족하는 {item}이며, 그런 필요가 "
        "여럿이면 그중 하나의 원인을 셉니다. 적합한 {item}이 있는 질의 {total}개를 검색기마다 "
        "한 번씩 셉니다.",
    },
    "failures_relevant_from": {
        "en": "A {item} is relevant here from grade {grade} on, as in the primary measure.",
        "ko": "여기에서는 주 측도와 같이 등급 {grade} 이상인 {item}을 적합한 것으로 봅니다.",
    },
    "failures_without_texts": {
        "en": "The texts of the passages are not known, so near-duplicates cannot be detected.",
        "ko": "문단의 본문을 알 수 없어 거의 같은 문단은 가려낼 수 없습니다.",
    },
    "failures_without_relevant_one": {
        "en": "1 query has no {item} that is judged relevant and is not counted here.",
        "ko": "적합하다고 판정된 {item}이 없는 질의 1개는 여기에서 세지 않습니다.",
    },
    "failures_without_relevant": {
        "en": "{count} queries have no {item} that is judged relevant and are not counted here.",
        "ko": "적합하다고 판정된 {item}이 없는 질의 {count}개는 여기에서 세지 않습니다.",
    },
    "failures_title": {
        "en": "Queries found and not found in the first {k}",
        "ko": "상위 {k}개에서 찾은 질의와 찾지 못한 질의",
    },
    "column_found": {"en": "Found in the first {k}", "ko": "상위 {k}개에서 찾음"},
    "failure_nowhere": {"en": "No retriever found it", "ko": "어떤 검색기도 찾지 못함"},
    "failure_duplicate": {"en": "Below a near-duplicate", "ko": "거의 같은 문단에 밀림"},
    "failure_below_k": {"en": "Returned below {k}", "ko": "{k}위 밖에서 나옴"},
    "failure_not_returned": {"en": "Not returned", "ko": "검색되지 않음"},
    "failure_cut": {"en": "Cut by the chunker", "ko": "청커가 자름"},
    "failure_cut_means": {
        "en": "No chunk that this retriever searches holds enough of the evidence: its chunker cut "
        "it in two. Larger chunks, an overlap or another chunker can mend that; no retriever can.",
        "ko": "이 검색기가 찾는 청크 중 근거를 충분히 담은 것이 없습니다. 청커가 근거를 둘로 "
        "잘랐기 때문입니다. 청크를 키우거나 겹치게 하거나 청커를 바꾸면 해결되지만, 검색기로는 "
        "해결할 수 없습니다.",
    },
    "failure_failed": {"en": "Did not answer", "ko": "응답하지 않음"},
    "failure_failed_means": {
        "en": "The system, or one that it is built on, did not answer the query, or not with a "
        "ranking. This says nothing of how well it retrieves: see its errors, and ask these "
        "queries again.",
        "ko": "시스템이나 그 입력이 되는 시스템이 질의에 답하지 않았거나 순위가 아닌 것을 "
        "돌려주었습니다. 검색을 얼마나 잘하는지와는 다른 문제입니다. 오류를 확인하고 이 질의들을 "
        "다시 물으십시오.",
    },
    "failure_nowhere_means": {
        "en": "No retriever returned a relevant {item} at any rank. Look at the words of the "
        "query and of the passage, and at the judgment.",
        "ko": "어떤 검색기도 적합한 {item}을 어느 순위에서도 찾지 못했습니다. 질의와 문단의 "
        "표현, 그리고 판정을 살펴보십시오.",
    },
    "failure_duplicate_means": {
        "en": "A passage with nearly the same text ranks above the relevant one, and nobody "
        "judged it relevant. Remove duplicates, or judge them alike.",
        "ko": "적합한 문단 위에 거의 같은 글이 있는데, 적합하다고 판정되지 않았습니다. 중복을 "
        "없애거나 똑같이 판정하십시오.",
    },
    "failure_below_k_means": {
        "en": "A relevant {item} came back, but below rank {k}. A larger k or a reranker can "
        "reach it.",
        "ko": "적합한 {item}이 나오기는 했지만 {k}위보다 아래입니다. k를 늘리거나 재순위화하면 쓸 "
        "수 있습니다.",
    },
    "failure_not_returned_means": {
        "en": "This retriever did not return a relevant {item} at any rank, but another one did. "
        "Fusing the two can reach it.",
        "ko": "이 검색기는 적합한 {item}을 어느 순위에서도 찾지 못했지만 다른 검색기는 "
        "찾았습니다. 둘을 융합하면 찾을 수 있습니다.",
    },
    # Slices.
    "slices_says": {
        "en": "The same measures for queries of one kind. A change of order alone says little in "
        "a small slice; the tests say where a difference really depends on the slice.",
        "ko": "같은 종류의 질의끼리 본 측도입니다. 질의가 적으면 순서가 바뀐 것만으로 결론을 "
        "내리기 어렵습니다. 차이가 정말 종류에 따라 달라지는지는 검정으로 확인합니다.",
    },
    "slices_alone_says": {
        "en": "The same measures for queries of one kind.",
        "ko": "같은 종류의 질의끼리 본 측도입니다.",
    },
    # Judgments.
    "unjudged_title": {
        "en": "Share of returned {ranked_items} that nobody judged",
        "ko": "검색된 {ranked_items} 중 판정되지 않은 비율",
    },
    "column_unjudged": {"en": "Top {k}", "ko": "상위 {k}개"},
    "unjudged_says": {
        "en": "Such {ranked_items} count as not relevant. Where shares differ between retrievers, "
        "the one with more of them is at a disadvantage.",
        "ko": "이런 {ranked_items}은 적합하지 않은 것으로 칩니다. 비율이 검색기마다 다르면 비율이 "
        "높은 쪽이 불리합니다.",
    },
    "ties_title": {
        "en": "Queries with a tie across a cutoff",
        "ko": "순위 경계에 동점이 걸친 질의",
    },
    "ties_says": {
        "en": "{Ranked_items} with the same score are put in the order of their ids, so that the "
        "same run always gives the same numbers.",
        "ko": "점수가 같은 {Ranked_items}은 ID 순으로 놓으므로, 같은 검색 결과는 언제나 같은 "
        "수치를 냅니다.",
    },
    "no_ties": {
        "en": "No query has a tie across a cutoff.",
        "ko": "순위 경계에 동점이 걸친 질의는 없습니다.",
    },
    "counts_title": {
        "en": "How many queries the means rest on",
        "ko": "평균의 바탕이 되는 질의 수",
    },
    "column_averaged": {"en": "Queries averaged", "ko": "평균에 든 질의"},
    "hint_averaged": {
        "en": "Queries that are judged and answerable",
        "ko": "판정이 있고 답이 있는 질의",
    },
    "column_without_relevant": {"en": "Nothing relevant judged", "ko": "적합 판정 없음"},
    "column_answered": {"en": "Unanswerable, answered", "ko": "답 없는데 검색됨"},
    "hint_answered": {
        "en": "Unanswerable queries that got passages anyway",
        "ko": "답 없는 질의인데도 문단이 검색된 것",
    },
    "column_without_judgments": {"en": "Not judged at all", "ko": "판정 없는 질의"},
    "column_returned": {"en": "{Ranked_items} returned", "ko": "검색된 {Ranked_items}"},
    "column_duplicates": {"en": "Duplicates dropped", "ko": "버린 중복"},
    "note_counts": {
        "en": "Queries that are missing, that got nothing or have nothing relevant score 0, "
        "unless a measure says otherwise (MR, empty=skip). "
        "Unanswerable queries and those that nobody judged are left out of all means.",
        "ko": "빠진 질의, 결과가 없는 질의, 적합 판정이 없는 질의는 0점입니다(MR, "
        "empty=skip처럼 측도가 달리 정하면 예외). 답 없는 질의와 "
        "판정이 없는 질의는 평균에 넣지 않습니다.",
    },
    # Measures.
    "measures_title": {"en": "All measures", "ko": "모든 측도"},
    "average_title": {
        "en": "Average of {datasets} datasets, unweighted",
        "ko": "데이터셋 {datasets}개의 단순 평균",
    },
    "note_average": {
        "en": "Each dataset counts the same, however many queries it has. A measure without a "
        "value on one of them has no average.",
        "ko": "질의 수와 관계없이 모든 데이터셋을 똑같이 칩니다. 한 데이터셋에라도 값이 없으면 "
        "평균을 내지 않습니다.",
    },
}
