"""A search server that counts how often it is asked each query, and fails on command."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


class CountingSystem:
    """What stands behind the server: passages by a number that depends on the query alone.

    Attributes:
        url: where it is asked.
        asked: how often, by query id.
        fails_after: from so many queries on it answers with status 400.
        failing: query ids that it answers so.
        gone: at ``/search/late`` it answers nobody, and counts nothing.
        delay: seconds that an answer takes.
        hanging: query ids that it does not answer the first time that it is asked them.
    """

    def __init__(self, passages: list[str]) -> None:
        self.passages = passages
        self.url = ""
        self.asked = Counter[str]()
        self.fails_after: int | None = None
        self.failing = frozenset[str]()
        self.gone = False
        self.delay = 0.0
        self.hanging = frozenset[str]()
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._open = 0

    def opened(self) -> None:
        """A connection was accepted."""
        with self._lock:
            self._open += 1

    def closed(self) -> None:
        """It ended: everything asked over it was counted."""
        with self._lock:
            self._open -= 1

    def settle(self) -> None:
        """Waits until everything that a process asked before it was killed has been counted.

        Its connections were accepted before this one, and each ends once it was read whole.
        """
        url = urlsplit(self.url)
        assert url.hostname is not None
        with closing(HTTPConnection(url.hostname, url.port, timeout=30)) as connection:
            connection.request("GET", "/")
            connection.getresponse().read()
        until = time.monotonic() + 30
        while self._open:
            assert time.monotonic() < until, f"{self._open} connections never ended"
            time.sleep(0.001)

    def answer(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """What it answers; None is a failure."""
        time.sleep(self.delay)
        with self._lock:
            fails = self.fails_after is not None and self.asked.total() >= self.fails_after
            self.asked[asked["id"]] += 1
            hangs = asked["id"] in self.hanging and self.asked[asked["id"]] == 1
        if hangs:
            self.ended.wait()
        if fails:
            return None
        number = sum(asked["id"].encode())
        found = [self.passages[(number * at) % len(self.passages)] for at in range(1, 6)]
        ids = list(dict.fromkeys(found))[: asked["k"]]
        return {"hits": [{"id": id, "score": 1 / at} for at, id in enumerate(ids, 1)]}


@contextmanager
def counting_server(passages: list[str]) -> Iterator[CountingSystem]:
    """A running server, on a free port."""
    system = CountingSystem(passages)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: else each answer takes 40 ms

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            late = self.path.endswith("/late")
            found = None if late and system.gone else system.answer(asked)
            if asked["id"] in system.failing and not late:
                found = None
            body = json.dumps(found or {"error": "broken"}).encode()
            self.send_response(400 if found is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def process_request(self, request: Any, client_address: Any) -> None:
            system.opened()
            super().process_request(request, client_address)

        def shutdown_request(self, request: Any) -> None:
            super().shutdown_request(request)
            system.closed()

        def handle_error(self, request: Any, client_address: Any) -> None: ...  # it was killed

    with Server(("127.0.0.1", 0), Handler) as server:
        system.url = f"http://127.0.0.1:{server.server_port}/search"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield system
        finally:
            system.ended.set()
            server.shutdown()
