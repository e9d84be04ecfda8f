"""What foreign code returned, checked: nothing passes that cannot be a ranking."""

from __future__ import annotations

import math
import os
import traceback
from collections.abc import Iterable, Iterator, Mapping, Set, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from pathlib import Path
from reprlib import Repr
from typing import Any, SupportsFloat

from ragscore.errors import RetrieverError, message_of
from ragscore.retrievers.calls.vocabulary import Vocabulary

PACKAGE = Path(__file__).resolve().parents[2]

EXPECTED = "Return a list of passage ids, best first, or of (id, score) pairs"


def taken(returned: Iterable[Any], most: int) -> list[Any]:
    """What was returned, as a list; of a generator, which may never end, one item more than
    ``most`` and no further."""
    return list(returned if isinstance(returned, Sized) else islice(returned, most + 1))


def gone_through(returned: Any, most: int) -> Any:
    """What was returned, with all its items there: a generator works only when it is gone through.
    Of one that may never end, one item more than ``most`` is taken."""
    if isinstance(returned, Iterable) and not isinstance(returned, Sized):
        return taken(returned, most)
    return returned


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """One query's passages as rows of the corpus; ``scores`` is None for a bare ranking."""

    rows: list[int]
    scores: list[float] | None


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks the answers of one retriever.

    Attributes:
        retriever: its name, which every error states.
        passages: what it may return.
        k: how many passages were asked for.
        strict: a passage returned twice is an error.
    """

    retriever: str
    passages: Vocabulary
    k: int
    strict: bool

    def answer(self, returned: Any, query: str) -> CheckedAnswer:
        """Rows and scores of what was returned for one query.

        Raises:
            RetrieverError: names the retriever and the query, and shows what was returned.
        """
        items = self._items(returned, query)
        if len(items) > self.k:
            raise self._wrong(
                f"returned {len(items):,} passages where at most {self.k:,} were asked for",
                returned, query, "Return no more than k",
            )  # fmt: skip
        ids, scores = self._split(items, returned, query)
        rows = list(map(self.passages.row, ids))
        if -1 in rows:
            if self.passages.open:
                raise self._wrong(
                    "returned an id with half a surrogate pair", returned, query, EXPECTED
                )
            some = ", ".join(f"'{known}'" for known in self.passages.ids[:2])
            raise self._wrong(
                f"returned the passage '{ids[rows.index(-1)]}', which is not in the corpus",
                returned, query, f"The corpus has ids such as {some}",
            )  # fmt: skip
        if self.strict and len(set(rows)) < len(rows):
            twice = next(at for at, row in enumerate(rows) if row in rows[:at])
            raise self._wrong(
                f"returned the passage '{ids[twice]}' twice", returned, query,
                "Return each passage once, or run without --strict to keep the first",
            )  # fmt: skip
        return CheckedAnswer(rows, scores)

    def _items(self, returned: Any, query: str) -> list[Any]:
        if isinstance(returned, Mapping):
            with failing(self.retriever, query):
                return list(returned.items())
        if isinstance(returned, (str, bytes, Set)) or not isinstance(returned, Iterable):
            kind = type(returned).__name__
            raise self._wrong(
                f"returned a value of type {kind}, which is not a ranking",
                returned,
                query,
                EXPECTED,
            )
        with failing(self.retriever, query):  # a generator runs only now
            return taken(returned, self.k)

    def _split(
        self, items: list[Any], returned: Any, query: str
    ) -> tuple[list[str], list[float] | None]:
        if all(isinstance(item, str) for item in items):
            return items, None
        ids: list[str] = []
        scores: list[float] = []
        for item in items:
            if isinstance(item, str):
                raise self._wrong(
                    "returned a mix of ids and (id, score) pairs", returned, query, EXPECTED
                )
            if not isinstance(item, (tuple, list)) or len(item) != 2:
                raise self._wrong(
                    f"returned {short(item)}, which is neither an id nor an (id, score) pair",
                    returned, query, _hint(item),
                )  # fmt: skip
            passage, score = item
            if not isinstance(passage, str):
                raise self._wrong(
                    f"returned the id {short(passage)}, which is not text",
                    returned, query, _hint(passage),
                )  # fmt: skip
            ids.append(passage)
            scores.append(self.number(score, passage, returned, query))
        return ids, scores

    def number(self, score: Any, passage: str, returned: Any, query: str) -> float:
        """A score as a finite number; ``returned`` is the whole answer, which errors show.

        Raises:
            RetrieverError: it is none; names the query and the passage.
        """
        if type(score) is float and math.isfinite(score):
            return score  # what systems return, at once
        if isinstance(score, bool) or not isinstance(score, SupportsFloat):
            raise self._wrong(
                f"returned the score {short(score)} for passage '{passage}'",
                returned, query, "A score is a number",
            )  # fmt: skip
        with failing(self.retriever, query):
            number = float(score)
        if not math.isfinite(number):
            raise self._wrong(
                f"returned the score {number} for passage '{passage}'",
                returned, query, "A score is a finite number",
            )  # fmt: skip
        return number

    def _wrong(self, what: str, returned: Any, query: str, instead: str) -> RetrieverError:
        return RetrieverError(
            f"{what}: {short(returned)}", retriever=self.retriever, query=query, instead=instead
        )


@contextmanager
def failing(retriever: str, query: str = "", *, takes: str = "") -> Iterator[None]:
    """Whatever foreign code raises in it fails its retriever alone, ``SystemExit`` and the
    cancelling of asyncio too: only Ctrl-C ends the experiment. A process that the code has forked
    ends here: it would go through the rest of the experiment a second time.

    Args:
        retriever, query: whose call it is.
        takes: how the code is called, for the message where it raises before its own first line.

    Raises:
        RetrieverError: says what the code raised, and where.
    """
    process = os.getpid()
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _raised(error, retriever, query, takes) from error
    finally:
        if os.getpid() != process:
            os._exit(1)


def _raised(error: BaseException, retriever: str, query: str, takes: str) -> RetrieverError:
    message = next(iter(message_of(error).splitlines()), "")
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not Path(frame.filename).is_relative_to(PACKAGE)]
    place = f" ({Path(outside[-1].filename).name}:{outside[-1].lineno})" if outside else ""
    return RetrieverError(
        f"raised {type(error).__name__}: {message[:300]}{place}",
        retriever=retriever,
        query=query,
        instead="" if outside or not takes else f"Give {takes}",
    )


def _hint(item: Any) -> str:
    return f"Ids are text: write '{item}'" if isinstance(item, Integral) else EXPECTED


_repr = Repr()
_repr.maxlist = _repr.maxtuple = _repr.maxdict = 4
_repr.maxstring = _repr.maxother = 60


def short(value: Any) -> str:
    """A value as Python writes it, long parts left out."""
    return _repr.repr(value)
