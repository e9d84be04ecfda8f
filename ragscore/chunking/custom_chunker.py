"""custom: foreign code that cuts a text."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from itertools import islice
from typing import Any, ClassVar, Literal

import numpy as np

from ragscore.chunking.base import ChunkerSpec
from ragscore.chunking.cutting import checked_spans
from ragscore.chunking.text_layout import Spans
from ragscore.described import in_short
from ragscore.errors import ConfigError, DataError, Problem, RagscoreError, message_of
from ragscore.foreign_code import ForeignCode, first_on_path

EXPECTED = "Return (start, end) pairs, or the texts of the chunks in their order"
NAME = "custom"


class CustomChunker(ForeignCode, ChunkerSpec):
    """Your own Python code: a function (text) -> chunks.

    It returns (start, end) pairs of characters, or the chunks' texts in the order of their
    beginnings, each of which is looked for behind the beginning of the one before. It may be a
    class, whose objects are called so. What it returns is checked. Whoever runs an experiment with
    this kind in it trusts the code like a script.

    >>> text = "Rent is due. Pets are allowed."
    >>> CustomChunker(use="textwrap:wrap", options={"width": 18}).spans(text).tolist()
    [[0, 17], [18, 30]]
    """

    kind: Literal["custom"] = "custom"
    noun: ClassVar[str] = "chunker"
    thing: ClassVar[str] = "chunk"
    cacheable: ClassVar[bool] = False

    @property
    def quick(self) -> bool:
        """Never: a plan runs no code of yours."""
        return False

    def code_error(self, problem: Problem, name: str) -> RagscoreError:
        """The error that says what is wrong with the code."""
        return ConfigError(problem.what, where=f"chunker '{self.use}'", instead=problem.instead)

    def spans(self, text: str) -> Spans:
        """As :meth:`ChunkerSpec.spans`; the code is imported and run now.

        Raises:
            ConfigError: the code cannot be imported, or its class cannot be made.
            DataError: it raised an error, or returned something else than chunks of the text.
        """
        return self.opened()(text)

    def opened(self) -> Callable[[str], Spans]:
        """Import the code, and make the object where it is a class.

        Raises:
            ConfigError: the code cannot be imported, or its class cannot be made.
        """
        with self._in_its_place():
            function = self._function()

        def spans(text: str) -> Spans:
            with self._in_its_place():
                returned = _returned(function, text)
            texts = any(isinstance(chunk, str) for chunk in returned)
            return checked_spans(located(returned, text) if texts else as_spans(returned), text)

        return spans

    @contextmanager
    def _in_its_place(self) -> Iterator[None]:
        # Code may import its neighbours when it needs them; stdout is for results.
        with first_on_path(self.folder), redirect_stdout(sys.stderr):
            yield

    def _function(self) -> Callable[..., Any]:
        thing: Any = self.load(NAME)
        make: Callable[..., Any] = thing
        if not inspect.isclass(thing):
            return lambda text: make(text, **self.options)
        try:
            made: Callable[..., Any] = make(**self.options)
        except Exception as error:
            raise self.code_error(Problem(_raised(error)), NAME) from error
        return made


def _returned(function: Callable[..., Any], text: str) -> Any:
    try:
        returned = function(text)
        if isinstance(returned, (str, bytes, Mapping)) or not isinstance(returned, Iterable):
            raise DataError(f"it returned {in_short(returned)}", instead=EXPECTED)
        if isinstance(returned, np.ndarray):
            returned = returned.tolist()
        # A generator runs its code here; more chunks than this are no chunks of the text.
        return list(islice(returned, 2 * len(text) + 2))
    except RagscoreError:
        raise
    except Exception as error:
        raise DataError(_raised(error)) from error


def _raised(error: Exception) -> str:
    return f"it raised {type(error).__name__}: {message_of(error)}"


def as_spans(returned: Iterable[Any]) -> Spans:
    """Pairs of whole numbers as spans.

    Raises:
        DataError: they are something else.
    """
    found = []
    for pair in returned:
        try:
            start, end = pair
            whole = int(start) == start and int(end) == end
        except (TypeError, ValueError):
            whole = False
        if not whole:
            raise DataError(f"{in_short(pair)} is not a chunk", instead=EXPECTED)
        found.append((int(start), int(end)))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def located(chunks: Iterable[Any], text: str) -> Spans:
    """Where the texts of chunks stand in a text, each behind the beginning of the one before it.

    Raises:
        DataError: one does not stand there.
    """
    found = []
    start = -1
    for number, chunk in enumerate(chunks):
        if not isinstance(chunk, str):
            raise DataError(f"{in_short(chunk)} stands among texts", instead=EXPECTED)
        if not chunk:
            continue
        start = text.find(chunk, start + 1)
        if start < 0:
            raise DataError(
                f"chunk {number + 1}, {in_short(chunk)}, does not stand in the text behind the "
                "beginning of the one before it",
                instead="Return (start, end) pairs, where the code changes the text",
            )
        found.append((start, start + len(chunk)))
    return np.array(found, dtype=np.int64).reshape(-1, 2)
