"""What ``ragscore convert`` says, in English and Korean."""

from __future__ import annotations

from ragscore.strings import StringTable

STRINGS = StringTable(
    {
        "convert_written": {
            "en": "{folder}: {format} with {passages}, {queries} and {judgments} ({files}).",
            "ko": "{folder}: {format}, {passages}, {queries}, {judgments} ({files}).",
        },
        "count_judgments": {"en": "{count} judgments", "ko": "판정 {count}개"},
        "count_judgments_one": {"en": "1 judgment", "ko": "판정 1개"},
        "convert_whole": {
            "en": "Nothing is lost: {format} holds all of it.",
            "ko": "잃은 것이 없습니다. {format} 형식이 모두 담습니다.",
        },
        "convert_lost": {
            "en": "What {format} has no place for, and is lost:",
            "ko": "{format} 형식에 담을 곳이 없어 잃은 것:",
        },
        "lost_titles": {"en": "- titles of passages: {count}", "ko": "- 문단 제목: {count}"},
        "lost_passage_tags": {
            "en": "- passages with tags: {count}",
            "ko": "- 태그가 있는 문단: {count}",
        },
        "lost_query_tags": {
            "en": "- queries with tags: {count}",
            "ko": "- 태그가 있는 질의: {count}",
        },
        "lost_odd_tags": {
            "en": "- tags that are empty, hold ; or begin or end with a blank: {count}",
            "ko": "- 비었거나 ;이 있거나 공백으로 시작하거나 끝나는 태그: {count}",
        },
        "lost_passage_metadata": {
            "en": "- passages with metadata: {count}",
            "ko": "- 메타데이터가 있는 문단: {count}",
        },
        "lost_query_metadata": {
            "en": "- queries with metadata: {count}",
            "ko": "- 메타데이터가 있는 질의: {count}",
        },
        "lost_line_breaks": {
            "en": "- questions whose TABs and line ends become spaces: {count}",
            "ko": "- 탭과 줄바꿈이 공백으로 바뀐 질의: {count}",
        },
        "lost_unanswerable": {
            "en": "- queries marked as unanswerable: {count}",
            "ko": "- 답이 없다고 표시한 질의: {count}",
        },
        "lost_grades": {
            "en": "- grades above 0 that become 1: {count}",
            "ko": "- 1로 바뀐 0보다 큰 등급: {count}",
        },
        "lost_not_relevant": {
            "en": "- judgments of grade 0 or below: {count}",
            "ko": "- 등급이 0 이하인 판정: {count}",
        },
        "lost_needs": {
            "en": "- queries whose needs become passages: {count}",
            "ko": "- 필요가 문단으로 바뀐 질의: {count}",
        },
        "lost_forbidden": {
            "en": "- forbidden passages: {count}",
            "ko": "- 금지된 문단: {count}",
        },
        "lost_documents": {"en": "- documents: {count}", "ko": "- 문서: {count}"},
        "lost_evidence": {
            "en": "- evidence in documents: {count}",
            "ko": "- 문서 속 근거: {count}",
        },
        "lost_ids": {
            "en": "- ids of passages or documents, which become numbers: {count}",
            "ko": "- 번호로 바뀐 문단이나 문서의 id: {count}",
        },
        "lost_other_passages": {
            "en": "- relevant passages of a question besides its first: {count}",
            "ko": "- 질의의 첫 번째가 아닌 적합 문단: {count}",
        },
        "lost_unplaced": {
            "en": "- queries that nothing answers, which have no paragraph to stand in: {count}",
            "ko": "- 적합 문단이 없어 들어갈 단락이 없는 질의: {count}",
        },
        "lost_order": {
            "en": "- the order of queries: {count} stand elsewhere",
            "ko": "- 질의의 순서: {count}개의 자리가 바뀜",
        },
        "lost_forbidden_rules": {
            "en": "- rules of what is forbidden, an option of the dataset (forbidden:): {count}",
            "ko": "- 금지 규칙(데이터셋의 옵션 forbidden:): {count}",
        },
        "lost_unit": {
            "en": "- the option unit of the dataset, which says that the judgments name units",
            "ko": "- 판정이 단위를 가리킨다고 알리는 데이터셋의 옵션 unit",
        },
        "lost_coverage": {
            "en": "- the option coverage of the dataset: how much of its evidence covers a need",
            "ko": "- 근거의 얼마를 담아야 필요가 채워지는지 정하는 데이터셋의 옵션 coverage",
        },
        "lost_together": {
            "en": "- the option together: true of the dataset",
            "ko": "- 데이터셋의 옵션 together: true",
        },
        "lost_sample": {
            "en": "- that the passages are a sample of a larger corpus: nothing in the files says "
            "so",
            "ko": "- 문단이 더 큰 말뭉치의 표본이라는 사실: 파일에는 적히지 않음",
        },
        "lost_drop_self": {
            "en": "- the option drop_self: true of the dataset",
            "ko": "- 데이터셋의 옵션 drop_self: true",
        },
    }
)
