"""What a plan says, in words."""

from __future__ import annotations

from ragscore.strings import StringTable

STRINGS = StringTable(
    {
        "plan_title": {"en": "{dataset}: what would run", "ko": "{dataset}: 실행할 내용"},
        "column_runs": {"en": "Runs", "ko": "실행"},
        "hint_runs": {
            "en": "One for a retriever, one for each configuration of a swept one",
            "ko": "검색기마다 하나, 탐색하는 검색기는 설정마다 하나",
        },
        "column_kept": {"en": "In the cache", "ko": "캐시에 있음"},
        "hint_kept": {
            "en": "These are neither searched nor scored again",
            "ko": "다시 검색하거나 채점하지 않습니다",
        },
        "column_reused": {"en": "Reuses", "ko": "다시 쓰는 것"},
        "column_made": {"en": "Makes", "ko": "새로 만드는 것"},
        "column_time": {"en": "Time", "ko": "시간"},
        "column_searching": {"en": "Of which search", "ko": "그중 검색"},
        "hint_searching": {
            "en": "The rest is encoding and indexing",
            "ko": "나머지는 인코딩과 색인",
        },
        "column_bytes": {"en": "Cache grows by", "ko": "캐시 증가"},
        "chunks": {"en": "chunks", "ko": "청크"},
        "tokens": {"en": "tokens", "ko": "토큰"},
        "vectors": {"en": "vectors", "ko": "벡터"},
        "index": {"en": "index", "ko": "색인"},
        "runs": {"en": "runs", "ko": "실행 결과"},
        "column_asked": {"en": "Asks a service for", "ko": "서비스 요청"},
        "hint_asked": {
            "en": "Tokens are estimated from the letters of the texts; the service counts its own",
            "ko": "토큰은 텍스트의 글자 수로 어림합니다. 서비스는 자체 토큰으로 셉니다",
        },
        "asked": {
            "en": "{requests} requests, ~{tokens} tokens",
            "ko": "요청 {requests}개, 약 {tokens} 토큰",
        },
        "asked_price": {
            "en": "{asked}, ~{price} {currency}",
            "ko": "{asked}, 약 {price} {currency}",
        },
        "texts_encoded": {"en": "vectors of {texts} texts", "ko": "텍스트 {texts}개의 벡터"},
        "answers": {"en": "{count} answers", "ko": "답 {count}개"},
        "swept": {"en": "{retriever} (sweep)", "ko": "{retriever} (탐색)"},
        "unknown": {"en": "unknown", "ko": "알 수 없음"},
        "about": {"en": "about {time}", "ko": "약 {time}"},
        "under_a_second": {"en": "under 1 s", "ko": "1초 미만"},
        "seconds": {"en": "{n} s", "ko": "{n}초"},
        "minutes": {"en": "{n} min", "ko": "{n}분"},
        "days": {"en": "{n} days", "ko": "{n}일"},
        "hours": {"en": "{n} h", "ko": "{n}시간"},
        "plan_total_sum": {
            "en": "{time}, and about {bytes} more in the cache",
            "ko": "{time}, 캐시 증가 약 {bytes}",
        },
        "plan_total": {
            "en": "Together {total}.",
            "ko": "모두 {total}입니다.",
        },
        "plan_total_known": {
            "en": "What is known adds up to {total}; what is marked unknown comes on top.",
            "ko": "알려진 것은 모두 {total}입니다. 알 수 없음으로 표시한 것은 따로 더해집니다.",
        },
        "plan_nothing": {
            "en": "Nothing is left to search: all of it is in the cache.",
            "ko": "새로 검색할 것이 없습니다. 모두 캐시에 있습니다.",
        },
        "plan_sampled": {
            "en": "~ from some passages that were searched just now; the others are what earlier "
            "searches took. Loading models, comparing and the report are not counted.",
            "ko": "~ 표시는 방금 문단 몇 개를 검색해 어림한 것이고, 나머지는 이전 검색에 걸린 "
            "시간입니다. 모델 불러오기, 비교, 보고서는 세지 않았습니다.",
        },
        "plan_recorded": {
            "en": "Times are those of earlier searches. Loading models, comparing and the report "
            "are not counted.",
            "ko": "시간은 이전 검색에 걸린 것입니다. 모델 불러오기, 비교, 보고서는 세지 "
            "않았습니다.",
        },
        "plan_in_blocks": {
            "en": "~ multiplies what was measured just now on this machine: reading the first "
            "block, indexing and searching up to 20,000 of its passages, and comparing random "
            "vectors of as many dimensions. Encoding is what encoding took here before. Loading "
            "models, scoring, comparing and the report are not counted.",
            "ko": "~ 표시는 방금 이 컴퓨터에서 잰 값(첫 블록 읽기, 그중 문단 20,000개까지의 색인과 "
            "검색, 같은 차원의 임의 벡터 비교)을 곱한 것입니다. 인코딩은 이전에 여기서 걸린 "
            "시간입니다. 모델 불러오기, 채점, 비교, 보고서는 세지 않았습니다.",
        },
        "plan_shared": {
            "en": "Shared among {n} machines like this one, that is {time} for each: `ragscore "
            "stage encode EXPERIMENT --shard i/{n}`, then `ragscore stage search` with the same "
            "shards, then `ragscore reduce EXPERIMENT`.",
            "ko": "이런 컴퓨터 {n}대가 나누면 한 대에 {time}입니다. `ragscore stage encode "
            "EXPERIMENT --shard i/{n}`, 같은 샤드로 `ragscore stage search`, 끝으로 `ragscore "
            "reduce EXPERIMENT`를 실행하십시오.",
        },
        "plan_rate": {
            "en": "{retriever}: {rate} texts a second are encoded, as earlier ones were here.",
            "ko": "{retriever}: 이전에 여기서 인코딩한 것처럼 초당 텍스트 {rate}개를 인코딩합니다.",
        },
        "plan_no_rate": {
            "en": "{retriever}: nobody has measured here what encoding takes. One block tells: "
            "`ragscore stage encode EXPERIMENT --only {retriever} --shard 1/{blocks}`.",
            "ko": "{retriever}: 인코딩에 걸리는 시간을 여기서 잰 적이 없습니다. 블록 하나로 알 수 "
            "있습니다. `ragscore stage encode EXPERIMENT --only {retriever} --shard 1/{blocks}`",
        },
        "plan_memory": {
            "en": "a run takes up to about {bytes} of memory beside its models, of which {ids} are "
            "for the ids of all passages",
            "ko": "실행에는 모델 외에 메모리가 약 {bytes}까지 필요하며, 그중 {ids}는 모든 문단의 "
            "id",
        },
        "plan_memory_unset": {
            "en": "In blocks, {memory}.",
            "ko": "블록으로 읽으면 {memory}입니다.",
        },
        "plan_memory_enough": {
            "en": "In blocks, {memory}; memory is {budget}.",
            "ko": "블록으로 읽으면 {memory}입니다. memory 값은 {budget}입니다.",
        },
        "plan_memory_short": {
            "en": "In blocks, {memory}: more than the {budget} of `memory`. `ragscore stage` holds "
            "no ids of others' blocks.",
            "ko": "블록으로 읽으면 {memory}입니다. `memory` 값 {budget}보다 많습니다. `ragscore "
            "stage`는 다른 블록의 id를 메모리에 두지 않습니다.",
        },
        "plan_found": {
            "en": "What is found in each block takes up to {bytes} more of the cache, until the "
            "run of a retriever is whole.",
            "ko": "블록마다 찾은 결과는 검색기의 실행이 끝날 때까지 캐시를 {bytes}까지 더 "
            "차지합니다.",
        },
        "plan_cache": {
            "en": "Cache: {folder}, where {free} are free",
            "ko": "캐시: {folder}, 여유 공간 {free}",
        },
        "plan_cache_short": {
            "en": "Cache: {folder}, where {free} are free, and about {needed} are needed. `store:` "
            "or RAGSCORE_CACHE names another place.",
            "ko": "캐시: {folder}, 여유 공간은 {free}인데 약 {needed}가 필요합니다. `store:`나 "
            "RAGSCORE_CACHE로 다른 곳을 지정하십시오.",
        },
        "plan_no_cache": {
            "en": "No cache: nothing is kept.",
            "ko": "캐시 없음. 보관하지 않습니다.",
        },
        "plan_blocks": {
            "en": "{dataset}: {passages} passages in {blocks} blocks, of which {kept} are in the "
            "cache. Reading the others takes {time}, and {bytes} of the cache.",
            "ko": "{dataset}: 문단 {passages}개를 블록 {blocks}개로 읽으며, 그중 {kept}개는 캐시에 "
            "있습니다. 나머지를 읽는 데 {time}, 캐시 {bytes}가 듭니다.",
        },
        "plan_blocks_kept": {
            "en": "{dataset}: {passages} passages in {blocks} blocks, all of which are in the "
            "cache.",
            "ko": "{dataset}: 문단 {passages}개, 블록 {blocks}개가 모두 캐시에 있습니다.",
        },
        "plan_dry": {
            "en": "This was a dry run: nothing was searched, and nothing was written.",
            "ko": "시험 실행입니다. 검색하거나 쓰지 않았습니다.",
        },
    }
)
"""What a plan says."""
