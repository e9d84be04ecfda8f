"""Notes of a run on its data and on what failed, in English and Korean."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "of_dataset": {"en": "{dataset}: {note}", "ko": "{dataset}: {note}"},
    "of_run": {"en": "{dataset}, {retriever}: {note}", "ko": "{dataset}, {retriever}: {note}"},
    "not_in_blocks": {
        "en": "its passages are not read in blocks, so this machine alone encodes and searches "
        "them; with memory: 4GB in the experiment they are read so, and workers share them",
        "ko": "문단을 블록으로 나누어 읽지 않아 이 컴퓨터에서만 인코딩하고 검색합니다. "
        "실험에 memory: 4GB처럼 쓰면 블록으로 나누어 여러 작업자가 함께 처리합니다",
    },
    "blocks_so_far": {
        "en": "{count} of {n} blocks are done and kept; run the same command again to continue",
        "ko": "블록 {n}개 중 {count}개를 마쳐 저장했습니다. 같은 명령을 다시 실행하면 이어집니다",
    },
    "queries_so_far": {
        "en": "{count} of {n} queries are done and kept; run the same command again to continue",
        "ko": "질의 {n}개 중 {count}개를 마쳐 저장했습니다. 같은 명령을 다시 실행하면 이어집니다",
    },
    "empty_passages": {"en": "{count} passages are empty", "ko": "빈 문단 {count}개"},
    "empty_passages_one": {"en": "1 passage is empty", "ko": "빈 문단 1개"},
    "empty_queries_one": {"en": "1 query is empty", "ko": "빈 질의 1개"},
    "missing_passages_one": {
        "en": "1 judged passage is not in the corpus, and cannot be found",
        "ko": "판정된 문단 1개는 말뭉치에 없어 검색될 수 없습니다",
    },
    "missing_units_one": {
        "en": "1 judged unit has no passage in the corpus, and cannot be found: {ids}",
        "ko": "판정된 단위 1개는 말뭉치에 문단이 없어 검색될 수 없습니다: {ids}",
    },
    "missing_units": {
        "en": "{count} judged units have no passage in the corpus, and cannot be found: {ids}",
        "ko": "판정된 단위 {count}개는 말뭉치에 문단이 없어 검색될 수 없습니다: {ids}",
    },
    "without_unit_one": {
        "en": "1 passage belongs to no unit, and counts as judged by nobody",
        "ko": "문단 1개는 어느 단위에도 속하지 않아 판정되지 않은 것으로 셉니다",
    },
    "without_unit": {
        "en": "{count} passages belong to no unit, and count as judged by nobody",
        "ko": "문단 {count}개는 어느 단위에도 속하지 않아 판정되지 않은 것으로 셉니다",
    },
    "numeric_ids_one": {
        "en": "1 id is a whole number, taken as text (ids: text)",
        "ko": "정수로 된 ID 1개를 텍스트로 읽었습니다(ids: text)",
    },
    "empty_queries": {"en": "{count} queries are empty", "ko": "빈 질의 {count}개"},
    "missing_passages": {
        "en": "{count} judged passages are not in the corpus, and cannot be found",
        "ko": "판정된 문단 {count}개는 말뭉치에 없어 검색될 수 없습니다",
    },
    "numeric_ids": {
        "en": "{count} ids are whole numbers, taken as text (ids: text)",
        "ko": "정수로 된 ID {count}개를 텍스트로 읽었습니다(ids: text)",
    },
    "skipped_files_one": {
        "en": "1 file in the folder of documents has another format and was not read",
        "ko": "문서 폴더의 파일 1개는 형식이 달라 읽지 않았습니다",
    },
    "skipped_files": {
        "en": "{count} files in the folder of documents have other formats and were not read",
        "ko": "문서 폴더의 파일 {count}개는 형식이 달라 읽지 않았습니다",
    },
    "forbidden_no_chunk_one": {
        "en": "1 forbidden passage is not a chunk of any chunker, and cannot come back: {ids}",
        "ko": "금지된 문단 1개는 어느 청커의 청크도 아니어서 검색될 수 없습니다: {ids}",
    },
    "forbidden_no_chunk": {
        "en": "{count} forbidden passages are not chunks of any chunker, and cannot come back: "
        "{ids}",
        "ko": "금지된 문단 {count}개는 어느 청커의 청크도 아니어서 검색될 수 없습니다: {ids}",
    },
    "relevant_no_chunk_one": {
        "en": "1 relevant passage is not a chunk: evidence alone judges chunks, and its judgments "
        "do not count: {ids}",
        "ko": "적합 문단 1개는 청크가 아닙니다. 청크는 근거로만 판정하므로 그 판정은 세지 "
        "않습니다: {ids}",
    },
    "relevant_no_chunk": {
        "en": "{count} relevant passages are not chunks: evidence alone judges chunks, and their "
        "judgments do not count: {ids}",
        "ko": "적합 문단 {count}개는 청크가 아닙니다. 청크는 근거로만 판정하므로 그 판정은 세지 "
        "않습니다: {ids}",
    },
    "pool_searched": {
        "en": "the whole corpus of {count} passages is searched for the pool of the sample: "
        "{names}",
        "ko": "표본에 남길 문단을 고르려고 문단 {count}개 전체를 검색합니다: {names}",
    },
    "plan_whole": {"en": "{dataset} (whole corpus)", "ko": "{dataset}(전체 말뭉치)"},
    "pool_not_known": {
        "en": "the passages of the pool are not known before {names} searched the whole corpus of "
        "{count} passages: the sample will hold more than what is planned here",
        "ko": "{names} 검색기가 문단 {count}개 전체를 검색해야 표본에 남길 문단을 알 수 있어, "
        "실제 표본은 여기 계획한 것보다 큽니다",
    },
    "depth_cut": {
        "en": "depth {depth} is cut to {passages}, the number of passages",
        "ko": "depth {depth} 값을 문단 수인 {passages}까지 줄였습니다",
    },
    "retriever_failed": {
        "en": "{retriever} failed; the other retrievers continue",
        "ko": "검색기 {retriever} 실행 실패. 다른 검색기는 계속합니다",
    },
    "only_retriever_failed": {"en": "{retriever} failed", "ko": "검색기 {retriever} 실행 실패"},
    "not_closed": {
        "en": "{error}; this happened while it was closed, and its run stands",
        "ko": "{error}: 닫는 중에 생긴 오류로, 검색 결과에는 영향이 없습니다",
    },
    "not_timed": {
        "en": "{name} could not be timed with {clients} clients at once: {error}",
        "ko": "{name}: 동시 접속 {clients}개의 시간은 재지 못했습니다: {error}",
    },
    "not_timed_in_blocks": {
        "en": "{name} searches the corpus in blocks, all queries at once: its latency is not timed",
        "ko": "{name}: 말뭉치를 블록별로, 모든 질의를 한꺼번에 검색하므로 지연 시간을 재지 "
        "않았습니다",
    },
    "above_memory": {
        "en": "the run used up to {peak} of memory, more than the {memory} it was given",
        "ko": "최대 메모리 사용량이 {peak}로, 정한 {memory}보다 많았습니다",
    },
    "fewer_clients": {
        "en": "latency is timed with at most {queries} clients at once, since there are only "
        "{queries} queries",
        "ko": "질의가 {queries}개뿐이어서 동시 접속 {queries}개까지만 시간을 쟀습니다",
    },
    "usage_unread": {
        "en": "what {name} says in its `usage` is left out: {error}",
        "ko": "{name}: `usage` 값을 읽지 못해 뺐습니다: {error}",
    },
    "no_exact_large": {
        "en": "it was not compared with exact search, which would take {pairs} comparisons; add "
        "the same retriever with exact search to compare them",
        "ko": "정확 검색에는 비교가 {pairs}번 필요해 정확 검색과 견주지 않았습니다. 같은 검색기를 "
        "정확 검색으로 더하면 견줄 수 있습니다",
    },
    "no_exact_failed": {
        "en": "it was not compared with exact search, which failed: {error}",
        "ko": "정확 검색에 실패해 정확 검색과 견주지 못했습니다. {error}",
    },
    "not_gated": {
        "en": "the gate was not judged: {error}",
        "ko": "품질 게이트를 판정하지 못했습니다. {error}",
    },
    "not_in_comparison": {
        "en": "{retriever} failed and is left out of the comparison",
        "ko": "검색기 {retriever} 실행에 실패해 비교에서 뺐습니다",
    },
    "sample_is_all": {
        "en": "the sweep's sample of {sample} is all {count} configurations of {name}",
        "ko": "탐색 표본 {sample}개가 {name} 설정 수보다 많아 {count}개를 모두 시도합니다",
    },
    "sweep_stopped": {
        "en": "{count} of {n} configurations are scored and saved; run the same command again to "
        "continue there",
        "ko": "설정 {n}개 중 {count}개를 채점해 저장했습니다. 같은 명령을 다시 실행하면 이어집니다",
    },
    "retry_failed": {
        "en": "{count} of {n} queries failed in {folder} and are asked again; the other answers "
        "are those of then",
        "ko": "{folder}에서 실패한 질의 {n}개 중 {count}개를 다시 묻고, 나머지 답은 그때의 "
        "것입니다",
    },
    "retry_deeper": {
        "en": "its run in {folder} is not deep enough for what is built on it, so all {n} queries "
        "are asked again",
        "ko": "{folder}에 기록된 검색 결과는 이 검색기를 쓰는 검색기에 필요한 깊이보다 얕아 질의 "
        "{n}개를 모두 다시 묻습니다",
    },
    "retry_no_run": {
        "en": "{folder} has no run of it, so all {n} queries are asked",
        "ko": "{folder}에 이 검색기의 결과가 없어 질의 {n}개를 모두 묻습니다",
    },
    "nothing_failed": {
        "en": "nothing failed in {folder}, so nothing is asked again and no new result is written",
        "ko": "{folder}에 실패한 것이 없어 다시 묻지 않고, 새 결과도 쓰지 않습니다",
    },
    "nothing_failed_copied": {
        "en": "nothing failed in {folder}, so nothing is asked again; {copy} is a copy of it",
        "ko": "{folder}에 실패한 것이 없어 다시 묻지 않고, {copy}에 그대로 복사했습니다",
    },
    "answers_go_on": {
        "en": "{count} of {n} answers were kept from a run that ended early on {date}; the other "
        "{left} queries are asked now (--ask-anew asks all again)",
        "ko": "{date}에 끝나지 못한 실행에서 답 {n}개 중 {count}개를 보관해 두었고, 나머지 질의 "
        "{left}개를 지금 묻습니다(--ask-anew 옵션은 모두 다시 묻습니다)",
    },
    "answers_complete": {
        "en": "all {n} answers were kept from a run that ended early on {date}; no query is asked "
        "now (--ask-anew asks all again)",
        "ko": "{date}에 끝나지 못한 실행에서 답 {n}개를 모두 보관해 두어 지금은 묻지 않습니다"
        "(--ask-anew 옵션은 모두 다시 묻습니다)",
    },
    "answers_kept": {
        "en": "{count} of {n} answers are kept in the cache; run the same command again to ask "
        "only the rest",
        "ko": "답 {n}개 중 {count}개를 캐시에 보관했습니다. 같은 명령을 다시 실행하면 나머지만 "
        "묻습니다",
    },
    "answers_not_kept": {
        "en": "its answers are not kept, since there is no cache; with one, the same command would "
        "go on from them",
        "ko": "캐시가 없어 답을 보관하지 않았습니다. 캐시를 쓰면 같은 명령이 이어서 묻습니다",
    },
    "configurations_failed": {
        "en": "{count} of {n} configurations failed and are left out; the first is {name}: {error}",
        "ko": "설정 {n}개 중 {count}개가 실패해 뺐습니다. 첫째는 {name}: {error}",
    },
    "no_k": {"en": "no k was chosen: {error}", "ko": "k를 정하지 못했습니다. {error}"},
    "no_report": {
        "en": "no report was written: {error}. `ragscore report {folder}` tries again",
        "ko": "보고서를 쓰지 못했습니다. {error}. `ragscore report {folder}` 명령으로 다시 만들 수 "
        "있습니다",
    },
}

STRINGS = StringTable(TEXTS)
