"""SpanR, SpanP, SpanF1, IoU: how much of the evidence, and how much else, the top k hold.

They count characters, words or tokens of documents and know no grades: a passage need not hold
evidence as a whole. What stands in several passages counts once; with ``overlaps=each`` it counts
for each passage wherever precision and IoU ask how much came back, as in the study below.

Source: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma, 2024, and its
code, the package chunking_evaluation: there ``SpanR``, ``SpanP(overlaps=each)`` and
``IoU(overlaps=each)``, in characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import field_validator, model_validator

from ragscore.dataset import Unit
from ragscore.described import in_short
from ragscore.files import name_or_path
from ragscore.judge import Judged
from ragscore.measures.base import Curve, Measure, build
from ragscore.measures.covered_characters import CoveredText, covered_text
from ragscore.messages import Text
from ragscore.validation.findings import check_tokenizer, contradiction

Overlaps = Literal["once", "each"]


class OfSpans(Measure):
    """Base of the measures that read where passages and evidence stand in documents."""

    needs_spans: ClassVar[bool] = True

    unit: Unit = "characters"
    """What is counted: characters, or white-space words or tokens that begin in a span."""
    tokenizer: str | None = None
    """Whose tokens are counted with unit=tokens: a folder with a Hugging Face tokenizer.json, an
    encoder such as minilm, or a model of the hub that is on this machine."""

    @field_validator("tokenizer")
    @classmethod
    def _can_be_written(cls, tokenizer: str | None) -> str | None:
        """A measure is a text, in which a comma ends an option, and braces hold several values."""
        if tokenizer is None:
            return None
        if tokenizer != tokenizer.strip() or {*tokenizer} & {*",{}"} or not tokenizer.isprintable():
            what = f"the path {in_short(tokenizer)} cannot be written in a measure"
            instead = "Give its folder a name without commas, braces and spaces around it"
            raise contradiction("tokenizer", what, instead)
        return tokenizer

    @model_validator(mode="after")
    def _tokens_need_a_tokenizer(self) -> Self:
        check_tokenizer(self.unit, self.tokenizer)
        return self

    @property
    def counts_tokens_of(self) -> str | None:
        return self.tokenizer

    def resolved(self, base: Path) -> Self:
        if self.tokenizer is None:
            return self
        given = {name: getattr(self, name) for name in self.model_fields_set}
        placed = name_or_path(self.tokenizer, base)
        return build(type(self), {**given, "tokenizer": placed}, str(self))

    def text(self, judged: Judged) -> CoveredText:
        """What the top k hold, at every k."""
        return covered_text(judged, self.unit, self.tokenizer, self)


class OutOfReturned(OfSpans):
    """Base of those that ask how much came back."""

    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {
        ("overlaps", "each"): ("chunking_evaluation",)
    }

    overlaps: Overlaps = "once"
    """How often text in several passages of the top k counts as returned text: once, or once for
    each passage. As found evidence, it always counts once."""

    def returned(self, text: CoveredText) -> Curve:
        """How much came back, at every k: float64[Q, depth]."""
        return text.returned if self.overlaps == "once" else text.passages


class SpanR(OfSpans):
    """Span recall: the share of the evidence's characters that stand in the top k.

    ``SpanR@k = |evidence and top k| / |evidence|``
    """

    name: ClassVar[str] = "SpanR"
    aliases: ClassVar[tuple[str, ...]] = ("SpanRecall",)
    summary: ClassVar[str] = "share of the evidence's characters that stand in the top k"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return _share(text.both, text.evidence[:, None])


class SpanP(OutOfReturned):
    """Span precision: the share of the characters in the top k that are evidence.

    ``SpanP@k = |evidence and top k| / |top k|``; 0 if nothing came back.
    """

    name: ClassVar[str] = "SpanP"
    aliases: ClassVar[tuple[str, ...]] = ("SpanPrecision",)
    summary: ClassVar[str] = "share of the characters in the top k that are evidence"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return _share(text.both, self.returned(text))


class SpanF1(OutOfReturned):
    """Harmonic mean of SpanP@k and SpanR@k.

    ``SpanF1@k = 2 |evidence and top k| / (|evidence| + |top k|)``
    """

    name: ClassVar[str] = "SpanF1"
    summary: ClassVar[str] = "harmonic mean of SpanP and SpanR"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return _share(2 * text.both, text.evidence[:, None] + self.returned(text))


class IoU(OutOfReturned):
    """Intersection over union of the evidence's characters and those of the top k.

    ``IoU@k = |evidence and top k| / |evidence or top k|``
    """

    name: ClassVar[str] = "IoU"
    aliases: ClassVar[tuple[str, ...]] = ("SpanIoU",)
    summary: ClassVar[str] = "characters in both evidence and top k, out of those in either"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return _share(text.both, text.evidence[:, None] + self.returned(text) - text.both)


def _share(part: Curve, whole: Curve) -> Curve:
    """Whole numbers, divided; 0 if there is nothing."""
    shares: Curve = part / np.maximum(whole, 1.0)
    return shares
