"""What each measure is, in one line and in the reader's language."""

from __future__ import annotations

from ragscore.measures import Measure
from ragscore.strings import Language

KOREAN = {
    "nDCG": "가능한 최고 DCG에 대한 DCG의 비율",
    "AP": "상위 k에서 적합 문단이 나온 순위마다 구한 정밀도의 합을 R로 나눈 값",
    "RR": "상위 k에서 첫 적합 문단이 나온 순위의 역수",
    "P": "상위 k 중 적합 문단의 비율",
    "R": "적합 문단 중 상위 k에 든 비율",
    "F": "상위 k에서 정밀도와 재현율의 조화 평균 (F1: beta=1)",
    "Success": "상위 k에 적합 문단이 하나라도 있으면 1",
    "AR": "상위 k에서 적합 문단이 나온 순위마다 구한 재현율의 합을 R로 나눈 값",
    "MR": "적합 문단을 찾은 질의에서 첫 적합 문단의 순위",
    "ERR": "읽는 사람이 멈출 것으로 기대되는 순위의 역수",
    "RBP": "확률 p로 다음 순위를 보는 사람이 얻는 이득",
    "RBPresidual": "판정되지 않았거나 보지 못한 문단에서 RBP가 더 얻을 수 있는 값",
    "CG": "상위 k 이득의 합",
    "DCG": "상위 k 이득을 log2(순위 + 1)로 나눈 값의 합",
    "IDCG": "가능한 최고 순서의 DCG",
    "Rprec": "순위 R에서의 정밀도",
    "bpref": "부적합으로 판정된 문단이 적합 문단보다 아래에 있는 비율",
    "infAP": "판정 후보의 일부만 판정되었을 때 추정한 AP",
    "gmAP": "AP의 질의 기하 평균",
    "gmbpref": "bpref의 질의 기하 평균",
    "iprec": "재현율이 r 이상인 순위들의 최고 정밀도 (iprec@0.1)",
    "11pt": "재현율 열한 수준에서 구한 iprec의 평균",
    "AUC": "말뭉치 전체에 대한 ROC 곡선 아래 면적",
    "SetP": "검색된 문단 전체 중 적합 문단의 비율",
    "SetR": "적합 문단 중 검색된 비율",
    "SetF": "SetP와 SetR의 조화 평균",
    "Judged": "상위 k에 검색된 문단 중 판정된 비율",
    "Unjudged": "상위 k에서 아무도 판정하지 않은 문단을 k로 나눈 값",
    "NumRet": "검색된 문단의 수; 질의 전체의 합",
    "NumRel": "찾았든 못 찾았든 적합 문단의 수; 질의 전체의 합",
    "NumRelRet": "검색된 적합 문단의 수; 질의 전체의 합",
}
"""By name of the measure; its class says it in English. One that is not here is said in English."""


def measure_summary(measure: Measure | type[Measure], language: Language) -> str:
    """What a measure is, in one line.

    >>> from ragscore.measures import RR
    >>> measure_summary(RR, "en")
    '1 / rank of the first relevant passage in the top k'
    """
    if language == "ko":
        return KOREAN.get(measure.name, measure.summary)
    return measure.summary
