"""EmbeddingsService: what the options describe, with the values of their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragscore.encoders.base import Role
from ragscore.encoders.endpoint.embeddings import Embeddings, read_embeddings
from ragscore.encoders.endpoint.options import EndpointOptions, embeddings_url
from ragscore.outside.failures import TemporaryFailure
from ragscore.outside.kept_connections import MAX_VALUES
from ragscore.outside.repeating import FailedCall, Repeater
from ragscore.outside.secrets import Secrets
from ragscore.outside.service import Service

FIRST_RETRIES = 2
"""How often the first request of all is sent again where nothing answers."""
MOST_DIMENSIONS = 65_536
"""Numbers that a vector of the first answer may have."""
NUMBER_BYTES = 32
"""Most bytes of a number in JSON, with what stands around it."""
ANSWER_BYTES = 65_536
"""Bytes of an answer besides its numbers."""
VECTOR_BYTES = 1_024
"""Bytes of a vector besides its numbers."""


class EmbeddingsService:
    """A service; nothing is sent before it is asked.

    Args:
        options: which, and how it is asked.
    """

    def __init__(self, options: EndpointOptions) -> None:
        self._options = options
        written = [options.url, options.sent_headers, options.body]
        self._secrets = Secrets.named_in(*written, options.query_body, options.passage_body)
        self._url = embeddings_url(self._secrets.fill(options.url))
        self._service = Service(options.url, options.sent_headers, self._secrets, options.timeout)
        self._repeater = Repeater(options)

    def close(self) -> None:
        """Close its connections."""
        self._service.close()

    async def first(self, text: str, *, plain: bool = False) -> Embeddings | FailedCall:
        """The vector of a text that is encoded before all others: where nothing answers at all,
        that is not waited for as long as for a service that is busy.

        Args:
            text: a passage.
            plain: as :meth:`embeddings` takes it.
        """
        found = await self.embeddings([text], "passage", None, plain=plain, first=True)
        if not isinstance(found, FailedCall) or self._options.retries <= FIRST_RETRIES:
            return found
        failure = found.failure
        if not isinstance(failure, TemporaryFailure) or failure.status is None:
            return found
        again = await self.embeddings([text], "passage", None, plain=plain)
        if isinstance(again, FailedCall):
            return replace(again, attempts=found.attempts + again.attempts)
        return again

    async def embeddings(
        self,
        texts: Sequence[str],
        role: Role,
        dimension: int | None,
        *,
        plain: bool = False,
        first: bool = False,
    ) -> Embeddings | FailedCall:
        """The vectors of some texts, in one request, sent again where that may help.

        Args:
            texts: at least one.
            role: whether they are passages or queries.
            dimension: of a vector; None if it is not known yet.
            plain: asks for lists of numbers, whatever the options ask for.
            first: is sent again a few times only.
        """
        numbers = (dimension or MOST_DIMENSIONS) * NUMBER_BYTES + VECTOR_BYTES
        most = ANSWER_BYTES + len(texts) * numbers
        values = (most // NUMBER_BYTES) + MAX_VALUES
        added = self._secrets.filled(self._options.added_fields(role))
        body = {**added, **self._options.own_fields(plain), "input": list(texts)}

        async def ask() -> Embeddings:
            data = await self._service.json("POST", self._url, body, most, values)
            packing = self._options.dtype
            return read_embeddings(data, len(texts), packing, self._secrets.redacted)

        return await self._repeater.call(ask, FIRST_RETRIES if first else None)
