"""Connections: one request at a time over connections that are kept open, in threads."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import ssl
import zlib
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

MAX_BYTES = 16 * 2**20
"""The longest body of a response that is read, also after it is unpacked."""
_PIECE = 65_536


class TooLongError(Exception):
    """A body has more bytes than :data:`MAX_BYTES`."""


class UnreadableError(Exception):
    """A body is packed in a way that cannot be read."""


@dataclass(frozen=True)
class Request:
    """What is asked; the values of secrets are in it, so that it is shown nowhere."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


@dataclass(frozen=True)
class Response:
    """What came back: the status, the headers by their names in lower case, the unpacked body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Call:
    """A request under way, which can be given up from another thread."""

    def __init__(self) -> None:
        self.connection: http.client.HTTPConnection | None = None
        self.given_up = False

    def give_up(self) -> None:
        self.given_up = True
        connected = self.connection.sock if self.connection is not None else None
        if connected is not None:
            with suppress(OSError):  # wakes the thread that reads from it
                connected.shutdown(socket.SHUT_RDWR)


class KeptConnections:
    """Connections to systems, kept open between requests; redirects are not followed.

    Args:
        most: how many requests are under way at most.
        timeout: seconds without a byte after which a request fails; None waits for ever.
    """

    def __init__(self, most: int, timeout: float | None) -> None:
        self._timeout = timeout
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="ragscore-http")
        self._idle: dict[tuple[str, str], deque[http.client.HTTPConnection]] = {}
        self._tls: ssl.SSLContext | None = None

    async def send(self, request: Request) -> Response:
        """The response; a request whose task is cancelled is given up.

        Raises:
            OSError, http.client.HTTPException: nothing that can be read came back.
            TooLongError, UnreadableError: the body.
        """
        call = _Call()
        try:
            return await asyncio.wrap_future(self._threads.submit(self._send, request, call))
        except asyncio.CancelledError:
            call.give_up()
            raise

    def close(self) -> None:
        """Close what is open."""
        for idle in self._idle.values():
            while idle:
                idle.pop().close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _send(self, request: Request, call: _Call) -> Response:
        parts = urlsplit(request.url)
        idle = self._idle.setdefault((parts.scheme, parts.netloc), deque())
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        while True:
            try:
                connection, reused = idle.pop(), True
            except IndexError:
                connection, reused = self._connection(parts.scheme, parts.netloc), False
            call.connection = connection
            try:
                if connection.sock is None:
                    connection.connect()
                if call.given_up:
                    raise ConnectionAbortedError("given up")
                connection.request(request.method, target, request.body, dict(request.headers))
                answered = connection.getresponse()
            except (ConnectionError, http.client.RemoteDisconnected):
                connection.close()
                if reused and not call.given_up:
                    continue  # the other side had closed it meanwhile
                raise
            except BaseException:
                connection.close()
                raise
            try:
                body = _read(answered)
            except BaseException:
                connection.close()
                raise
            if answered.will_close:
                connection.close()
            else:
                idle.append(connection)
            headers = {name.lower(): value for name, value in answered.getheaders()}
            return Response(answered.status, headers, _unpacked(body, headers))

    def _connection(self, scheme: str, host: str) -> http.client.HTTPConnection:
        if scheme == "http":
            return http.client.HTTPConnection(host, timeout=self._timeout)
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return http.client.HTTPSConnection(host, timeout=self._timeout, context=self._tls)


def _read(answered: http.client.HTTPResponse) -> bytes:
    pieces, size = [], 0
    while piece := answered.read(_PIECE):
        size += len(piece)
        if size > MAX_BYTES:
            raise TooLongError
        pieces.append(piece)
    if answered.length:  # fewer bytes than were announced
        raise http.client.IncompleteRead(b"", answered.length)
    return b"".join(pieces)


def _unpacked(body: bytes, headers: Mapping[str, str]) -> bytes:
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed in ("identity", ""):
        return body
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise UnreadableError(f"it is packed as {packed[:40]!r}, though no packing was asked for")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        unpacked = unpacking.decompress(body, MAX_BYTES + 1)
    except zlib.error:
        raise UnreadableError(f"it is no {packed}") from None
    if len(unpacked) > MAX_BYTES:
        raise TooLongError
    if not unpacking.eof:
        raise UnreadableError(f"its {packed} ends too early")
    return unpacked


def json_of(body: bytes | str) -> Any:
    """The value of JSON text, without NaN and infinities.

    Raises:
        ValueError: it is none, or is nested too deeply.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        return json.loads(body, parse_constant=refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
