"""Retrievers of LangChain, LlamaIndex, Haystack and DSPy, known by their methods: nothing of these
libraries is imported."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple
from uuid import UUID

from ragscore.dataset import Corpus
from ragscore.dataset.python_tables import foreign_passage
from ragscore.errors import RetrieverError
from ragscore.names import quoted
from ragscore.retrievers.calls import RawAnswer
from ragscore.retrievers.calls.answers import Checker, failing, short
from ragscore.retrievers.custom.options import METADATA, CodeOptions


class RetrieverObject:
    """A retriever for :func:`ragscore.evaluate` with the options that ``kind: custom`` has in YAML.

    Args:
        thing: a function, class or object, or a retriever of LangChain, LlamaIndex, Haystack or
            DSPy.
        id: what names the passage of a document that it returns: ``id``, or ``metadata.KEY``.
        options: how it is called: ``concurrency``, ``timeout``, ``retries``, ``rate_limit``,
            ``max_errors``, ``failed``.

    Raises:
        ConfigError: an option is unknown or has a wrong value.

    >>> RetrieverObject(sorted, id="metadata.source", concurrency=4).calls.concurrency
    4
    """

    def __init__(self, thing: Any, *, id: str = "id", **options: Any) -> None:
        self.thing = thing
        self.calls = CodeOptions(id=id, **options)


class FrameworkCall(NamedTuple):
    """How a retriever of a framework is asked: a function (query_text, k), or (query_texts, k)
    where it is asked several queries at once. ``own_k``: it decides itself how many come back."""

    ask: Callable[..., Any]
    several: bool = False
    own_k: bool = True


def framework_call(thing: Any) -> FrameworkCall | None:
    """How a retriever of a framework is asked; None if it is none, or code that takes
    (query_text, k) or has ``retrieve(queries, k)``, whatever else it has."""
    retrieve, batch = _method(thing, "retrieve"), _method(thing, "batch")
    if inspect.isroutine(thing) or _takes(retrieve, "texts", 1) or _takes(thing, "text", 1):
        return None
    call = _method(thing, "invoke") or _method(thing, "ainvoke")
    if call is not None and not _of_langchain(batch):
        return FrameworkCall(lambda texts, k: batch(texts), several=True)  # better than a loop
    if call is None and (later := _method(thing, "aretrieve")) is not None:
        call = retrieve or later
    if call is None and callable(thing) and _method(thing, "forward") is not None:
        call = thing
    if call is not None:
        return FrameworkCall(lambda text, k: call(text))
    run = _method(thing, "run") or _method(thing, "run_async")
    if _takes(run, query="text", top_k=1):
        return FrameworkCall(lambda text, k: run(query=text, top_k=k), own_k=False)
    return FrameworkCall(lambda text, k: run(query=text)) if _takes(run, query="text") else None


def _method(thing: Any, name: str) -> Any:
    method = getattr(thing, name, None)
    return method if callable(method) else None


def _of_langchain(batch: Any) -> bool:
    """Whether it is the loop that every Runnable has; also if there is none."""
    return batch is None or getattr(batch, "__module__", "").startswith("langchain_core.")


def _takes(call: Any, *given: Any, **named: Any) -> bool:
    """Whether it can be called so, by its signature where it has one."""
    try:
        inspect.signature(call).bind(*given, **named)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


class FoundDocuments:
    """Reads documents of frameworks as passages of a corpus.

    Args:
        id: what names the passage of a document: ``id``, or ``metadata.KEY``.
        corpus: whose texts are looked up for documents that are texts alone, as DSPy's are.
    """

    def __init__(self, id: str, corpus: Corpus) -> None:
        self._id = id
        self._corpus = corpus

    def answer(self, returned: Any, query: str, checker: Checker, most: int | None = None) -> Any:
        """Ids, scores and texts of documents that were returned for a query, alone or as
        (document, score) pairs; anything else as it is. Where one has no score, they stand in
        their order. ``most``: how many are taken; None takes all.

        Raises:
            RetrieverError: a document has no id, or is of a text that is not in the corpus.
        """
        with failing(checker.retriever, query):
            if isinstance(returned, Mapping) and isinstance(returned.get("documents"), Sequence):
                returned = returned["documents"]  # Haystack
            passages = getattr(returned, "passages", None)  # DSPy
            texts = None
            if isinstance(passages, Sequence) and not isinstance(passages, str):
                texts = [getattr(item, "long_text", item) for item in passages[:most]]
            elif not isinstance(returned, (list, tuple)):
                return returned
            pairs = [
                item if isinstance(item, (list, tuple)) and len(item) == 2 else (item, None)
                for item in (returned[:most] if texts is None else ())
            ]
            found: list[Any] = [
                None if (made := foreign_passage(item)) is item else made for item, _ in pairs
            ]
            scores = [getattr(item, "score", score) for item, score in pairs]
        if texts is not None:
            return RawAnswer(self._ids_of(texts, query, checker), None, texts)
        if not any(found):
            return returned
        if None in found:
            other = short(pairs[found.index(None)][0])
            raise _wrong(f"returned documents, and {other}", query, checker)
        ids = [self._id_of(document, query, checker) for document in found]
        scored = all(score is not None for score in scores)
        return RawAnswer(ids, scores if scored else None, [passage["text"] for passage in found])

    def _id_of(self, document: Mapping[str, Any], query: str, checker: Checker) -> str:
        key = self._id.removeprefix(METADATA)
        value = document.get("id") if key == self._id else document["metadata"].get(key)
        if isinstance(value, Integral | UUID) and not isinstance(value, bool):
            value = str(value)
        metadata, row = document["metadata"], checker.passages.row
        likely = (
            at for at, of in metadata.items() if not checker.passages.open and row(str(of)) >= 0
        )
        keys = ", ".join(map(str, metadata)) or "none"
        hint = f"Name the key that has the id of the passage, id: {METADATA}{next(likely, 'KEY')}. "
        hint += f"Keys of its metadata: {keys}"
        if not isinstance(value, str) or not value:
            has = f", its {self._id} is {short(value)}" if value else ""
            what = f"returned a document without {self._id}{has}: {short(document['text'])}"
            raise _wrong(what, query, checker, hint)
        if row(value) < 0 and not checker.passages.open:
            some = quoted(checker.passages.ids[:2])
            hint = f"The corpus has ids such as {some}. {hint}"
            raise _wrong(f"returned '{value}', which is not in the corpus", query, checker, hint)
        return value

    def _ids_of(self, texts: Sequence[Any], query: str, checker: Checker) -> list[str]:
        """The passages of some texts; of a text that several have, one after the other."""
        if self._corpus.ids_only:
            what = "returned texts without ids, and there is no corpus to look them up in"
            raise _wrong(what, query, checker, "Return ids from a function (query_text, k)")
        left: dict[str, list[str]] = {}
        ids = []
        for text in texts:
            words = _plain(text) if isinstance(text, str) else ""
            if words not in self._by_text:
                what = f"returned a text that is not in the corpus: {short(text)}"
                raise _wrong(what, query, checker)
            named = left.setdefault(words, self._by_text[words][::-1])
            ids.append(named.pop() if len(named) > 1 else named[0])
        return ids

    @cached_property
    def _by_text(self) -> Mapping[str, list[str]]:
        rows = defaultdict[str, list[str]](list)
        for name, text, content in zip(
            self._corpus.ids, self._corpus.texts, self._corpus.content(), strict=True
        ):
            for words in {_plain(text), _plain(content)}:
                rows[words].append(name)
        return rows


def _plain(text: str) -> str:
    return " ".join(text.split())


def _wrong(what: str, query: str, checker: Checker, instead: str = "") -> RetrieverError:
    return RetrieverError(what, retriever=checker.retriever, query=query, instead=instead)
