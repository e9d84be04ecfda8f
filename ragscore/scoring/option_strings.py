"""What the options of measures decide, and who chooses them, in Korean."""

from __future__ import annotations

KOREAN_OPTIONS = {
    "What a grade is worth: linear itself, exp 2 ** grade - 1, binary 1 from grade 1 (or "
    "relevant_from) on, or a map such as {1:3,2:9}, where a grade that is not in it is worth "
    "itself.": "등급의 값: linear는 등급 그대로, exp는 2 ** 등급 - 1, binary는 등급 1(또는 "
    "relevant_from) 이상이면 1, {1:3,2:9} 같은 대응표도 되며 표에 없는 등급은 등급 그대로입니다.",
    "Grades below this are worth nothing; by default all count.": "이보다 낮은 등급은 0으로 "
    "봅니다. 기본값에서는 모든 등급을 셉니다.",
    "The ideal ranking: all judged passages, best first, cut at k; the same uncut, or cut at "
    "as_many as came back where that is less than k; only the returned ones, best first; only the "
    "top k, best first; or slots: every place up to k, or the last returned, is as good as the "
    "query's best passage.": "이상적인 순위: 판정된 모든 문단을 좋은 순으로 놓고 k에서 자름; "
    "uncut은 자르지 않음; as_many는 검색된 수가 k보다 적으면 거기서 자름; returned는 검색된 "
    "문단만, top은 상위 k만 좋은 순으로 놓음; slots는 k 또는 마지막으로 검색된 자리까지 모두 "
    "질의의 가장 좋은 문단과 같다고 봄.",
    "Where scores tie: by id, or the expected, min or max over all orders.": "점수가 같을 때: ID "
    "순, 또는 모든 순서의 기댓값(expected), 최솟값(min), 최댓값(max).",
    "The value for a query without any relevant passage; skip leaves it out of the mean.": "적합 "
    "문단이 없는 질의의 값. skip은 평균에서 뺍니다.",
    "The lowest grade that counts as relevant.": "적합으로 치는 가장 낮은 등급.",
    "What the sum is divided by: R; min: R, or k where that is less; found: the relevant passages "
    "in the top k; k. Without a cutoff k is no less than R, and k the number returned.": "합을 "
    "나누는 수: R; min은 R과 k 중 작은 수; found는 상위 k의 적합 문단 수; k. 순위 한계가 없으면 "
    "min의 k는 R 이상이고, k는 검색된 수입니다.",
    "k; returned: k, or how many came back where that is less; min: k, or R.": "k; returned는 k와 "
    "검색된 수 중 작은 수; min은 k와 R 중 작은 수.",
    "macro: the mean over queries; micro: all hits over the sum of all denominators.": "macro는 "
    "질의별 값의 평균; micro는 찾은 적합 문단 전체를 분모의 합으로 나눈 값.",
    "R; min: R, or k where that is less (BEIR's R_cap).": "R; min은 R과 k 중 작은 수(BEIR의 "
    "R_cap).",
    "How many times as much recall counts as precision.": "재현율을 정밀도의 몇 배로 치는지.",
    "Averaged over the relevant passages (hits), or over the cutoffs 1 to k (curve).": "적합 "
    "문단마다의 평균(hits), 또는 순위 한계 1부터 k까지의 평균(curve).",
    "The highest grade there can be; by default the largest of all judgments.": "가능한 가장 높은 "
    "등급. 기본값은 모든 판정 중 가장 높은 등급입니다.",
    "The probability that the reader goes on to the next rank.": "읽는 사람이 다음 순위로 넘어갈 "
    "확률.",
    "What a passage is worth.": "문단의 값.",
    "The value where all that came back is judged: rest, p ** n; or 0.": "검색된 문단이 모두 "
    "판정되었을 때의 값: rest는 p ** n, 아니면 0.",
    "At how many times R precision is taken.": "R의 몇 배 순위에서 정밀도를 재는지.",
    "How the level becomes a number of passages.": "재현율 수준을 문단 수로 바꾸는 방법.",
    "The levels of recall.": "재현율 수준들.",
    "How a level becomes a number of passages; see iprec.": "재현율 수준을 문단 수로 바꾸는 방법. "
    "iprec 참고.",
    "By how much a need that is covered once is worth less.": "한 번 채운 필요의 값을 얼마나 "
    "낮추는지.",
    "What is counted: characters, or white-space words or tokens that begin in a span.": "세는 "
    "단위: 글자(characters), 또는 범위 안에서 시작하는, 띄어쓰기로 나눈 단어(words)나 "
    "토큰(tokens).",
    "Whose tokens are counted with unit=tokens: a folder with a Hugging Face tokenizer.json, an "
    "encoder such as minilm, or a model of the hub that is on this machine.": "unit=tokens일 때 "
    "쓰는 토크나이저: Hugging Face tokenizer.json이 있는 폴더, minilm 같은 인코더, 또는 이 "
    "컴퓨터에 있는 허브 모델.",
    "How text counts that several passages of the top k have, among what came back: once, or for "
    "each of them. Of the evidence that was found it always counts once.": "상위 k의 여러 문단에 "
    "함께 든 글을 검색된 양에서 세는 방법: 한 번(once), 또는 문단마다(each). 찾은 근거에서는 늘 "
    "한 번만 셉니다.",
    "returned; min: R where that is less (trec_eval's set_relative_P).": "검색된 수(returned); "
    "min은 R이 더 작으면 R(trec_eval의 set_relative_P).",
}
"""Korean descriptions of options, by the English one; an option without an entry stays English."""

KOREAN_USERS = {
    "many papers": "여러 논문",
    "papers and notebooks that sort what they got": "검색된 것만 정렬하는 논문과 노트북",
    "llama-index-core before 0.13": "llama-index-core 0.13 이전",
    "an option of RecTools": "RecTools의 선택 항목",
}
"""Korean descriptions of who chooses an option, by the English one; names of tools stay."""
