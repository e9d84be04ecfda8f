"""Texts of the report: charts."""

from __future__ import annotations

CHARTS: dict[str, dict[str, str]] = {
    "chart_decided": {"en": "decided", "ko": "확정"},
    "chart_below_margin": {
        "en": "decided, and smaller than the margin",
        "ko": "확정, 허용 폭보다 작음",
    },
    "chart_undecided": {"en": "not decided", "ko": "확정되지 않음"},
    "chart_nothing": {"en": "Nothing to show.", "ko": "표시할 내용이 없습니다."},
    # The forest plot.
    "forest_title": {
        "en": "Difference in {label} to {baseline}",
        "ko": "{label} 차이 (기준: {baseline})",
    },
    "forest_axis": {"en": "difference in {label}", "ko": "{label} 차이"},
    "forest_worse": {"en": "← worse", "ko": "← 열세"},
    "forest_better": {"en": "better →", "ko": "우세 →"},
    "forest_values": {"en": "mean [95 % CI]", "ko": "평균 [95 % 신뢰구간]"},
    "forest_baseline": {"en": "baseline", "ko": "기준"},
    "forest_row_baseline": {"en": "{retriever}: the baseline", "ko": "{retriever}: 기준"},
    "forest_row_none": {"en": "{retriever}: no value", "ko": "{retriever}: 값 없음"},
    "forest_row": {
        "en": "{retriever}: {value}, 95 % CI {interval}, {state}",
        "ko": "{retriever}: {value}, 95 % 신뢰구간 {interval}, {state}",
    },
    "forest_description": {
        "en": "Mean paired difference in {label} to {baseline}; above 0 is better.",
        "ko": "{label} 기준으로 대응 차이의 평균(기준 검색기: {baseline}). 0보다 크면 우세합니다.",
    },
    "forest_margin": {
        "en": "Grey band: the margin, ±{margin}.",
        "ko": "회색 띠: 허용 폭 ±{margin}.",
    },
    "forest_note": {
        "en": "Filled: decided; hollow: not decided.",
        "ko": "채운 표식: 확정, 빈 표식: 미확정.",
    },
    "forest_note_family": {
        "en": "Filled: decided among {family}; hollow: not decided.",
        "ko": "채운 표식: {family} 가운데 확정, 빈 표식: 미확정.",
    },
    "forest_note_below_margin": {
        "en": "With a dot: decided, and smaller than the margin.",
        "ko": "점이 든 표식: 확정되었으나 허용 폭보다 작음.",
    },
    # Curves.
    "curves_title": {"en": "{label} against k", "ko": "k에 따른 {label}"},
    "curves_axis": {"en": "k, {ranked_items} returned", "ko": "k (반환하는 {ranked_items} 수)"},
    "chart_note_bands": {"en": "Bands: 95 % intervals.", "ko": "띠: 95 % 신뢰구간."},
    "chart_note_ring": {"en": "Ring: the recommended k.", "ko": "고리: 권장 k."},
    "curves_note_ring": {
        "en": "Ring and tick on the axis: the recommended k.",
        "ko": "고리와 축 위의 눈금: 권장 k.",
    },
    "curves_recommended": {
        "en": "{retriever}, recommended k = {k}",
        "ko": "{retriever}, 권장 k = {k}",
    },
    "curves_panel": {"en": "{label} at k = {k}: {values}.", "ko": "k = {k}에서 {label}: {values}."},
    "curves_choice": {"en": "Recommended k: {values}.", "ko": "권장 k: {values}."},
    "trade_title": {"en": "Precision against recall", "ko": "정밀도와 재현율"},
    "trade_recall": {"en": "recall", "ko": "재현율"},
    "trade_precision": {"en": "precision", "ko": "정밀도"},
    "trade_note": {"en": "Numbers are k.", "ko": "숫자는 k입니다."},
    "trade_row": {
        "en": "{retriever}: recall {recall} and precision {precision} at k = {k}",
        "ko": "{retriever}: k = {k}에서 재현율 {recall}, 정밀도 {precision}",
    },
    "coverage_title": {
        "en": "Precision among the answered against the share answered",
        "ko": "응답한 질의 비율에 따른 정밀도",
    },
    "coverage_axis": {"en": "share of the queries answered", "ko": "응답한 질의의 비율"},
    "coverage_precision": {
        "en": "precision among the answered",
        "ko": "응답한 질의의 정밀도",
    },
    "coverage_note_ring": {"en": "Ring: the recommended cut.", "ko": "고리: 권장 기준."},
    "coverage_row": {
        "en": "{retriever}: precision {precision} where {coverage} of the queries are answered",
        "ko": "{retriever}: 응답 비율 {coverage}에서 정밀도 {precision}",
    },
    "context_title": {
        "en": "Recall against the size of the context",
        "ko": "문맥 크기에 따른 재현율",
    },
    "context_axis": {
        "en": "size of the context in {unit}",
        "ko": "문맥 크기({unit})",
    },
    "context_row": {
        "en": "{retriever}: recall {recall} with {size} {unit}",
        "ko": "{retriever}: {size} {unit}에서 재현율 {recall}",
    },
    # Differences of every query.
    "differences_title": {
        "en": "{label} of every query: {first} against {second}",
        "ko": "질의별 {label}: {first} 대 {second}",
    },
    "differences_better": {"en": "{n} better", "ko": "우세 {n}"},
    "differences_worse": {"en": "{n} worse", "ko": "열세 {n}"},
    "differences_same": {"en": "{n} same", "ko": "동일 {n}"},
    "differences_axis": {
        "en": "queries, sorted by difference (n = {n})",
        "ko": "질의 {n}개, 차이가 큰 순서",
    },
    "differences_mean": {"en": "mean {mean}", "ko": "평균 {mean}"},
    "differences_description": {
        "en": "{first} against {second} on {label}, query by query: {better} better, {worse} "
        "worse, {same} same; the mean difference is {mean}, from {low} to {high}.",
        "ko": "{label} 기준 질의별 비교({first} 대 {second}): 우세 {better}, 열세 {worse}, "
        "동일 {same}. 평균 차이 {mean}, 범위 {low} ~ {high}.",
    },
    # What became of the queries.
    "causes_title": {
        "en": "Where the first relevant {item} is",
        "ko": "첫 적합 {item}의 위치",
    },
    "causes_title_needs": {
        "en": "Where queries find what they need",
        "ko": "질의에 필요한 것을 찾은 위치",
    },
    "causes_segment": {
        "en": "{retriever}: {cause}: {n} of {total} queries",
        "ko": "{retriever}: {cause}: 질의 {total}개 중 {n}개",
    },
    "causes_row": {"en": "{retriever}: {values}", "ko": "{retriever}: {values}"},
    "causes_note": {
        "en": "Choose a part of a bar to see its queries.",
        "ko": "막대의 한 부분을 고르면 해당 질의가 표시됩니다.",
    },
    # Over time.
    "history_title": {"en": "{label} over time", "ko": "시간에 따른 {label}"},
    "history_point": {
        "en": "{name}, {when}: {value}",
        "ko": "{name}, {when}: {value}",
    },
    "history_row": {
        "en": "{name}: {first} at first, {last} at last, {n} results",
        "ko": "{name}: 처음 {first}, 마지막 {last}, 결과 {n}개",
    },
}
