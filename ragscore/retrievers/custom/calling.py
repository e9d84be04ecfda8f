"""Calling foreign code: functions, objects and classes, sync or async."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import SILENT, STAGES, Progress
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.custom.answered_run import AnsweredRuns
from ragscore.retrievers.custom.answers import short, taken
from ragscore.retrievers.custom.caller import Caller, made
from ragscore.retrievers.usage import Usage, UsageMeter
from ragscore.run import Run

TAKES = "a function (query_text, k), or a class with retrieve(queries, k)"
"""How the code is called, for messages."""


def open_custom(
    thing: Any,
    corpus: Corpus,
    *,
    name: str = "custom",
    strict: bool = False,
    options: Mapping[str, Any] | None = None,
    concurrency: int = 8,
    folder: str | None = None,
    progress: Progress = SILENT,
) -> CustomIndex:
    """A retriever from Python code.

    Args:
        thing: a function ``(query_text, k)`` that returns passage ids, best first, or
            (id, score) pairs; or an object or class with ``retrieve(queries, k)``, a list of
            texts in and a list of such answers out, and perhaps ``index(corpus)``, which is
            called first. Any of these may be async. Its attribute ``usage``, where it has one,
            counts tokens and money; see :func:`~ragscore.retrievers.usage.read_usage`.
        corpus: what it searches.
        name: name of the runs.
        strict: a passage returned twice is an error.
        options: keyword arguments of the class's constructor, or of the function.
        concurrency: how many calls of an async function are under way at once.
        folder: where modules are looked for first while it is called.
        progress: is notified of the indexing.

    Raises:
        RetrieverError: it raises, or is nothing that can retrieve.
    """
    ready = made(thing, dict(options or {}), name, "retrieve", TAKES)
    caller = Caller(name, TAKES, concurrency, folder)
    index = CustomIndex(ready, corpus, name, strict, caller, progress)
    index.meter = UsageMeter(ready, new=inspect.isclass(thing))
    if not inspect.isroutine(ready) and callable(getattr(ready, "index", None)):
        began = time.perf_counter()
        with progress.stage(STAGES.note("indexing", name=name), 1) as stage:
            caller.call(ready.index, corpus.lent())
            stage.advance()
        index.build_cost = BuildCost(time.perf_counter() - began)
    return index


class CustomIndex(Index):
    """Foreign code over a corpus; every answer is checked."""

    def __init__(
        self,
        thing: Any,
        corpus: Corpus,
        name: str,
        strict: bool,
        caller: Caller,
        progress: Progress = SILENT,
    ) -> None:
        self.name = name
        self._retrieve: Any = getattr(thing, "retrieve", None)
        self._thing = thing
        self._runs = AnsweredRuns(name, corpus.ids, strict, progress)
        self._caller = caller
        self.meter = UsageMeter(thing, new=True)

    def close(self) -> None:
        self._caller.close()

    def usage(self) -> Usage | None:
        return self.meter.spent()

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        asked = self._one_by_one if self._retrieve is None else self._all_at_once
        returned = asked(queries, depth) if len(queries) else []
        checker = self._runs.checker(depth)
        answers = [
            checker.answer(answer, query)
            for answer, query in zip(returned, queries.ids, strict=True)
        ]
        for row, what in self._runs.differing(answers):
            raise RetrieverError(
                f"{what}: {short(returned[row])}",
                retriever=self.name,
                query=queries.ids[row],
                instead="Give scores for every query or for none",
            )
        return self._runs.run(answers, queries)

    def _one_by_one(self, queries: Queries, depth: int) -> list[Any]:
        arguments = [(text, depth) for text in queries.texts]
        return self._caller.each(self._thing, arguments, queries.ids, self.answered)

    def _all_at_once(self, queries: Queries, depth: int) -> list[Any]:
        asked = queries.ids[0]
        if len(queries) > 1:
            asked = f"{asked}' to '{queries.ids[-1]}"
        returned = self._caller.call(self._retrieve, list(queries.texts), depth, query=asked)
        answers: list[Any] = []
        listed = isinstance(returned, Iterable) and not isinstance(returned, (str, Mapping))
        if listed:
            answers = self._caller.call(self._gone_through, returned, len(queries), query=asked)
        if not listed or len(answers) != len(queries):
            count = f"{len(answers):,} answers" if listed else "no list"
            raise RetrieverError(
                f"retrieve returned {count} for {len(queries):,} queries: {short(returned)}",
                retriever=self.name,
                query=asked,
                instead="Return a list with one ranking for each query, in their order",
            )
        return answers

    def _gone_through(self, returned: Iterable[Any], count: int) -> list[Any]:
        if not inspect.isgenerator(returned):
            return taken(returned, count)
        answers = []
        for answer in islice(returned, count + 1):  # it works only now
            answers.append(answer)
            self.answered.advance()
        return answers
