"""Connections: one request at a time over connections that are kept open, in threads."""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
import ssl
import threading
import zlib
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from ragscore.json_data import load_json
from ragscore.outside.threads import Threads

MAX_BYTES = 16 * 2**20
"""The longest body of a response that is read where a request says nothing else, also after it is
unpacked."""
MAX_VALUES = 2_000_000
"""JSON values of a body that are read where a request says nothing else: each takes far more memory
than it has bytes."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)', re.DOTALL)
_PIECE = 65_536
_ANNOUNCED = 100
"""How many responses may announce the one that counts; as many as the library reads headers."""
_CLOSED = ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError


class TooLongError(Exception):
    """A body has more bytes than its request allows."""


class UnreadableError(Exception):
    """A body is packed in a way that cannot be read."""


@dataclass(frozen=True)
class Request:
    """What is asked; the values of secrets are in it, so that it is shown nowhere."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    max_bytes: int = MAX_BYTES
    """The longest body of a response, also after it is unpacked."""


@dataclass(frozen=True)
class Response:
    """What came back: the status, the headers by their names in lower case, the unpacked body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _FinalResponse(http.client.HTTPResponse):
    """A response behind those that only announce it (102, 103), which the library takes for it."""

    def _read_next_chunk_size(self) -> int:
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]  # not in its stubs
        if size < 0:  # the library would read all that comes until the connection ends
            raise ValueError("the size of a chunk is negative")
        return size

    def begin(self) -> None:
        super().begin()
        for _ in range(_ANNOUNCED):
            if self.status // 100 != 1 or self.status == http.HTTPStatus.SWITCHING_PROTOCOLS:
                return
            self.headers = None  # type: ignore[assignment]  # what begin takes for begun
            super().begin()
        raise http.client.HTTPException(f"got more than {_ANNOUNCED} responses with status 1xx")


class _Call:
    """A request under way, which can be given up from another thread, wherever it waits."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self.given_up = False

    def waits_for(self, connected: socket.socket) -> None:
        """What wakes its thread when it is given up.

        Raises:
            ConnectionAbortedError: it was given up before.
        """
        with self._lock:
            self._socket = connected
            if self.given_up:
                raise ConnectionAbortedError("given up")

    def finish(self) -> bool:
        """False if it was given up; else its connection may be another's from now on."""
        with self._lock:
            self._socket = None
            return not self.given_up

    def give_up(self) -> None:
        with self._lock:
            self.given_up = True
            if self._socket is not None:
                with suppress(OSError):
                    # The shutdown of a TLS socket would take away what its thread reads with.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class KeptConnections:
    """Connections to systems, kept open between requests; redirects are not followed, and no
    proxy is used.

    Args:
        timeout: seconds without a byte after which a request fails; None for no limit.
    """

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._idle: dict[tuple[str, str], deque[http.client.HTTPConnection]] = {}
        self._closed = False
        self._tls: ssl.SSLContext | None = None
        self._making_tls = threading.Lock()
        self._threads = Threads()

    async def send(self, request: Request) -> Response:
        """The response; a request whose task is cancelled is given up.

        Raises:
            OSError, http.client.HTTPException: nothing that can be read came back.
            TooLongError, UnreadableError: the body.
        """
        call = _Call()
        try:
            return await asyncio.wrap_future(
                self._threads.submit(lambda: self._send(request, call))
            )
        except asyncio.CancelledError:
            call.give_up()
            raise

    def close(self) -> None:
        """Close what is open and not under way; the rest is closed after its response."""
        self._closed = True
        self._threads.close()
        for idle in list(self._idle.values()):
            with suppress(IndexError):
                while True:
                    idle.pop().close()

    def _send(self, request: Request, call: _Call) -> Response:
        parts = urlsplit(request.url)
        idle = self._idle.setdefault((parts.scheme, parts.netloc), deque())
        begun = None
        with suppress(IndexError):
            connection = idle.pop()
            try:
                begun = self._begun(connection, parts, request, call)
            except _CLOSED:  # the other side may have closed it meanwhile
                if call.given_up:
                    raise
        if begun is None:
            connection = self._new(parts)
            begun = self._begun(connection, parts, request, call)
        try:
            body = _read(begun, request.max_bytes)
        except BaseException:
            connection.close()
            raise
        if call.finish() and not begun.will_close and not self._closed:
            idle.append(connection)
        else:
            connection.close()
        headers = {name.lower(): value for name, value in begun.getheaders()}
        return Response(begun.status, headers, _unpacked(body, headers, request.max_bytes))

    def _begun(
        self,
        connection: http.client.HTTPConnection,
        parts: SplitResult,
        request: Request,
        call: _Call,
    ) -> http.client.HTTPResponse:
        """The response up to its body."""
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            if connection.sock is None:
                self._connect(connection, call)
            else:
                call.waits_for(connection.sock)
            connection.response_class = _FinalResponse
            connection.request(request.method, target, request.body, dict(request.headers))
            return connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def _connect(self, connection: http.client.HTTPConnection, call: _Call) -> None:
        """What ``connection.connect`` does, in steps at each of which the call can be given up."""
        connected = self._connected(connection.host, connection.port, call)
        connection.sock = connected  # closed with the connection
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if isinstance(connection, http.client.HTTPSConnection):
            connection.sock = secured = self._context().wrap_socket(
                connected, server_hostname=connection.host, do_handshake_on_connect=False
            )
            call.waits_for(secured)
            secured.do_handshake()

    def _connected(self, host: str, port: int, call: _Call) -> socket.socket:
        """A socket that is connected to the first address of the host that answers."""
        failures: list[OSError] = []
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError:
            raise OSError(f"no host can be called '{host}'") from None
        for family, kind, protocol, _, address in addresses:
            try:
                connected = socket.socket(family, kind, protocol)
            except OSError as failure:  # such as IPv6 where there is none
                failures.append(failure)
                continue
            try:
                call.waits_for(connected)
                connected.settimeout(self._timeout)
                connected.connect(address)
            except OSError as failure:
                connected.close()
                failures.append(failure)
            else:
                return connected
        raise failures[0]

    def _new(self, parts: SplitResult) -> http.client.HTTPConnection:
        if parts.scheme == "http":
            return http.client.HTTPConnection(parts.netloc)
        return http.client.HTTPSConnection(parts.netloc, context=self._context())

    def _context(self) -> ssl.SSLContext:
        with self._making_tls:
            if self._tls is None:
                self._tls = ssl.create_default_context()
                self._tls.set_alpn_protocols(["http/1.1"])
            return self._tls


def _read(answered: http.client.HTTPResponse, most: int) -> bytes:
    pieces, size = [], 0
    while piece := answered.read(_PIECE):
        size += len(piece)
        if size > most:
            raise TooLongError
        pieces.append(piece)
    if answered.length:  # fewer bytes than were announced
        raise http.client.IncompleteRead(b"", answered.length)
    return b"".join(pieces)


def _unpacked(body: bytes, headers: Mapping[str, str], most: int) -> bytes:
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed in ("identity", ""):
        return body
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise UnreadableError(f"it is packed as {packed!r}, though no packing was asked for")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        unpacked = unpacking.decompress(body, most + 1)
    except zlib.error:
        raise UnreadableError(f"it is no {packed}") from None
    if len(unpacked) > most:
        raise TooLongError
    if not unpacking.eof:
        raise http.client.HTTPException(f"its {packed} ends too early")
    return unpacked


def json_of(text: str, most_values: int = MAX_VALUES, *, constants: bool = False) -> Any:
    """The value of JSON text.

    Args:
        text: the JSON.
        most_values: that are in it, one in another counted too.
        constants: takes NaN and infinities for numbers.

    Raises:
        ValueError: it is none (a JSONDecodeError), has too many values, or is nested too deeply.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    if _count(text) > most_values and _count(_STRING.sub("", text)) > most_values:
        raise ValueError(f"it has more than {most_values:,} values")
    return load_json(text, parse_constant=None if constants else refuse)


def _count(text: str) -> int:
    """How many values JSON text has at most: each stands first in it, first in another, or behind a
    comma; what strings hold is counted too."""
    return 1 + sum(map(text.count, ",[{"))
