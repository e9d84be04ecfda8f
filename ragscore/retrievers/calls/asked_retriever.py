"""AskedRetriever: what the kinds that ask a system outside have in common."""

from __future__ import annotations

from typing import ClassVar

from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.corpus_retriever import CorpusRetriever


class AskedRetriever(CallOptions, CorpusRetriever):
    """Base of the kinds whose answers come from a system outside."""

    remote: ClassVar[bool] = True
    cacheable: ClassVar[bool] = False

    @property
    def filters_itself(self) -> bool:
        """True if the system is given the conditions of ``filter``."""
        return False

    @property
    def needs_corpus(self) -> bool:
        """Only for what is done here with metadata: the system has the passages itself."""
        filters_here = self.filter is not None and not self.filters_itself
        return filters_here or self.collapse is not None
