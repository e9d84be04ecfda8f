"""Threads: calls in threads that no process waits for when it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

Call = tuple["Future[Any]", Callable[[], Any]]


class Threads:
    """Makes each call in a thread that has nothing else to do, or in a new one. A call that hangs
    keeps its thread, which ends with the process."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Call | None]] = []
        self._closed = False

    def submit(self, function: Callable[[], Any]) -> Future[Any]:
        """What the function returns, once it has."""
        future: Future[Any] = Future()
        try:
            calls = self._idle.pop()
        except IndexError:
            calls = SimpleQueue()
            threading.Thread(target=self._work, args=(calls,), daemon=True).start()
        calls.put((future, function))
        return future

    def close(self) -> None:
        """End the threads that have nothing to do, and the others once they have finished."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _work(self, calls: SimpleQueue[Call | None]) -> None:
        while (call := calls.get()) is not None:
            future, function = call
            fulfil(future, function, lambda: self._idle.append(calls))
            if self._closed:
                self.close()  # this one, too


def fulfil(future: Future[Any], function: Callable[[], Any], then: Callable[[], None]) -> None:
    """Call a function, and give what it returns or raises to whoever waits for it.

    Args:
        future: of whoever waits; where it was given up already, nothing is called.
        function: what is called.
        then: called before the result is given.
    """
    if not future.set_running_or_notify_cancel():
        then()
        return
    try:
        result = function()
    except BaseException as error:
        then()
        future.set_exception(error)
    else:
        then()
        future.set_result(result)
