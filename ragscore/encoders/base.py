"""The protocol of encoders: text to vector.

``spec.open()`` gives an :class:`OpenEncoder`, which loads its model or files when it first
encodes; ``encode(ids, texts, role)`` turns a block of passages or queries into rows of floats.
Ids go along because vectors that were made elsewhere are looked up by id.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Literal, Protocol, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from ragscore.described import in_short
from ragscore.encoders.planned_requests import PlannedRequests
from ragscore.encoders.row_buffers import RowBuffers
from ragscore.errors import ConfigError
from ragscore.kinds import KindSpec
from ragscore.messages import _
from ragscore.progress import SILENT, Progress, Stage
from ragscore.spec import canonical_json, digest_text
from ragscore.version import SEARCH_PACKAGES

Role = Literal["passage", "query"]
"""Whether a text is looked for or asked with: many models encode the two differently."""

Vectors = NDArray[np.float32]

TokenCuts = NDArray[np.int32]
"""int32[n, 2]: the tokens of a text and how many of them are read, 0 and 0 if all are."""

TokenSpans = NDArray[np.int32]
"""int32[t, 2]: where each token of a text begins and ends in it, in characters."""


class OpenEncoder(ABC):
    """An encoder that is ready to encode; loading is put off until it must.

    It is shared by everyone who opens an equal spec, so it remembers nothing of a dataset.
    """

    @property
    def chunk(self) -> int:
        """How many texts are worth encoding in one call: what is lost when it is stopped."""
        return 32

    @property
    def device(self) -> str:
        """What it runs on, once it is loaded: `cpu`, `cuda` or `mps`; empty if that is not
        known."""
        return ""

    def load(self) -> None:  # noqa: B027  (most have nothing to load)
        """Load what encoding needs, where that takes long: a model.

        Raises:
            ConfigError, MissingPackageError: as :meth:`encode`.
        """

    def for_queries(self, ids: Sequence[str]) -> OpenEncoder:
        """The encoder for a dataset with these queries, in this order; itself where the order
        means nothing to it.

        Raises:
            DataError: vectors that were made elsewhere do not fit.
        """
        return self

    def for_block(
        self, first: int, total: int | None, buffers: RowBuffers | None = None
    ) -> OpenEncoder:
        """The encoder for those passages of a corpus in blocks that follow one another from a row
        on; itself where their place means nothing to it.

        Args:
            first: the row of the first of them.
            total: passages of the corpus; None if only this block is known.
            buffers: what vectors that were made elsewhere may be read into; by default they are in
                new memory.

        Raises:
            DataError: vectors that were made elsewhere do not fit.
        """
        return self

    @abstractmethod
    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        """The vectors of a block of passages or queries: float32[n, d], C-contiguous.

        Args:
            ids: n ids.
            texts: their texts.
            role: whether they are passages or queries.
            stage: advances with every few texts that are done.

        Raises:
            ConfigError: the model cannot be loaded or run as asked.
            DataError: vectors that were made elsewhere do not fit.
            MissingPackageError: an optional package is needed.
        """

    def vectors(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        """What :meth:`encode` returns, checked: a row of numbers for each text.

        Raises:
            ConfigError: it returned something else; or as :meth:`encode`.
        """
        made: object = self.encode(ids, texts, role, stage)
        if isinstance(made, np.ndarray) and made.ndim == 2 and len(made) == len(texts):
            return made
        found = in_short(made)
        if isinstance(made, np.ndarray):
            found = f"{made.dtype}{list(made.shape)}"
        raise ConfigError(
            f"encode returned {found} for {len(texts):,} texts",
            where=f"{type(self).__module__}.{type(self).__name__}",
            instead="Return float32[texts, dimensions]",
        )

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        """How much of each text :meth:`encode` does not read; None if unknown.

        Args:
            texts: n texts.
            role: whether they are passages or queries.
        """
        return None

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans] | None:
        """Where the tokens of each text stand in it, special ones left out; None if that is
        unknown."""
        return None

    def room(self, role: Role) -> int | None:
        """How many tokens of a text itself :meth:`encode` reads: without special tokens and
        prompt; None if there is no limit, or none is known."""
        return None


class Loadable(Protocol):
    """What has a model or files that can be loaded before they are used."""

    def load(self) -> None: ...


T = TypeVar("T", bound=Loadable)

# Several retrievers of an experiment mostly share one encoder; its model is loaded once, and
# goes when the last of them does.
_open: WeakValueDictionary[str, Any] = WeakValueDictionary()


def shared(opened: T, contents: Callable[[], object], *, here: bool) -> T:
    """What was opened, or what someone who still holds it opened with equal contents.

    Args:
        opened: it, not loaded yet.
        contents: all that can change it, as JSON; equal contents are of equal classes.
        here: False if nothing can tell the contents until it was fetched, which is done then.

    Raises:
        ConfigError, MissingPackageError: it has to be fetched first, and cannot be.
    """
    if not here:
        opened.load()
    found: T = _open.setdefault(canonical_json(contents()), opened)
    return found


def query_stage(progress: Progress, queries: int) -> AbstractContextManager[Stage]:
    """The stage of encoding queries. A query that is searched alone is being timed, or typed: no
    stage is shown for it."""
    shown = progress if queries > 1 else SILENT
    return shown.stage(_("encoding queries"), queries, "queries")


class EncoderSpec(KindSpec):
    """Base of every encoder's description; a subclass adds ``kind`` and its options."""

    packages: ClassVar[tuple[str, ...]] = SEARCH_PACKAGES
    slow: ClassVar[bool] = True
    """True if encoding is worth keeping: passage vectors then go to the cache."""

    remote: ClassVar[bool] = False
    """True if texts leave the machine: a service outside encodes them."""

    @property
    def tokenizes(self) -> bool:
        """False if no tokenizer is here that says where windows of a text begin and end."""
        return True

    def cut_by(self) -> object | None:
        """What decides where texts are cut, as JSON, where :meth:`vector_key` does not digest it;
        None if it does."""
        return None

    def planned(self, texts: Sequence[str], role: Role) -> PlannedRequests | None:
        """What encoding texts will ask of a service; None if none is asked. Nothing is sent.

        Args:
            texts: that are to be encoded.
            role: whether they are passages or queries.
        """
        return None

    def dimension(self) -> int | None:
        """The number of dimensions where it is known without loading anything."""
        return None

    def token_limit(self) -> int | None:
        """How many tokens of a text are read, special ones included, where that is known without
        loading anything."""
        return None

    def vector_key(self, role: Role) -> str:
        """Digest of everything that can change a vector: 64 hex digits.

        The batch size and the device are left out: they change nothing but the last bits.
        """
        return digest_text(canonical_json(self.content(role)))

    @abstractmethod
    def content(self, role: Role) -> dict[str, object]:
        """What :meth:`vector_key` digests, with files replaced by digests of what they hold."""

    def open(self, progress: Progress = SILENT) -> OpenEncoder:
        """The encoder, shared with everyone who opened an equal one and still holds it.

        Equal are those of equal options whose files hold the same.

        Raises:
            ConfigError, MissingPackageError: it has to be fetched first, and cannot be.
        """
        return shared(
            self._opened(progress),
            lambda: [self.digest(), self.vector_key("passage"), self.vector_key("query")],
            here=self.here(),
        )

    def here(self) -> bool:
        """False if :meth:`vector_key` cannot tell the content until the encoder was fetched."""
        return True

    @abstractmethod
    def _opened(self, progress: Progress) -> OpenEncoder:
        """A new open encoder; ``progress`` reports what loading meets."""
