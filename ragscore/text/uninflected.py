"""Tokenizers that know no language."""

from __future__ import annotations

from typing import Literal

from ragscore.text.base import Analyzer, TokenizerSpec, lower_words


class Words(TokenizerSpec):
    """Runs of two or more letters, digits or underscores, lower-cased; no stop words, no stems.

    >>> Words().open().tokens("The rent of Flat 2B, a day late")
    ['the', 'rent', 'of', 'flat', '2b', 'day', 'late']
    """

    kind: Literal["words"] = "words"

    def open(self) -> Analyzer:
        """Nothing needs loading."""
        return Analyzer(lower_words)


class Whitespace(TokenizerSpec):
    """Split on white space only, case kept: for text that is tokenised already.

    >>> Whitespace().open().tokens("lang:en §12(a)  Rent")
    ['lang:en', '§12(a)', 'Rent']
    """

    kind: Literal["none"] = "none"

    def open(self) -> Analyzer:
        """Nothing needs loading."""
        return Analyzer(lambda texts: (text.split() for text in texts))

    def doubt(self, written: str) -> str | None:
        """Nothing: the words were found before."""
        return None
