"""Answers of systems outside, kept block by block while they are asked: a run that ends early, by
Ctrl-C, a kill, too many errors or a full disk, goes on from them.

Unlike other cache entries, answers are not determined by their key: the system may answer
differently tomorrow. They are kept only so that an interrupted run can resume: they go when its
result is written, and when they are too old (``ragscore.cache.LIFETIMES``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import LIFETIMES, Cache
from ragscore.dataset import Ids, Queries
from ragscore.elements.numbers import count_text
from ragscore.errors import DiskError, RetrieverError
from ragscore.experiment.cached_runs import AnsweredBlock, read_answers, write_answers
from ragscore.messages import Message, _
from ragscore.progress import SILENT, Progress
from ragscore.run import Run, concatenate

ANSWERS = "answers"
"""The cache's kind of entry; a key is KEY.SESSION.NUMBER."""


class Journal:
    """What the systems of one experiment answered, kept until its result is written.

    Use it as a context manager: its entries then stay after an error, for the next run. Other
    processes leave them alone until it has ended.

    Args:
        cache: where they are kept; None, or one that goes with the process, keeps nothing.
        anew: delete what earlier runs kept instead of going on from it.
    """

    def __init__(self, cache: Cache | None, *, anew: bool = False) -> None:
        self._anew = anew
        self.cache = cache if cache is not None and cache.persistent else None
        self.began = time.time()
        self._held = ExitStack()
        self._session: str | None = None
        self._done: set[str] = set()
        self._count = 0

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._held.close()
        self._session = None

    def read(
        self, key: str, queries: Queries, passages: Ids, name: str, progress: Progress = SILENT
    ) -> list[AnsweredBlock]:
        """What earlier runs that ended early, and this one, keep under a key, oldest first.

        Args:
            key: of all that the answers are known to depend on.
            queries: all of them.
            passages: the corpus's ids.
            name: of the retriever.
            progress: reports a damaged entry.
        """
        if self.cache is None:
            return []
        if self._anew:
            for entry in list(self._entries(key)):
                if entry.split(".")[1] != self._session:
                    self.cache.delete(ANSWERS, entry)

        def read(entry: str) -> AnsweredBlock | None:
            assert self.cache is not None
            return self.cache.read(
                ANSWERS,
                entry,
                lambda folder: read_answers(folder, queries, passages, name),
                progress=progress,
            )

        return self._blocks(key, read)

    def peek(self, key: str, queries: Queries, passages: Ids) -> list[AnsweredBlock]:
        """What :meth:`read` gives; but looking changes nothing."""
        cache = self.cache
        if cache is None:
            return []
        return self._blocks(
            key,
            lambda entry: cache.peek(
                ANSWERS, entry, lambda folder: read_answers(folder, queries, passages, "")
            ),
        )

    def _blocks(self, key: str, read: Callable[[str], AnsweredBlock | None]) -> list[AnsweredBlock]:
        oldest = time.time() - LIFETIMES[ANSWERS]
        found = (read(entry) for entry in self._entries(key))
        blocks = [block for block in found if block is not None and block.asked >= oldest]
        return sorted(blocks, key=lambda block: block.asked)

    def _entries(self, key: str) -> Iterator[str]:
        """The keys of what this process may read, and delete when it is done."""
        assert self.cache is not None
        running = self.cache.sessions(ANSWERS) - {self._session}
        for entry in self.cache.keys(ANSWERS, f"{key}."):
            if entry.split(".")[1] not in running:
                yield entry

    def keep(self, key: str, block: AnsweredBlock) -> bool:
        """Keep a block, where the disk takes it; whether it did."""
        cache = self.cache
        if cache is None or cache.failure is not None:
            return False
        if self._session is None:
            try:
                self._session = self._held.enter_context(cache.session(ANSWERS))
            except DiskError as error:
                cache.failure = error
                return False
        self._count += 1
        entry = f"{key}.{self._session}.{self._count}"
        return cache.keep(ANSWERS, entry, lambda folder: write_answers(folder, block)) is not None

    def finish(self, key: str) -> None:
        """All queries are answered: :meth:`forget` may delete what is kept."""
        self._done.add(key)

    def forget(self) -> None:
        """Delete what is kept of those that are finished: the result is written."""
        if self.cache is not None:
            for key in self._done:
                for entry in list(self._entries(key)):
                    self.cache.delete(ANSWERS, entry)


@dataclass(eq=False)
class KeptAnswers:
    """The answers of one retriever, those that are there already among them.

    Attributes:
        queries: all of the dataset's.
        dataset, retriever: their names, for notes.
        blocks: what is there already, oldest first.
        seconds: that asking for these took.
        kept: how many answers the cache keeps.
    """

    queries: Queries
    journal: Journal
    dataset: str
    retriever: str
    key: str | None = None
    """None keeps nothing: nothing says what the answers depend on, or it is not a system that is
    asked."""
    blocks: list[AnsweredBlock] = field(default_factory=list)
    seconds: float = 0.0
    kept: int = 0
    known: int = 0
    """How many passages are known before anything is asked."""

    def take(self, run: Run, seconds: float) -> None:
        """Take over what an earlier result has of some queries."""
        rows = self.queries.ids.rows(run.queries).astype(np.int64)
        self.blocks.append(AnsweredBlock(rows, run, 0.0, seconds))
        self.seconds += seconds

    def read(self, passages: Ids, progress: Progress) -> None:
        """Take over what is kept: over the corpus's ids."""
        self.known = len(passages)
        if self.key is not None:
            kept = self.journal.read(self.key, self.queries, passages, self.retriever, progress)
            self._take_kept(kept)

    def peek(self, passages: Ids) -> None:
        """Count what is kept; nothing is changed."""
        if self.key is not None:
            self._take_kept(self.journal.peek(self.key, self.queries, passages))

    def _take_kept(self, blocks: list[AnsweredBlock]) -> None:
        self.blocks += blocks
        self.seconds += sum(block.seconds for block in blocks)
        self.kept = int((_owners(blocks, len(self.queries)) >= 0).sum())

    def left(self) -> NDArray[np.int64]:
        """Rows of the queries that nobody answered yet, in order."""
        return np.flatnonzero(_owners(self.blocks, len(self.queries)) < 0)

    def add(self, rows: NDArray[np.int64], run: Run, seconds: float, remembered: Any) -> None:
        """What was answered now, which is kept at once: but for queries that failed, which the
        next run asks again."""
        block = AnsweredBlock(rows, run, time.time(), seconds, remembered, self.known)
        self.blocks.append(block)
        if self.key is None:
            return
        if run.failures:
            failed = run.queries.rows(run.failed_queries)
            rows = np.delete(rows, failed)
            answered = replace(run.for_queries(Ids(self.queries.ids.texts(rows))), failures=())
            block = replace(block, rows=rows, run=answered)
        if len(rows) and self.journal.keep(self.key, block):
            self.kept += len(rows)

    def run(self) -> Run:
        """All answers as one run."""
        if self.key is not None:
            self.journal.finish(self.key)
        owners, parts = _owners(self.blocks, len(self.queries)), []
        for at, block in enumerate(self.blocks):
            own = block.rows[owners[block.rows] == at]
            whole = len(own) == len(block.rows)
            if len(own):
                ids = block.run.queries if whole else Ids(self.queries.ids.texts(own))
                parts.append(block.run.for_queries(ids))
        return concatenate(self._scored_alike(parts)).for_queries(self.queries.ids)

    def _scored_alike(self, parts: list[Run]) -> list[Run]:
        """The parts, those that returned nothing with scores where the others have some.

        Raises:
            RetrieverError: answers of now have scores, and those of before none, or the reverse.
        """
        scored = {part.scores is not None for part in parts if part.returned.any()}
        if len(scored) > 1:
            raise RetrieverError(
                "some of its answers have scores and others, of an earlier run, have none",
                retriever=self.retriever,
                instead="Ask all again: run it again with --ask-anew",
            )
        if scored != {True}:
            return parts
        empty = [np.full(part.rows.shape, np.nan) for part in parts]
        return [
            part if part.scores is not None else replace(part, scores=scores)
            for part, scores in zip(parts, empty, strict=True)
        ]

    def going_on(self) -> Message | None:
        """That answers of an earlier run are used; None if none are."""
        times = [block.asked for block in self.blocks if 0 < block.asked < self.journal.began]
        if not times or not self.kept:
            return None
        asked = datetime.fromtimestamp(times[-1], UTC)
        counts = self._counts()
        date = f"{asked:%Y-%m-%d %H:%M} UTC"
        if self.kept == len(self.queries):
            return _(
                "all {n} answers come from an interrupted run of {date}; no query is asked "
                "now (--ask-anew asks all of them)",
                **counts,
                date=date,
            )
        left = count_text(len(self.left()))
        return _(
            "{count} of {n} answers come from an interrupted run of {date}; the other {left} "
            "queries are asked now (--ask-anew asks all of them)",
            **counts,
            date=date,
            left=left,
        )

    def noted(self, note: Message) -> Message:
        """A note on these answers."""
        names = {"dataset": self.dataset, "retriever": self.retriever}
        return _("{dataset}, {retriever}: {note}", **names, note=note)

    def stopped(self) -> Message | None:
        """How to go on after asking has ended early; None if nothing is there to go on from."""
        if self.key is None or not self.blocks:
            return None
        if self.journal.cache is None:
            return _(
                "its answers are not kept because there is no cache; with one, the same "
                "command would resume from them"
            )
        return (
            _(
                "{count} of {n} answers are kept in the cache; run the same command "
                "again to ask only the rest",
                **self._counts(),
            )
            if self.kept
            else None
        )

    def _counts(self) -> dict[str, str]:
        return {"count": count_text(self.kept), "n": count_text(len(self.queries))}


def _owners(blocks: list[AnsweredBlock], count: int) -> NDArray[np.int64]:
    """For each query, which block has its answer, the newest where several have one; -1 where none
    has: int64[count]."""
    owners = np.full(count, -1, dtype=np.int64)
    for at, block in enumerate(blocks):
        owners[block.rows] = at
    return owners
