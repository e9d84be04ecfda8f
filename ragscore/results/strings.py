"""Texts on a result in English and Korean: its summary, what was left out of its parts, and why.
Errors stand in these sentences as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ragscore.messages import Message
from ragscore.strings import StringTable

T = TypeVar("T")

NOTES: dict[str, dict[str, str]] = {
    "filter_short": {
        "en": "{retriever}: {count} of {n} queries got fewer passages than their filter allows: "
        "{fetched} are fetched for each before it is applied (overfetch sets how many)",
        "ko": "{retriever}: 질의 {n}개 중 {count}개가 필터가 허용하는 것보다 적은 문단을 "
        "받았습니다. 필터를 적용하기 전에 질의마다 {fetched}개를 가져옵니다(overfetch로 정함)",
    },
    "filter_nothing": {
        "en": "{retriever}: the filter leaves no passage for {count} of {n} queries",
        "ko": "{retriever}: 질의 {n}개 중 {count}개는 필터를 통과하는 문단이 없습니다",
    },
    "filter_unrestricted": {
        "en": "{retriever}: {count} of {n} queries lack metadata that the filter reads; conditions "
        "that need it do not restrict them",
        "ko": "{retriever}: 질의 {n}개 중 {count}개는 필터가 읽는 메타데이터가 없어 그 조건을 "
        "적용하지 않았습니다",
    },
    "asked_again": {
        "en": "{retriever}: {count} of {n} queries were answered only when they were asked again",
        "ko": "{retriever}: 질의 {n}개 중 {count}개는 다시 요청한 뒤에야 답을 받았습니다",
    },
    "failed_left_out": {
        "en": "{retriever}: {count} of {n} queries failed and are left out of the means; the "
        "first: {first}",
        "ko": "{retriever}: 질의 {n}개 중 {count}개가 실패하여 평균에서 뺐습니다. 첫 번째: {first}",
    },
    "failed_empty": {
        "en": "{retriever}: {count} of {n} queries failed and score as if nothing had come back; "
        "the first: {first}",
        "ko": "{retriever}: 질의 {n}개 중 {count}개가 실패하여 받은 문단이 없는 것으로 "
        "채점했습니다. 첫 번째: {first}",
    },
    "result_no_dataset": {
        "en": "The dataset cannot be read as it was searched, so texts, curves, slices and causes "
        "of failure are left out. {error}",
        "ko": "검색에 쓴 그대로의 데이터셋을 읽을 수 없어 본문, 곡선, 질의 유형별 결과, 실패 "
        "원인을 뺐습니다. {error}",
    },
    "result_weighed": {
        "en": "Left out, since the mean weights the queries and their weights are only known from "
        "the dataset: {measures}.",
        "ko": "평균을 낼 때 질의마다 다른 가중치를 쓰는데 데이터셋 없이는 가중치를 알 수 없어 뺀 "
        "측도: {measures}.",
    },
    "result_not_common": {
        "en": "Left out, since not every retriever was scored on them: {measures}.",
        "ko": "모든 검색기에 대해 측정되지 않아 뺀 측도: {measures}.",
    },
    "result_options": {
        "en": "The recorded options of '{key}' cannot be read by this version; the defaults are "
        "used.",
        "ko": "기록된 '{key}' 설정을 이 버전에서 읽을 수 없어 기본값을 썼습니다.",
    },
    "result_no_baseline": {
        "en": "The baseline {baseline} has no run here, so all pairs are compared, and tables "
        "compare with {other}.",
        "ko": "기준 검색기({baseline})의 검색 결과가 없어 모든 쌍을 비교했습니다. 표의 기준은 "
        "{other} 검색기입니다.",
    },
    "result_not_compared": {"en": "Not compared: {error}", "ko": "비교하지 못했습니다. {error}"},
    "result_no_sweep": {
        "en": "Nothing is said of the sweep: {error}",
        "ko": "탐색 결과를 보이지 못했습니다. {error}",
    },
    "result_cluster": {
        "en": "Not compared: queries are clustered by '{cluster}', which is only known from the "
        "dataset.",
        "ko": "비교하지 못했습니다. 질의를 '{cluster}' 값으로 묶어야 하는데 데이터셋이 있어야 알 "
        "수 있습니다.",
    },
    "result_primaries": {
        "en": "Of {measures} measures, the first {shown} can be chosen as primary, so that the "
        "page stays small.",
        "ko": "페이지가 커지지 않도록 측도 {measures}개 중 앞의 {shown}개만 주 측도로 고를 수 "
        "있습니다.",
    },
    "result_baselines": {
        "en": "Of {retrievers} retrievers, {shown} can be chosen as baseline, the default and the "
        "best of the others, so that the page stays small; the table of all pairs has every one.",
        "ko": "페이지가 커지지 않도록 검색기 {retrievers}개 중 {shown}개(기본값과 나머지 중 가장 "
        "좋은 것)만 기준으로 고를 수 있습니다. 모든 쌍의 차이는 모든 쌍 표에 있습니다.",
    },
    "result_not_sliced": {
        "en": "No slices by '{key}': {error}",
        "ko": "'{key}' 유형별 결과를 만들지 못했습니다. {error}",
    },
    "result_same_tags": {
        "en": "Tags that split the queries exactly as another key does are left out.",
        "ko": "태그 가운데 다른 키와 똑같이 질의를 나누는 것은 뺐습니다.",
    },
    "result_more_slices": {
        "en": "More slices are available with compare: slices: {keys}.",
        "ko": "보여 주지 않았지만 compare: slices 설정으로 볼 수 있는 유형: {keys}.",
    },
    "result_frequent_tags": {
        "en": "Slices by tag show only tags that {least} or more queries have.",
        "ko": "태그별 결과는 질의 {least}개 이상에 붙은 태그만 보여 줍니다.",
    },
    "result_no_overlap": {
        "en": "What pairs find together could not be computed: {error}",
        "ko": "두 검색기가 함께 찾는 것을 계산하지 못했습니다. {error}",
    },
    "result_chunks_apart": {
        "en": "What two retrievers find together is shown where both search the same chunks: "
        "passages of different chunkers are different passages.",
        "ko": "두 검색기가 함께 찾는 것은 같은 방식으로 나눈 청크를 검색하는 검색기끼리만 "
        "보여 줍니다. 나누는 방식이 다르면 서로 다른 문단입니다.",
    },
    "result_not_tuned": {
        "en": "No curves for {retriever}: {error}",
        "ko": "검색기 {retriever}: 곡선을 그리지 못했습니다. {error}",
    },
    "result_no_tokens": {
        "en": "This result records no token counts, and reading a result never loads the tokenizer "
        "that it names: contexts are counted in words, and the budget of tokens is not applied.",
        "ko": "이 결과에는 토큰 수가 기록되어 있지 않고, 결과를 읽을 때는 그 결과가 지정한 "
        "토크나이저를 불러오지 않습니다. 그래서 문맥 크기를 단어로 세고 토큰 한도는 적용하지 "
        "않았습니다.",
    },
    "result_no_causes": {
        "en": "Causes of failure could not be determined: {error}",
        "ko": "실패 원인을 알 수 없습니다. {error}",
    },
    "result_more_failed": {
        "en": "And {count} more retrievers failed.",
        "ko": "그 밖에 검색기 {count}개도 실행하지 못했습니다.",
    },
    "result_no_trec": {
        "en": "{dataset}, {retriever}: no TREC file: {reason}",
        "ko": "{dataset}, {retriever}: TREC 파일을 쓰지 못했습니다. {reason}",
    },
    "result_failed": {
        "en": "{dataset}: {retriever} failed in that run and is left out",
        "ko": "{dataset}: 검색기 {retriever} 실행에 실패해 뺐습니다",
    },
    "result_clusters": {
        "en": "the experiments were not all clustered by {keys}; choose with --cluster",
        "ko": "{keys} 값으로 질의를 묶지 않은 실험이 있습니다. --cluster 옵션으로 정하십시오",
    },
    "result_differs": {
        "en": "{what}: read the comparison with care",
        "ko": "{what}: 비교를 주의해서 읽으십시오",
    },
    "run_lacks": {"en": "{run} lacks {count}", "ko": "{run} {count}개"},
    "runs_differ": {
        "en": "of the judged queries {counts}; the common ones are compared",
        "ko": "판정되었으나 검색 결과에 없는 질의: {counts}. 공통 질의만 비교합니다",
    },
    "runs_lack": {
        "en": "{count} judged queries are in no run; they score 0",
        "ko": "판정된 질의 {count}개는 어느 검색 결과에도 없어 0점입니다",
    },
    "result_error": {"en": "{error}", "ko": "{error}"},
    "result_no_run": {
        "en": "{dataset}: no retriever has a run, so it is left out.",
        "ko": "{dataset}: 검색 결과가 있는 검색기가 없어 뺐습니다.",
    },
    "result_no_losses": {
        "en": "where {retriever} loses relevant passages is not known, since the run of {inputs} "
        "is not in this result",
        "ko": "검색기 {retriever}: {inputs} 검색 결과가 이 결과에 없어, 적합한 문단을 어디에서 "
        "잃었는지 알 수 없습니다",
    },
    "result_no_judgments": {
        "en": "where relevant passages are lost is not known without the judgments",
        "ko": "판정이 없어 적합한 문단을 어디에서 잃었는지 알 수 없습니다",
    },
}

SUMMARY: dict[str, dict[str, str]] = {
    "summary_title": {"en": "{dataset}: {sizes}", "ko": "{dataset}: {sizes}"},
    "size_counted": {"en": "{queries} ({averaged})", "ko": "{queries}({averaged})"},
    "size_averaged": {"en": "{n} averaged", "ko": "평균에 든 질의 {n}개"},
    "size_queries_averaged": {"en": "{queries} averaged", "ko": "평균에 든 {queries}"},
    "size_unanswerable": {"en": "{n} unanswerable", "ko": "답 없는 질의 {n}개"},
    "column_scores": {"en": "Scores", "ko": "점수"},
    "note_nothing": {
        "en": "queries that got nothing: {listed}",
        "ko": "검색된 문단이 없는 질의: {listed}",
    },
    "note_tied": {
        "en": "queries with a tie across rank {cutoff}: {listed}",
        "ko": "{cutoff}위 경계에 동점이 걸친 질의: {listed}",
    },
    "note_overlap": {
        "en": "found of the best {cutoff} of exact search: {listed}",
        "ko": "정확 검색의 상위 {cutoff}개 중 찾은 비율: {listed}",
    },
    "note_whole": {
        "en": "{measure} on the whole corpus: {listed}",
        "ko": "전체 말뭉치의 {measure}: {listed}",
    },
    "whole_of": {
        "en": "{retriever} {whole} (sample: {own}, {difference})",
        "ko": "{retriever} {whole}(표본: {own}, {difference})",
    },
    "note_exact": {
        "en": "{measure} with exact search: {listed}",
        "ko": "정확 검색의 {measure}: {listed}",
    },
    "note_unjudged": {
        "en": "unjudged in the top {cutoff}: {listed}",
        "ko": "상위 {cutoff}개 중 판정되지 않은 문단: {listed}",
    },
    "note_ceiling": {
        "en": "{retriever} reranks {n} passages of {input}, whose recall is {recall}: with them in "
        "the best order {label} is {best}",
        "ko": "{retriever}: {input} 검색 결과의 문단 {n}개를 다시 정렬합니다. 그 재현율은 "
        "{recall}, 가장 좋은 순서일 때의 {label} 값은 {best}입니다",
    },
    "report": {"en": "report: {path}", "ko": "보고서: {path}"},
    "retry": {
        "en": "ragscore run --retry-failed {path} asks the failed queries again, and no others",
        "ko": "ragscore run --retry-failed {path} 명령은 실패한 질의만 다시 묻습니다",
    },
    "written": {"en": "written to {path}", "ko": "결과 폴더: {path}"},
    "failed_on": {
        "en": "{retriever} failed on {dataset}: {error}",
        "ko": "{dataset}: 검색기 {retriever} 실행 실패. {error}",
    },
}
"""What the summary of a result says."""

STRINGS = StringTable(NOTES, SUMMARY)


@dataclass(frozen=True)
class Noted(Generic[T]):
    """A part of a result, with what was left out of it, and why."""

    value: T
    notes: tuple[Message, ...] = ()
