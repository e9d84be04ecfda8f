"""Where the text of each old passage stands in new passages or documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragscore.anchoring.shared_text import SharedPieces, shared_pieces
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.documents import Documents, characters_in
from ragscore.dataset.normal_text import NormalText
from ragscore.dataset.quotes import normal_quote

MIN_PART = 0.1
"""The least share of an old passage that makes a place one of its parts."""
SLACK = 64
"""Characters that may stand between two pieces of one place in a document."""


@dataclass(frozen=True)
class FoundPlace:
    """A place that holds some of the text of an old passage.

    Attributes:
        new: row of the new passage or the document.
        span: characters [start, end) of the document; None of a passage.
        held: the share of the old passage's characters that it holds.
        of_new: the share of the new passage's characters that are the old passage's; 1 of a span.
        pieces: which characters of the old passage it holds, as [start, end).
        cut_off: whether nothing that it holds differs from the old passage, which goes on beyond
            an end of the new one, as where chunks overlap.
    """

    new: int
    span: tuple[int, int] | None
    held: float
    of_new: float
    pieces: tuple[tuple[int, int], ...]
    cut_off: bool = False


def found_places(old: Sequence[str], new: Corpus | Documents) -> list[list[FoundPlace]]:
    """The places of each old text, in the order of the new ones."""
    texts = [normal_quote(text) for text in old]
    if isinstance(new, Corpus):
        sizes: list[int] = []
        pieces = shared_pieces(texts, _normal_texts(new, sizes))
        return [list(_in_passages(texts[at], at, pieces, sizes)) for at in range(len(texts))]
    pieces = shared_pieces(texts, (NormalText.of(text).text for text in new.texts))
    normal = _NormalDocuments(new)
    return [list(_in_documents(texts[at], at, pieces, normal)) for at in range(len(texts))]


def _normal_texts(corpus: Corpus, sizes: list[int]) -> Iterator[str]:
    for text in corpus.texts:
        normal = normal_quote(text)
        sizes.append(len(normal))
        yield normal


class _NormalDocuments:
    """Normal forms of documents, made anew where places are looked up; the last is kept."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.kept: tuple[int, NormalText] | None = None

    def original(self, row: int, start: int, end: int) -> tuple[int, int]:
        """The characters of a document behind some of its normal form."""
        if self.kept is None or self.kept[0] != row:
            self.kept = row, NormalText.of(self.documents.texts[row])
        return self.kept[1].original(start, end)


def _in_passages(
    text: str, old: int, pieces: SharedPieces, sizes: Sequence[int]
) -> Iterator[FoundPlace]:
    rows = pieces.of(old)
    by_new: dict[int, list[int]] = {}
    for row in rows:
        by_new.setdefault(int(pieces.new[row]), []).append(row)
    for new, of_new in by_new.items():
        mine = tuple(_span(pieces.old_start[row], pieces.length[row]) for row in of_new)
        theirs = [_span(pieces.new_start[row], pieces.length[row]) for row in of_new]
        held, share = characters_in(mine) / len(text), characters_in(theirs) / sizes[new]
        cut_off = _cut_off(mine, theirs, len(text), sizes[new])
        yield FoundPlace(new, None, held, share, mine, cut_off)


def _cut_off(
    mine: Sequence[tuple[int, int]], theirs: Sequence[tuple[int, int]], old: int, new: int
) -> bool:
    """Whether pieces of a text leave out nothing but what lies beyond an end of another."""
    (start, _), (their_start, _) = min(zip(mine, theirs, strict=True))
    (_, end), (_, their_end) = max(zip(mine, theirs, strict=True), key=lambda pair: pair[0][1])
    whole = characters_in(mine) == end - start
    return whole and 0 in (start, their_start) and (end == old or their_end == new)


def _in_documents(
    text: str, old: int, pieces: SharedPieces, documents: _NormalDocuments
) -> Iterator[FoundPlace]:
    chain: list[int] = []
    for row in pieces.of(old):
        if chain and not _goes_on(pieces, chain[-1], row, len(text)):
            yield _place(text, chain, pieces, documents)
            chain = []
        chain.append(row)
    if chain:
        yield _place(text, chain, pieces, documents)


def _goes_on(pieces: SharedPieces, last: int, row: int, size: int) -> bool:
    """Whether a piece follows another one in the old text and, not far behind, in the document."""
    gap = pieces.new_start[row] - (pieces.new_start[last] + pieces.length[last])
    return bool(
        pieces.new[row] == pieces.new[last]
        and pieces.old_start[row] > pieces.old_start[last]
        and gap <= SLACK + size // 4
    )


def _place(
    text: str, chain: list[int], pieces: SharedPieces, documents: _NormalDocuments
) -> FoundPlace:
    mine = tuple(_span(pieces.old_start[row], pieces.length[row]) for row in chain)
    theirs = [_span(pieces.new_start[row], pieces.length[row]) for row in chain]
    new = int(pieces.new[chain[0]])
    start, end = min(start for start, _ in theirs), max(end for _, end in theirs)
    return FoundPlace(
        new, documents.original(new, start, end), characters_in(mine) / len(text), 1.0, mine
    )


def _span(start: int, length: int) -> tuple[int, int]:
    return int(start), int(start + length)
