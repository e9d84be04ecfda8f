"""Chunkers as specs: options, their checks, and what foreign code returns."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from ragscore import ConfigError, CustomChunker, DataError, SentenceChunker
from ragscore.chunking import CHUNKERS, Chunker, ChunkerSpec, cut
from ragscore.cli import main
from ragscore.dataset.documents import Documents
from ragscore.models import Document

ADAPTER: TypeAdapter[ChunkerSpec] = TypeAdapter(Chunker)
TEXT = "Rent is due.\r\nIt is paid monthly.\n\nPets are allowed."
CODE = """\
from pathlib import Path
Path("imported").touch()

def halves(text, at=20):
    return [(0, at), (at, len(text))]

def lines(text):
    yield from text.splitlines()

class Sized:
    def __init__(self, size):
        self.size = size
        with Path("made").open("a") as made:
            made.write("1")

    def __call__(self, text):
        print("noise")
        return [text[at : at + self.size] for at in range(0, len(text), self.size)]

wrong = {
    "number": 7, "text": "all", "far": [(0, 900)], "empty": [(0, 5), (5, 5)], "words": ["no such"],
    "mixed": ["Rent", 3], "gap": [(0, 4), (20, 51)], "pair": [(0, 1.5)], "none": None,
}

def returns(text, what):
    return wrong[what]

def raises(text):
    raise ValueError("too hard")

def endless(text):
    while True:
        yield (0, 1)
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "their_chunks.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "their_chunks", raising=False)
    return tmp_path


def custom(use: str, folder: Path, **options: Any) -> CustomChunker:
    return CustomChunker(use=f"their_chunks:{use}", options=options, folder=str(folder))


@pytest.mark.parametrize("kind", [kind for kind in CHUNKERS.own if kind != "custom"])
def test_every_chunker_is_its_json(kind: str) -> None:
    chunker = ADAPTER.validate_python({"kind": kind})
    assert ADAPTER.validate_python(json.loads(chunker.canonical_json())) == chunker
    assert type(chunker)() == chunker
    assert not chunker.check()
    if "size" in type(chunker).model_fields:
        assert chunker.changed(size=10).canonical_json() != chunker.canonical_json()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"size": 20, "overlap": 20},
            "SentenceChunker.overlap: an overlap of 20 is not smaller than the size, 20. Write at "
            "most 19",
        ),
        ({"size": 0}, "SentenceChunker.size: the number 0 is too small"),
        ({"unit": "sentence"}, "SentenceChunker.unit: unknown value 'sentence'. Did you mean"),
        (
            {"tokenizer": "minilm"},
            "SentenceChunker.tokenizer: a tokenizer counts nothing where the unit is characters. "
            "Count tokens, or leave the tokenizer out",
        ),
        ({"sized": 3}, "SentenceChunker.sized: unknown key. Did you mean 'size'?"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        SentenceChunker(**options)
    assert str(raised.value).startswith(told)


def test_a_tokenizer_that_is_not_there_is_found_before_anything_is_cut(tmp_path: Path) -> None:
    chunker = SentenceChunker(unit="tokens", tokenizer="no/such")
    [problem] = chunker.resolved(tmp_path).check()
    assert problem.where == "tokenizer"
    assert str(problem).startswith("tokenizer: no tokenizer.json is here: 'no/such'. Name the fol")
    with pytest.raises(ConfigError, match=r"tokenizer no/such: no tokenizer\.json is here"):
        chunker.spans(TEXT)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "tokenizer.json").write_text("{}")
    placed = SentenceChunker(unit="tokens", tokenizer="own").resolved(tmp_path)
    assert placed.tokenizer == str(tmp_path / "own")
    assert not placed.check()
    with pytest.raises(ConfigError, match="not a tokenizer"):
        placed.spans(TEXT)


def test_documents_are_cut() -> None:
    documents = Documents.from_rows([Document(id="a", text=TEXT), Document(id="b", text=" \n")])
    chunks = cut(SentenceChunker(size=20), documents)
    assert chunks.ids(documents.ids) == ["a:0-12", "a:14-33", "a:35-52"]
    assert chunks.texts(documents.texts)[1] == "It is paid monthly."


@pytest.mark.parametrize(
    ("chunker", "expected"),
    [
        (lambda folder: custom("halves", folder, at=13), [[0, 13], [13, 52]]),
        (lambda folder: custom("lines", folder), [[0, 12], [14, 33], [35, 52]]),
        (lambda folder: custom("Sized", folder, size=30), [[0, 30], [30, 52]]),
    ],
)
def test_code_of_your_own(
    code: Path,
    capsys: pytest.CaptureFixture[str],
    chunker: Callable[[Path], CustomChunker],
    expected: list[list[int]],
) -> None:
    made = chunker(code)
    assert not made.check()
    assert not (code / "imported").exists()  # what is checked before a run imports nothing
    assert made.spans(TEXT).tolist() == expected
    if made.use.endswith("Sized"):
        documents = Documents.from_rows([Document(id=name, text=TEXT) for name in "abc"])
        assert len(cut(made, documents)) == 6
        assert (code / "made").read_text() == "11"  # once for all documents
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("number", "it returned 7. Return (start, end) pairs, or the texts"),
        ("text", "it returned 'all'. Return"),
        ("none", "it returned None. Return"),
        ("far", "0-900 is not a chunk of a text of 52 characters. Return 0 <= start < end"),
        ("empty", "5-5 is not a chunk of a text of 52 characters"),
        ("words", "chunk 1, 'no such', does not stand in the text behind"),
        ("mixed", "3 stands among texts"),
        ("gap", "no chunk holds 'is due.\\r\\nIt is', between 4 and 20. Leave out nothing but"),
        ("pair", "(0, 1.5) is not a chunk"),
    ],
)
def test_what_is_no_chunks(code: Path, what: str, told: str) -> None:
    documents = Documents.from_rows([Document(id="d.md", text=TEXT)])
    with pytest.raises(DataError) as raised:
        cut(custom("returns", code, what=what), documents)
    assert str(raised.value).startswith(f"document 'd.md', chunker 'their_chunks:returns': {told}")


def test_code_that_fails(code: Path) -> None:
    documents = Documents.from_rows([Document(id="d.md", text=TEXT)])
    told = "document 'd.md', chunker 'their_chunks:raises': it raised ValueError: too hard"
    with pytest.raises(DataError, match=told):
        cut(custom("raises", code), documents)
    with pytest.raises(ConfigError, match="chunker 'their_chunks:Sized': it raised TypeError"):
        custom("Sized", code).spans(TEXT)
    with pytest.raises(ConfigError, match=r"the module their_chunks has no 'halfs'\. Did"):
        custom("halfs", code).spans(TEXT)
    with pytest.raises(DataError, match="no chunk holds"):
        custom("endless", code).spans(TEXT)
    [problem] = CustomChunker(use="no_such_module:chunk", folder=str(code)).check()
    assert problem.where == "use"


def test_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "chunkers"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{kind} " in listed for kind in CHUNKERS.own)
    assert main(["list", "chunkers", "--language", "ko"]) == 0
    korean = capsys.readouterr().out.splitlines()
    assert all(any("가" <= letter <= "힣" for letter in line) for line in korean)
