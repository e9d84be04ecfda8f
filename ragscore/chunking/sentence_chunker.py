"""sentences: whole sentences, packed to a size."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from pydantic import PositiveInt

from ragscore.chunking.base import PackedChunker
from ragscore.chunking.kiwi_sentences import kiwi_sentence_begins
from ragscore.chunking.packed_pieces import fitted, packed
from ragscore.chunking.sentence_rules import sentence_begins
from ragscore.chunking.text_layout import Layout, Places, Spans
from ragscore.errors import MissingPackageError, Problem


class SentenceChunker(PackedChunker):
    """Whole sentences, as many as a size has room for.

    The rules know English and Korean, and the full stops of Chinese, Japanese, Hindi and Arabic:
    abbreviations, initials, decimals, dates, numbered lists, quotations. A blank line ends a
    sentence. A sentence that is too long is cut between words, a word that is too long anywhere.

    >>> text = "Dr. Lee pays $3.50. The rent is due, e.g. monthly."
    >>> [text[start:end] for start, end in SentenceChunker(size=1, unit="sentences").spans(text)]
    ['Dr. Lee pays $3.50.', 'The rent is due, e.g. monthly.']
    """

    kind: Literal["sentences"] = "sentences"
    size: PositiveInt = 800
    """Length of a chunk at most; what cannot be cut may be longer."""
    unit: Literal["characters", "words", "tokens", "sentences"] = "characters"
    """What `size` and `overlap` count; sentences themselves are never cut."""
    splitter: Literal["rules", "kiwi"] = "rules"
    """What finds the sentences: rules for English and Korean, or kiwipiepy for Korean, which also
    finds those without a full stop and takes minutes for a megabyte."""

    def check(self) -> list[Problem]:
        """The packages are there."""
        found = super().check()
        if self.splitter == "kiwi" and find_spec("kiwipiepy") is None:
            found = [*found, *_missing().problems]
        return found

    @property
    def quick(self) -> bool:
        """Not where kiwipiepy finds the sentences, or tokens are counted."""
        return super().quick and self.splitter == "rules"

    def spans(self, text: str) -> Spans:
        """As :meth:`ChunkerSpec.spans`.

        Raises:
            MissingPackageError: kiwipiepy is needed and not installed.
        """
        layout = Layout(text)
        pieces = layout.pieces(self._begins(text))
        ruler, finest = self.ruler(layout, pieces)
        pieces = fitted(layout, pieces, finest, ruler, self.size)
        return packed(layout, pieces, ruler, self.size, self.overlap)

    def _begins(self, text: str) -> Places:
        if self.splitter == "rules":
            return sentence_begins(text)
        if find_spec("kiwipiepy") is None:
            raise _missing()
        return kiwi_sentence_begins(text)


def _missing() -> MissingPackageError:
    return MissingPackageError("kiwipiepy", "splitter: kiwi", "korean")
