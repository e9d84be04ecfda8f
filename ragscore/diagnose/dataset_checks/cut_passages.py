"""Passages that are longer than an encoder reads."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.elements.numbers import NOTHING, count_text, share_text
from ragscore.encoders import Truncation
from ragscore.errors import ConfigError
from ragscore.messages import _


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
    what=_("Passages longer than {encoder} reads ({limit} tokens)"),
    why=_(
        "What is cut off cannot be found: {unread} of the tokens of these passages are not "
        "read. Relevant for a query: {relevant} of these passages."
    ),
    fix=_(
        "Cut the passages shorter, let the encoder read them in windows (`kind: multi-vector`), "
        "or choose an encoder that reads more."
    ),
    look=_look,
    of_documents=False,  # only chunks are encoded
)
