"""What cannot get better is asked once; what may pass is asked again."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ragscore import Command, Http, RetrieverError
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.outside import repeating
from ragscore.retrievers.custom.calling import open_custom
from ragscore.retrievers.custom.options import CodeOptions

CORPUS = Corpus(Ids(["p1", "p2"]), ["text"] * 2)
QUERIES = Queries.from_texts({"q1": "when"})
RETRIES = 2


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.0)


class Server(ThreadingHTTPServer):
    """Sends one reply to whoever asks, and counts connections and requests."""

    daemon_threads = True

    def __init__(self, status: int, body: bytes, packing: str = "identity") -> None:
        self.reply = status, body, packing
        self.connections = self.requests = 0
        super().__init__(("127.0.0.1", 0), Answering)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def get_request(self) -> Any:
        accepted = super().get_request()
        self.connections += 1
        return accepted

    def handle_error(self, request: Any, client_address: Any) -> None: ...


class Answering(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests += 1
        status, body, packing = self.server.reply
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Encoding", packing)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None: ...


Serve = Callable[..., Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    started: list[Server] = []

    def start(*reply: Any) -> Server:
        started.append(Server(*reply))
        return started[-1]

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def failed(server: Server, scheme: str = "http") -> str:
    """Why the one query fails."""
    url = f"{scheme}://127.0.0.1:{server.server_port}/"
    paths = {"ids": "hits[*].id", "scores": "hits[*].score"}
    spec = Http(url=url, body={"q": "{query}"}, response=paths, retries=RETRIES)
    with pytest.raises(RetrieverError) as caught:
        spec.build(CORPUS).search(QUERIES, 1)
    return str(caught.value)


MANY = b'{"hits": [' + b"{}," * 5_000_000 + b"{}]}"
DEEP = b'{"hits": ' + b"[" * 100_000
HITS = b'{"hits": [{"id": "p1", "score": %s}]}'


@pytest.mark.parametrize(
    ("reply", "said", "requests"),
    [
        ((501, b""), "HTTP status 501", 1),
        ((505, b""), "HTTP status 505", 1),
        ((400, b""), "HTTP status 400", 1),
        ((200, HITS % b"NaN"), "its answer cannot be read: NaN is not JSON", 1),
        ((200, MANY), "its answer cannot be read: it has more than 2,000,000 values", 1),
        ((200, DEEP), "nested more than 100 deep", 1),
        ((200, HITS % b'"high"'), "returned the score 'high'", 1),
        ((200, b"[]", "br"), "packed as 'br', though no packing was asked for", 1),
        ((200, b'{"hits": ['), "its answer is not JSON", 1 + RETRIES),
        ((200, b""), "its answer is empty", 1 + RETRIES),
        ((503, b"loading"), "HTTP status 503: loading", 1 + RETRIES),
        ((429, b""), "HTTP status 429", 1 + RETRIES),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_of_a_server(reply: tuple[Any, ...], said: str, requests: int, serve: Serve) -> None:
    server = serve(*reply)
    assert said in failed(server)
    assert server.requests == requests


def test_a_certificate_that_is_not_trusted(serve: Serve, tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=t"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key", "-out", "certificate"]
    subprocess.run([openssl, *made.split(), *names], check=True, cwd=tmp_path, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    server = serve(200, b"")
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    assert "SSLCertVerificationError" in failed(server, "https")
    assert server.connections == 1


def test_a_server_that_speaks_no_tls(serve: Serve) -> None:
    server = serve(200, b"")
    assert "does not answer: SSLError" in failed(server, "https")
    assert server.connections == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are for sh")
@pytest.mark.parametrize(
    ("program", "said", "starts"),
    [
        ("no-such-program-anywhere", "ended with exit status 127", 1),
        ("read -r line; echo '{\"id\": \"q1\", \"ids\": [\"p1\"], \"scores\": [NaN]}'; cat",
         "returned the score nan for passage 'p1'", 1),
        ("read -r line; exit 3", "ended with exit status 3", 1 + RETRIES),
    ],
)  # fmt: skip
def test_of_a_program(program: str, said: str, starts: int, tmp_path: Path) -> None:
    command = ("sh", "-c", f"echo started >> {tmp_path}/starts; {program}")
    with pytest.raises(RetrieverError) as caught:
        Command(command=command, retries=RETRIES).build(CORPUS).search(QUERIES, 1)
    assert said in str(caught.value)
    assert len((tmp_path / "starts").read_text().split()) == starts


@pytest.mark.parametrize(
    ("error", "calls"),
    [(NameError("name"), 1), (ImportError("none"), 1), (NotImplementedError(), 1),
     (OSError("busy"), 1 + RETRIES), (KeyError("hits"), 1 + RETRIES)],
)  # fmt: skip
def test_of_code(error: Exception, calls: int) -> None:
    made = []

    def ours(query: str, k: int) -> list[str]:
        made.append(query)
        raise error

    options = CodeOptions(retries=RETRIES)
    with pytest.raises(RetrieverError, match=type(error).__name__):
        open_custom(ours, CORPUS, calls=options).search(QUERIES, 1)
    assert len(made) == calls


def test_of_code_that_is_called_wrongly() -> None:
    def ours(query: str) -> list[str]:
        return [query]

    options = CodeOptions(retries=RETRIES, max_errors=1)
    (failure,) = open_custom(ours, CORPUS, calls=options).search(QUERIES, 1).failures
    assert "TypeError" in failure.error
    assert failure.attempts == 1
