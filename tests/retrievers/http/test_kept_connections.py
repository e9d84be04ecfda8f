"""Connections: what a server that nobody controls can send."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from ragscore.retrievers.http import kept_connections
from ragscore.retrievers.http.kept_connections import (
    KeptConnections,
    Request,
    Response,
    TooLongError,
    UnreadableError,
    json_of,
)

Serve = Callable[[bytes], str]
OK = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that sends the same bytes to whoever connects, and then closes."""
    listening: list[socket.socket] = []

    def start(answer: bytes) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        listening.append(server)

        def answer_all() -> None:
            with suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client, suppress(OSError):
                        client.recv(65_536)
                        client.sendall(answer)

        threading.Thread(target=answer_all, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/"

    yield start
    for server in listening:
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()


def sent(url: str, timeout: float | None = 5) -> Response:
    opened = KeptConnections(1, timeout)
    try:
        return asyncio.run(opened.send(Request("GET", url, {}, None)))
    finally:
        opened.close()


def test_a_packed_body_is_unpacked(serve: Serve) -> None:
    for packed, named in ((gzip.compress(b"[1]"), b"gzip"), (zlib.compress(b"[1]"), b"deflate")):
        response = sent(serve(OK + b"Content-Encoding: " + named + b"\r\n\r\n" + packed))
        assert (response.status, response.body) == (200, b"[1]")


def packed(body: bytes) -> bytes:
    """Packed by gzip without the time of day, which would stand in the name of a test."""
    return gzip.compress(body, mtime=0)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (OK + b"\r\n" + b"x" * 5_000, TooLongError),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"3e8\r\n" + b"x" * 1_000, OSError),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"zz\r\n", http.client.HTTPException),
        (OK + b"Content-Encoding: gzip\r\n\r\n" + packed(b"x" * 10**6), TooLongError),
        (OK + b"Content-Encoding: gzip\r\n\r\nno gzip", UnreadableError),
        (OK + b"Content-Encoding: gzip\r\n\r\n" + packed(b"[1]")[:-4], UnreadableError),
        (OK + b"Content-Encoding: br\r\n\r\n[]", UnreadableError),
        (OK + b"Content-Length: 10\r\n\r\n[]", http.client.IncompleteRead),
        (OK + b"X: " + b"x" * 70_000 + b"\r\n\r\n", http.client.HTTPException),
        (OK + b"X: y\r\n" * 200 + b"\r\n", http.client.HTTPException),
        (b"SSH-2.0-OpenSSH\r\n", http.client.HTTPException),
        (b"", http.client.RemoteDisconnected),
    ],
)
def test_what_cannot_be_read(
    answer: bytes, error: type[Exception], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_connections, "MAX_BYTES", 4_000)
    with pytest.raises((error, http.client.HTTPException) if error is OSError else error):
        sent(serve(answer))


def test_redirects_are_not_followed(serve: Serve) -> None:
    response = sent(serve(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"))
    assert (response.status, response.headers["location"]) == (302, "file:///etc/passwd")


def test_what_is_given_up_ends_its_thread(serve: Serve) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        opened = KeptConnections(1, None)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"

        async def give_up() -> None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(opened.send(Request("GET", url, {}, None)), 0.1)
            other = Request("GET", serve(OK + b"Content-Length: 2\r\n\r\n[]"), {}, None)
            assert (await asyncio.wait_for(opened.send(other), 5)).body == b"[]"

        asyncio.run(give_up())  # one thread serves both
        opened.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NaN", "NaN is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 10_000, "digit"),
        ("{", "Expecting"),
    ],
)
def test_what_is_no_json(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        json_of(text)
