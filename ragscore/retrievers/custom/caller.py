"""Caller: calls foreign code, sync or async, one query at a time or many at once."""

from __future__ import annotations

import inspect
import sys
import weakref
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any

from ragscore.errors import RetrieverError
from ragscore.progress import Stage
from ragscore.retrievers.custom.answers import failing, short


class Caller:
    """Calls foreign code for one retriever, and names it and the query in errors.

    All async calls run in one event loop, which lives as long as this object, so that connections
    that the code keeps open stay usable.

    Args:
        name: of the retriever.
        takes: what the code is called with, for the message where it takes something else.
        concurrency: how many async calls are under way at once.
        folder: where modules are looked for first while it is called.
    """

    def __init__(self, name: str, takes: str, concurrency: int = 8, folder: str | None = None):
        self._name = name
        self._takes = takes
        self._concurrency = concurrency
        self._folder = folder
        import asyncio

        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._end = weakref.finalize(self, outside_loops, self._runner.close)

    def close(self) -> None:
        """Close the event loop, and what still runs in it."""
        self._end()

    def call(self, function: Callable[..., Any], *arguments: Any, query: str = "") -> Any:
        """The function's result, awaited where it is async.

        Raises:
            RetrieverError: it raised; the error names the query.
        """
        # Code may import its neighbours when it needs them.
        with first_on_path(self._folder), self._failing(query):
            result = function(*arguments)
            return self._awaited(_await(result)) if inspect.isawaitable(result) else result

    def each(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        queries: Sequence[str],
        answered: Stage,
    ) -> list[Any]:
        """What the function returns for each query.

        Args:
            function: sync or async.
            arguments: what it is called with, by query.
            queries: their ids.
            answered: is notified of each answer.

        Raises:
            RetrieverError: it raised; the error names the query.
        """
        results: list[Any] = []
        with first_on_path(self._folder):
            for given, query in zip(arguments, queries, strict=True):
                with self._failing(query):
                    result = function(*given)
                if inspect.isawaitable(result):
                    gathered: list[Any] = self._awaited(
                        self._gathered(function, arguments, queries, answered, result)
                    )
                    return gathered
                results.append(result)
                answered.advance()
        return results

    async def _gathered(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        queries: Sequence[str],
        answered: Stage,
        first: Awaitable[Any],
    ) -> list[Any]:
        """All answers of an async function, at most ``concurrency`` under way at once."""
        import asyncio

        free = asyncio.Semaphore(self._concurrency)

        async def answer_of(at: int) -> Any:
            async with free:
                with self._failing(queries[at]):
                    answer = await (function(*arguments[at]) if at else first)
                answered.advance()
                return answer

        tasks = [asyncio.ensure_future(answer_of(at)) for at in range(len(queries))]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            own = asyncio.current_task()
            if own is not None and own.cancelling():  # Ctrl-C, which each answer failed by
                raise asyncio.CancelledError from None
            raise

    def _failing(self, query: str) -> AbstractContextManager[None]:
        return failing(self._name, query, takes=self._takes)

    def _awaited(self, coroutine: Any) -> Any:
        return outside_loops(self._runner.run, coroutine)


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


def made(thing: Any, options: dict[str, Any], name: str, method: str, takes: str) -> Any:
    """The object to call: of a class an instance, of a function one that is given the options.

    Args:
        thing: a class, a function, or an object.
        options: keyword arguments of the class's constructor, or of the function.
        name: of the retriever, for messages.
        method: what an object may have in place of being callable; empty where it must be callable.
        takes: how it is called, for messages.

    Raises:
        RetrieverError: it raises, or can't be called.
    """
    if inspect.isclass(thing):
        with failing(name, takes=takes):
            found = thing(**options)
    elif options and method and callable(getattr(thing, method, None)):
        raise RetrieverError(
            f"{short(thing)} is an object already, which takes no options",
            retriever=name,
            instead="Name its class",
        )
    else:
        found = partial(thing, **options) if options and callable(thing) else thing
    if not callable(getattr(found, method or "__call__", None)) and not callable(found):
        lacks = f" and has no method {method}" if method else ""
        raise RetrieverError(
            f"{short(found)} cannot be called{lacks}", retriever=name, instead=f"Give {takes}"
        )
    return found


async def _await(result: Awaitable[Any]) -> Any:
    return await result


def outside_loops(function: Callable[..., Any], *arguments: Any) -> Any:
    """The function's result; called in another thread where an event loop runs in this one, as
    in a notebook, since loops do not nest."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function(*arguments)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments).result()
