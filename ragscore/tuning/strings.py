"""The sentence of a tuning in English and Korean: one table, the same placeholders in both.

VERDICTS.md, template K. The Korean puts no particle behind a number or a name that would have to
change with its last sound.
"""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "ko"]

STRINGS: dict[str, dict[Language, str]] = {
    "use": {
        "en": "Use {cut}: recall {r} {ci}{passages}{more}.",
        "ko": "{cut} 값을 쓰십시오: 재현율 {r} {ci}{passages}{more}.",
    },
    "passages": {
        "en": ", {mean} passages per query ({lowest} to {highest})",
        "ko": ", 질의당 문단 {mean}개({lowest} ~ {highest}개)",
    },
    "going": {
        "en": "; going to {goal} adds {dr} recall",
        "ko": "; {goal}까지 넓히면 재현율이 {dr} 늘어납니다",
    },
    "going_for": {
        "en": "; going to {goal} adds {dr} recall for {dt} {unit} per query",
        "ko": "; {goal}까지 넓히면 질의당 {dt} {unit} 분량으로 재현율이 {dr} 늘어납니다",
    },
    "larger_budget": {
        "en": "; a budget of {limit} {unit} adds {dr} recall",
        "ko": "; 한도를 {limit} {unit}까지 늘리면 재현율이 {dr} 늘어납니다",
    },
    "none": {
        "en": "{no_cut} reaches {name} {target}; the best, {cut}, has {r}.",
        "ko": "{name} {target}에 이르는 {no_cut} 없습니다. 가장 좋은 {cut}에서 {r}입니다.",
    },
    "none_confident": {
        "en": "{no_cut} reaches {name} {target} with the lower end of its 95% interval; the best, "
        "{cut}, has {r} {ci}.",
        "ko": "95% 신뢰구간의 하한이 {name} {target}에 이르는 {no_cut} 없습니다. "
        "가장 좋은 {cut}에서 {r} {ci}입니다.",
    },
    "ci": {"en": "(CI {lo} to {hi})", "ko": "(신뢰구간 {lo} ~ {hi})"},
    "no_ci": {"en": "(CI not estimable)", "ko": "(신뢰구간을 추정할 수 없음)"},
    # Words.
    "no k": {"en": "No k", "ko": "k 값이"},
    "no score": {"en": "No score cut", "ko": "점수 기준이"},
    "no gap": {"en": "No gap cut", "ko": "점수 차이 기준이"},
    "no ratio": {"en": "No ratio cut", "ko": "점수 비율 기준이"},
    "recall": {"en": "recall", "ko": "재현율"},
    "precision": {"en": "precision", "ko": "정밀도"},
    "characters": {"en": "characters", "ko": "글자"},
    "words": {"en": "words", "ko": "단어"},
    "tokens": {"en": "tokens", "ko": "토큰"},
    "passages_unit": {"en": "passages", "ko": "문단"},
}


def text(key: str, language: Language, **values: str) -> str:
    """One entry, filled in.

    >>> text("ci", "en", lo="0.1", hi="0.2"), text("ci", "ko", lo="0.1", hi="0.2")
    ('(CI 0.1 to 0.2)', '(신뢰구간 0.1 ~ 0.2)')
    """
    return STRINGS[key][language].format(**values)
