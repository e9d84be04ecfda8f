"""An embeddings service as OpenAI's API describes it, that encodes with a function, and fails on
command."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Reply:
    """What is sent in the place of a right answer.

    Attributes:
        status: of HTTP.
        body: sent as it is, where it is bytes, and as JSON otherwise.
        headers: besides; a Content-Length here is the one that is sent.
        drip: seconds between two bytes.
    """

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    drip: float = 0.0


Trouble = Callable[[list[str], dict[str, Any]], Reply | None]
"""What is sent in the place of a right answer to some texts, if anything."""


def answered(change: Callable[[dict[str, Any]], Any]) -> Trouble:
    """Every answer is changed in place, or is another one."""

    def trouble(texts: list[str], answer: dict[str, Any]) -> Reply:
        changed = change(answer)
        return Reply(body=answer if changed is None else changed)

    return trouble


class EmbeddingServer:
    """What stands behind the server.

    Attributes:
        url: of the service, without a path.
        encode: makes vectors of texts.
        trouble: looked at for each request.
        bodies, headers: of the requests so far.
        most: requests that were under way at once.
        delay: seconds that an answer takes.
    """

    def __init__(self, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> None:
        self.encode = encode
        self.url = ""
        self.delay = 0.0
        self._lock = threading.Lock()
        self.calm()

    def calm(self) -> None:
        """Forget what was asked, and answer everything."""
        self.trouble: Trouble = lambda texts, answer: None
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most = self._under_way = 0

    @property
    def texts(self) -> list[str]:
        """All that was asked, but for what the service is tried with first."""
        return [text for body in self.bodies[1:] for text in body["input"]]

    def reply(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        """What it answers to one request."""
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        try:
            time.sleep(self.delay)
            answer = self.answer(body)
            return self.trouble(body["input"], answer) or Reply(body=answer)
        finally:
            with self._lock:
                self._under_way -= 1

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The right answer."""
        vectors = self.encode(body["input"])[:, : body.get("dimensions")]
        packed = body.get("encoding_format") == "base64"
        count = sum(len(text.split()) for text in body["input"])
        return {
            "object": "list",
            "model": body["model"],
            "data": [
                {
                    "object": "embedding",
                    "index": at,
                    "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
                    if packed
                    else vector.tolist(),
                }
                for at, vector in enumerate(vectors)
            ],
            "usage": {"prompt_tokens": count, "total_tokens": count},
        }


@contextmanager
def embedding_server(
    encode: Callable[[Sequence[str]], NDArray[np.float32]],
) -> Iterator[EmbeddingServer]:
    """A running server, on a free port."""
    service = EmbeddingServer(encode)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: else each answer takes 40 ms

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/embeddings":
                reply = Reply(404, {"detail": "Not Found"})
            else:
                reply = service.reply(body, dict(self.headers))
            sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            headers = {"Content-Length": str(len(sent)), **reply.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                if reply.drip:
                    self._drip(sent, reply.drip)
                else:
                    self.wfile.write(sent)
            self.close_connection = headers["Content-Length"] != str(len(sent))

        def _drip(self, sent: bytes, seconds: float) -> None:
            for at in range(len(sent)):
                self.wfile.write(sent[at : at + 1])
                self.wfile.flush()
                time.sleep(seconds)

        def log_message(self, format: str, *arguments: Any) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: Any, client_address: Any) -> None: ...

    with Server(("127.0.0.1", 0), Handler) as server:
        service.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield service
        finally:
            server.shutdown()
