"""Texts of the report: what retrievers cost."""

from __future__ import annotations

COST: dict[str, dict[str, str]] = {
    "cost": {"en": "Cost", "ko": "비용"},
    "cost_table_title": {"en": "Quality and cost", "ko": "품질과 비용"},
    "column_best_cost": {"en": "Best at its p50", "ko": "이 p50에서 최고"},
    "hint_best": {
        "en": "No other retriever has as high a mean in less time; whether two means really differ "
        "is what the verdict says",
        "ko": "더 짧은 시간에 평균이 이만큼 좋은 검색기가 없습니다. 두 평균이 정말 다른지는 결론이 "
        "말합니다",
    },
    "column_rate_blocks": {"en": "Queries/s in blocks", "ko": "묶음 처리 질의/초"},
    "hint_rate_blocks": {
        "en": "All queries at once, as they were recorded",
        "ko": "기록할 때처럼 모든 질의를 한꺼번에 보낸 경우",
    },
    "column_calls_p50": {"en": "Call p50", "ko": "호출 p50"},
    "hint_calls_p50": {
        "en": "Half of the queries got their answer from the system outside in no more time, "
        "retries and waits included",
        "ko": "재시도와 대기를 포함해 질의의 절반이 이 시간 안에 외부 시스템의 답을 받았습니다",
    },
    "column_calls_p95": {"en": "Call p95", "ko": "호출 p95"},
    "hint_calls_p95": {
        "en": "95 % of the queries got their answer from the system outside in no more time, "
        "retries and waits included",
        "ko": "재시도와 대기를 포함해 질의의 95 %가 이 시간 안에 외부 시스템의 답을 받았습니다",
    },
    "hint_calls_cell": {
        "en": "Of {n} queries that were answered, up to {at_once} at once; the call that was "
        "answered took {alone} ms",
        "ko": "답을 받은 질의 {n}개, 동시에 최대 {at_once}개. 응답한 호출만 재면 {alone}밀리초",
    },
    "column_asked_again": {"en": "Asked again", "ko": "다시 요청"},
    "hint_asked_again": {
        "en": "Queries that were answered only when they were asked again",
        "ko": "다시 요청한 뒤에야 답을 받은 질의 수",
    },
    "column_encoding": {"en": "Encoding texts/s", "ko": "인코딩 문단/초"},
    "hint_encoding": {
        "en": "Distinct passages encoded in a second, without loading the model",
        "ko": "모델을 불러오는 시간을 빼고 1초에 인코딩한 서로 다른 문단 수",
    },
    "hint_encoding_cell": {
        "en": "{texts} texts in {seconds} s, {cached} of them from the cache",
        "ko": "{seconds}초에 {texts}개, 이 가운데 {cached}개는 캐시에서",
    },
    "hint_encoding_device": {"en": "{hint}, on {device}", "ko": "{hint}. 장치: {device}"},
    "column_building": {"en": "Build index", "ko": "색인 구축"},
    "hint_building": {
        "en": "Building the index alone, without encoding",
        "ko": "인코딩을 뺀 색인 구축 시간",
    },
    "column_index_size": {"en": "Index size", "ko": "색인 크기"},
    "column_tokens": {"en": "Tokens", "ko": "토큰"},
    "latency_title": {"en": "Several clients at once", "ko": "여러 클라이언트의 동시 접속"},
    "column_clients": {"en": "Clients", "ko": "클라이언트"},
    "column_throughput": {"en": "Queries/s", "ko": "질의/초"},
    "note_sample": {
        "en": "p50, p95, p99: {queries} of the dataset, one by one, after a warm-up of {warm_up}.",
        "ko": "p50, p95, p99: 데이터셋의 {queries}를 하나씩 보낸 시간(준비 질의 {warm_up}개 제외).",
    },
    "note_from_cache": {
        "en": "{mark} measured when it was made; this run took it from the cache.",
        "ko": "{mark} 만들 때 잰 값으로, 이번에는 캐시에서 가져왔습니다.",
    },
    "note_clients": {
        "en": "Clients are threads of one Python process with {cores} cores: what holds "
        "Python's lock while it searches answers no more queries per second with several of them.",
        "ko": "클라이언트는 코어 {cores}개를 쓰는 한 Python 프로세스의 스레드입니다. 검색하는 동안 "
        "Python 잠금을 쥐는 검색기는 클라이언트가 늘어도 초당 질의가 늘지 않습니다.",
    },
    "note_untimed": {
        "en": "{names}: not timed one by one (foreign code, recorded runs and precomputed vectors "
        "are not).",
        "ko": "{names}: 질의를 하나씩 재지 않았습니다(외부 코드, 기록된 결과, 미리 계산한 벡터).",
    },
    "note_composed": {
        "en": "{names}: the latency includes the retrievers below it; their queries in blocks, "
        "index, encoding, tokens and price stand in their own rows.",
        "ko": "{names}: 지연 시간에는 바탕이 되는 검색기의 시간이 들어 있고, 묶음 처리, 색인, "
        "인코딩, 토큰, 가격은 그 검색기의 줄에 있습니다.",
    },
    "stages_title": {"en": "Seconds per stage", "ko": "단계별 시간(초)"},
    "column_index": {"en": "Index", "ko": "색인"},
    "column_load": {"en": "Load", "ko": "불러오기"},
    "column_search": {"en": "Search", "ko": "검색"},
    "column_rate": {"en": "Queries per second", "ko": "초당 질의"},
    "column_bytes": {"en": "Index bytes", "ko": "색인 크기(바이트)"},
    "column_depth": {"en": "Depth", "ko": "깊이"},
    "note_stages": {
        "en": "Index: encoding and building, or reopening. Load: what queries need. Search: all "
        "queries in blocks, without the retrievers that it is built on.",
        "ko": "색인: 인코딩과 구축, 또는 다시 열기. 불러오기: 질의에 필요한 것. 검색: 모든 질의를 "
        "묶어서 처리, 바탕이 되는 검색기의 시간은 제외.",
    },
    "note_run_cached": {
        "en": "{names}: nothing was searched this time; the figures are from an earlier, identical "
        "search.",
        "ko": "{names}: 이번에는 검색하지 않았으며, 수치는 같은 조건의 이전 검색 것입니다.",
    },
    "note_cached": {
        "en": "{names}: the index was reopened, not built.",
        "ko": "{names}: 색인을 새로 만들지 않고 다시 열었습니다.",
    },
    # Quality against cost.
    "cost_title": {"en": "{label} against latency", "ko": "지연 시간에 따른 {label}"},
    "cost_title_clients": {
        "en": "{label} against latency, {clients} clients at once",
        "ko": "지연 시간에 따른 {label}, 동시 접속 {clients}개",
    },
    "cost_axis": {"en": "p50 of a single query, ms", "ko": "질의 하나의 p50, 밀리초"},
    "cost_higher_better": {"en": "(higher is better)", "ko": "(높을수록 좋음)"},
    "cost_lower_better": {"en": "(lower is better)", "ko": "(낮을수록 좋음)"},
    "cost_description": {
        "en": "{label} against cost ({axis}).",
        "ko": "{label} 값과 비용({axis}).",
    },
    "cost_point": {
        "en": "{retriever}: {value} at {cost}",
        "ko": "{retriever}: {value}, {cost}",
    },
    "cost_point_best": {
        "en": "{retriever}: {value} at {cost}, the best at this cost",
        "ko": "{retriever}: {value}, {cost}, 이 비용에서 가장 좋음",
    },
    "cost_note": {
        "en": "Filled, with a ring, on the dashed line: no other is as good for less.",
        "ko": "채운 표식, 고리, 점선: 더 적은 비용에 이만큼 좋은 것이 없음.",
    },
    "cost_note_bars": {"en": "Bars: 95 % intervals.", "ko": "막대: 95 % 신뢰구간."},
    "cost_note_log": {"en": "Logarithmic axis.", "ko": "로그 축."},
}
