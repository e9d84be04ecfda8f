"""What ``ragscore migrate`` says, in English and Korean."""

from __future__ import annotations

MIGRATION_TEXTS: dict[str, dict[str, str]] = {
    "migrate_title": {
        "en": "Judged texts of {old} in {new}",
        "ko": "{old}의 판정된 글을 {new}에서 찾은 결과",
    },
    "column_fate": {"en": "Fate", "ko": "결과"},
    "column_texts": {"en": "Texts", "ko": "텍스트"},
    "column_old": {"en": "Old", "ko": "이전"},
    "column_new": {"en": "New", "ko": "새"},
    "column_held": {"en": "Found", "ko": "찾은 비율"},
    "column_text": {"en": "Text", "ko": "본문"},
    "fate_mapped": {"en": "mapped", "ko": "일대일"},
    "fate_merged": {"en": "merged", "ko": "합쳐짐"},
    "fate_repeated": {"en": "repeated", "ko": "반복됨"},
    "fate_split": {"en": "split", "ko": "나뉨"},
    "fate_lost": {"en": "lost", "ko": "잃음"},
    "meaning_mapped": {
        "en": "one new place holds it, and nothing else",
        "ko": "새 한 곳에 그 글만 있습니다",
    },
    "meaning_merged": {
        "en": "one new passage holds it and more",
        "ko": "새 문단 하나에 그 글과 다른 글이 함께 있습니다",
    },
    "meaning_repeated": {
        "en": "several new places hold all of it: any of them covers the need",
        "ko": "새 여러 곳에 모두 있습니다. 그중 하나면 됩니다",
    },
    "meaning_split": {
        "en": "several new places hold it together: any of them covers the need, check them below",
        "ko": "새 여러 곳에 나뉘어 있습니다. 그중 하나면 되는 것으로 쓰니 아래에서 확인하세요",
    },
    "meaning_lost": {
        "en": "less than {share} of it is found, or it is short and stands in several texts: its "
        "judgments did not go over",
        "ko": "{share} 미만만 찾았거나 짧은 글이 여러 곳에 있어 판정을 옮기지 못했습니다",
    },
    "split_title": {"en": "Split", "ko": "나뉜 글"},
    "lost_title": {"en": "Lost", "ko": "잃은 글"},
    "migrate_more": {"en": "and {count} more; JSON has all", "ko": "외 {count}개(JSON에는 모두)"},
    "migrate_lost_needs": {
        "en": "{count} needs are covered by nothing any more: {queries}.",
        "ko": "무엇으로도 채울 수 없게 된 요구 {count}개: {queries}.",
    },
    "migrate_lost_needs_one": {
        "en": "{count} need is covered by nothing any more: {queries}.",
        "ko": "무엇으로도 채울 수 없게 된 요구 {count}개: {queries}.",
    },
    "migrate_dropped_one": {
        "en": "1 judgment that a passage is not relevant says nothing of a new one.",
        "ko": "관련 없다는 판정 1개는 새 문단에 대해 말해 주는 것이 없어 뺐습니다.",
    },
    "migrate_forbidden_one": {
        "en": "1 forbidden passage forbids no new one: it is lost, or the new one is relevant, or "
        "documents took their place.",
        "ko": "금지된 문단 1개는 옮기지 못했습니다. 찾지 못했거나, 새 문단이 관련 있거나, "
        "문서로 바뀌었습니다.",
    },
    "migrate_dropped": {
        "en": "{count} judgments that a passage is not relevant say nothing of a new one.",
        "ko": "관련 없다는 판정 {count}개는 새 문단에 대해 말해 주는 것이 없어 뺐습니다.",
    },
    "migrate_forbidden": {
        "en": "{count} forbidden passages forbid no new one: they are lost, or the new one is "
        "relevant, or documents took their place.",
        "ko": "금지된 문단 {count}개는 옮기지 못했습니다. 찾지 못했거나, 새 문단이 관련 있거나, "
        "문서로 바뀌었습니다.",
    },
    "migrate_written": {"en": "Written: {file}", "ko": "쓴 파일: {file}"},
    "migrate_not_written": {
        "en": "Nothing was written: -o FILE writes the new ground truth.",
        "ko": "아무것도 쓰지 않았습니다. -o FILE을 주면 새 정답을 씁니다.",
    },
}
