"""Your own reranker: foreign code that scores the passages of a query."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, PositiveInt

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.foreign_code import ForeignCode, first_on_path
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.calls import Asker
from ragscore.retrievers.calls.answers import Checker, gone_through, short, taken
from ragscore.retrievers.calls.vocabulary import Vocabulary
from ragscore.retrievers.custom.called_object import called_object
from ragscore.retrievers.custom.caller import Caller
from ragscore.retrievers.custom.options import CodeOptions
from ragscore.retrievers.rerank.base import Pool, PoolScores, Reranker, RerankerSpec
from ragscore.usage import Usage, UsageMeter

TAKES = "a function (query_text, passages), or a class whose objects are called so"
"""How the code is called, for messages."""

EXPECTED = "Return a list of numbers, one for each passage in their order"

KEPT = 4096
"""Passages that are kept as objects, since many queries find the same ones."""


class OwnReranker(ForeignCode, RerankerSpec):
    """Your own Python code: (query_text, passages) -> scores, one for each passage.

    The passages are :class:`~ragscore.models.Passage` objects, in the order of the first
    retriever, with ``text``, ``title``, ``tags`` and ``metadata``; a higher score is better. It
    may be a function, or a class whose objects are called so; either may be async. Its scores are
    not cached. Whoever runs an experiment with this kind in it trusts the code like a script.

    >>> OwnReranker(use="our_module:score", options={"host": "localhost"}).remote
    True
    """

    kind: Literal["custom"] = "custom"
    """Which reranker this is."""
    use: Annotated[str, Field(min_length=1)]
    """`package.module:function`, or a class in the place of the function."""
    concurrency: PositiveInt | None = None
    """How many calls are under way at once: by default 8 of async code, and one of sync code. With
    a number above 1, sync code is called in as many threads."""

    remote: ClassVar[bool] = True
    cacheable: ClassVar[bool] = False
    noun: ClassVar[str] = "reranker"
    thing: ClassVar[str] = "score"

    def content(self) -> dict[str, object]:
        """What a key digests: the options, not where the code stands nor how it is called."""
        return self.model_dump(mode="json", exclude={"folder", "concurrency"})

    def open(
        self,
        corpus: Corpus,
        texts: Sequence[str],
        cache: Cache | None,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> OpenOwnReranker:
        """Import the code, and make the object where it is a class.

        Raises:
            RetrieverError: the code cannot be imported, raises an error, or cannot be called.
        """
        with first_on_path(self.folder):
            code = self.load(name)
            ready = called_object(code, dict(self.options), name, "", TAKES)
        calls = CodeOptions(concurrency=self.concurrency)
        caller = Caller(name, TAKES, calls, self.folder, progress)
        meter = UsageMeter(ready, new=inspect.isclass(code))
        return OpenOwnReranker(ready, corpus, calls, caller, name, meter)


class OpenOwnReranker(Reranker):
    """Foreign code that is called for each query; what it returns is checked."""

    def __init__(
        self,
        function: Any,
        corpus: Corpus,
        calls: CodeOptions,
        caller: Caller,
        name: str,
        meter: UsageMeter,
    ) -> None:
        self._function = function
        self._caller = caller
        self._meter = meter
        self._name = name
        self._asker = Asker(name, calls, caller.at_once, may_fail=False)
        self._vocabulary = Vocabulary(corpus)
        self._ids = corpus.ids
        self._passage = lru_cache(KEPT)(corpus.__getitem__)

    def close(self) -> None:
        self._caller.close()

    def usage(self) -> Usage | None:
        return self._meter.spent()

    def scores(self, queries: Queries, pool: Pool) -> PoolScores:
        found = np.flatnonzero((pool >= 0).any(axis=1))
        rows = [pool[at][pool[at] >= 0].tolist() for at in found]
        ids = [queries.ids[int(at)] for at in found]

        async def ask(parts: Sequence[int]) -> list[Any]:
            [part] = parts
            text, passages = queries.texts[int(found[part])], map(self._passage, rows[part])
            read = partial(gone_through, most=len(rows[part]))
            ask = partial(self._caller.ask, self._function, query=ids[part], read=read)
            return [await ask(text, list(passages))]

        returned = self._asker.ask_all(
            queries.select(found),
            ask,
            answered=self.answered,
            run=partial(self._caller.run, self._function),
        )
        scores = np.full(pool.shape, np.nan)
        for at, own, query, answer in zip(found, rows, ids, returned, strict=True):
            scores[at][pool[at] >= 0] = self._numbers(answer, own, query)
        return PoolScores(scores)

    def _numbers(self, returned: Any, rows: list[int], query: str) -> list[float]:
        """The scores that were returned for the passages of a query.

        Raises:
            RetrieverError: they are something else; names the query, and the passage.
        """
        if isinstance(returned, (str, bytes, Set, Mapping)) or not isinstance(returned, Iterable):
            kind = type(returned).__name__
            raise self._wrong(f"a value of type {kind}, not a list of scores", returned, query)
        scores = taken(returned, len(rows))
        if len(scores) != len(rows):
            wrong = f"{len(scores):,} scores for {len(rows):,} passages"
            raise self._wrong(wrong, returned, query)
        checker = Checker(self._name, self._vocabulary, len(rows), False)
        return [
            checker.number(score, self._ids[row], returned, query)
            for score, row in zip(scores, rows, strict=True)
        ]

    def _wrong(self, what: str, returned: Any, query: str) -> RetrieverError:
        return RetrieverError(
            f"returned {what}: {short(returned)}",
            retriever=self._name,
            query=query,
            instead=EXPECTED,
        )
