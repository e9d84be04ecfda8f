"""Connections: what a server that nobody controls can send."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ragscore import Dataset, Http, RetrieverError
from ragscore.dataset import Corpus, Ids
from ragscore.outside.kept_connections import (
    MAX_BYTES,
    KeptConnections,
    Request,
    Response,
    TooLongError,
    UnreadableError,
    json_of,
)

Serve = Callable[[bytes], str]
OK = b"HTTP/1.1 200 OK\r\n"


def read_request(client: socket.socket) -> None:
    """Reads all of it: to close with a part unread resets the connection, answer and all."""
    came = client.recv(65_536)
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)\r\n", came)
    whole = came.find(b"\r\n\r\n") + 4 + int(length[1]) if length else 0
    while came and len(came) < whole and (more := client.recv(65_536)):
        came += more


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
                        read_request(client)
                        client.sendall(answer)

        threading.Thread(target=answer_all, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/"

    yield start
    for server in listening:
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()


def sent(url: str, timeout: float | None = 5, max_bytes: int = MAX_BYTES) -> Response:
    opened = KeptConnections(timeout)
    try:
        return asyncio.run(opened.send(Request("GET", url, {}, None, max_bytes)))
    finally:
        opened.close()


def test_a_packed_body_is_unpacked(serve: Serve) -> None:
    for packed, named in ((gzip.compress(b"[1]"), b"gzip"), (zlib.compress(b"[1]"), b"deflate")):
        response = sent(serve(OK + b"Content-Encoding: " + named + b"\r\n\r\n" + packed))
        assert (response.status, response.body) == (200, b"[1]")


def test_responses_that_only_announce_another_are_passed_over(serve: Serve) -> None:
    announced = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    response = sent(serve(announced + OK + b"Content-Length: 3\r\n\r\n[1]"))
    assert (response.status, response.body, "link" in response.headers) == (200, b"[1]", False)
    with pytest.raises(http.client.HTTPException, match="more than 100 responses"):
        sent(serve(announced * 60))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", "its answer is empty, not JSON"),
        (OK + b"\r\n <html>Log in</html>", "its answer is HTML or XML.*: <html>Log in</html>"),
        (OK + b'\r\n{"error": "no index"}', "does not fit response: it has no 'ids'"),
    ],
)
def test_an_answer_that_holds_no_passages(serve: Serve, answer: bytes, said: str) -> None:
    spec = Http(url=serve(answer), body={"q": "{query}"}, response={"ids": "ids[*]"}, retries=0)
    corpus = Corpus.of_ids(Ids(["p"]))
    queries = Dataset.from_rows(None, {"q": "when"}, {"q": ["p"]}).queries
    with pytest.raises(RetrieverError, match=f"{said}.*Fix the cause and run it again"):
        spec.build(corpus).search(queries, 5)


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
        (OK + b"Content-Encoding: gzip\r\n\r\n" + packed(b"[1]")[:-4], http.client.HTTPException),
        (OK + b"Content-Encoding: br\r\n\r\n[]", UnreadableError),
        (OK + b"Content-Length: 10\r\n\r\n[]", http.client.IncompleteRead),
        (OK + b"X: " + b"x" * 70_000 + b"\r\n\r\n", http.client.HTTPException),
        (OK + b"X: y\r\n" * 200 + b"\r\n", http.client.HTTPException),
        (b"SSH-2.0-OpenSSH\r\n", http.client.HTTPException),
        (b"", http.client.RemoteDisconnected),
    ],
)
def test_what_cannot_be_read(answer: bytes, error: type[Exception], serve: Serve) -> None:
    with pytest.raises((error, http.client.HTTPException) if error is OSError else error):
        sent(serve(answer), max_bytes=4_000)


def test_a_chunk_of_negative_size_is_not_read_to_the_end(serve: Serve) -> None:
    endless = OK + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + b"x" * 9_000
    with pytest.raises(http.client.IncompleteRead) as error:
        sent(serve(endless))
    assert error.value.partial == b""


def test_redirects_are_not_followed(serve: Serve) -> None:
    response = sent(serve(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"))
    assert (response.status, response.headers["location"]) == (302, "file:///etc/passwd")


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield server.getsockname()[1]


def threads_end(before: list[threading.Thread]) -> bool:
    """Whether those that were started since do within five seconds."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if not set(threading.enumerate()) - set(before):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_hangs_keeps_nobody_waiting(scheme: str, serve: Serve, silent: int) -> None:
    opened = KeptConnections(None)
    hanging = Request("GET", f"{scheme}://127.0.0.1:{silent}/", {}, None)
    calm = Request("GET", serve(OK + b"Content-Length: 2\r\n\r\n[]"), {}, None)
    before = threading.enumerate()

    async def ask(request: Request) -> bytes | None:
        try:
            seconds = 5 if request is calm else 0.2
            return (await asyncio.wait_for(opened.send(request), seconds)).body
        except TimeoutError:
            return None

    async def ask_all() -> list[bytes | None]:
        return await asyncio.gather(*(ask(hanging) for _ in range(20)), *(ask(calm),))

    assert asyncio.run(ask_all()) == [None] * 20 + [b"[]"]
    opened.close()
    assert threads_end(before)


def test_a_name_that_is_looked_up_for_ever_keeps_nobody_waiting(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = threading.Event()
    look_up = socket.getaddrinfo

    def hang(host: str, *more: Any, **options: Any) -> Any:
        if host == "slow.invalid":
            found.wait()
            raise socket.gaierror("not known")
        return look_up(host, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    opened = KeptConnections(None)
    calm = Request("GET", serve(OK + b"Content-Length: 2\r\n\r\n[]"), {}, None)
    before = threading.enumerate()

    async def ask_all() -> None:
        slow = Request("GET", "http://slow.invalid/", {}, None)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(opened.send(slow) for _ in range(20))), 0.1)
        assert (await asyncio.wait_for(opened.send(calm), 5)).body == b"[]"

    asyncio.run(ask_all())
    opened.close()
    found.set()
    assert threads_end(before)


def test_an_answer_in_drops_is_given_up() -> None:
    def drip(server: socket.socket) -> None:
        client, _ = server.accept()
        with client, suppress(OSError):
            client.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
            while True:
                client.sendall(b" ")
                time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, args=(server,), daemon=True).start()
        before = threading.enumerate()
        opened = KeptConnections(10)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(opened.send(Request("GET", url, {}, None)), 0.2))
        opened.close()
        assert threads_end(before)


def answers_one_request(server: socket.socket, bodies: int) -> None:
    """Says that it keeps each connection open, and closes it after its first answer."""
    for number in range(bodies):
        client, _ = server.accept()
        with client:
            client.recv(65_536)
            client.sendall(OK + b"Content-Length: 1\r\n\r\n%d" % number)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_connection_that_was_closed_meanwhile_is_made_anew(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        server = socket.create_server((address, 0), family=family)
    except OSError:
        pytest.skip("there is no IPv6")
    with server:
        thread = threading.Thread(target=answers_one_request, args=(server, 3), daemon=True)
        thread.start()
        opened = KeptConnections(5)
        host = f"[{address}]" if ":" in address else address
        request = Request("POST", f"http://{host}:{server.getsockname()[1]}/", {}, b"{}")
        for number in range(3):
            assert asyncio.run(opened.send(request)).body == b"%d" % number
        thread.join(5)
        opened.close()


def test_a_server_of_tls_is_asked_where_its_certificate_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    made = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    )
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key", "-out", "certificate"]
    subprocess.run([openssl, *made.split(), *names], check=True, cwd=tmp_path, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    context.set_alpn_protocols(["http/1.1"])

    def answer(server: socket.socket) -> None:
        for connections in range(3):
            client, _ = server.accept()
            with suppress(OSError), context.wrap_socket(client, server_side=True) as secured:
                for _ in range(2):
                    secured.recv(65_536)
                    secured.sendall(OK + b"Content-Length: 1\r\n\r\n%d" % connections)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        request = Request("GET", f"https://127.0.0.1:{server.getsockname()[1]}/", {}, None)
        with pytest.raises(ssl.SSLCertVerificationError):
            sent(request.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
        opened = KeptConnections(5)
        # The third comes when the server has closed the connection of the first two.
        bodies = [asyncio.run(opened.send(request)).body for _ in range(3)]
        assert bodies == [b"1", b"1", b"2"]
        opened.close()


def test_old_servers_answer_too(serve: Serve) -> None:
    assert sent(serve(b"HTTP/1.0 200 OK\r\n\r\n[1]")).body == b"[1]"


def test_a_name_that_no_host_can_have() -> None:
    with pytest.raises(OSError, match="no host can be called"):
        sent(f"http://{'a' * 64}.example/")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NaN", "NaN is not JSON"),
        ("[" * 100_000, "nested more than 100 deep at line 1, column 101"),
        ("9" * 10_000, "digit"),
        ("{", "Expecting"),
        ("[" + "{}," * 2_000_000 + "{}]", "it has more than 2,000,000 values"),
        ("[" + "[]," * 2_000_000, "it has more than 2,000,000 values"),
        ('"' + '\\"' * 1_100_000 + "{[," * 1_000_000, "Unterminated string"),
    ],
)
def test_what_is_no_json(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        json_of(text)


def test_what_strings_hold_are_no_values() -> None:
    text = '"' + ",[{" * 1_000_000 + '"'
    assert json_of(f"[{text}, {{}}]")[1] == {}
