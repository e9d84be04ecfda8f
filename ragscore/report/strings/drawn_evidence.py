"""Texts of the section that draws evidence in its documents."""

from __future__ import annotations

EVIDENCE: dict[str, dict[str, str]] = {
    "evidence": {"en": "Evidence in its documents", "ko": "문서 속의 근거"},
    "evidence_says": {
        "en": "The text around the evidence of {n} queries, as each chunker cut it: those for "
        "which the retrievers differ most in how much of the evidence their top {k} holds, then "
        "those for which it holds least.",
        "ko": "질의 {n}개의 근거 주변 글을 청커마다 자른 대로 보입니다. 상위 {k}에 든 근거의 양이 "
        "검색기마다 가장 크게 다른 질의가 먼저 나오고, 그다음은 가장 적게 담긴 질의입니다.",
    },
    "evidence_key": {
        "en": "A number marks where a chunk begins that came back, and its rank; a dash marks one "
        "that did not. Text of chunks that came back is underlined, twice where chunks overlap. "
        "Evidence is highlighted; in plain text it stands between « and », and each chunk in "
        "brackets.",
        "ko": "숫자는 돌아온 청크가 시작하는 곳과 그 순위이고, 줄표는 돌아오지 않은 청크가 "
        "시작하는 곳입니다. 돌아온 청크의 글에는 밑줄이 있고, 청크가 겹치는 곳은 두 줄입니다. "
        "근거는 강조해 두었으며, 일반 텍스트에서는 «와 » 사이에, 청크는 대괄호 안에 있습니다.",
    },
    "evidence_rule": {"en": "What counts: {rule}.", "ko": "판정 규칙: {rule}."},
    "evidence_left_out": {
        "en": "The chunks of {count} more retrievers are not drawn.",
        "ko": "검색기 {count}개의 청크는 더 그리지 않았습니다.",
    },
    "evidence_left_out_one": {
        "en": "The chunks of 1 more retriever are not drawn.",
        "ko": "검색기 1개의 청크는 더 그리지 않았습니다.",
    },
    "evidence_query": {
        "en": "{query}: {text} (evidence held: {shares})",
        "ko": "{query}: {text} (담긴 근거: {shares})",
    },
    "evidence_place": {"en": "{document}, cut for {retriever}", "ko": "{document} ({retriever})"},
    "evidence_more_pieces": {
        "en": "{count} more pieces of evidence are not drawn.",
        "ko": "근거 {count}개는 더 그리지 않았습니다.",
    },
    "evidence_more_pieces_one": {
        "en": "1 more piece of evidence is not drawn.",
        "ko": "근거 1개는 더 그리지 않았습니다.",
    },
    "fetched": {"en": "What came back: the top {k}", "ko": "돌아온 청크: 상위 {k}"},
    "fetched_and": {
        "en": "What came back: the top {first}, and whatever else in the top {k} holds evidence",
        "ko": "돌아온 청크: 상위 {first}, 그리고 상위 {k} 가운데 근거를 담은 것",
    },
    "column_chunk": {"en": "Chunk", "ko": "청크"},
    "column_chunk_rank": {"en": "Rank", "ko": "순위"},
    "column_evidence_held": {"en": "Evidence held", "ko": "담긴 근거"},
}
