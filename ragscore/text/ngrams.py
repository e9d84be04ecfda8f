"""Character n-grams of Chinese, Japanese and Korean: words without a dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal
from unicodedata import normalize

from pydantic import Field

from ragscore.text.base import Analyzer, TokenizerSpec
from ragscore.text.word_characters import marks

_CJK = (
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul
    "\u3031-\u3035\u3041-\u309f\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b16f"  # kana
    "\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"  # Han
    "\uf900-\ufaff\U00020000-\U0003ffff"
)


@cache
def _pieces() -> re.Pattern[str]:
    """Runs of these scripts, and words of others."""
    return re.compile(rf"([{_CJK}]+)|((?:[^\W{_CJK}]|[{marks()}])+)")


class Ngrams(TokenizerSpec):
    """Overlapping character pairs of Chinese, Japanese and Korean, and words of other scripts.

    A run of Han, Hiragana, Katakana or Hangul is cut into all its substrings of ``n`` characters,
    as Lucene's CJKAnalyzer does for pairs; a run that is shorter stays whole. Other scripts become
    words, lower-cased, single letters and digits too. Texts are brought to NFKC, which makes one of
    full-width and half-width forms. No stop words, no stems, no dictionary.

    >>> Ngrams().open().tokens("월세 보증금 3개월, 東京都に住む BM25")
    ['월세', '보증', '증금', '3', '개월', '東京', '京都', '都に', 'に住', '住む', 'bm25']
    """

    kind: Literal["ngrams"] = "ngrams"
    n: int = Field(2, ge=1, le=10)
    """Characters of each term; ``bigrams`` is short for 2."""

    def open(self) -> Analyzer:
        """Nothing needs loading."""
        size, pieces = self.n, _pieces().findall

        def split(texts: Iterable[str]) -> Iterable[list[str]]:
            for text in texts:
                terms: list[str] = []
                for run, word in pieces(normalize("NFKC", text).lower()):
                    if word or len(run) <= size:
                        terms.append(word or run)
                    else:
                        terms += [run[at : at + size] for at in range(len(run) - size + 1)]
                yield terms

        return Analyzer(split)

    def doubt(self, written: str) -> str | None:
        """Nothing: it is made for text that has no spaces, or endings on its words."""
        return None
