"""Texts of the report: where relevant passages were lost."""

from __future__ import annotations

STAGES: dict[str, dict[str, str]] = {
    "stages": {
        "en": "Where relevant {items} were lost",
        "ko": "적합한 {items}을 어디에서 잃었는가",
    },
    "stages_says": {
        "en": "A fusion or a reranker can return only what its inputs hand on. Each of the {total} "
        "relevant passages of {queries} has one of five fates on the way into its first {k}.",
        "ko": "융합과 재정렬은 입력이 넘겨준 문단만 돌려줄 수 있습니다. {queries}의 적합한 문단 "
        "{total}개는 상위 {k}개에 드는 과정에서 저마다 다음 다섯 가지 중 하나가 됩니다.",
    },
    "stages_chart": {
        "en": "What became of the relevant {items}",
        "ko": "적합한 {items}이 어떻게 되었는가",
    },
    "stages_segment": {
        "en": "{retriever}: {fate}: {n} of {total} relevant {items}",
        "ko": "{retriever}: {fate}: 적합한 {items} {total}개 중 {n}개",
    },
    "fate_kept": {"en": "Kept", "ko": "유지"},
    "fate_kept_means": {
        "en": "Among the first {k} of an input, and still among the first {k}.",
        "ko": "어떤 입력의 상위 {k}개에 있었고 여기에서도 상위 {k}개에 있습니다.",
    },
    "fate_gained": {"en": "Gained", "ko": "얻음"},
    "fate_gained_means": {
        "en": "Among the first {k}, and among the first {k} of no input.",
        "ko": "어떤 입력에서도 상위 {k}개에 없었으나 여기에서는 상위 {k}개에 있습니다.",
    },
    "fate_lost": {"en": "Lost here", "ko": "여기에서 잃음"},
    "fate_lost_means": {
        "en": "Among the first {k} of an input, and no longer among the first {k}: the fusion lost "
        "it, or the reranker demoted it.",
        "ko": "어떤 입력의 상위 {k}개에 있었으나 융합이나 재정렬을 거치며 상위 {k}개에서 "
        "밀려났습니다.",
    },
    "fate_cut": {"en": "Below {k} everywhere", "ko": "모두 {k}위 밖"},
    "fate_cut_means": {
        "en": "An input handed it on, and neither an input nor this retriever has it among the "
        "first {k}.",
        "ko": "넘겨받은 문단이지만 입력에서도 여기에서도 상위 {k}개에 없습니다.",
    },
    "fate_nowhere": {"en": "In no input", "ko": "입력에 없음"},
    "fate_nowhere_means": {
        "en": "No input has it among the passages that are read of it, so it cannot be found here.",
        "ko": "읽은 범위 안에서 어떤 입력에도 없으므로 여기에서는 찾을 수 없습니다.",
    },
    "fates_title": {
        "en": "Relevant {items} by fate, and how many moved",
        "ko": "적합한 {items}: 어떻게 되었는지, 순위가 바뀐 수",
    },
    "note_moved": {
        "en": "Moved up, moved down: against the input that ranks the {item} highest.",
        "ko": "올라감, 내려감: 그 {item}의 순위가 가장 높은 입력과 비교했습니다.",
    },
    "column_relevant": {"en": "Relevant", "ko": "적합"},
    "column_deeper": {"en": "Further down in an input", "ko": "입력의 더 아래"},
    "hint_deeper": {
        "en": "Relevant {items} that no input hands on, and that an input returned further down: "
        "reading more of it would bring them in",
        "ko": "어떤 입력도 넘겨주지 않았으나 입력의 더 아래 순위에 있는 적합한 {items}. 더 많이 "
        "읽으면 들어옵니다",
    },
    "column_up": {"en": "Moved up", "ko": "올라감"},
    "column_down": {"en": "Moved down", "ko": "내려감"},
    "hint_up": {
        "en": "Relevant {items} that stand higher than in the input that has them highest",
        "ko": "가장 높이 둔 입력에서보다 순위가 올라간 적합한 {items}",
    },
    "hint_down": {
        "en": "Relevant {items} that stand lower than in the input that has them highest, or are "
        "gone",
        "ko": "가장 높이 둔 입력에서보다 순위가 내려갔거나 사라진 적합한 {items}",
    },
    "reach_title": {
        "en": "What each could reach with the best order",
        "ko": "가장 좋은 순서라면 도달할 값",
    },
    "column_built_on": {"en": "Built on", "ko": "입력"},
    "column_pool": {"en": "Passages read", "ko": "읽는 문단 수"},
    "hint_pool": {
        "en": "How many passages of each input are read",
        "ko": "입력마다 읽는 문단의 수",
    },
    "column_pool_recall": {"en": "Their recall", "ko": "그 재현율"},
    "hint_pool_recall": {
        "en": "The share of the relevant {items} that is among them: no order of them can have a "
        "higher recall",
        "ko": "그 안에 든 적합한 {items}의 비율. 순서를 어떻게 바꾸어도 재현율은 이보다 높아질 수 "
        "없습니다",
    },
    "column_ceiling": {"en": "{label} at best", "ko": "{label} 최댓값"},
    "hint_ceiling": {
        "en": "The value with these passages in the best order",
        "ko": "그 문단을 가장 좋은 순서로 놓았을 때의 값",
    },
    "alone_title": {"en": "What each input reaches alone", "ko": "입력 하나만으로 도달하는 값"},
    "column_input": {"en": "Input", "ko": "입력"},
    "column_alone": {"en": "{label}, input alone", "ko": "{label}(입력 하나)"},
    "column_added": {"en": "Added", "ko": "더해진 값"},
    "hint_added": {
        "en": "The retriever's value minus the input's; the other sections say how sure a "
        "difference is",
        "ko": "검색기의 값에서 입력의 값을 뺀 값. 차이가 얼마나 확실한지는 다른 부분에 있습니다",
    },
    "stages_losses": {
        "en": "{retriever}: queries with the largest losses ({n})",
        "ko": "검색기 {retriever}: 가장 많이 잃은 질의 {n}개",
    },
    "stages_gains": {
        "en": "{retriever}: queries with the largest gains ({n})",
        "ko": "검색기 {retriever}: 가장 많이 얻은 질의 {n}개",
    },
    "column_change": {"en": "{label} against the input", "ko": "입력 대비 {label}"},
    "hint_change": {
        "en": "The gain over the input that is best on this query; negative where that is better",
        "ko": "이 질의에서 가장 좋은 입력에 견준 이득. 입력이 더 나으면 음수입니다",
    },
    "column_moves": {"en": "Ranks of the relevant {items}", "ko": "적합한 {items}의 순위"},
    "hint_moves": {
        "en": "The best rank in an input, then the rank here",
        "ko": "입력에서 가장 높은 순위와 여기에서의 순위",
    },
    "stages_listed": {
        "en": "Each query leads to the explorer, which shows all that moved. The report's CSV "
        "files list everything: {queries} by query, {passages} by relevant passage.",
        "ko": "질의를 누르면 질의별 살펴보기에서 순위가 바뀐 문단을 모두 볼 수 있습니다. 보고서의 "
        "CSV 파일에는 모두 있습니다: {queries} (질의별), {passages} (적합한 문단별).",
    },
    "more_moves": {"en": "{moves} and {n} more", "ko": "{moves} 외 {n}개"},
}
