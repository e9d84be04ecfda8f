"""cut(chunker, documents): the chunks of documents, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ragscore.chunking.base import ChunkerSpec
from ragscore.chunking.text_layout import Spans
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.documents import Documents
from ragscore.described import in_short
from ragscore.errors import DataError


def cut(chunker: ChunkerSpec, documents: Documents) -> Chunks:
    """The chunks of all documents.

    Args:
        chunker: cuts their texts.
        documents: whole texts.

    Raises:
        ConfigError: foreign code cannot be imported.
        DataError: a chunker failed, or returned something else than chunks of a text; names the
            document.
        MissingPackageError: an optional package is needed.

    >>> from ragscore.chunking import SentenceChunker
    >>> from ragscore.models import Document
    >>> documents = Documents.from_rows([Document(id="terms.md", text="Rent is due. Pay it.")])
    >>> cut(SentenceChunker(size=12), documents).ids(documents.ids)
    ['terms.md:0-12', 'terms.md:13-20']
    """
    found = []
    spans_of = chunker.opened()
    for document, text in zip(documents.ids, documents.texts, strict=True):
        try:
            found.append(checked_spans(spans_of(text), text))
        except DataError as error:
            [problem] = error.problems
            where = f"document '{document}', chunker '{getattr(chunker, 'use', chunker.kind)}'"
            raise DataError(problem.what, where=where, instead=problem.instead) from error
    return Chunks.of_spans(found)


def checked_spans(found: Any, text: str) -> Spans:
    """Spans of a text in order of start, each once.

    Args:
        found: what somebody's code says are its chunks.
        text: what they are chunks of.

    Raises:
        DataError: they are no spans, lie outside the text or leave some of it out.
    """
    spans = np.asarray(found)
    if not spans.size:
        spans = np.zeros((0, 2), dtype=np.int64)
    if spans.ndim != 2 or spans.shape[1] != 2 or not np.issubdtype(spans.dtype, np.integer):
        raise DataError(
            f"the chunks are {in_short(found)}", instead="Return int64[n, 2] of [start, end)"
        )
    wrong = (spans[:, 0] < 0) | (spans[:, 1] > len(text)) | (spans[:, 0] >= spans[:, 1])
    if wrong.any():
        start, end = spans[wrong][0].tolist()
        raise DataError(
            f"{start}-{end} is no chunk of a text of {len(text):,} characters",
            instead="Return 0 <= start < end <= its length",
        )
    spans = np.unique(spans.astype(np.int64), axis=0)
    reached = np.concatenate([[0], np.maximum.accumulate(spans[:, 1])])
    following = np.append(spans[:, 0], len(text))
    for at in np.flatnonzero(following > reached).tolist():
        start, end = int(reached[at]), int(following[at])
        left_out = text[start:end].strip()
        if left_out:
            raise DataError(
                f"no chunk holds {in_short(left_out)}, between {start} and {end}",
                instead="Leave out nothing but white space",
            )
    return spans
