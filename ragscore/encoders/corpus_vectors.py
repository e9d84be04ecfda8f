"""Vectors of a whole corpus: what the cache holds of them, and the rest encoded and kept.

Vectors are kept by text, so that nothing is encoded twice: a run that was stopped goes on where
it was, and a new passage encodes only itself. Texts are encoded in batches of similar length, and
the batches are cut from the whole corpus, whether or not some are there already: a run that goes
on encodes the same batches as one that was never stopped, and so gets the same vectors to the
last bit.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache, entry_key
from ragscore.encoders.base import EncoderSpec, OpenEncoder, TokenCuts, Vectors
from ragscore.encoders.encoding_cost import EncodingCost
from ragscore.encoders.strings import STRINGS
from ragscore.encoders.vector_store import Encoded, TextKeys, VectorStore, text_keys
from ragscore.progress import SILENT, STAGES, Progress

FORMAT = 2
"""Raise this when the meaning of cached vectors changes, so that old ones are not found."""

KEEP_SECONDS = 10.0
"""Seconds of encoding that a killed process may lose."""
KEEP_TEXTS = 8_192
"""Most texts that are encoded before they are saved."""


@dataclass(frozen=True, eq=False)
class EncodedPassages:
    """The passages of a corpus as an encoder sees them.

    Attributes:
        vectors: float32[n, d].
        cuts: how much was not read of each, int32[n, 2]; None where the encoder doesn't say.
        cost: of encoding them, now or when they were; None where nothing had to be encoded.
    """

    vectors: Vectors
    cuts: TokenCuts | None
    cost: EncodingCost | None = None


def encode_passages(
    spec: EncoderSpec,
    opened: OpenEncoder,
    ids: Sequence[str],
    texts: Sequence[str],
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> EncodedPassages:
    """The vectors of all passages.

    Args:
        spec: whose encoder it is.
        opened: the encoder; it is not asked where the cache holds every text.
        ids: n passage ids.
        texts: what is encoded of each.
        cache: where vectors are kept; None keeps none.
        progress: is notified of the passages to encode, and of those that were there.

    Raises:
        ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.encode`.
    """
    if not spec.slow:
        with progress.stage(STAGES.note("encoding_passages"), len(texts), "passages") as stage:
            return EncodedPassages(opened.vectors(ids, texts, "passage", stage), None)
    keys = text_keys(texts)
    first, number = _distinct(keys)
    work = _Work(
        opened, [ids[row] for row in first], [texts[row] for row in first], keys[first], number
    )
    if cache is not None:
        key = entry_key(FORMAT, spec.key("passage"), "")
        work.store = VectorStore(cache, key, progress)
        work.store.fetch(work.keys, work.encoded)
        work.fetched = work.encoded.known.copy()
        work.lasting = cache.persistent
    work.encode(progress)
    encoded = work.encoded
    if not len(texts):  # only the dimensions count
        return EncodedPassages(opened.vectors([], [], "passage"), None)
    same = len(first) == len(texts)
    cuts = encoded.cuts if encoded.counted else None
    return EncodedPassages(
        encoded.vectors if same else encoded.vectors[number],
        cuts if same or cuts is None else cuts[number],
        work.cost(),
    )


class _Work:
    """Distinct texts to encode; ``number`` is the distinct text of each passage."""

    def __init__(
        self,
        opened: OpenEncoder,
        ids: list[str],
        texts: list[str],
        keys: TextKeys,
        number: NDArray[np.intp],
    ) -> None:
        self.opened = opened
        self.ids = ids
        self.texts = texts
        self.keys = keys
        self.number = number
        self.encoded = Encoded(len(texts))
        self.fetched = self.encoded.known.copy()
        self.store: VectorStore | None = None
        self.lasting = False
        self.unkept: list[NDArray[np.intp]] = []

    def passages_known(self) -> int:
        return int(self.encoded.known[self.number].sum())

    def cost(self) -> EncodingCost | None:
        """Of all texts whose seconds are known; None where those of none are."""
        seconds = self.encoded.seconds
        timed = np.isfinite(seconds)
        if not timed.any():
            return None
        total = float(seconds[timed].sum(dtype=np.float64))
        return EncodingCost(int(timed.sum()), total, int((timed & self.fetched).sum()))

    def encode(self, progress: Progress) -> None:
        batches = self._batches()
        if not batches:
            return
        before, total = self.passages_known(), len(self.number)
        if before:
            progress.note(STRINGS.note("encoded_before", count=f"{before:,}", n=f"{total:,}"))
        self.opened.load()  # so that its seconds are not those of the first texts
        kept_at, waiting = time.monotonic(), 0
        try:
            missing = sum(map(len, batches))
            with progress.stage(STAGES.note("encoding_passages"), missing, "passages") as stage:
                for rows in batches:
                    texts = [self.texts[row] for row in rows]
                    ids = [self.ids[row] for row in rows]
                    began = time.perf_counter()
                    vectors = self.opened.vectors(ids, texts, "passage", stage)
                    seconds = (time.perf_counter() - began) / len(rows)
                    cuts = self.opened.token_cuts(texts, "passage")
                    self.encoded.put(rows, vectors, cuts, seconds)
                    self.unkept.append(rows)
                    waiting += len(rows)
                    if time.monotonic() - kept_at > KEEP_SECONDS or waiting >= KEEP_TEXTS:
                        self._keep()
                        kept_at, waiting = time.monotonic(), 0
        except BaseException as error:
            self._keep()
            if isinstance(error, KeyboardInterrupt) and self.lasting and not self.unkept:
                count = f"{self.passages_known():,}"
                progress.note(STRINGS.note("encoded_so_far", count=count, n=f"{total:,}"))
            raise
        self._keep()
        if self.store is not None and not self.unkept:
            self.store.merge()

    def _batches(self) -> list[NDArray[np.intp]]:
        """Rows to encode together, the longest texts first: batches then pad little, and memory
        that is too small shows at once."""
        if self.encoded.known.all():
            return []
        step = self.opened.chunk
        order = np.argsort([-len(text) for text in self.texts], kind="stable")
        whole: list[NDArray[np.intp]] = []
        rest: list[NDArray[np.intp]] = []
        for batch in _cut(order, step):
            missing = batch[~self.encoded.known[batch]]
            (whole if len(missing) == len(batch) else rest).append(missing)
        return [*whole, *_cut(np.concatenate(rest), step)] if rest else whole

    def _keep(self) -> None:
        if self.store is None or not self.unkept:
            return
        rows = np.concatenate(self.unkept)
        cuts = self.encoded.cuts[rows] if self.encoded.counted else None
        seconds = self.encoded.seconds[rows]
        if self.store.keep(self.keys[rows], self.encoded.vectors[rows], cuts, seconds):
            self.unkept = []


def _distinct(keys: TextKeys) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of each distinct text, in their order, and for every row which it is."""
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = order[new]  # lexsort is stable
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    number = np.empty(len(keys), dtype=np.intp)
    number[order] = place[np.cumsum(new) - 1]
    return np.sort(first), number


def _cut(rows: NDArray[np.intp], step: int) -> list[NDArray[np.intp]]:
    return [rows[start : start + step] for start in range(0, len(rows), step)]
