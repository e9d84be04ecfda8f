"""Calling foreign code: functions, objects and classes, sync or async."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence, Sized
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import Any

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.messages import Message, _
from ragscore.progress import SILENT, Progress, Stage
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.calls import PermanentFailure, RawAnswer
from ragscore.retrievers.calls.answered_run import Answer
from ragscore.retrievers.calls.answers import Checker, gone_through, short
from ragscore.retrievers.calls.asked_index import AskedIndex
from ragscore.retrievers.custom.called_object import called_object
from ragscore.retrievers.custom.caller import Caller
from ragscore.retrievers.custom.frameworks import FoundDocuments, RetrieverObject, framework_call
from ragscore.retrievers.custom.options import CodeOptions
from ragscore.run import Run
from ragscore.usage import Usage, UsageMeter

TAKES = (
    "a function (query_text, k), a class with retrieve(queries, k), or a retriever of LangChain, "
    "LlamaIndex, Haystack (with run(query)) or DSPy"
)
"""How the code is called, for messages."""


def open_custom(
    thing: Any,
    corpus: Corpus,
    *,
    name: str = "custom",
    strict: bool = False,
    options: Mapping[str, Any] | None = None,
    calls: CodeOptions | None = None,
    folder: str | None = None,
    progress: Progress = SILENT,
) -> CustomIndex:
    """A retriever from Python code.

    Args:
        thing: a function ``(query_text, k)`` that returns passage ids, best first, or
            (id, score) pairs; or an object or class with ``retrieve(queries, k)``, a list of
            texts in and a list of such answers out, and perhaps ``index(corpus)``, which is
            called first; of a class also ``close()``, which is called last. Any of these may be
            async. Its attribute ``usage``, where it has one,
            counts tokens and money; see :func:`~ragscore.usage.read_usage`. Or a retriever of
            LangChain, LlamaIndex, Haystack or DSPy, alone or as a :class:`RetrieverObject`.
        corpus: what it searches.
        name: name of the runs.
        strict: a passage returned twice is an error.
        options: keyword arguments of the class's constructor, or of the function.
        calls: how it is called.
        folder: where modules are looked for first while it is called.
        progress: reports the indexing.

    Raises:
        RetrieverError: it raises, or is nothing that can retrieve; or it has ``index(corpus)``, and
            there is no corpus.
    """
    if isinstance(thing, RetrieverObject):
        thing, calls = thing.thing, thing.calls
    calls = calls or CodeOptions()
    ready = called_object(thing, dict(options or {}), name, "retrieve", TAKES)
    caller = Caller(name, TAKES, calls, folder, progress)
    index = CustomIndex(ready, corpus, calls, name, strict, caller, progress)
    index.meter = UsageMeter(ready, new=inspect.isclass(thing))
    if inspect.isclass(thing) and callable(getattr(ready, "close", None)):
        index.end = ready.close
    own = framework_call(ready) is None and not inspect.isroutine(ready)
    if own and callable(getattr(ready, "index", None)):
        if corpus.ids_only:
            raise RetrieverError(
                "it has index(corpus), and the dataset has no corpus",
                retriever=name,
                instead="Add the corpus file, or take index out where the passages are elsewhere",
            )
        began = time.perf_counter()
        with progress.stage(_("indexing {name}", name=name), 1) as stage:
            caller.call(ready.index, corpus.lent())
            stage.advance()
        index.build_cost = BuildCost(time.perf_counter() - began)
    return index


class CustomIndex(AskedIndex):
    """Foreign code over a corpus; every answer is checked. A function is called for each query, and
    ``retrieve`` for a block of queries, or for as many parts of it as may be under way at once.

    Attributes:
        end: what is called when it is closed: the ``close`` of an object that was made for it.
    """

    def __init__(
        self,
        thing: Any,
        corpus: Corpus,
        calls: CodeOptions,
        name: str,
        strict: bool,
        caller: Caller,
        progress: Progress = SILENT,
    ) -> None:
        self._caller = caller
        framework = framework_call(thing)
        self._retrieve: Any = getattr(thing, "retrieve", None) if framework is None else None
        self._function = thing if self._retrieve is None else self._retrieve
        if framework is not None:
            self._function = framework.ask
            self._retrieve = framework.ask if framework.several else None
        self._own_k = framework is not None and framework.own_k
        self._documents = FoundDocuments(calls.id, corpus)
        self._most = self._depth = 0
        self.meter = UsageMeter(thing, new=True)
        self.end: Callable[[], Any] | None = None
        super().__init__(corpus, calls, name, strict, progress)
        self.block = Index.block

    def close(self) -> None:
        end, self.end = self.end, None
        try:
            if end is not None:
                self._caller.call(end)
        finally:
            self._caller.close()

    def remembered(self, queries: Queries) -> Any:
        used = self.meter.remembered()
        return {**super().remembered(queries), "usage": used and asdict(used)}

    def recall(self, remembered: Any) -> None:
        super().recall(remembered)
        if remembered["usage"]:
            self.meter.recall(Usage(**remembered["usage"]))

    def usage(self) -> Usage | None:
        return self.meter.spent()

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        shown = self.answered
        self.answered = self._ahead = _Ahead(shown)
        try:
            return super().search(queries, depth, inputs)
        finally:
            self.answered = shown

    def notes(self) -> Iterable[Message]:
        yield from super().notes()
        if self._own_k and 0 < self._most < self._depth:
            yield _(
                "{name}: its retriever returns at most {most} passages per query, fewer than "
                "the depth of {depth}; raise its own k",
                name=self.name,
                most=self._most,
                depth=self._depth,
            )

    def checked(self, checker: Checker, returned: Any, query: str) -> Answer:
        most = checker.k if self._own_k else None
        returned = self._documents.answer(returned, query, checker, most)
        if isinstance(returned, RawAnswer):
            self._most, self._depth = max(self._most, len(returned.ids)), checker.k
        return super().checked(checker, returned, query)

    def at_once(self) -> int:
        return self._caller.at_once()

    def run_block(self, asking: Coroutine[Any, Any, Any]) -> Any:
        return self._caller.run(self._function, asking)

    def parts(self, queries: Queries) -> list[range] | None:
        if self._retrieve is None:
            return None
        count, parts = len(queries), min(self._options.concurrency or 1, len(queries))
        return [range(at * count // parts, (at + 1) * count // parts) for at in range(parts)]

    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        [answer] = await self.ask_part(queries, [row], depth)
        return RawAnswer(answer)

    async def ask_part(self, queries: Queries, rows: Sequence[int], depth: int) -> list[Any]:
        ids = [queries.ids[row] for row in rows]
        texts = [queries.texts[row] for row in rows]
        ask = partial(self._caller.ask, self._function)
        if self._retrieve is None:
            answer = await ask(
                texts[0], depth, query=ids[0], read=partial(gone_through, most=depth)
            )
            return [answer]
        returned: Any
        answers: list[Any] | None
        returned, answers = await ask(
            texts, depth, query=ids[0], read=partial(self._listed, count=len(rows), k=depth)
        )
        if answers is None or len(answers) != len(rows):
            found = "no list" if answers is None else f"{len(answers):,} answers"
            raise PermanentFailure(
                f"retrieve returned {found} for {len(rows):,} queries: {short(returned)}. Return a "
                "list with one ranking for each query, in their order"
            )
        return answers

    def _listed(self, returned: Any, count: int, k: int) -> tuple[Any, list[Any] | None]:
        """What ``retrieve`` returned, and its answers, which may be more or fewer than ``count``;
        None if it is no list of answers."""
        if not isinstance(returned, Iterable) or isinstance(returned, (str, bytes, Mapping)):
            return returned, None
        answers = []
        works_now = inspect.isgenerator(returned)
        for answer in returned if isinstance(returned, Sized) else islice(returned, count + 1):
            answers.append(gone_through(answer, k))
            if works_now:
                self._ahead.early()
        return returned, answers


class _Ahead(Stage):
    """Counts answers that are there before the others of their call, and counts none twice."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._ahead = 0

    def advance(self, count: int = 1) -> None:
        known = min(count, self._ahead)
        self._ahead -= known
        if count > known:
            self._stage.advance(count - known)

    def early(self) -> None:
        """One more answer is there, and counted again with the others of its call."""
        self._stage.advance()
        self._ahead += 1
