"""Your own retriever, named in the experiment."""

from __future__ import annotations

from typing import ClassVar, Literal

from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.foreign_code import ForeignCode, first_on_path
from ragscore.progress import Progress
from ragscore.retrievers.base import asked_block
from ragscore.retrievers.calls import CallOptions
from ragscore.retrievers.calls.asked_retriever import AskedRetriever
from ragscore.retrievers.custom.caller import AT_ONCE
from ragscore.retrievers.custom.calling import CustomIndex, open_custom
from ragscore.retrievers.custom.options import CodeOptions

GROUP = "ragscore.retrievers"
"""Entry points of this group can be used by their bare names."""


class Custom(ForeignCode, CodeOptions, AskedRetriever):
    """Your own Python code: a function, or a class with retrieve(queries, k).

    A function is called as ``(query_text, k)`` and returns passage ids, best first, or
    (id, score) pairs. A class has ``retrieve(queries, k)``, with a list of texts in and a list of
    such answers out, and may have ``index(corpus)``, which is called first. Either may be async.
    Whoever runs an experiment with this kind in it trusts the code like a script.

    >>> Custom(use="my_retriever:Thing", options={"host": "localhost"}).remote
    True
    """

    kind: Literal["custom"] = "custom"

    group: ClassVar[str | None] = GROUP

    def content(self) -> dict[str, object]:
        """What a key digests: the options, not where the code stands nor how it is called."""
        return self.model_dump(mode="json", exclude={"folder", *CallOptions.model_fields})

    def answers_depend_on(self) -> dict[str, object]:
        """Also on the file of the code that ``use`` names, as it is now; not on what it imports."""
        return {**self.content(), "folder": self.folder, "code": self.code_digest()}

    def open_index(
        self,
        corpus: Corpus,
        cache: Cache | None,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> CustomIndex:
        """Import the code, make the thing and let it index the corpus.

        Raises:
            RetrieverError: the code cannot be imported, raises an error, or cannot retrieve.
        """
        with first_on_path(self.folder):
            index = open_custom(
                self.load(name),
                corpus,
                name=name,
                strict=strict,
                options=self.options,
                calls=self,
                folder=self.folder,
                progress=progress,
            )
        index.block = asked_block(self.concurrency or AT_ONCE)
        return index
