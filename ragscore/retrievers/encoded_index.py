"""An index over what an encoder made of passages, which reads queries with that encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from ragscore.dataset import Ids, Queries
from ragscore.encoders import Truncation, truncations_of
from ragscore.encoders.base import Role, TokenCuts
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.run import Run


class QueryEncoder(Protocol):
    """What reads queries."""

    def load(self) -> None: ...

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None: ...


E = TypeVar("E", bound=QueryEncoder)


class EncodedIndex(Index, Generic[E]):
    """Passages as an encoder made them ready, and that encoder.

    Args:
        encoder: reads queries.
        passages: ids of what the index holds.
        unread: what the encoder did not read of the passages; None if it does not say.
        name: of the runs.
        progress: advances with queries that are encoded.
    """

    block: int = 65_536

    def __init__(
        self,
        encoder: E,
        passages: Ids,
        unread: Truncation | None,
        name: str,
        progress: Progress,
    ) -> None:
        self.name = name
        self.passages_indexed = len(passages)
        self._encoder = encoder
        self._passages = passages
        self._unread = unread
        self._progress = progress

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}: {self.passages_indexed:,} passages)"

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        self._encoder.load()

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        cuts = self._encoder.token_cuts(queries.texts, "query")
        return truncations_of(self.name, self._unread, cuts)
