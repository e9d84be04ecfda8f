"""A server that repeats what it was sent in every place where a response can hold it."""

from __future__ import annotations

import base64
import html
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, quote_plus


def echoes(text: str) -> list[str]:
    """A text in all ways in which a system may write it."""
    return [
        text,
        quote(text, safe=""),
        quote_plus(text).lower(),
        json.dumps(text)[1:-1],
        html.escape(text),
        repr(text),
        base64.b64encode(text.encode()).decode(),
        base64.b64encode(f"user:{text}:more".encode()).decode(),
    ]


class _Echoing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        sent = [self.headers["X-Api-Key"], self.path.rpartition("=")[2], json.loads(body)["key"]]
        said = " ".join(echo for value in sent for echo in echoes(value))
        place = self.path.partition("?")[0].strip("/")
        getattr(self, f"_{place}")(said, sent)

    def _works(self, said: str, sent: list[str]) -> None:
        self._send(200, json.dumps({"hits": [{"id": "p1", "score": 1}], "debug": said}))

    def _status(self, said: str, sent: list[str]) -> None:
        self._send(500, said)

    def _refused(self, said: str, sent: list[str]) -> None:
        self._send(401, json.dumps({"error": said}))

    def _text(self, said: str, sent: list[str]) -> None:
        self._send(200, f"<html>{said}")

    def _ids(self, said: str, sent: list[str]) -> None:
        self._send(200, json.dumps({"hits": [{"id": sent[0], "score": 1}]}))

    def _long(self, said: str, sent: list[str]) -> None:
        """A message is cut in the middle of the value."""
        self._send(200, json.dumps({"hits": [{"id": "x" * 50 + sent[0], "score": 1}]}))

    def _scores(self, said: str, sent: list[str]) -> None:
        self._send(200, json.dumps({"hits": [{"id": "p1", "score": [said]}]}))

    def _keys(self, said: str, sent: list[str]) -> None:
        self._send(200, json.dumps({sent[0]: said, "x": {said: sent}}))

    def _redirect(self, said: str, sent: list[str]) -> None:
        self._send(302, "", Location=f"http://else/{said}")

    def _packed(self, said: str, sent: list[str]) -> None:
        self._send(200, "", **{"Content-Encoding": said})

    def _line(self, said: str, sent: list[str]) -> None:
        self.wfile.write(f"{said}\r\n\r\n".encode())
        self.close_connection = True

    def _send(self, status: int, body: str, **headers: str) -> None:
        self.send_response(status, "OK")
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments: object) -> None:
        """Nothing is logged."""


PLACES = (
    "works", "status", "refused", "text", "ids", "long", "scores", "keys", "redirect", "packed",
    "line",
)  # fmt: skip
"""The paths, each of which repeats it in another place."""


@contextmanager
def echoing_server() -> Iterator[str]:
    """Its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Echoing)
    server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        with suppress(OSError):
            server.shutdown()
            server.server_close()
