"""Chunks in the cache: cut once for what they depend on, checked when they are read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ragscore import Cache
from ragscore.arrays import save_arrays
from ragscore.chunking import (
    CharacterChunker,
    ChunkerSpec,
    CustomChunker,
    RecursiveChunker,
    SentenceChunker,
    TokenChunker,
    cut,
    kept_chunks,
)
from ragscore.dataset import Chunks, Documents
from ragscore.encoders.named_tokenizers import tokenizer_file
from ragscore.models import Document
from tests.factories.witness import Witness

DOCUMENTS = Documents.from_rows(
    [
        Document(id="rent.md", text="Rent is due on the first. It may rise once a year."),
        Document(id="pets.md", text="Cats are welcome. Dogs need a letter."),
    ]
)
CHUNKERS: tuple[ChunkerSpec, ...] = (
    CharacterChunker(size=20),
    CharacterChunker(size=21),
    SentenceChunker(size=20),
    TokenChunker(size=5),
    RecursiveChunker(size=20),
)


def same(first: Chunks | None, second: Chunks | None) -> bool:
    assert first is not None
    assert second is not None
    pairs = zip(first.columns.values(), second.columns.values(), strict=True)
    return all(np.array_equal(*pair) and pair[0].dtype == pair[1].dtype for pair in pairs)


def test_documents_are_cut_once(tmp_path: Path) -> None:
    first = Cache(tmp_path)
    made = [cut(chunker, DOCUMENTS, first) for chunker in CHUNKERS]
    assert first.writes == len(CHUNKERS), "each has an entry of its own"
    again = Cache(tmp_path)
    for chunker, chunks in zip(CHUNKERS, made, strict=True):
        assert same(chunks, cut(chunker, DOCUMENTS))
        assert same(chunks, cut(chunker, DOCUMENTS, again))
        assert same(chunks, kept_chunks(chunker, DOCUMENTS, again))
    assert again.writes == 0
    other = Documents.from_rows([*DOCUMENTS, Document(id="new", text="Keys.")])
    assert kept_chunks(CHUNKERS[0], other, again) is None
    assert kept_chunks(CHUNKERS[0], DOCUMENTS) is None, "without a cache"


def test_what_a_tokenizer_is_counts_and_not_where_it_stands(tmp_path: Path) -> None:
    given = tokenizer_file("minilm")
    assert given is not None
    text = given.read_text(encoding="utf-8")
    cased = json.loads(text)
    cased["normalizer"]["lowercase"] = False
    for name, content in {"one": text, "two": text, "cased": json.dumps(cased)}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "tokenizer.json").write_text(content, encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    for name, writes in {"one": 1, "two": 1, "cased": 2}.items():
        cut(TokenChunker(size=5, tokenizer=str(tmp_path / name)), DOCUMENTS, cache)
        assert cache.writes == writes, name


def test_what_is_damaged_is_cut_again(tmp_path: Path) -> None:
    chunker, cache = CHUNKERS[0], Cache(tmp_path)
    chunks = cut(chunker, DOCUMENTS, cache)
    (column,) = tmp_path.glob("chunks/*/*/end.npy")
    column.write_bytes(column.read_bytes()[:-1] + b"\x07")
    notes = Witness()
    assert kept_chunks(chunker, DOCUMENTS, cache) is None
    assert same(chunks, cut(chunker, DOCUMENTS, cache, progress=notes))
    assert "rebuilding it" in str(notes.notes[0])


@pytest.mark.parametrize(
    ("column", "value"), [("document", 2), ("document", -1), ("start", -1), ("end", 99), ("end", 0)]
)
def test_what_lies_outside_its_document_is_cut_again(
    tmp_path: Path, column: str, value: int
) -> None:
    """Also where the entry is sealed, as one is that somebody else wrote."""
    chunker, cache = CHUNKERS[0], Cache(tmp_path)
    chunks = cut(chunker, DOCUMENTS, cache)
    (entry,) = tmp_path.glob("chunks/*/*")
    columns = {name: column.copy() for name, column in chunks.columns.items()}
    columns[column][0] = value
    cache.delete("chunks", entry.name)
    cache.entry("chunks", entry.name, lambda folder: save_arrays(folder, columns))
    assert same(chunks, cut(chunker, DOCUMENTS, Cache(tmp_path)))


def test_chunks_of_foreign_code_are_not_kept(tmp_path: Path) -> None:
    chunker = CustomChunker(use="textwrap:wrap", options={"width": 18})
    assert len(cut(chunker, DOCUMENTS, Cache(tmp_path)))
    assert kept_chunks(chunker, DOCUMENTS, Cache(tmp_path)) is None
    assert not list(tmp_path.glob("chunks/*"))
    assert not chunker.quick


def test_what_takes_long_is_known() -> None:
    slow = [TokenChunker(), SentenceChunker(unit="tokens"), SentenceChunker(splitter="kiwi")]
    assert not any(chunker.quick for chunker in slow)
    assert SentenceChunker().quick
    assert CharacterChunker().quick
