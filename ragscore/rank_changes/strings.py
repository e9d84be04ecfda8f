"""What ``ragscore changes`` says, in English and Korean. It says what changed, never whether that
is for the better: nothing here knows."""

from __future__ import annotations

from ragscore.strings import StringTable

CHANGE_TEXTS: dict[str, dict[str, str]] = {
    "changed": {
        "en": "{name}: the top {k} changed for {share} {interval} of {queries}: {kinds}.",
        "ko": "{name}: {queries} 가운데 {share} {interval}에서 상위 {k}개가 바뀌었습니다. {kinds}.",
    },
    "unchanged": {
        "en": "{name}: the top {k} is the same for all {queries}; with 95 % confidence it changes "
        "for at most {high} of queries like these.",
        "ko": "{name}: {queries} 모두 상위 {k}개가 그대로입니다. 신뢰수준 95 %에서 이런 질의 중 "
        "바뀌는 비율은 {high} 이하입니다.",
    },
    "nothing": {
        "en": "{name}: there is no query to compare.",
        "ko": "{name}: 견줄 질의가 없습니다.",
    },
    "renamed": {"en": "{before} → {after}", "ko": "{before} → {after}"},
    "kind_newly_failed": {"en": "{n} newly failed", "ko": "새로 실패한 질의 {n}개"},
    "kind_no_longer_failed": {"en": "{n} no longer failed", "ko": "더는 실패하지 않는 질의 {n}개"},
    "kind_newly_empty": {"en": "{n} newly empty", "ko": "새로 빈 답 {n}개"},
    "kind_newly_answered": {"en": "{n} newly answered", "ko": "새로 답한 질의 {n}개"},
    "kind_other_passages": {"en": "{n} with other passages", "ko": "문단이 바뀐 질의 {n}개"},
    "kind_other_order": {
        "en": "{n} with the same passages in another order",
        "ko": "같은 문단의 순서가 바뀐 질의 {n}개",
    },
    "dataset": {"en": "{dataset}: {queries}.", "ko": "{dataset}: {queries}."},
    # The tables.
    "table_changes": {"en": "What changed in the top {k}", "ko": "상위 {k}개에서 바뀐 것"},
    "table_shifts": {
        "en": "Shifts of scores (later minus earlier)",
        "ko": "점수의 변화(나중 - 이전)",
    },
    "table_slices": {
        "en": "By tags and metadata of the queries",
        "ko": "질의의 태그와 메타데이터별",
    },
    "table_queries": {
        "en": "What to look at or judge: the most changed first",
        "ko": "살펴보거나 판정할 것: 많이 바뀐 질의부터",
    },
    "column_changed": {"en": "Changed", "ko": "바뀜"},
    "column_newly_failed": {"en": "Newly failed", "ko": "새로 실패"},
    "column_no_longer_failed": {"en": "No longer failed", "ko": "실패 해소"},
    "column_newly_empty": {"en": "Newly empty", "ko": "새로 빈 답"},
    "column_newly_answered": {"en": "Newly answered", "ko": "새로 답함"},
    "column_other_passages": {"en": "Other passages", "ko": "문단이 바뀜"},
    "column_other_order": {"en": "Other order", "ko": "순서만 바뀜"},
    "column_other_first": {"en": "Other first", "ko": "첫 문단이 바뀜"},
    "column_overlap": {"en": "Overlap@{k}", "ko": "겹침@{k}"},
    "hint_overlap": {
        "en": "Passages in both top {k}, over the longer of the two; the mean over the queries "
        "that either answered",
        "ko": "양쪽 상위 {k}개에 모두 있는 문단 수를 긴 쪽의 문단 수로 나눈 값. 어느 한쪽이라도 "
        "답한 질의의 평균",
    },
    "hint_rbo": {
        "en": "Rank-biased overlap of the whole rankings: 1 where they are alike, 0 where they "
        "share nothing; the first ranks weigh most",
        "ko": "순위 전체의 순위 가중 겹침(RBO): 같으면 1, 겹치는 것이 없으면 0. 앞 순위의 비중이 "
        "가장 큽니다",
    },
    "column_new": {"en": "New passages", "ko": "새 문단"},
    "column_unjudged": {"en": "Unjudged", "ko": "판정 없음"},
    "hint_unjudged": {
        "en": "New passages of the top {k} that nobody judged for their query",
        "ko": "상위 {k}개에 새로 들어온 문단 가운데 그 질의에 대한 판정이 없는 것",
    },
    "column_of": {"en": "Scores of", "ko": "점수"},
    "shift_passages": {"en": "passages in both", "ko": "양쪽에 있는 문단"},
    "shift_first": {"en": "first passages", "ko": "첫 문단"},
    "column_count": {"en": "Count", "ko": "수"},
    "column_lower": {"en": "Lower", "ko": "내려감"},
    "column_higher": {"en": "Higher", "ko": "올라감"},
    "column_median": {"en": "Median", "ko": "중앙값"},
    "column_key": {"en": "Key", "ko": "키"},
    "column_slice": {"en": "Slice", "ko": "유형"},
    "column_query": {"en": "Query", "ko": "질의"},
    "column_text": {"en": "Text", "ko": "본문"},
    "column_kind": {"en": "What changed", "ko": "바뀐 점"},
    "word_newly_failed": {"en": "newly failed", "ko": "새로 실패"},
    "word_no_longer_failed": {"en": "no longer failed", "ko": "실패 해소"},
    "word_newly_empty": {"en": "newly empty", "ko": "새로 빈 답"},
    "word_newly_answered": {"en": "newly answered", "ko": "새로 답함"},
    "word_other_passages": {"en": "other passages", "ko": "문단이 바뀜"},
    "word_other_order": {"en": "other order", "ko": "순서만 바뀜"},
    "column_came": {"en": "New (rank; ? unjudged)", "ko": "새 문단(순위, ?는 판정 없음)"},
    "column_came_plain": {"en": "New (rank)", "ko": "새 문단(순위)"},
    "more_passages": {"en": "{listed}, {count} more", "ko": "{listed} 외 {count}개"},
    "more_queries": {
        "en": "{shown} of {count} changed queries; ragscore changes --limit all lists all.",
        "ko": "바뀐 질의 {count}개 중 {shown}개. ragscore changes --limit all은 모두 보여 줍니다.",
    },
    "note_intervals": {
        "en": "Intervals: Wilson, 95 %, for the share among queries like these; not adjusted.",
        "ko": "구간: 이런 질의 중 바뀌는 비율의 Wilson 95 % 구간. 보정하지 않았습니다.",
    },
    "note_scales": {
        "en": "Scores of retrievers of different kinds or settings have different scales; their "
        "shifts mean something only where the scale stayed.",
        "ko": "검색기의 종류나 설정이 다르면 점수의 척도도 다릅니다. 척도가 그대로일 때만 변화에 "
        "뜻이 있습니다.",
    },
    # Notes on the comparison.
    "note_only_before": {
        "en": "only the earlier result has {names}; --pair OLD=NEW matches a renamed retriever",
        "ko": "이전 결과에만 있는 검색기: {names}. 이름이 바뀐 검색기는 --pair OLD=NEW로 짝지을 수 "
        "있습니다",
    },
    "note_only_after": {
        "en": "only the later result has {names}; --pair OLD=NEW matches a renamed retriever",
        "ko": "나중 결과에만 있는 검색기: {names}. 이름이 바뀐 검색기는 --pair OLD=NEW로 짝지을 수 "
        "있습니다",
    },
    "note_common_one": {
        "en": "1 query is in both and was compared; {before} only in the earlier and {after} only "
        "in the later one were left out",
        "ko": "양쪽에 있는 질의 1개를 견주었습니다. 이전에만 있는 {before}개와 나중에만 있는 "
        "{after}개는 뺐습니다",
    },
    "note_common": {
        "en": "{n} queries are in both and were compared; {before} only in the earlier and {after} "
        "only in the later one were left out",
        "ko": "양쪽에 있는 질의 {n}개를 견주었습니다. 이전에만 있는 {before}개와 나중에만 있는 "
        "{after}개는 뺐습니다",
    },
    "note_reworded_one": {
        "en": "1 query has another text now and was left out: it is another question",
        "ko": "본문이 바뀐 질의 1개는 다른 질문이므로 뺐습니다",
    },
    "note_reworded": {
        "en": "{n} queries have another text now and were left out: they are other questions",
        "ko": "본문이 바뀐 질의 {n}개는 다른 질문이므로 뺐습니다",
    },
    "note_other_dataset": {
        "en": "the earlier dataset is {before}, the later {after}; they are taken to be one",
        "ko": "이전 데이터셋은 {before}, 나중 데이터셋은 {after}입니다. 같은 것으로 보았습니다",
    },
    "whole_corpus": {"en": "the whole corpus", "ko": "전체 말뭉치"},
    "note_samples": {
        "en": "before, {before} was searched, and after {after}",
        "ko": "검색한 문단: 이전은 {before}, 이후는 {after}",
    },
    "note_other_passages": {
        "en": "the passages of the dataset differ between the two results (digests {before} and "
        "{after}): part of what changed is the corpus",
        "ko": "두 결과의 데이터셋에 든 문단이 다릅니다(다이제스트 {before}, {after}). 바뀐 것의 "
        "일부는 말뭉치에서 옵니다",
    },
    "note_other_digest": {
        "en": "the datasets differ (digests {before} and {after}), and cannot both be read: "
        "queries with one id may be different questions, and the passages may be others",
        "ko": "데이터셋이 다르고(다이제스트 {before}, {after}) 둘 다 읽을 수는 없습니다. 식별자가 "
        "같은 질의가 다른 질문일 수 있고, 문단도 다를 수 있습니다",
    },
    "note_no_ids_shared": {
        "en": "{name}: no passage id is in both runs, so they may come from different corpora or "
        "chunkings, and everything looks changed",
        "ko": "{name}: 양쪽 모두에 있는 문단 식별자가 없습니다. 말뭉치나 문단 나누기가 다를 수 "
        "있고, 그러면 모두 바뀐 것으로 보입니다",
    },
    "note_failed": {
        "en": "{name}: failed queries: {before} earlier, {after} later; what they would have "
        "returned is not known, and they count as nothing here",
        "ko": "{name}: 실패한 질의는 이전 {before}개, 나중 {after}개입니다. 실패한 질의에서 무엇이 "
        "나왔을지는 알 수 없으므로 여기서는 빈 답으로 셉니다",
    },
    "note_depths": {
        "en": "{name}: {before} passages a query were recorded earlier, {after} later; RBO takes "
        "the shorter ranking to go on as it ends",
        "ko": "{name}: 질의마다 기록한 문단은 이전 {before}개, 나중 {after}개입니다. RBO는 짧은 "
        "순위가 끝과 같이 이어진다고 봅니다",
    },
    "note_shallow": {
        "en": "{name}: no run is {k} deep; the top {k} is the top {depth}",
        "ko": "{name}: 깊이가 {k}에 이르는 실행이 없어 상위 {k}개 대신 상위 {depth}개입니다",
    },
    "note_no_dataset": {
        "en": "the dataset cannot be read, so texts, slices and judgments are left out: {error}",
        "ko": "데이터셋을 읽을 수 없어 본문, 유형, 판정을 뺐습니다. {error}",
    },
    "note_missing_empty": {
        "en": "queries that only one run names count as unanswered in the other: {before} only "
        "earlier, {after} only later",
        "ko": "한쪽 실행에만 있는 질의는 다른 쪽에서 답이 빈 것으로 셌습니다. 이전에만 {before}개, "
        "나중에만 {after}개",
    },
}
STRINGS = StringTable(CHANGE_TEXTS)
