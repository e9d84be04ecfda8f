"""OpenEndpoint: many texts, asked of an embeddings service in several requests at once."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Awaitable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.described import in_short
from ragscore.encoders.base import Role, TokenCuts, TokenSpans, Vectors
from ragscore.encoders.encoding_parts import PartEncoder, TakePart, TextTokens
from ragscore.encoders.endpoint.embeddings import Embeddings
from ragscore.encoders.endpoint.embeddings_service import EmbeddingsService
from ragscore.encoders.endpoint.first_vector import compare_first
from ragscore.encoders.endpoint.options import EndpointOptions
from ragscore.encoders.endpoint.refusals import refusal
from ragscore.encoders.endpoint.request_sizes import packed
from ragscore.encoders.named_tokenizers import open_tokenizer
from ragscore.encoders.open_model import encodable
from ragscore.errors import ConfigError, DataError, Problem
from ragscore.messages import _
from ragscore.outside.event_loops import outside_loops
from ragscore.outside.lanes import Lanes
from ragscore.outside.repeating import FailedCall
from ragscore.progress import Progress, Stage
from ragscore.usage import Usage

CHUNK = 8_192
"""Texts that are requested together: enough that the last requests of a block delay little."""
FIRST_TEXT = "text"
"""What is encoded first: its answer says how many dimensions vectors have, and whether the service
works at all."""
ROUNDING = 0.01
"""How far a number of 16 bits may be from one of 32, of the largest number of its vector."""
MAX_NAMED = 10
"""Texts that an error names."""

REFUSED = frozenset({400, 413, 422, 424})
"""Statuses by which services refuse what they are sent."""
BY_A_TEXT = REFUSED | {200, 500}
"""Statuses of a failure that one text of a request may have caused: such a request is split. An
answer of 200 that is not JSON may hold NaN."""


class OpenEndpoint(PartEncoder):
    """Encodes by asking a service; its connections are closed with it.

    Args:
        options: which service, and how it is asked.
        progress: reports what the service does not say.
    """

    def __init__(self, options: EndpointOptions, progress: Progress) -> None:
        self.options = options
        self._progress = progress
        self._service = EmbeddingsService(options)
        self._dimension: int | None = None
        self._first_vector: Vectors | None = None
        self._compared: dict[Cache, str] = {}
        self._loading = Lock()
        weakref.finalize(self, self._service.close)

    @property
    def chunk(self) -> int:
        return CHUNK

    def load(self) -> None:
        """Have one short text encoded, which shows at once that the service works.

        Raises:
            ConfigError: it does not.
        """
        with self._loading:
            if self._dimension is None:
                outside_loops(asyncio.run, self._first())
                try:
                    for cache, key in self._compared.items():
                        self._compare(cache, key)
                except ConfigError:
                    self._dimension = self._first_vector = None  # no one else may use it either
                    raise
                if self.options.max_seq_length is None:
                    self._progress.note(
                        _(
                            "the service does not say how much of a long text {encoder} "
                            "reads, so truncation is not counted",
                            encoder=self.options.label,
                        )
                    )

    def compare_in(self, cache: Cache, key: str) -> None:
        with self._loading:
            if cache not in self._compared:
                self._compare(cache, key)
                self._compared[cache] = key

    def _compare(self, cache: Cache, key: str) -> None:
        if self._first_vector is not None:
            compare_first(self._first_vector, cache, key, self.options.where)

    def usage_of(self, tokens: int) -> Usage:
        return self.options.usage_of(tokens)

    def encode_parts(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        role: Role,
        take: TakePart,
        stage: Stage | None = None,
    ) -> None:
        self.load()
        if len(texts):
            work = _Encoding(self, ids, texts, role, take, stage)
            outside_loops(asyncio.run, work.run())

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        limit, prompt = self.options.max_seq_length, self.options.prompt(role)
        if limit is None:
            return None
        tokens = self.options.count_tokens([prompt + text for text in texts])
        return np.where(tokens > limit, [tokens, np.full(len(texts), limit)], 0).T.astype(np.int32)

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans] | None:
        named = self.options.tokenizer
        if named is None:
            return None
        tokenizer = open_tokenizer(named)
        return [tokenizer.spans(text).astype(np.int32) for text in texts]

    def room(self, role: Role) -> int | None:
        limit = self.options.max_seq_length
        if limit is None:
            return None
        before = self.options.count_tokens([self.options.prompt(role)])
        return max(0, limit - int(before[0]))

    def dimensions(self) -> int:
        self.load()
        assert self._dimension is not None
        return self._dimension

    async def _first(self) -> None:
        found = await self.ask_first()
        if isinstance(found, FailedCall):
            raise refusal(self.options, found)
        if self.options.dtype != "float32":
            plain = await self.ask_first(plain=True)
            if isinstance(plain, FailedCall):
                raise refusal(self.options, plain)
            self._check_packing(found.vectors, plain.vectors)
        self.check_dimension(found)
        self._first_vector = found.vectors

    def _check_packing(self, found: Vectors, plain: Vectors) -> None:
        """Refuse numbers that are packed in another way than was asked for: they would be read as
        any numbers.

        Raises:
            ConfigError: says so.
        """
        room = ROUNDING * np.abs(plain).max(initial=0)
        if found.shape != plain.shape or not (np.abs(found - plain) <= room).all():
            raise ConfigError(
                f"the service does not pack numbers as {self.options.dtype}",
                where=self.options.where,
                instead="Leave dtype out",
            )

    async def ask_first(self, plain: bool = False) -> Embeddings | FailedCall:
        """What the service makes of one short text that no dataset has."""
        return await self._service.first(self.options.prompt("passage") + FIRST_TEXT, plain=plain)

    async def ask(self, texts: Sequence[str], role: Role) -> Embeddings | FailedCall:
        """The vectors of the texts of one request, prompts included."""
        return await self._service.embeddings(texts, role, self._dimension)

    def note_split(self, count: int, why: str) -> None:
        """Say that requests were refused of which no text was the cause."""
        facts = {"encoder": self.options.label, "count": f"{count:,}", "why": why}
        self._progress.note(
            _(
                "{encoder}: the service refused {count} requests as a whole but accepted "
                "their parts ({why}); lower batch_size or batch_tokens",
                **facts,
            )
        )

    def check_dimension(self, found: Embeddings) -> None:
        """Refuse vectors of another length than was asked for, or than came before.

        Raises:
            ConfigError: says both.
        """
        dimension, wanted = found.vectors.shape[1], self.options.dimensions
        if wanted is not None and dimension != wanted:
            raise ConfigError(
                f"its vectors have {dimension:,} dimensions, and dimensions asks for {wanted:,}",
                where=self.options.where,
                instead=f"Write dimensions: {dimension}, or name a model that can shorten its "
                "vectors",
            )
        if self._dimension is None:
            self._dimension = dimension
        if dimension != self._dimension:
            raise ConfigError(
                f"its vectors have {dimension:,} dimensions, and had {self._dimension:,} before",
                where=self.options.where,
                instead="One model has to answer all requests: look at what runs behind the url",
            )


class _Encoding:
    """One block of texts that is being encoded."""

    def __init__(
        self,
        encoder: OpenEndpoint,
        ids: Sequence[str],
        texts: Sequence[str],
        role: Role,
        take: TakePart,
        stage: Stage | None,
    ) -> None:
        self._encoder, self._ids, self._role = encoder, ids, role
        self._take, self._stage = take, stage
        prompt = encoder.options.prompt(role)
        self._texts = [prompt + encodable(text) for text in texts]
        self._tokens = encoder.options.count_tokens(self._texts)
        self._prompt_length = len(prompt)
        # Texts of similar length go together, as what encodes them pads them.
        order = np.argsort([-len(text) for text in self._texts], kind="stable")
        options = encoder.options
        requests = packed(self._tokens[order], options.batch_size, options.batch_tokens)
        self._left = deque(order[rows] for rows in requests)
        self._suspects: deque[NDArray[np.intp]] = deque()
        self._refused: list[str] = []
        self._poisoned: dict[int, Problem] = {}

    async def run(self) -> None:
        concurrency = self._encoder.options.concurrency
        await Lanes(lambda: concurrency, self._next_call).run()
        if self._refused and not self._poisoned:
            self._encoder.note_split(len(self._refused), self._refused[0])
        if self._poisoned:
            more = len(self._poisoned) - MAX_NAMED
            shown = [self._poisoned[row] for row in sorted(self._poisoned)[:MAX_NAMED]]
            if more > 0:
                shown.append(Problem(f"and {more:,} more", self._encoder.options.where))
            raise DataError(shown)

    def _next_call(self) -> Awaitable[None] | None:
        if self._suspects:
            return self._encode(self._suspects.popleft())
        if self._left and not self._poisoned:  # nobody pays for more than can be used
            return self._encode(self._left.popleft())
        return None

    async def _encode(self, rows: NDArray[np.intp]) -> None:
        found = await self._encoder.ask([self._texts[row] for row in rows], self._role)
        if isinstance(found, FailedCall):
            await self._split(rows, found)
            return
        self._encoder.check_dimension(found)
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(found.vectors).all(axis=1))
        for row in rows[~finite]:
            self._name(int(row), "its vector has NaN or infinity")
        if finite.any():
            shares = self._shares(rows, finite, found.tokens)
            self._take(rows[finite], found.vectors[finite], shares)
        if self._stage is not None:
            self._stage.advance(len(rows))

    def _shares(
        self, rows: NDArray[np.intp], finite: NDArray[np.bool_], counted: int | None
    ) -> TextTokens | None:
        """The tokens of each text: those that were counted, parted as they were estimated."""
        if counted is None:
            return None
        estimated = self._tokens[rows].astype(np.float64)
        if not estimated.any():  # blank texts
            estimated += 1
        shares: TextTokens = (estimated * (counted / estimated.sum())).astype(np.float32)
        return shares[finite]

    async def _split(self, rows: NDArray[np.intp], failed: FailedCall) -> None:
        """Ask for the halves of a request that one text may have made fail; one text that fails
        alone is named."""
        status = getattr(failed.failure, "status", None)
        if status not in BY_A_TEXT:
            raise refusal(self._encoder.options, failed)
        if status not in REFUSED:
            first = await self._encoder.ask_first()
            if isinstance(first, FailedCall):  # it encodes nothing at all
                raise refusal(self._encoder.options, first)
        if len(rows) == 1:
            self._name(int(rows[0]), failed.error)
            return
        self._refused.append(failed.error)
        half = len(rows) // 2
        self._suspects.extend((rows[:half], rows[half:]))

    def _name(self, row: int, why: str) -> None:
        text = self._texts[row][self._prompt_length :]
        self._poisoned[row] = Problem(
            f"the {self._role} '{self._ids[row]}' ({in_short(text)}) cannot be encoded: {why}",
            where=self._encoder.options.where,
            instead=f"{'Shorten' if text.strip() else 'Write a text for'} that {self._role}, or "
            "take it out of the dataset",
        )
