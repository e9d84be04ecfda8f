"""Passages that are longer than an encoder reads."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.elements.numbers import NOTHING, count_text, share_text
from ragscore.encoders import Truncation
from ragscore.errors import ConfigError


def _look(data: CheckedData) -> CheckOutcome | None:
    if data.encoder is None or data.dataset.corpus is None:
        return None
    cuts = data.encoder.open().token_cuts(data.texts, "passage")
    if cuts is None:
        raise ConfigError(
            f"the encoder '{data.encoder.kind}' does not say how much of a text it reads",
            where="encoder",
            instead="Name one with a model: minilm, or {kind: sentence-transformers, model: ...}",
        )
    truncation = Truncation.of(data.encoder.kind, "passage", cuts)
    if not truncation.cut:
        return None
    cut = cuts[:, 0] > 0
    judged = np.unique(data.dataset.qrels.rows[data.relevant])
    relevant = int(cut[judged[judged < len(cut)]].sum()) if data.judges_passages else None
    examples = (
        f"{data.passage(row)} ({cuts[row, 0]:,} > {cuts[row, 1]:,})"
        for row in np.flatnonzero(cut)[:MAX_EXAMPLES].tolist()
    )
    facts = {
        "encoder": truncation.retriever,
        "limit": count_text(truncation.limit),
        "unread": share_text(truncation.unread_share),
        "relevant": NOTHING if relevant is None else count_text(relevant),
    }
    return CheckOutcome(truncation.cut, truncation.texts, tuple(examples), facts)


CHECK = Check(
    "warning",
    what={
        "en": "Passages that are longer than {encoder} reads ({limit} tokens)",
        "ko": "{encoder} 인코더가 읽는 길이({limit} 토큰)보다 긴 문단",
    },
    why={
        "en": (
            "What is cut off cannot be found: {unread} of the tokens of these passages are not "
            "read. Relevant for a query: {relevant} of these passages."
        ),
        "ko": (
            "잘린 부분은 찾을 수 없습니다. 이 문단들의 토큰 중 {unread}가 읽히지 않습니다. "
            "이 중 질의에 적합한 문단: {relevant}개."
        ),
    },
    fix={
        "en": (
            "Cut the passages shorter, let the encoder read them in windows (`kind: "
            "multi-vector`), or choose one that reads more."
        ),
        "ko": (
            "문단을 더 짧게 나누거나, 창으로 나누어 읽게 하거나(`kind: multi-vector`), 더 "
            "길게 읽는 인코더를 고르십시오."
        ),
    },
    look=_look,
    of_documents=False,  # only chunks are encoded
)
