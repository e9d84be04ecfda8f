"""Passages that somebody else reads: how many there are is known, and the digest of what they hold.

Blocks of a corpus that other processes work on are corpora of such passages here, so that keys of
what is made of them can be computed. Asking for an id or a text of theirs is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from ragscore.dataset.byte_ids import ByteIds
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.text_columns import TextColumn


def unread_block(count: int, digest: str, first: int) -> Corpus:
    """A block of a corpus.

    Args:
        count: how many passages it has.
        digest: of its passages.
        first: the row of the first of them in the corpus.

    >>> block = unread_block(3, "d1", first=10)
    >>> len(block), block.digest, block.first
    (3, 'd1', 10)
    """
    return Corpus(UnreadIds(count), UnreadTexts(count), first=first, known_digest=digest)


def unread_corpus(blocks: Sequence[Corpus], digest: Callable[[], str]) -> Corpus:
    """A corpus of blocks, none of which need have been read.

    Args:
        blocks: one after the other.
        digest: finds its digest.
    """
    count = sum(map(len, blocks))
    return Corpus(UnreadIds(count), UnreadTexts(count), blocks=tuple(blocks), known_digest=digest)


class UnreadIds(ByteIds):
    """Ids of which only the number is known."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"UnreadIds({self._count:,})"

    @property
    def _bytes(self) -> ByteTexts:  # type: ignore[override]
        _refuse()


class UnreadTexts(TextColumn):
    """Texts of which only the number is known."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def read(self, start: int, stop: int) -> list[str]:
        """Refuses."""
        _refuse()


def _refuse() -> NoReturn:
    raise RuntimeError("these passages were not read: another process reads them")
