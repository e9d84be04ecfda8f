"""cut(chunker, documents): the chunks of documents, checked."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from ragscore.arrays import load_arrays, save_arrays
from ragscore.cache import Cache, entry_key, open_or_make
from ragscore.chunking.base import ChunkerSpec
from ragscore.chunking.text_layout import Spans
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.documents import Documents
from ragscore.described import in_short
from ragscore.errors import DataError
from ragscore.progress import SILENT, Progress
from ragscore.version import installed_version

CHUNKS = "chunks"
"""The cache's kind of entry."""
FORMAT = 1
PACKAGES = ("regex", "tokenizers", "kiwipiepy", "kiwipiepy_model")
"""By whose versions chunks may differ, besides Python's Unicode."""


def cut(
    chunker: ChunkerSpec,
    documents: Documents,
    cache: Cache | None = None,
    *,
    progress: Progress = SILENT,
) -> Chunks:
    """The chunks of all documents.

    Args:
        chunker: cuts their texts.
        documents: whole texts.
        cache: where the chunks are kept, but for those of foreign code; None keeps nothing.
        progress: reports a damaged entry of the cache.

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
    if cache is None or not chunker.cacheable:
        return _cut(chunker, documents)
    return open_or_make(
        cache,
        CHUNKS,
        _key(chunker, documents),
        lambda: _cut(chunker, documents),
        lambda chunks, folder: save_arrays(folder, chunks.columns),
        lambda folder: _read(folder, documents),
        progress=progress,
    ).value


def kept_chunks(
    chunker: ChunkerSpec, documents: Documents, cache: Cache | None = None
) -> Chunks | None:
    """The chunks that the cache has; None if it has none. Nothing is cut, and no foreign code is
    run.

    Raises:
        ConfigError: a tokenizer is not there.
        MissingPackageError: an optional package is needed.
    """
    if cache is None or not chunker.cacheable:
        return None
    return cache.peek(CHUNKS, _key(chunker, documents), lambda folder: _read(folder, documents))


def _key(chunker: ChunkerSpec, documents: Documents) -> str:
    versions = {name: installed_version(name) for name in PACKAGES}
    content = [chunker.depends_on(), versions, unicodedata.unidata_version]
    return entry_key(FORMAT, content, documents.digest)


def _read(folder: Path, documents: Documents) -> Chunks:
    columns = load_arrays(folder, Chunks.COLUMNS)
    chunks = Chunks.of(*(columns[name] for name in Chunks.COLUMNS))
    if not chunks.within(documents.lengths):
        raise ValueError("a chunk lies outside its document")
    return chunks


def _cut(chunker: ChunkerSpec, documents: Documents) -> Chunks:
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
            f"{start}-{end} is not a chunk of a text of {len(text):,} characters",
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
