"""ViewServer: the index page and the reports of all results, on this machine and read-only.

Every page is rendered here, in memory, from the data of a result: a report.html that stands in its
folder may be anybody's and is never served. Nothing is written. What is served is looked up in the
list of results; no part of an address becomes a path.
"""

from __future__ import annotations

import os
import re
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, socket
from socketserver import TCPServer
from threading import Lock
from time import monotonic
from typing import Any

from ragscore.errors import RagscoreError
from ragscore.report.html.assets import script, source
from ragscore.report.html.page import page
from ragscore.report.index.finder import Finder, FoundResult
from ragscore.report.index.index_page import IndexPage, index_page
from ragscore.report.report import make_report

HOST = "127.0.0.1"
KEPT = 16
"""Reports that are kept in memory, at some megabytes each."""
MAX_CONNECTIONS = 64
"""How many may be open. One more ends the oldest that has not sent its request yet."""
REQUEST_SECONDS = 10.0
"""How long a request may take to arrive, however slowly its bytes come."""
SENDING_SECONDS = 60.0
"""How long an answer may take to be read."""
_FRAMES = "frame-ancestors 'none'"
_NOTHING = f"default-src 'none'; style-src 'unsafe-inline'; sandbox; {_FRAMES}"
_ADDRESS = re.compile(r"/r/(?P<id>[0-9a-f]{12})/(?:since/(?P<before>[0-9a-f]{12})/)?report\.html")


@dataclass(frozen=True)
class Answer:
    """An answer: a status, a body, and a policy for the browser."""

    status: int
    body: bytes
    type: str = "text/plain"
    policy: str = _NOTHING

    @classmethod
    def plain(cls, status: int, text: str) -> Answer:
        """A line of plain text."""
        return cls(status, f"{text}\n".encode("utf-8", "replace"))


class Connections:
    """The connections that are open, and until when each may be.

    An attacker, or a browser that connects in advance, may open many and send nothing, or a byte
    a minute: neither may keep others out or hold threads for good.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._until: dict[socket, float | None] = {}
        self._reading: dict[socket, None] = {}

    def admit(self, connection: socket) -> bool:
        """Take a new connection; False if there are too many that cannot be ended."""
        with self._lock:
            if len(self._until) >= MAX_CONNECTIONS:
                if not self._reading or len(self._until) >= 2 * MAX_CONNECTIONS:
                    return False
                self._end(next(iter(self._reading)))
            self._until[connection] = monotonic() + REQUEST_SECONDS
            self._reading[connection] = None
            return True

    def expect(self, connection: socket, seconds: float | None) -> None:
        """The request has arrived; the connection is ended after these seconds, if given."""
        with self._lock:
            self._reading.pop(connection, None)
            if connection in self._until:
                self._until[connection] = None if seconds is None else monotonic() + seconds

    def forget(self, connection: socket) -> None:
        """Forget a connection that is closed."""
        with self._lock:
            self._until.pop(connection, None)
            self._reading.pop(connection, None)

    def end_overdue(self) -> None:
        """End those whose time is over; their threads then find nothing more to read or send."""
        now = monotonic()
        with self._lock:
            for connection, until in list(self._until.items()):
                if until is not None and until < now:
                    self._end(connection)

    def _end(self, connection: socket) -> None:
        self._reading.pop(connection, None)
        self._until[connection] = None
        with suppress(OSError):
            connection.shutdown(SHUT_RDWR)


class ViewServer(ThreadingHTTPServer):
    """Serves the results beneath a folder until it is shut down.

    Args:
        top: the folder.
        port: 0 for a free one.
        language: of the index page.
        log: receives what went wrong with a request, in a line.

    Raises:
        DataError: there is no such folder.
        OSError: the port is taken.
    """

    daemon_threads = True
    request_queue_size = 2 * MAX_CONNECTIONS  # else the system drops some, which try again later
    # On Windows this would let two servers share one port.
    allow_reuse_address = os.name == "posix"
    allow_reuse_port = False

    def __init__(
        self,
        top: str | Path,
        port: int,
        language: str,
        *,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.finder = Finder(top)
        self.language = language
        self.log = log
        self._finding, self._rendering = Lock(), Lock()
        self._pages: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._shown: tuple[tuple[Any, ...], IndexPage | None] = (), None
        self._connections = Connections()
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking the network for this machine's name, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread for each connection, up to a limit."""
        if self._connections.admit(request):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """The connection is over."""
        self._connections.forget(request)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Between requests: end the connections that take too long."""
        self._connections.end_overdue()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what went wrong; a browser that goes away in the middle is not an error."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            self.log(f"a request failed: {type(error).__name__}: {error}")

    @property
    def url(self) -> str:
        """Where the index page is."""
        return f"http://{HOST}:{self.server_port}/"

    def answer(self, target: str) -> Answer:
        """The answer to a GET of a path, as it was sent."""
        path = target.partition("?")[0]
        if path == "/":
            return self._index()
        asked = _ADDRESS.fullmatch(path)
        if asked is None:
            return Answer.plain(404, "There is nothing here; the results are at /")
        known = {result.id: result for result in self._results()}
        result, before = known.get(asked["id"]), known.get(asked["before"])
        if result is None or (asked["before"] and before is None):
            return Answer.plain(404, "This result is no longer there; the others are at /")
        for found in (result, before):
            if found is not None and found.problem:
                return Answer.plain(500, f"{found.place}: {found.problem}")
        return self._report(result, before)

    def _results(self) -> list[FoundResult]:
        with self._finding:
            return self.finder.results()

    def _index(self) -> Answer:
        results = self._results()
        key = tuple((result.id, result.stamp, result.problem) for result in results)
        known, shown = self._shown
        if known != key or shown is None:
            shown = index_page(results, self.finder.top, self.language)
            self._shown = key, shown
        return Answer(200, shown.text.encode("utf-8", "replace"), "text/html", shown.policy)

    def _report(self, result: FoundResult, before: FoundResult | None) -> Answer:
        ours = source(script())
        policy = (
            f"default-src 'none'; script-src {ours}; style-src 'unsafe-inline'; img-src data:; "
            f"base-uri 'none'; form-action 'none'; {_FRAMES}"
        )
        try:
            body = self._rendered(result, before)
        except RagscoreError as error:
            return Answer.plain(500, str(error))
        return Answer(200, body, "text/html", policy)

    def _rendered(self, result: FoundResult, before: FoundResult | None) -> bytes:
        key = tuple((asked.id, asked.stamp) for asked in (result, before) if asked is not None)
        with self._rendering:
            if key not in self._pages:
                self._pages[key] = render(result.folder, before.folder if before else None)
            self._pages.move_to_end(key)
            while len(self._pages) > KEPT:
                self._pages.popitem(last=False)
            return self._pages[key]


def render(folder: Path, before: Path | None = None) -> bytes:
    """The report of a result folder as a page, made in memory.

    Raises:
        RagscoreError: the folder is damaged.
    """
    return page(make_report(folder, before=before)).encode("utf-8", "replace")


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    server_version, sys_version = "ragscore", ""
    timeout = SENDING_SECONDS

    def do_GET(self) -> None:
        self._send(self._answer())

    def do_HEAD(self) -> None:
        self._send(self._answer(), body=False)

    def _answer(self) -> Answer:
        self.server._connections.expect(self.connection, None)  # a page may take its time
        # A page of another site may reach this port under a name of its own (DNS rebinding).
        port = self.server.server_port
        if self.headers.get_all("Host") not in ([f"{HOST}:{port}"], [f"localhost:{port}"]):
            return Answer.plain(403, f"Open {self.server.url} by this name")
        try:
            return self.server.answer(self.path)
        except Exception as error:
            # A server lives on when one page of it can't be made.
            self.server.log(f"{self.path}: {type(error).__name__}: {error}")
            return Answer.plain(
                500, f"This page could not be made: {type(error).__name__}: {error}"
            )

    def _send(self, answer: Answer, *, body: bool = True) -> None:
        self.server._connections.expect(self.connection, SENDING_SECONDS)
        self.send_response(answer.status)
        self.send_header("Content-Type", f"{answer.type}; charset=utf-8")
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Content-Security-Policy", answer.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        if answer.status == 405:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if body:
            self.wfile.write(answer.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A method without a do_ function ends here with 501: only GET and HEAD are allowed."""
        self.close_connection = True
        line = "This server is read-only: GET and HEAD" if code == 501 else message or ""
        self._send(Answer.plain(405 if code == 501 else code, line), body=self.command != "HEAD")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: answered requests are not worth a line."""


def free_server(
    top: str | Path, language: str, *, port: int, log: Callable[[str], None]
) -> ViewServer:
    """A server at this port, or at any free one where it is taken.

    Raises:
        DataError: there is no such folder.
    """
    try:
        return ViewServer(top, port, language, log=log)
    except OSError:
        return ViewServer(top, 0, language, log=log)
