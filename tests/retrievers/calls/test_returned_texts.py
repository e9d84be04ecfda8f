"""Texts that a system returns with its passages."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragscore import Command, Dataset, Http, evaluate
from ragscore.models import Passage

PASSAGES = [
    Passage(id="rent", title="Rent", text="Rent is due\non the first."),
    Passage(id="pets", text="Pets are welcome."),
    Passage(id="keys", text="Keys cost 20."),
    Passage(id="heat", text="Heating runs from October."),
]
QUERIES = {"q1": "rent", "q2": "pets"}
DATA = Dataset.from_rows(PASSAGES, QUERIES, {"q1": ["rent"], "q2": ["pets"]}, name="house")
HITS = [
    {"id": "rent", "text": "Rent  Rent is due on the first."},
    {"id": "pets", "text": "Pets are forbidden."},
    {"id": "keys", "text": "Keys cost 30."},
    {"id": "heat", "text": None},
]
NOTE = (
    "outside: 2 of 3 returned passages have another text than the corpus, such as 'pets', 'keys'; "
    "its index may be of another version"
)


class Answering(BaseHTTPRequestHandler):
    """Answers every query with all passages and their texts."""

    hits: list[dict[str, Any]] = HITS

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"hits": self.hits}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def http(url: str) -> Http:
    paths = {"ids": "hits[*].id", "texts": "hits[*].text"}
    return Http(url=url, body={"q": "{query}"}, response=paths)


def test_texts_of_http_are_compared_with_the_corpus(url: str) -> None:
    assert NOTE in evaluate(DATA, {"outside": http(url)}, ["RR"]).manifest.notes


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are for sh")
@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([hit["text"] for hit in HITS], NOTE),
        (["Pets", "Pets"], "its answer has 4 ids and 2 texts"),
        ([1, 2, 3, 4], "the text of a passage is none: 1"),
        ("Pets", "its answer has no list of texts: 'Pets'"),
    ],
)
def test_texts_of_a_program(texts: Any, said: str) -> None:
    answer = json.dumps({"ids": [hit["id"] for hit in HITS], "texts": texts})[1:]
    program = (
        'while read -r line; do id=${line#*\\"id\\": \\"}; id=${id%%\\"*}; '
        f"printf '{{\"id\": \"%s\", %s\\n' $id '{answer}'; done"
    )
    spec = Command(command=("sh", "-c", program), max_errors=2)
    result = evaluate(DATA, {"outside": spec}, ["RR"])
    failed = str(result.stages["house", "outside"].failed)
    assert said in [*result.manifest.notes, failed] or said in failed
