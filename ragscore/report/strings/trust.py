"""Texts of the report: the trust row."""

from __future__ import annotations

TRUST: dict[str, dict[str, str]] = {
    "trust_sample": {"en": "Sample of the corpus", "ko": "말뭉치 표본"},
    "trust_sample_value": {
        "en": "{passages} of {of} passages",
        "ko": "문단 {of}개 중 {passages}개",
    },
    "bias_title": {
        "en": "The retrievers of the pool on the sample and on the whole corpus",
        "ko": "표본과 전체 말뭉치에서 잰 풀 검색기의 값",
    },
    "column_on_sample": {"en": "{measure}, sample", "ko": "{measure}, 표본"},
    "column_on_whole": {"en": "{measure}, whole corpus", "ko": "{measure}, 전체 말뭉치"},
    "column_bias": {"en": "Difference", "ko": "차이"},
    "note_bias": {
        "en": "The difference is the bias of the sample for these retrievers, whose best passages "
        "it keeps; that of the others is not known, and mostly larger.",
        "ko": "차이는 상위 문단을 표본에 남긴 검색기에서 표본이 만드는 편향입니다. 다른 검색기의 "
        "편향은 알 수 없으며 대개 더 큽니다.",
    },
    "trust_sample_says": {"en": "{note}.", "ko": "{note}."},
    "trust_judged": {"en": "Judged in the top {k}", "ko": "상위 {k}개 중 판정됨"},
    "trust_judged_title": {
        "en": "Share of the top {k} that was judged",
        "ko": "상위 {k}개 가운데 판정된 비율",
    },
    "trust_judged_says": {
        "en": "What nobody judged counts as not relevant. A low share is usual where each query "
        "has one or two judged {items}, and it is no problem as long as it is similar for all "
        "retrievers.",
        "ko": "아무도 판정하지 않은 {items}은 적합하지 않은 것으로 칩니다. 질의마다 판정된 "
        "{items}이 한두 개뿐이면 비율이 낮은 것이 보통이며, 모든 검색기에서 비슷하면 문제가 되지 "
        "않습니다.",
    },
    "trust_judged_uneven": {
        "en": "What nobody judged counts as not relevant, and in the top {k} one retriever has "
        "far more of it than another. Part of the difference may come from missing judgments: "
        "judge what it returned before you decide against it.",
        "ko": "아무도 판정하지 않은 문단은 적합하지 않은 것으로 치는데, 상위 {k}개에서 한 검색기가 "
        "다른 검색기보다 이런 문단이 훨씬 많습니다. 차이의 일부는 판정이 빠진 탓일 수 있으니, "
        "그 검색기를 제외하기 전에 검색된 문단을 판정하십시오.",
    },
    "trust_detectable": {"en": "Smallest detectable difference", "ko": "판별 가능한 최소 차이"},
    "trust_detectable_title": {
        "en": "What these queries can show on {label}, against {baseline}",
        "ko": "{label} 기준, {baseline} 대비 이 질의들로 판별할 수 있는 차이",
    },
    "column_detectable": {"en": "Detectable difference", "ko": "판별 가능한 차이"},
    "trust_detectable_says": {
        "en": "A true difference of this size is found in 4 of 5 such experiments; a smaller one "
        "is often missed.",
        "ko": "실제 차이가 이 정도라면 이런 실험 다섯 번 중 네 번은 찾아냅니다. 더 작은 차이는 "
        "놓치기 쉽습니다.",
    },
    "trust_detectable_margin": {
        "en": "The margin is {margin}: the number of queries shown for it detects a true "
        "difference of that size in 4 of 5 such experiments.",
        "ko": "허용 폭은 {margin}입니다. 함께 적은 수만큼 질의가 있으면 이 크기의 실제 차이를 "
        "다섯 번 중 네 번은 찾아냅니다.",
    },
    "trust_ties": {"en": "Ties at the cut after {k}", "ko": "{k}위 경계의 동점"},
    "trust_ties_title": {
        "en": "Queries with a tie across the cut after {k}",
        "ko": "{k}위 경계에 동점이 걸친 질의",
    },
    "column_tied": {"en": "Ties at {k}", "ko": "{k}위 경계 동점"},
    "trust_ties_says": {
        "en": "The {ranked_items} at rank {k} and the next have the same score there, so which of "
        "them counts is decided by their ids and not by the retriever.",
        "ko": "이 질의들에서는 {k}위 {ranked_items}과 다음 {ranked_items}의 점수가 같아서, 어느 "
        "쪽이 {k}위 안에 드는지는 검색기가 아니라 {ranked_items} ID로 정해집니다.",
    },
    "trust_queries": {"en": "Same queries for all", "ko": "공통 질의"},
    "trust_queries_title": {
        "en": "Queries that each retriever was scored on",
        "ko": "검색기별로 점수를 매긴 질의",
    },
    "column_scored": {"en": "Queries scored", "ko": "점수를 매긴 질의"},
    "column_unanswerable": {"en": "Unanswerable", "ko": "답 없는 질의"},
    "trust_queries_says": {
        "en": "All retrievers are compared on the same {n} queries; {left_out} that only some "
        "were scored on are left out. Unanswerable queries have no right passage and are left "
        "out of all means.",
        "ko": "모든 검색기를 같은 질의 {n}개로 비교합니다. 일부 검색기에만 점수가 있는 질의 "
        "{left_out}개는 뺐습니다. 답 없는 질의는 맞는 문단이 없으므로 평균에 넣지 않습니다.",
    },
    "trust_undefined": {
        "en": "{measure} is undefined for some of them; the pair with the fewest is compared on "
        "{fewest}.",
        "ko": "{measure}의 값이 없는 질의가 있어, 가장 적은 쌍은 질의 {fewest}개로 비교합니다.",
    },
    "trust_clusters": {
        "en": "The queries form {clusters} clusters, which are the units of all statistics.",
        "ko": "질의는 {clusters}개 묶음으로 나뉘며, 모든 통계는 이 묶음을 단위로 합니다.",
    },
    "trust_missing": {"en": "Missing or empty", "ko": "빠지거나 빈 질의"},
    "trust_missing_title": {
        "en": "Queries without a result",
        "ko": "결과가 없는 질의",
    },
    "column_missing": {"en": "Not in the run", "ko": "검색 결과에 없음"},
    "column_empty": {"en": "Nothing returned", "ko": "결과 없음"},
    "trust_missing_says": {
        "en": "These are judged queries that the run does not name or that got no passage. They "
        "score 0, unless a measure has no value there (MR).",
        "ko": "판정은 있으나 검색 결과에 없거나, 검색된 문단이 하나도 없는 질의입니다. 측도 값이 "
        "없는 경우(MR)가 아니면 점수는 0으로 칩니다.",
    },
    "trust_answers": {"en": "Not answered", "ko": "응답하지 않은 질의"},
    "trust_answers_title": {
        "en": "Queries that failed",
        "ko": "실패한 질의",
    },
    "column_not_answered": {"en": "Failed", "ko": "실패"},
    "column_scored_as": {"en": "Their values", "ko": "값"},
    "values_left_out": {"en": "left out of the means", "ko": "평균에서 뺌"},
    "values_empty": {"en": "as if nothing came back", "ko": "결과 없음으로 채점"},
    "trust_answers_says": {
        "en": "The system did not answer these queries, or not with a ranking; what is built on it "
        "has failed for the same queries. Values that are left out say how well it retrieves when "
        "it answers, and the queries that fail are seldom its easiest ones. ragscore run "
        "--retry-failed asks only these queries again.",
        "ko": "시스템이 이 질의들에 답하지 않았거나 순위가 아닌 것을 돌려주었습니다. 그 결과를 "
        "쓰는 검색기에서도 같은 질의가 실패합니다. 평균에서 뺀 경우, 평균은 응답했을 때 얼마나 잘 "
        "찾는지를 나타내며, 실패하는 질의는 쉬운 질의가 아닌 경우가 많습니다. ragscore run "
        "--retry-failed 명령은 이 질의들만 다시 묻습니다.",
    },
    "trust_errors_title": {"en": "Why they failed", "ko": "실패한 이유"},
    "column_query": {"en": "Query", "ko": "질의"},
    "column_asked": {"en": "Times asked", "ko": "물은 횟수"},
    "trust_answers_more": {
        "en": "{count} more are listed in manifest.json.",
        "ko": "{count}개가 더 있으며 manifest.json 파일에 있습니다.",
    },
    "trust_filter": {"en": "Left short by a filter", "ko": "필터로 부족해진 질의"},
    "trust_filter_title": {
        "en": "What filters do to the queries",
        "ko": "필터가 질의에 미친 영향",
    },
    "column_short": {"en": "Fewer than allowed", "ko": "허용된 것보다 적음"},
    "column_none_allowed": {"en": "No passage allowed", "ko": "허용된 문단 없음"},
    "column_unrestricted": {"en": "Not restricted", "ko": "제한되지 않음"},
    "column_fetched": {"en": "Fetched per query", "ko": "질의당 가져온 수"},
    "fetched_allowed": {"en": "allowed passages only", "ko": "허용된 문단만"},
    "trust_filter_says": {
        "en": "A retriever that cannot search the allowed passages alone fetches a number of "
        "passages for each query and leaves out those that the filter does not allow: some queries "
        "then get fewer than they could, and a larger overfetch helps. For some queries the filter "
        "allows nothing, and they score 0. Queries without the metadata that the filter reads are "
        "not restricted.",
        "ko": "허용된 문단만 골라 검색할 수 없는 검색기는 질의마다 정해진 수의 문단을 가져온 뒤 "
        "필터가 허용하지 않는 것을 뺍니다. 그래서 일부 질의는 받을 수 있는 것보다 적게 받으며, "
        "overfetch 값을 늘리면 나아집니다. 필터가 아무 문단도 허용하지 않는 질의의 점수는 "
        "0입니다. 필터가 읽는 메타데이터가 없는 질의는 제한되지 않습니다.",
    },
    "trust_cut": {"en": "Cut by the encoder", "ko": "인코더가 자른 텍스트"},
    "trust_cut_title": {
        "en": "Texts that are longer than the encoder reads",
        "ko": "인코더가 읽는 길이보다 긴 텍스트",
    },
    "column_texts": {"en": "Texts", "ko": "텍스트"},
    "texts_passage": {"en": "passages", "ko": "문단"},
    "texts_window": {"en": "windows", "ko": "윈도"},
    "texts_pair": {"en": "pairs of query and passage", "ko": "질의와 문단의 쌍"},
    "texts_query": {"en": "queries", "ko": "질의"},
    "column_cut": {"en": "Cut", "ko": "잘린 수"},
    "column_limit": {"en": "Tokens read at most", "ko": "읽는 토큰 수(최대)"},
    "column_unread": {"en": "Tokens not read", "ko": "읽지 않은 토큰"},
    "trust_cut_says": {
        "en": "The encoder reads only the beginning of a longer text, so it cannot find what "
        "comes after; retrievers that build on it inherit the gap. The last column is a "
        "share of the tokens of the texts that were cut. Split long passages, or use an encoder "
        "that reads more.",
        "ko": "긴 텍스트는 앞부분만 읽으므로 그 뒤에 있는 내용은 이 인코더로 찾을 수 없고, 그 "
        "결과를 쓰는 검색기도 마찬가지입니다. 마지막 열은 잘린 텍스트의 토큰 가운데 읽지 않은 "
        "비율입니다. 긴 문단을 나누거나 더 길게 읽는 인코더를 쓰십시오.",
    },
    "trust_failed": {"en": "Retrievers that failed", "ko": "실패한 검색기"},
}
