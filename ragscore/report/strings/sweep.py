"""Texts of the report: sweeps."""

from __future__ import annotations

SWEEP: dict[str, dict[str, str]] = {
    "sweep": {"en": "Sweep: the best settings", "ko": "탐색: 최고 설정"},
    "sweep_front_latency": {
        "en": "{label} against latency, configuration by configuration",
        "ko": "설정별 지연 시간과 {label}",
    },
    "sweep_front_bytes": {
        "en": "{label} against the size of the index",
        "ko": "색인 크기와 {label}",
    },
    "sweep_axis_latency": {"en": "milliseconds per query", "ko": "질의당 밀리초"},
    "sweep_axis_bytes": {"en": "megabytes of index", "ko": "색인 메가바이트"},
    # What each parameter does.
    "effects_chart_title": {
        "en": "{label} by parameter of {retriever}",
        "ko": "{retriever} 매개변수별 {label}",
    },
    "effects_description": {
        "en": "Mean {label} over all configurations of {retriever} with each value of a parameter.",
        "ko": "{retriever} 설정 가운데 각 매개변수 값을 가진 것들의 평균 {label}.",
    },
    "effects_row": {
        "en": "{parameter} = {value}: {mean} {interval}",
        "ko": "{parameter} = {value}: {mean} {interval}",
    },
    "effects_row_chosen": {
        "en": "{parameter} = {value}, as in the best: {mean} {interval}",
        "ko": "{parameter} = {value} (최고 설정의 값): {mean} {interval}",
    },
    "effects_chart_note": {
        "en": "Filled: the value in this retriever's best configuration. Bars: 95 % intervals of "
        "the difference to the parameter's average, which is dashed; a bar that leaves the dashed "
        "line shows an effect.",
        "ko": "채운 표식: 이 검색기의 최고 설정에 쓰인 값. 막대: 매개변수 평균(점선)과의 차이에 "
        "대한 95 % 신뢰구간. 점선을 벗어난 막대는 효과가 있음을 뜻합니다.",
    },
    # Two at a time.
    "heat_title": {
        "en": "{label} of {retriever} by {across} and {down}",
        "ko": "{across}, {down} 값에 따른 {retriever} 설정의 {label}",
    },
    "heat_description": {
        "en": "Mean {label} over all configurations of {retriever} with each pair of values of "
        "{across} and {down}.",
        "ko": "{across}, {down} 값의 쌍마다 그 값을 가진 {retriever} 설정의 평균 {label}.",
    },
    "heat_cell": {
        "en": "{across} = {x}, {down} = {y}: {mean}",
        "ko": "{across} = {x}, {down} = {y}: {mean}",
    },
    "heat_cell_chosen": {
        "en": "{across} = {x}, {down} = {y}, the best: {mean}",
        "ko": "{across} = {x}, {down} = {y}, 최고: {mean}",
    },
    "heat_note": {
        "en": "Means over all configurations with both values. Colours go by rank: the stronger, "
        "the better. Framed: where this retriever's best configuration is.",
        "ko": "두 값을 모두 가진 설정의 평균. 색은 순위에 따르며, 진할수록 좋습니다. 테두리: 이 "
        "검색기의 최고 설정이 있는 칸.",
    },
    "heat_range": {"en": "From {low} to {high}.", "ko": "{low} ~ {high}."},
}
