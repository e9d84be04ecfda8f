"""Whole numbers of the scale that no judgment has."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome

MAX_SCALE = 10
"""Larger numbers are scores, such as votes, and no scale."""


def _look(data: CheckedData) -> CheckOutcome | None:
    grades = data.dataset.qrels.grades
    used, counts = np.unique(grades[grades > 0], return_counts=True)
    if not len(used) or (used != np.rint(used)).any() or used[-1] > MAX_SCALE:
        return None  # real-valued grades have no scale with gaps
    scale = np.arange(1, used[-1] + 1)
    unused = scale[~np.isin(scale, used)]
    examples = (
        f"{grade:g}: {count:,}" for grade, count in zip(used.tolist(), counts.tolist(), strict=True)
    )
    listed = ", ".join(f"{grade:g}" for grade in unused.tolist())
    kept = tuple(examples)[:MAX_EXAMPLES]
    return CheckOutcome(len(unused), len(scale), kept, {"grades": listed}) if len(unused) else None


CHECK = Check(
    "note",
    what={
        "en": "Grades above 0 that no judgment has ({grades})",
        "ko": "어떤 판정에도 없는 0보다 큰 등급({grades})",
    },
    why={
        "en": (
            "nDCG takes grades as they are: from 1 to 3 is three times the gain, whether the "
            "2 in between is used or not; and relevant_from may stand on a grade that nobody "
            "gives."
        ),
        "ko": (
            "nDCG는 등급을 그대로 씁니다. 중간 등급을 쓰지 않아도 1과 3의 이득은 세 배 "
            "차이이고, relevant_from이 아무도 주지 않는 등급일 수 있습니다."
        ),
    },
    fix={
        "en": (
            "Check that no grade was lost on the way. Where the gap is meant, choose the "
            "gain with `nDCG(gain={{1: 1, 3: 2}})`."
        ),
        "ko": (
            "옮기는 중에 등급이 사라지지 않았는지 확인하십시오. 의도한 것이라면 "
            "`nDCG(gain={{1: 1, 3: 2}})`로 이득을 정하십시오."
        ),
    },
    look=_look,
)
