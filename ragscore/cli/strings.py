"""What commands themselves say, in English and Korean; what they print of a result is said where
its blocks are made."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.strings import Language, StringTable

TEXTS: dict[str, dict[str, str]] = {
    # ragscore list
    "listed_also": {"en": "{summary} (also {names})", "ko": "{summary} (다른 이름 {names})"},
    "listed_installed": {"en": "installed: {home}", "ko": "설치됨: {home}"},
    "listed_shadowed": {
        "en": "installed, and not used: {home} (the name is ragscore's own)",
        "ko": "설치되었으나 쓰이지 않음: {home} (ragscore에 이미 있는 이름)",
    },
    # ragscore list results
    "column_name": {"en": "name", "ko": "이름"},
    "column_created": {"en": "created", "ko": "작성 시각"},
    "column_dataset": {"en": "dataset", "ko": "데이터셋"},
    "column_of_queries": {"en": "queries", "ko": "질의"},
    "column_retrievers": {"en": "retrievers", "ko": "검색기"},
    "column_leader": {"en": "leader", "ko": "선두"},
    "column_verdict": {"en": "verdict", "ko": "결론"},
    "column_folder": {"en": "folder", "ko": "폴더"},
    "retrievers_failed": {"en": "{count} ({failed} failed)", "ko": "{count}(실패 {failed})"},
    "unreadable": {"en": "unreadable: {problem}", "ko": "읽을 수 없음: {problem}"},
}

STRINGS = StringTable(TEXTS)

KOREAN_SUMMARIES: Mapping[str, Mapping[str, str]] = {
    "retrievers": {
        "bm25": "공통 단어로 찾음. 드문 단어는 더, 긴 문단은 덜 침 (bm25s)",
        "faiss": "인코더 벡터를 FAISS 색인에서 찾음: 정확(Flat), IVF, HNSW, PQ와 그 조합",
        "fusion": "여러 검색기의 순위를 역순위(RRF) 등으로 하나로 합침",
        "recorded": "파일에 기록된 검색 결과를 그대로 씀: ragscore list run-formats의 모든 형식",
        "custom": "직접 쓴 Python 코드: 함수, 또는 retrieve(queries, k)가 있는 클래스",
    },
    "encoders": {
        "minilm": "함께 제공되는 all-MiniLM-L6-v2: 영어, 384차원, 오프라인 사용 가능",
        "sentence-transformers": "모든 sentence-transformers 모델: 폴더 또는 모델 허브의 이름",
        "precomputed": ".npy 또는 .parquet 파일의 벡터를 ID로 찾음",
    },
    "formats": {
        "jsonl": "passages.jsonl, queries.jsonl, ground_truth.jsonl: ragscore 고유의 행",
        "beir": "corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv 또는 qrels.tsv: BEIR의 배치",
        "trec": "TREC qrels, queries.tsv (id TAB text), 말뭉치는 .jsonl 또는 .tsv, 없어도 됨",
        "csv": "열 이름이 있는 passages.csv, queries.csv, ground_truth.csv",
        "tsv": "열 이름이 있는 passages.tsv, queries.tsv, ground_truth.tsv",
        "parquet": "열 이름이 있는 passages.parquet, queries.parquet, ground_truth.parquet",
    },
    "run-formats": {
        "trec": "query Q0 passage rank score name: 사이는 공백 또는 탭",
        "parquet": "query, passage 열과 rank 또는 score 열; ragscore가 검색 결과를 기록하는 형식",
        "csv": "query, passage 열과 score 또는 rank 열 (q_id, doc_id, score 등도 됨)",
        "tsv": "같은 열을 탭으로 나눔; 첫 줄이 열의 이름일 때",
        "json": '{"query": {"passage": score}} 또는 좋은 순서의 {"query": ["passage", ...]}',
    },
    "fusion-methods": {"rrf": "순위의 역수에 가중치를 곱한 합 (RRF; Cormack 외, SIGIR 2009)"},
    "outputs": {
        "html": "네트워크가 필요 없는 한 페이지",
        "markdown": "report.md와 그 옆의 그래프",
        "latex": "report.tex와, 논문에 넣을 수 있는 표마다의 파일",
        "csv": "표마다의 CSV 파일",
    },
    "tokenizers": {
        "snowball": "한 언어의 단어를 소문자로 바꾸고 불용어를 뺀 뒤 Snowball 어간으로 자름",
        "words": "글자, 숫자, 밑줄이 둘 이상 이어진 것을 소문자로; 불용어와 어간 처리 없음",
        "none": "공백으로만 나누고 대소문자를 유지함: 이미 나뉜 글에 씀",
        "korean": "내용을 담은 한국어 형태소(명사, 동사, 형용사, 숫자), kiwipiepy 사용",
    },
    "sections": {
        "verdict": "결론, 신뢰 정보, 차이 그래프, 순위표",
        "changes": "이전 결과가 있을 때: 그 뒤로 바뀐 것과 그 영향",
        "curves": "모든 k의 P, R, F1, nDCG, 정밀도 대 재현율, 권장 k",
        "differences": "질의별로 기준 검색기와 견준 차이, 두 검색기가 함께 찾는 것",
        "failures": "검색기별로 질의가 실패한 원인과 그 뜻",
        "queries": "질의 탐색기; 종이와 다른 형식에서는 가장 나쁜 질의",
        "slices": "태그나 메타데이터별 평균과 신뢰구간, 그에 따라 달라지는 차이",
        "judgments": "판정 없는 문단, 순위 한계의 동점, 평균 뒤에 있는 수",
        "measures": "모든 평균과 신뢰구간, 모든 쌍의 차이, 허용 폭에 따른 판단",
        "computed": "정의, 관례, 통계, 명령, 설정, 다이제스트, 버전, 기계, 시간",
    },
}
"""By kind and name of what ``ragscore list`` lists; each says it of itself in English."""


def summary_in(language: Language, kind: str, name: str, english: str) -> str:
    """What is listed, in one line; in English where nobody has translated it."""
    if language == "ko":
        return KOREAN_SUMMARIES.get(kind, {}).get(name, english)
    return english
