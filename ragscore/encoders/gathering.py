"""Vectors of a whole corpus: what the cache holds of them, and the rest encoded and kept.

Vectors are kept by text, so that nothing is encoded twice: a run that was stopped goes on where
it was, and a new passage encodes only itself. Texts are encoded in batches of similar length, and
the batches are cut from the whole corpus, whether or not some are there already: a run that goes
on encodes the same batches as one that was never stopped, and so gets the same vectors to the
last bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache, entry_key
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.collected import Collected, TextEncoder, V
from ragscore.encoders.encoding_cost import EncodingCost
from ragscore.encoders.encoding_parts import PartEncoder, TakePart, TextTokens
from ragscore.encoders.vector_store import (
    KeptTexts,
    TextKeys,
    VectorStore,
    forget_texts,
    kept_texts,
    text_keys,
)
from ragscore.messages import Message, _
from ragscore.progress import Progress, Stage

C = TypeVar("C", bound=Collected[Any])

FORMAT = 2
"""Raise this when the meaning of cached vectors changes, so that old ones are not found."""

KEEP_SECONDS = 10.0
"""Seconds of encoding that a killed process may lose."""
KEEP_TEXTS = 8_192
"""Most texts that are encoded before they are saved."""
KEEP_BYTES = 1 << 28
"""Most bytes of vectors that are encoded before they are saved."""


@dataclass(frozen=True)
class GatheredUnits:
    """What is said while texts are gathered.

    Attributes:
        stage: its name.
        unit: what is counted.
        so_far: how many are kept where a run is stopped.
        before: how many were there already; None if that isn't said.
    """

    stage: Message
    unit: str
    so_far: Message
    before: Message | None = None


PASSAGES = GatheredUnits(
    _("encoding passages"),
    "passages",
    so_far=_(
        "{count} of {n} passages are encoded and saved; run the same command again to continue"
    ),
    before=_("{count} of {n} passages were already encoded"),
)
PAIRS = GatheredUnits(
    _("scoring pairs"),
    "pairs",
    so_far=_(
        "the pairs of query and passage that were scored are saved; run the same command again to "
        "continue"
    ),
)


def kept_passages(cache: Cache | None, key: str, texts: Sequence[str]) -> KeptTexts:
    """How many texts of passages need not be encoded again.

    Args:
        cache: where vectors are kept; None keeps none.
        key: as :func:`gather` takes it.
        texts: what is encoded of each passage.
    """
    return kept_texts(cache, entry_key(FORMAT, key, ""), texts)


@dataclass(frozen=True, eq=False)
class Gathered(Generic[C]):
    """The distinct texts of a corpus, all encoded.

    Attributes:
        encoded: what was made of each.
        number: which of them is the text of each passage: int64[n].
        cost: of encoding them, now or when they were; None if nothing had to be encoded.
        reopened: all of them were in the cache.
    """

    encoded: C
    number: NDArray[np.intp]
    cost: EncodingCost | None
    reopened: bool

    @property
    def cuts(self) -> TokenCuts | None:
        """How much was not read of each passage, int32[n, 2]; None if unknown."""
        return self.encoded.cuts[self.number] if self.encoded.counted else None


def gather(
    key: str,
    opened: TextEncoder[Any],
    collected: Callable[[int], C],
    ids: Sequence[str],
    texts: Sequence[str],
    cache: Cache | None,
    progress: Progress,
    units: GatheredUnits = PASSAGES,
) -> Gathered[C]:
    """What an encoder makes of all passages: from the cache, and the rest encoded and kept.

    Args:
        key: digest of all that can change what it makes of a passage.
        opened: the encoder; it is not asked where the cache holds every text.
        collected: makes what the vectors are gathered in.
        ids: n passage ids.
        texts: what is encoded of each.
        cache: where vectors are kept; None keeps none.
        progress: reports the passages to encode, and of those that were there.
        units: what the stage and its notes say.

    Raises:
        ConfigError, DataError, MissingPackageError: as the encoder.
    """
    keys = text_keys(texts)
    first, number = _distinct(keys)
    encoded = collected(len(first))
    work: _Work[Any] = _Work(
        opened,
        [ids[row] for row in first],
        [texts[row] for row in first],
        keys[first],
        number,
        encoded,
    )
    if cache is not None:
        work.store = VectorStore(cache, entry_key(FORMAT, key, ""), encoded.files, progress)
        work.store.fetch(work.keys, encoded)
        work.fetched = encoded.known.copy()
        work.lasting = cache.persistent
    work.encode(progress, units)
    return Gathered(encoded, number, work.cost(), bool(work.fetched.all()))


def forget_gathered(key: str, cache: Cache) -> None:
    """Delete all that the cache keeps under a key of :func:`gather`."""
    forget_texts(cache, entry_key(FORMAT, key, ""))


class _Work(Generic[V]):
    """Distinct texts to encode; ``number`` is the distinct text of each passage."""

    def __init__(
        self,
        opened: TextEncoder[V],
        ids: list[str],
        texts: list[str],
        keys: TextKeys,
        number: NDArray[np.intp],
        encoded: Collected[V],
    ) -> None:
        self.opened = opened
        self.ids = ids
        self.texts = texts
        self.keys = keys
        self.number = number
        self.encoded = encoded
        self.fetched = encoded.known.copy()
        self.store: VectorStore[V] | None = None
        self.lasting = False
        self.unkept: list[NDArray[np.intp]] = []
        self.kept_at, self.waiting, self.size = 0.0, 0, 0

    def passages_known(self) -> int:
        return int(self.encoded.known[self.number].sum())

    def cost(self) -> EncodingCost | None:
        """Of all texts whose seconds are known; None if those of none are."""
        seconds = self.encoded.seconds
        timed = np.isfinite(seconds)
        if not timed.any():
            return None
        total = float(seconds[timed].sum(dtype=np.float64))
        devices = self.encoded.devices
        return EncodingCost(
            int(timed.sum()),
            total,
            int((timed & self.fetched).sum()),
            "" if "" in devices else ", ".join(sorted(devices)),
            self._tokens(),
        )

    def _tokens(self) -> int | None:
        """Of all texts; None if those of some are not known."""
        tokens = self.encoded.tokens
        if tokens is None or np.isnan(tokens).any():
            return None
        return round(float(tokens.sum(dtype=np.float64)))

    def encode(self, progress: Progress, units: GatheredUnits) -> None:
        batches = self._batches()
        if not batches:
            return
        before, total = self.passages_known(), len(self.number)
        if before and units.before:
            progress.note(units.before.given(count=f"{before:,}", n=f"{total:,}"))
        self.opened.load()  # so that its seconds are not those of the first texts
        self.kept_at = time.monotonic()
        try:
            missing = sum(map(len, batches))
            with progress.stage(units.stage, missing, units.unit) as stage:
                for rows in batches:
                    self._encode(rows, stage)
        except BaseException as error:
            self._keep()
            if isinstance(error, KeyboardInterrupt) and self.lasting and not self.unkept:
                count = f"{self.passages_known():,}"
                progress.note(units.so_far.given(count=count, n=f"{total:,}"))
            raise
        self._keep()
        if self.store is not None and not self.unkept:
            self.store.merge()

    def _encode(self, rows: NDArray[np.intp], stage: Stage) -> None:
        """Encode the texts of one batch, and keep each part of it as soon as it is worth that."""
        opened: Any = self.opened
        in_parts = isinstance(opened, PartEncoder)
        began = time.perf_counter()

        def take(part: NDArray[np.intp], vectors: V, tokens: TextTokens | None) -> None:
            nonlocal began
            seconds = (time.perf_counter() - began) / len(part)
            taken = rows[part]
            cuts = None  # of texts that a service encodes, they depend on nothing that is kept
            if not in_parts:
                cuts = self.opened.token_cuts([self.texts[row] for row in taken], "passage")
            self.encoded.put(taken, vectors, cuts, seconds)
            if tokens is not None:
                self.encoded.count_tokens(taken, tokens)
            self.encoded.devices.add(self.opened.device)
            self.unkept.append(taken)
            self.waiting += len(taken)
            self.size += vectors.nbytes
            late = time.monotonic() - self.kept_at > KEEP_SECONDS
            if late or self.waiting >= KEEP_TEXTS or self.size >= KEEP_BYTES:
                self._keep()
                self.kept_at, self.waiting, self.size = time.monotonic(), 0, 0
            began = time.perf_counter()

        ids, texts = [self.ids[row] for row in rows], [self.texts[row] for row in rows]
        if in_parts:
            opened.encode_parts(ids, texts, "passage", cast(TakePart, take), stage)
        else:
            take(np.arange(len(rows)), self.opened.vectors(ids, texts, "passage", stage), None)

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
        keys, seconds = self.keys[rows], self.encoded.seconds[rows]
        tokens = None if self.encoded.tokens is None else self.encoded.tokens[rows]
        device = self.opened.device
        if self.store.keep(keys, self.encoded[rows], cuts, seconds, device, tokens):
            self.unkept = []
            if self.encoded.stays_in_files:
                self.store.reopen(keys, rows, self.encoded)


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
