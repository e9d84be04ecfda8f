"""Foreign code made ready: the object to call."""

from __future__ import annotations

import inspect
import sys
from contextlib import redirect_stdout
from functools import partial
from typing import Any

from ragscore.errors import RetrieverError
from ragscore.retrievers.calls.answers import failing, short
from ragscore.retrievers.custom.frameworks import framework_call


def called_object(thing: Any, options: dict[str, Any], name: str, method: str, takes: str) -> Any:
    """The object to call: of a class an instance, of a function one that is given the options.

    Args:
        thing: a class, a function, or an object.
        options: keyword arguments of the class's constructor, or of the function.
        name: of the retriever, for messages.
        method: what an object may have in place of being callable; empty if it must be callable.
        takes: how it is called, for messages.

    Raises:
        RetrieverError: it raises, or can't be called.
    """
    if inspect.isclass(thing):
        with failing(name, takes=_options_of(thing) or takes), redirect_stdout(sys.stderr):
            found = thing(**options)
    elif options and method and (callable(getattr(thing, method, None)) or framework_call(thing)):
        raise RetrieverError(
            f"{short(thing)} is an object already, which takes no options",
            retriever=name,
            instead="Name its class",
        )
    else:
        found = partial(thing, **options) if options and callable(thing) else thing
    known = callable(getattr(found, method or "__call__", None)) or callable(found)
    if not known and (not method or framework_call(found) is None):
        lacks = f" and has no method {method}" if method else ""
        raise RetrieverError(
            f"{short(found)} cannot be called{lacks}", retriever=name, instead=f"Give {takes}"
        )
    return found


def _options_of(thing: type) -> str:
    """What a class is made with, for messages; empty if it does not say."""
    try:
        parameters = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return ""
    return f"options that {thing.__name__} takes: {', '.join(parameters) or 'none'}"
