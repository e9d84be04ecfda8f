"""SpanR, SpanP, SpanF1, IoU: how much of the evidence, and how much else, the top k hold.

They count characters of documents and know no grades: a passage need not hold evidence as a whole.
What stands in several passages counts once. Source: Smith and Troynikov, Evaluating Chunking
Strategies for Retrieval, 2024, where what several passages share counts for each in the precision.
"""

from __future__ import annotations

from typing import ClassVar

from ragscore.arrays import divide
from ragscore.dataset import Unit
from ragscore.judge import Judged
from ragscore.measures.base import Curve, Measure
from ragscore.measures.covered_characters import CoveredText, covered_text


class OfSpans(Measure):
    """Base of the measures that read where passages and evidence stand in documents."""

    needs_spans: ClassVar[bool] = True

    unit: Unit = "characters"
    """What is counted: ``characters``, or white-space ``words`` that begin in a span."""

    def text(self, judged: Judged) -> CoveredText:
        """What the top k hold, at every k."""
        return covered_text(judged, self.unit, self)


class SpanR(OfSpans):
    """Span recall: the share of the evidence's characters that stand in the top k.

    ``SpanR@k = |evidence and top k| / |evidence|``
    """

    name: ClassVar[str] = "SpanR"
    aliases: ClassVar[tuple[str, ...]] = ("SpanRecall",)
    summary: ClassVar[str] = "share of the evidence's characters that stand in the top k"
    summary_ko: ClassVar[str] = "근거 글자 중 상위 k에 든 비율"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return divide(text.both, text.evidence[:, None])


class SpanP(OfSpans):
    """Span precision: the share of the characters in the top k that are evidence.

    ``SpanP@k = |evidence and top k| / |top k|``; 0 where nothing came back.
    """

    name: ClassVar[str] = "SpanP"
    aliases: ClassVar[tuple[str, ...]] = ("SpanPrecision",)
    summary: ClassVar[str] = "share of the characters in the top k that are evidence"
    summary_ko: ClassVar[str] = "상위 k의 글자 중 근거의 비율"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return divide(text.both, text.returned)


class SpanF1(OfSpans):
    """Harmonic mean of SpanP@k and SpanR@k.

    ``SpanF1@k = 2 |evidence and top k| / (|evidence| + |top k|)``
    """

    name: ClassVar[str] = "SpanF1"
    summary: ClassVar[str] = "harmonic mean of SpanP and SpanR"
    summary_ko: ClassVar[str] = "SpanP와 SpanR의 조화 평균"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return divide(2 * text.both, text.evidence[:, None] + text.returned)


class IoU(OfSpans):
    """Intersection over union of the evidence's characters and those of the top k.

    ``IoU@k = |evidence and top k| / |evidence or top k|``
    """

    name: ClassVar[str] = "IoU"
    aliases: ClassVar[tuple[str, ...]] = ("SpanIoU",)
    summary: ClassVar[str] = "characters in both evidence and top k, out of those in either"
    summary_ko: ClassVar[str] = "근거와 상위 k에 함께 든 글자를 어느 쪽에든 든 글자로 나눈 값"

    def curve(self, judged: Judged) -> Curve:
        text = self.text(judged)
        return divide(text.both, text.evidence[:, None] + text.returned - text.both)
