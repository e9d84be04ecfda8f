"""What answers queries: the index of a retriever, and a reranker; and their descriptions."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

from ragscore.dataset import Queries
from ragscore.encoders.truncation import Truncation
from ragscore.kinds import KindSpec
from ragscore.progress import Stage
from ragscore.run import Run
from ragscore.usage import Usage
from ragscore.version import SEARCH_PACKAGES

NO_INPUTS: Mapping[str, Run] = {}


class Answering(ABC):  # noqa: B024  (its subclasses say how it answers)
    """What is open over one corpus, and ready for queries."""

    block: int = 65_536
    """How many queries are worth answering at a time."""
    answered: Stage = Stage()
    """Notified of queries as they are answered, where a block takes long."""
    spreads: bool = False
    """What takes long of an answer is kept in the cache, where whoever answers the same block of
    queries finds it: workers may answer blocks first."""

    def prepare(  # noqa: B027  (most load nothing late)
        self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS
    ) -> None:
        """Load what answering needs, so that it is not timed as part of the first search.

        Args:
            queries: all that will be asked, in blocks or one by one.
            inputs: the known runs of the retrievers that it builds on.

        Raises:
            RagscoreError: what is needed cannot be loaded.
        """

    def close(self) -> None:  # noqa: B027  (most hold nothing open)
        """Release connections, processes and event loops. Do not search with it afterwards."""

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        """What an encoder did not read of the passages and of these queries; inputs report their
        own."""
        return ()

    def usage(self) -> Usage | None:
        """The tokens and the money used so far, by this one alone; None if nothing counts them.

        Raises:
            BaseException: any; what foreign code says of it is not what it should be.
        """
        return None


class AnsweringSpec(KindSpec):
    """The description of what answers queries."""

    packages: ClassVar[tuple[str, ...]] = SEARCH_PACKAGES
    remote: ClassVar[bool] = False
    """True if a query leaves the machine or runs foreign code."""
    cacheable: ClassVar[bool] = True
    """False if equal specs may give different answers (foreign code)."""

    def timed(self) -> bool:
        """True if timing a single search shows what a query costs: not for foreign code, and not
        where the work was done elsewhere."""
        return not self.remote

    def content(self) -> dict[str, object]:
        """What a key digests of it: everything that can change an answer, without names of inputs,
        and with files replaced by digests of what they hold."""
        return self.model_dump(mode="json")
