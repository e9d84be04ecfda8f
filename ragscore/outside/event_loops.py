"""Running async code from code that is not, also where a loop runs already."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


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
