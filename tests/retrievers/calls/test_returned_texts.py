"""Texts that a system returns with its passages."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import polars
import pytest

from ragscore import Command, Dataset, Http, evaluate, open_result
from ragscore.dataset import Corpus, Ids
from ragscore.errors import DataError
from ragscore.models import Passage
from ragscore.report.explorer.budget import explorer_payloads
from ragscore.report.explorer.packing import unpacked
from ragscore.report.report import make_report
from ragscore.results.texts_file import COLUMNS, read_texts
from ragscore.retrievers.calls import returned_texts
from ragscore.retrievers.calls.returned_texts import ReturnedTexts
from tests.factories.built_report import section

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
    "outside: 2 of 3 returned passages differ in text from the corpus, such as 'pets', 'keys'; "
    "its index may be from another version"
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
    result = evaluate(DATA, {"outside": http(url)}, ["RR"])
    assert NOTE in map(str, result.manifest.notes)


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are for sh")
@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([hit["text"] for hit in HITS], NOTE),
        (["Pets", "Pets"], "its answer has 4 ids and 2 texts"),
        ([1, 2, 3, 4], "the text of a passage is not a string: 1"),
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
    assert said in [*map(str, result.manifest.notes), failed] or said in failed


def test_without_a_corpus_they_are_the_texts_of_the_result(url: str, tmp_path: Path) -> None:
    golden = Dataset.from_rows(None, QUERIES, {"q1": ["rent"], "q2": ["pets"]}, name="golden")
    made = evaluate(golden, {"outside": http(url)}, ["RR"])
    texts = {hit["id"]: hit["text"] for hit in HITS if hit["text"]}
    assert made.dataset("golden").returned == texts
    assert "another text" not in str(made.manifest.notes)
    made.save(tmp_path / "result")
    again = open_result(tmp_path / "result")
    assert again.dataset("golden").returned == texts
    again.save(tmp_path / "copy")
    assert open_result(tmp_path / "copy").dataset("golden").returned == texts
    report = make_report(again)
    assert "Pets are forbidden." in str(section(report, "queries"))
    data = unpacked(explorer_payloads(report, again["golden"], 10**6).passages)
    assert dict(zip(data["id"], data["text"], strict=True)) == {**texts, "heat": ""}


def test_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returned_texts, "MAX_TEXT", 4)
    monkeypatch.setattr(returned_texts, "MAX_TEXTS", 10)
    texts = ReturnedTexts(Corpus.of_ids(Ids(["a"])))
    texts.add(["a", "b", "c", "d"], [0, 1, 2, 3], ["x" * 9, None, "yy", "z" * 9])
    assert texts.kept == {"a": "xxxx", "c": "yy", "d": "zzzz"}
    texts.add(["e"], [4], ["e"])
    assert "e" not in texts.kept
    later = ReturnedTexts(Corpus.of_ids(Ids(["a"])))
    later.recall(texts.new())
    assert later.kept == texts.kept
    assert not later.new()


@pytest.mark.parametrize(
    ("rows", "most", "said"),
    [
        ([("golden", "a", None)], 5, "a value is missing"),
        ([("golden", "a", "x")] * 6, 5, "it holds 6 rows, and at most 5 were recorded"),
        (None, 5, "it is not a table of texts"),
    ],
)
def test_a_file_of_texts_is_read_with_care(
    rows: list[Any] | None, most: int, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "texts.parquet"
    if rows is None:
        path.write_bytes(b"PAR1 of another kind")
    else:
        schema = dict.fromkeys(COLUMNS, polars.String)
        polars.DataFrame(rows, schema=schema, orient="row").write_parquet(path)
    with pytest.raises(DataError, match=said):
        read_texts(path.read_bytes(), "texts.parquet", most)


def test_half_surrogates_harm_no_result_without_a_corpus(tmp_path: Path) -> None:
    lines = [
        {"id": "q1", "ids": ["rent"], "texts": ["half \ud800"]},
        {"id": "q2", "ids": ["pets\ud800"]},
    ]
    program = "import sys\nfor line in sys.stdin: print(LINES['q2' in line], flush=True)"
    code = f"LINES = {[json.dumps(line) for line in lines]!r}\n{program}"
    system = Command(command=(sys.executable, "-c", code), max_errors=1, retries=0)
    golden = Dataset.from_rows(None, QUERIES, {"q1": ["rent"], "q2": ["pets"]}, name="house")
    result = evaluate(golden, {"system": system}, ["P@1"])
    [failure] = result.run("house", "system").failures
    assert failure.query == "q2"
    assert "half a surrogate pair" in failure.error
    result.save(tmp_path / "result")
    assert (tmp_path / "result" / "manifest.json").exists()
