"""Caller: calls foreign code, sync or async, one query at a time or many at once."""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

from ragscore.errors import RetrieverError
from ragscore.foreign_code import first_on_path
from ragscore.messages import _
from ragscore.outside.event_loops import outside_loops
from ragscore.outside.threads import Threads, fulfil
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.calls import PermanentFailure, TemporaryFailure
from ragscore.retrievers.calls.answers import failing
from ragscore.retrievers.custom.options import CodeOptions
from ragscore.waiting import next_item

AT_ONCE = 8
"""Calls of async code that are under way at once, where no option says how many."""
_LASTING = SyntaxError, NameError, ImportError, NotImplementedError
GRACE = 5.0
"""Seconds that async code gets to end once its event loop closes."""


class Caller:
    """Calls foreign code for one retriever, and names it and the query in errors.

    All async calls run in one event loop, which lives as long as this object, so that connections
    that the code keeps open stay usable. Sync code is called in the thread of the run, one query
    at a time; in threads of its own where options say how many calls are under way at once, or how
    long one may take. What it writes to stdout goes to stderr, as stdout is for results.

    Args:
        name: of the retriever.
        takes: what the code is called with, for the message where it takes something else.
        options: how it is called.
        folder: where modules are looked for first while it is called.
        progress: reports threads that are left behind.
    """

    def __init__(
        self,
        name: str,
        takes: str,
        options: CodeOptions,
        folder: str | None = None,
        progress: Progress = SILENT,
    ) -> None:
        import asyncio

        self._name = name
        self._takes = takes
        self._options = options
        self._folder = folder
        self._progress = progress
        self._async = False
        self._threads: Threads | None = None
        if (options.concurrency or 1) > 1 or options.timeout is not None:
            self._threads = Threads()
        self._here: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] | None = None
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._end = weakref.finalize(self, _close, self._runner, self._threads)

    def close(self) -> None:
        """Close the event loop, and what still runs in it."""
        self._end()

    def at_once(self) -> int:
        """How many calls may be under way at once, as far as is known: whether code is async may
        only show in what it returns."""
        several = self._async or self._threads is not None
        return self._options.concurrency or (AT_ONCE if self._async else 1) if several else 1

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The function's result, awaited where it is async.

        Raises:
            RetrieverError: it raised.
        """
        with self._in_its_place(), self._failing():
            result = function(*arguments)
            return self._awaited(_await(result)) if inspect.isawaitable(result) else result

    def run(self, function: Callable[..., Any], asking: Coroutine[Any, Any, Any]) -> Any:
        """Run what makes calls by :meth:`ask`.

        Args:
            function: what will be called.
            asking: what calls it.
        """
        self._async = self._async or _is_async(function)
        with self._in_its_place():
            if self._threads is not None or _is_async(function):
                return self._awaited(asking)
            return self._beside(asking)

    async def ask(
        self, function: Callable[..., Any], *arguments: Any, query: str, read: Callable[[Any], Any]
    ) -> Any:
        """What is read of the function's result, within what :meth:`run` runs.

        Args:
            function: sync or async.
            arguments: what it is called with.
            query: whose call it is.
            read: goes through what it returns, which may run more of its code.

        Raises:
            TemporaryFailure: it raised, whatever it was.
            PermanentFailure: it raised what it would raise again.
        """
        import asyncio

        try:
            if _is_async(function):
                return await self._unless_given_up(function, arguments, query, read)
            called = partial(self._called, function, arguments, query, read)
            result = await self._elsewhere(called)
            if not inspect.isawaitable(result):
                return result
            self._async = True
            return await self._unless_given_up(lambda: result, (), query, read)
        except RetrieverError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # it failed since it was given up
                raise asyncio.CancelledError from None
            [problem] = error.problems
            said = f"{problem.what}. {problem.instead}" if problem.instead else problem.what
            # It is called wrongly, or has an error in its own text.
            lasting = problem.instead or isinstance(error.__cause__, _LASTING)
            raise (PermanentFailure if lasting else TemporaryFailure)(said) from error.__cause__

    def _called(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        query: str,
        read: Callable[[Any], Any],
    ) -> Any:
        """What is read of a function's result, or what is to be awaited."""
        with self._failing(query):
            result = function(*arguments)
            return result if inspect.isawaitable(result) else read(result)

    async def _unless_given_up(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        query: str,
        read: Callable[[Any], Any],
    ) -> Any:
        """What is read of the result of async code; where whoever waits for it gives up, it is told
        to end and not waited for, since it may not listen."""
        import asyncio

        async def awaited() -> Any:
            with self._failing(query):
                return read(await function(*arguments))

        under_way = asyncio.ensure_future(awaited())
        try:
            return await asyncio.shield(under_way)
        finally:
            if not under_way.done():
                under_way.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
                under_way.cancel()

    def _failing(self, query: str = "") -> AbstractContextManager[None]:
        return failing(self._name, query, takes=self._takes)

    async def _elsewhere(self, function: Callable[[], Any]) -> Any:
        """What a function returns that is called outside the event loop: it may run one itself."""
        import asyncio

        if self._threads is None:
            future: Future[Any] = Future()
            assert self._here is not None
            self._here.put((future, function))
            return await asyncio.wrap_future(future)
        future = self._threads.submit(function)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.running():
                self._progress.note(
                    _(
                        "{name}: a call that timed out keeps running in its own thread "
                        "because nothing can stop it; it ends with the process",
                        name=self._name,
                    )
                )
            raise

    def _beside(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """Run what makes calls in a thread, and make the calls in this one."""
        import asyncio

        calls = self._here = SimpleQueue()
        outcome: Future[Any] = Future()
        under_way: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
        stopped = threading.Event()

        async def asked() -> Any:
            task = asyncio.current_task()
            assert task is not None
            under_way.append((asyncio.get_running_loop(), task))
            if stopped.is_set():
                asking.close()
                raise asyncio.CancelledError
            return await asking

        thread = threading.Thread(
            target=fulfil,
            args=(outcome, lambda: self._runner.run(asked()), lambda: calls.put(None)),
            daemon=True,
        )
        thread.start()
        try:
            while (call := next_item(calls)) is not None:
                future, function = call
                fulfil(future, function, _nothing)
                if isinstance(future.exception(), KeyboardInterrupt):
                    raise KeyboardInterrupt
        except BaseException:
            stopped.set()
            for loop, task in under_way:
                loop.call_soon_threadsafe(task.cancel)
            raise
        finally:
            thread.join()
        return outcome.result()

    @contextmanager
    def _in_its_place(self) -> Iterator[None]:
        # Code may import its neighbours when it needs them.
        with first_on_path(self._folder), redirect_stdout(sys.stderr):
            yield

    def _awaited(self, coroutine: Any) -> Any:
        return outside_loops(self._runner.run, coroutine)


def _nothing() -> None:
    pass


def _is_async(function: Callable[..., Any]) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004  (of an object whose call is async)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _close(runner: Any, threads: Threads | None) -> None:
    """Close an event loop, in a thread where one runs in this one; code that does not end when it
    is told to is left behind."""
    if threads is not None:
        threads.close()

    def close() -> None:
        with suppress(BaseException):  # of code that was stopped before it was done
            runner.get_loop().set_exception_handler(lambda loop, context: None)
            runner.close()

    closing = threading.Thread(target=close, daemon=True)
    with suppress(RuntimeError):  # since Python 3.12 none starts while the interpreter ends
        closing.start()
        closing.join(GRACE)


async def _await(result: Awaitable[Any]) -> Any:
    return await result
