"""What a gate says, in English and Korean, with the same placeholders in both.

The Korean puts no particle behind a name or a number that would have to change with its last sound.
"""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "gate_title": {"en": "Gate", "ko": "품질 게이트"},
    "word_PASS": {"en": "PASS", "ko": "통과"},
    "word_FAIL": {"en": "FAIL", "ko": "실패"},
    "word_UNDECIDED": {"en": "UNDECIDED", "ko": "판정 보류"},
    # The line of a condition.
    "condition": {
        "en": "{measure}: {quantity} {value} {op} {threshold}.",
        "ko": "{measure}: {quantity} {value} {op} {threshold}.",
    },
    "condition_nothing": {
        "en": "{measure}: there was nothing to look at ({quantity} {op} {threshold}).",
        "ko": "{measure}: 확인할 것이 없었습니다({quantity} {op} {threshold}).",
    },
    "of_whom": {"en": "{measure} ({whom})", "ko": "{measure} ({whom})"},
    "and_reason": {"en": "{line} {reason}", "ko": "{line} {reason}"},
    "quantity_value": {"en": "value", "ko": "값"},
    "quantity_lower bound": {"en": "lower 95 % bound", "ko": "95 % 하한"},
    "quantity_upper bound": {"en": "upper 95 % bound", "ko": "95 % 상한"},
    "bound_of_value": {"en": "{bound} (value {value})", "ko": "{bound} (값 {value})"},
    "quantity_drop": {"en": "drop", "ko": "하락"},
    "label_p50_ms": {"en": "p50 latency (ms)", "ko": "p50 지연 시간(ms)"},
    "label_p95_ms": {"en": "p95 latency (ms)", "ko": "p95 지연 시간(ms)"},
    "label_p99_ms": {"en": "p99 latency (ms)", "ko": "p99 지연 시간(ms)"},
    "label_failed": {"en": "failed queries", "ko": "실패한 질의"},
    # All of them.
    "all_pass": {"en": "All {n} conditions hold.", "ko": "조건 {n}개를 모두 지켰습니다."},
    "more_lines": {
        "en": "and {n} more, in the table below.",
        "ko": "그 밖의 {n}개는 아래 표에 있습니다.",
    },
    "too_many": {
        "en": "The table of all {n} conditions is too long to be shown here; gate.json in the "
        "result's folder has it.",
        "ko": "조건 {n}개의 표는 여기에 싣기에 너무 깁니다. 결과 폴더의 gate.json에 있습니다.",
    },
    "word_more": {"en": "…", "ko": "…"},
    "mapped_pass": {
        "en": "Counts as PASS: undecided is set to pass.",
        "ko": "통과로 칩니다: undecided 값이 pass입니다.",
    },
    "mapped_fail": {
        "en": "Counts as FAIL: undecided is set to fail.",
        "ko": "실패로 칩니다: undecided 값이 fail입니다.",
    },
    # Why.
    "reason_unchanged": {
        "en": "No value of a query changed.",
        "ko": "모든 질의의 값이 그대로입니다.",
    },
    "reason_unchanged_few": {
        "en": "No value of a query changed; {n} queries are too few to exclude a rare drop.",
        "ko": "모든 질의의 값이 그대로입니다. 다만 질의 {n}개로는 드문 하락을 배제할 수 없습니다.",
    },
    "reason_few differ": {
        "en": "Only {differing} of {n} queries differ, too few to show a drop.",
        "ko": "질의 {n}개 중 {differing}개만 달라져 하락을 보이기에 부족합니다.",
    },
    "reason_no spread": {
        "en": "Every query changed by the same.",
        "ko": "모든 질의가 똑같이 달라졌습니다.",
    },
    "reason_strict": {
        "en": "The observed drop decides (strict).",
        "ko": "관측된 하락으로 판정했습니다(strict).",
    },
    "reason_retriever failed": {"en": "It failed: {detail}", "ko": "실행에 실패했습니다: {detail}"},
    "reason_no such retriever": {
        "en": "The result has no such retriever. It has: {detail}.",
        "ko": "결과에 이 검색기가 없습니다. 결과에 있는 검색기: {detail}.",
    },
    "reason_no such retriever_none": {
        "en": "The result has no such retriever, and no other.",
        "ko": "결과에 이 검색기가 없고, 다른 검색기도 없습니다.",
    },
    "reason_not in the baseline": {
        "en": "The baseline has no values of it. It has: {detail}.",
        "ko": "기준 파일에 이 값이 없습니다. 기준 파일에 있는 것: {detail}.",
    },
    "reason_not in the baseline_none": {
        "en": "The baseline has no values of it, and none of another.",
        "ko": "기준 파일에 이 값도 다른 값도 없습니다.",
    },
    "reason_no query in the slice": {
        "en": "No judged query is in the slice.",
        "ko": "이 유형에는 판정된 질의가 없습니다.",
    },
    "reason_no such slice": {
        "en": "No query has such a tag or metadata. They have: {detail}.",
        "ko": "이런 태그나 메타데이터를 가진 질의가 없습니다. 있는 것: {detail}.",
    },
    "reason_no such slice_none": {
        "en": "No query has a tag or metadata.",
        "ko": "태그나 메타데이터를 가진 질의가 없습니다.",
    },
    "reason_no common query": {
        "en": "No query has a value in both the result and the baseline.",
        "ko": "결과와 기준 파일 양쪽에 값이 있는 질의가 없습니다.",
    },
    "reason_undefined": {
        "en": "The measure is defined for no query.",
        "ko": "이 척도가 정의되는 질의가 없습니다.",
    },
    "reason_not measured": {
        "en": "It was not measured. Run files don't hold it, and `latency: false` leaves it out. "
        "Retrievers that are built on a system outside aren't timed, nor are calls for several "
        "queries. Results of earlier versions don't hold what retries took.",
        "ko": "측정되지 않았습니다. 실행 파일에는 없고, `latency: false`면 재지 않으며, 호출하는 "
        "시스템 위에 만든 검색기와 여러 질의를 한 번에 묻는 호출은 재지 않습니다. 이전 버전의 "
        "결과에는 재시도에 걸린 시간이 없습니다.",
    },
    "reason_times of calls": {
        "en": "The time is that of the {n} queries of the run, retries and waits included, up to "
        "{detail} of them at once.",
        "ko": "실행 중의 질의 {n}개가 답을 받기까지 걸린 시간으로, 재시도와 대기를 포함하며 동시 "
        "호출은 최대 {detail}건입니다.",
    },
    "reason_left out": {
        "en": "It holds for the queries that were answered; {detail} failed and are left out. A "
        "condition on failed queries says how many may.",
        "ko": "응답한 질의에 대해서만 만족합니다. 실패하여 뺀 질의가 {detail}개 있습니다. 실패한 "
        "질의에 대한 조건으로 허용할 비율을 정하십시오.",
    },
    "reason_not estimable": {
        "en": "The interval can't be estimated.",
        "ko": "신뢰구간을 추정할 수 없습니다.",
    },
    "open": {
        "en": "{n} queries neither show nor exclude a drop of more than {threshold}.",
        "ko": "질의 {n}개로는 {threshold} 넘는 하락을 확인할 수도 배제할 수도 없습니다.",
    },
    "open_share": {
        "en": "{n} queries do not exclude a share above {threshold}.",
        "ko": "질의 {n}개로는 {threshold} 넘는 비율을 배제할 수 없습니다.",
    },
    "open_share_needed": {
        "en": "{needed} queries with the same share would.",
        "ko": "같은 비율이라면 질의 {needed}개로 배제할 수 있습니다.",
    },
    "open_share_never": {
        "en": "No number of queries would: write a maximum above 0, or leave confident out.",
        "ko": "질의가 아무리 많아도 배제할 수 없습니다. 0보다 큰 최댓값을 쓰거나 confident를 "
        "빼십시오.",
    },
    "open_needed": {
        "en": "About {needed} queries like these would exclude it if nothing had changed.",
        "ko": "달라진 것이 없다면 이런 질의 약 {needed}개로 배제할 수 있습니다.",
    },
    "open_near": {
        "en": "They would exclude it if nothing had changed: the drop is close to the allowance.",
        "ko": "달라진 것이 없다면 배제할 수 있는 수입니다. 하락이 허용치에 가깝습니다.",
    },
    "open_detectable": {
        "en": "A true drop of {drop} would be shown 4 times in 5.",
        "ko": "실제 하락이 {drop} 정도면 다섯 번 중 네 번은 확인됩니다.",
    },
    # The table.
    "gate_table": {"en": "Every condition", "ko": "모든 조건"},
    "gate_table_unmet": {"en": "Conditions that don't hold", "ko": "만족하지 못한 조건"},
    "gate_table_hold": {"en": "{n} conditions hold", "ko": "만족한 조건 {n}개"},
    "column_verdict": {"en": "Verdict", "ko": "결론"},
    "column_dataset": {"en": "Dataset", "ko": "데이터셋"},
    "column_slice": {"en": "Slice", "ko": "유형"},
    "slice_all": {"en": "all", "ko": "전체"},
    "column_condition": {"en": "Condition", "ko": "조건"},
    "column_compared": {"en": "Compared", "ko": "비교한 값"},
    "hint_compared": {
        "en": "The number that was compared, with its interval: of a drop and of Leak 90 %, whose "
        "ends are the one-sided 95 % bounds, of all else 95 %",
        "ko": "비교한 값과 신뢰구간. 하락과 Leak는 90 %(양 끝이 단측 95 % 한계), 나머지는 95 %",
    },
    "column_before": {"en": "Before", "ko": "이전"},
    "column_now": {"en": "Now", "ko": "현재"},
    "column_p": {"en": "p", "ko": "p"},
    "hint_p": {
        "en": "One-sided and corrected by Holm over all drops: that the drop is larger than the "
        "allowance for FAIL, that it is not for PASS, the smaller of both for UNDECIDED",
        "ko": "모든 하락에 걸쳐 Holm 보정한 단측 p. 실패는 하락이 허용치보다 크다는 검정, 통과는 "
        "크지 않다는 검정, 판정 보류는 둘 중 작은 값",
    },
    "column_needed": {"en": "Queries needed", "ko": "필요한 질의"},
    "column_reason": {"en": "Why", "ko": "이유"},
    "condition_min": {"en": "{measure} >= {threshold}", "ko": "{measure} >= {threshold}"},
    "condition_max": {"en": "{measure} <= {threshold}", "ko": "{measure} <= {threshold}"},
    "condition_drop": {
        "en": "{measure} drop <= {threshold}",
        "ko": "{measure} 하락 <= {threshold}",
    },
    "note_against": {"en": "Drops are from {baseline}.", "ko": "하락의 기준: {baseline}."},
    "note_tests": {
        "en": "FAIL: a one-sided paired test shows that the drop is larger than the allowance. "
        "PASS: another one excludes it. UNDECIDED: neither does.",
        "ko": "실패: 하락이 허용치보다 크다는 것을 단측 대응 검정이 보임. 통과: 그런 하락을 다른 "
        "단측 검정이 배제함. 판정 보류: 어느 쪽도 아님.",
    },
    "part_passages": {"en": "the passages", "ko": "문단"},
    "part_queries": {"en": "the queries", "ko": "질의"},
    "part_judgments": {"en": "the judgments", "ko": "판정"},
    "part_data": {"en": "the dataset or its judgments", "ko": "데이터셋 또는 판정"},
    "other_data": {
        "en": "{parts} of '{dataset}' have changed since the baseline was saved",
        "ko": "기준 파일을 저장한 뒤 '{dataset}' 데이터셋에서 바뀐 것: {parts}",
    },
    "note_left_out": {
        "en": "{dataset}, {retriever}: {count} of {n} queries failed and are left out; only a "
        "condition on failed queries counts them.",
        "ko": "{dataset}, {retriever}: 질의 {n}개 중 {count}개가 실패했습니다. 실패한 질의에 대한 "
        "조건 말고는 이 질의를 보지 않습니다.",
    },
    "note_empty": {
        "en": "{dataset}, {retriever}: {count} of {n} queries failed and score as empty answers.",
        "ko": "{dataset}, {retriever}: 질의 {n}개 중 {count}개가 실패했습니다. 이 질의는 빈 답의 "
        "값을 받았습니다.",
    },
    "note_asked_again": {
        "en": "{dataset}, {retriever}: {count} of {n} queries were answered only when they were "
        "asked again.",
        "ko": "{dataset}, {retriever}: 질의 {n}개 중 {count}개는 다시 요청한 뒤에야 답을 "
        "받았습니다.",
    },
    "note_strict_alone": {
        "en": "strict changes nothing: it is about drops, and the gate has no max_drop.",
        "ko": "strict 값은 아무것도 바꾸지 않습니다. 하락에 대한 값인데 max_drop 조건이 없습니다.",
    },
    "note_confident_alone": {
        "en": "confident changes nothing: it is about min, and about max of a measure, and the "
        "gate has neither.",
        "ko": "confident 값은 아무것도 바꾸지 않습니다. min 조건과 척도의 max 조건에 대한 값인데 "
        "어느 것도 없습니다.",
    },
    "note_sample": {"en": "{dataset}: {caveat}", "ko": "{dataset}: {caveat}"},
    "other_sample": {
        "en": "{changed}: the result searched {size}",
        "ko": "{changed}(이 결과는 {size} 검색)",
    },
    "note_common_queries": {
        "en": "Drops are over the queries that both have.",
        "ko": "하락은 양쪽에 모두 있는 질의로 계산했습니다.",
    },
    "note_other_questions": {
        "en": "A query whose text or judgments changed may have fallen for that reason alone.",
        "ko": "내용이나 판정이 바뀐 질의는 그 이유만으로 값이 낮아졌을 수 있습니다.",
    },
    "note_other_version": {
        "en": "The baseline was saved by ragscore {before}, and the result scored by {now}: where "
        "a measure changed between them, save the baseline anew.",
        "ko": "기준 파일은 ragscore {before}, 결과는 {now} 버전으로 계산했습니다. 그 사이에 척도가 "
        "바뀌었다면 기준 파일을 새로 저장하십시오.",
    },
    # Baselines, and the queries that fell below them.
    "baseline_falls": {
        "en": "{place} is as it was: {count} of its values would fall",
        "ko": "{place} 파일은 그대로입니다. 낮아질 값: {count}개",
    },
    "baseline_falls_one": {
        "en": "{place} is as it was: one of its values would fall",
        "ko": "{place} 파일은 그대로입니다. 낮아질 값: 1개",
    },
    "baseline_accepted": {"en": "These values fell", "ko": "낮아진 값"},
    "baseline_refused": {"en": "These values would fall", "ko": "낮아질 값"},
    "baseline_column_dataset": {"en": "Dataset", "ko": "데이터셋"},
    "baseline_column_measure": {"en": "Measure", "ko": "측도"},
    "baseline_column_query": {"en": "Query", "ko": "질의"},
    "baseline_column_text": {"en": "Text", "ko": "본문"},
    "baseline_fallen": {
        "en": "The queries that fell most: {retriever}, {measure} ({count})",
        "ko": "가장 많이 낮아진 질의: {retriever}, {measure} ({count}개)",
    },
    "baseline_column_before": {"en": "Baseline", "ko": "이전"},
    "baseline_column_now": {"en": "Now", "ko": "현재"},
    "baseline_column_change": {"en": "Change", "ko": "변화"},
    "baseline_column_passages": {"en": "Relevant passages lost", "ko": "밀려난 관련 문단"},
    "baseline_hint_passages": {
        "en": "Of those that the baseline names: the rank then and now",
        "ko": "기준 파일에 있는 문단의 그때 순위와 지금 순위",
    },
    "baseline_column_lost": {"en": "Queries lost", "ko": "빠진 질의"},
    "baseline_accept": {
        "en": "Write it all the same with --accept.",
        "ko": "그래도 쓰려면 --accept를 붙이십시오.",
    },
    "baseline_saved": {
        "en": "{place}: {retrievers} on {queries} queries, {measures}",
        "ko": "{place}: {retrievers}, 질의 {queries}개, {measures}",
    },
    "baseline_left_out": {
        "en": "the baseline is without {names}, which failed",
        "ko": "실패하여 기준 파일에서 빠진 검색기: {names}",
    },
}

STRINGS = StringTable(TEXTS)
