"""Calling foreign code: functions, objects and classes, sync or async."""

from __future__ import annotations

import inspect
import sys
import weakref
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import SILENT, STAGES, Progress
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.custom.answers import FOREIGN, CheckedAnswer, Checker, raised, short
from ragscore.retrievers.strings import STRINGS
from ragscore.run import Run


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
            called first. Any of these may be async.
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
    made = _made(thing, dict(options or {}), name)
    index = CustomIndex(made, corpus, name, strict, concurrency, folder, progress)
    if not inspect.isroutine(made) and callable(getattr(made, "index", None)):
        with progress.stage(STAGES.note("indexing", name=name), 1) as stage:
            index.call(made.index, corpus)
            stage.advance()
    return index


@contextmanager
def first_on_path(folder: str | None) -> Iterator[None]:
    """Modules are looked for in this folder first; None changes nothing."""
    if folder is None:
        yield
        return
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with suppress(ValueError):  # the code itself may have tidied up
            sys.path.remove(folder)


def _made(thing: Any, options: dict[str, Any], name: str) -> Any:
    if inspect.isclass(thing):
        try:
            made = thing(**options)
        except FOREIGN as error:
            raise raised(error, name) from error
    elif options and callable(getattr(thing, "retrieve", None)):
        raise RetrieverError(
            f"{short(thing)} is an object already, which takes no options",
            retriever=name,
            instead="Name its class",
        )
    else:
        made = partial(thing, **options) if options and callable(thing) else thing
    if not callable(getattr(made, "retrieve", None)) and not callable(made):
        raise RetrieverError(
            f"{short(made)} cannot be called and has no method retrieve",
            retriever=name,
            instead="Give a function (query_text, k), or a class with retrieve(queries, k)",
        )
    return made


class CustomIndex(Index):
    """Foreign code over a corpus; every answer is checked.

    An async retriever's calls all run in one event loop, which lives as long as this object, so
    that connections it keeps open stay usable.
    """

    def __init__(
        self,
        thing: Any,
        corpus: Corpus,
        name: str,
        strict: bool,
        concurrency: int,
        folder: str | None,
        progress: Progress = SILENT,
    ) -> None:
        self.name = name
        self._progress = progress
        self._retrieve: Any = getattr(thing, "retrieve", None)
        self._thing = thing
        self._ids = corpus.ids
        self._strict = strict
        self._concurrency = concurrency
        self._folder = folder
        self._scored: bool | None = None
        import asyncio

        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        weakref.finalize(self, _outside_loops, self._runner.close)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        asked = self._one_by_one if self._retrieve is None else self._all_at_once
        with first_on_path(self._folder):  # code may import its neighbours when it needs them
            returned = asked(queries, depth) if len(queries) else []
        checker = Checker(self.name, self._ids, depth, self._strict)
        answers = [
            checker.answer(answer, query)
            for answer, query in zip(returned, queries.ids, strict=True)
        ]
        self._refuse_mixture(answers, returned, queries)
        width = max((len(answer.rows) for answer in answers), default=0)
        rows = np.full((len(answers), width), -1, dtype=np.int32)
        scores = np.full(rows.shape, np.nan)
        for at, answer in enumerate(answers):
            rows[at, : len(answer.rows)] = answer.rows
            if answer.scores is not None:
                scores[at, : len(answer.rows)] = answer.scores
        kept = None if self._scored is False else scores
        if kept is not None and (kept[:, 1:] > kept[:, :-1]).any():
            self._progress.note(STRINGS.note("order_not_of_scores", name=self.name))
        return Run.make(queries.ids, self._ids, rows, kept, name=self.name)

    def call(self, function: Callable[..., Any], *arguments: Any, query: str = "") -> Any:
        """The function's result, awaited where it is async."""
        try:
            result = function(*arguments)
            return self._awaited(_await(result)) if inspect.isawaitable(result) else result
        except FOREIGN as error:
            raise raised(error, self.name, query) from error

    def _all_at_once(self, queries: Queries, depth: int) -> list[Any]:
        asked = queries.ids[0]
        if len(queries) > 1:
            asked = f"{asked}' to '{queries.ids[-1]}"
        returned = self.call(self._retrieve, list(queries.texts), depth, query=asked)
        answers: list[Any] = []
        listed = isinstance(returned, Iterable) and not isinstance(returned, (str, Mapping))
        if listed:
            answers = self.call(self._gone_through, returned, query=asked)
        if not listed or len(answers) != len(queries):
            count = f"{len(answers):,} answers" if listed else "no list"
            raise RetrieverError(
                f"retrieve returned {count} for {len(queries):,} queries: {short(returned)}",
                retriever=self.name,
                query=asked,
                instead="Return a list with one ranking for each query, in their order",
            )
        return answers

    def _gone_through(self, returned: Iterable[Any]) -> list[Any]:
        if not inspect.isgenerator(returned):
            return list(returned)
        answers = []
        for answer in returned:  # it works only now
            answers.append(answer)
            self.answered.advance()
        return answers

    def _one_by_one(self, queries: Queries, depth: int) -> list[Any]:
        results: list[Any] = []
        for text, query in zip(queries.texts, queries.ids, strict=True):
            try:
                result = self._thing(text, depth)
            except FOREIGN as error:
                raise raised(error, self.name, query) from error
            if inspect.isawaitable(result):
                gathered: list[Any] = self._awaited(self._gathered(queries, depth, result))
                return gathered
            results.append(result)
            self.answered.advance()
        return results

    async def _gathered(self, queries: Queries, depth: int, first: Awaitable[Any]) -> list[Any]:
        """All answers of an async function, at most ``concurrency`` under way at once."""
        import asyncio

        free = asyncio.Semaphore(self._concurrency)

        async def answer_of(at: int) -> Any:
            async with free:
                try:
                    answer = await (self._thing(queries.texts[at], depth) if at else first)
                    self.answered.advance()
                    return answer
                except Exception as error:
                    raise raised(error, self.name, queries.ids[at]) from error

        tasks = [asyncio.ensure_future(answer_of(at)) for at in range(len(queries))]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    def _awaited(self, coroutine: Any) -> Any:
        return _outside_loops(self._runner.run, coroutine)

    def _refuse_mixture(
        self, answers: list[CheckedAnswer], returned: list[Any], queries: Queries
    ) -> None:
        for at, answer in enumerate(answers):
            if not answer.rows:
                continue
            scored = answer.scores is not None
            if self._scored is None:
                self._scored = scored
            if scored is not self._scored:
                now, before = ("scores", "none") if scored else ("no scores", "some")
                raise RetrieverError(
                    f"returned {now} where earlier queries got {before}: {short(returned[at])}",
                    retriever=self.name,
                    query=queries.ids[at],
                    instead="Give scores for every query or for none",
                )


async def _await(result: Awaitable[Any]) -> Any:
    return await result


def _outside_loops(function: Callable[..., Any], *arguments: Any) -> Any:
    """The function's result; called in another thread where an event loop runs in this one, as
    in a notebook, since loops do not nest."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function(*arguments)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments).result()
