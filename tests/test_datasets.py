"""The datasets that ship keep the promises of their READMEs."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.datasets_by_kind import table
from ragscore import Dataset, evaluate, load_dataset
from ragscore.cache import Cache
from ragscore.retrievers import BM25, Faiss, Fusion
from ragscore.scoring import score

KINDS = {
    "exact-code",
    "paraphrase",
    "multi-passage",
    "negation-exception",
    "numeric",
    "unanswerable",
}
PROMISED = {"harbour-tenancy": (160, 64), "insurer-handbook-ko": (80, 32)}


@pytest.fixture(scope="module", params=PROMISED)
def shipped(request: pytest.FixtureRequest) -> tuple[Path, Dataset]:
    folder = Path(__file__).resolve().parent.parent / "datasets" / request.param
    return folder, load_dataset(folder)


def test_sizes(shipped: tuple[Path, Dataset]) -> None:
    folder, dataset = shipped
    passages, queries = PROMISED[folder.name]
    assert dataset.corpus is not None
    assert len(dataset.corpus) >= passages
    assert len(dataset.queries) >= queries
    words = dataset.corpus.lengths("words")
    assert words.min() >= 60
    assert words.max() <= 150
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for count in (len(dataset.corpus), len(dataset.qrels)):
        assert str(count) in readme


def test_kinds_and_judgments(shipped: tuple[Path, Dataset]) -> None:
    _, dataset = shipped
    kinds = Counter(dataset.queries.tags[row][0] for row in range(len(dataset.queries)))
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 5
    for query, graded in dataset.qrels.to_dict().items():
        assert 2 <= len(graded) <= 8, query
        assert set(graded.values()) <= {0, 1, 2, 3}
        assert 0 in graded.values(), f"{query} has no hard negative"
        answerable = dataset.queries.answerable[dataset.queries.ids.row(query)]
        assert (max(graded.values()) >= 2) == answerable
    assert len(dataset.qrels.to_dict()) == len(dataset.queries)


def test_lines_are_plain_json_with_line_feeds(shipped: tuple[Path, Dataset]) -> None:
    folder, _ = shipped
    for name in ("passages", "queries", "ground_truth"):
        raw = (folder / f"{name}.jsonl").read_bytes()
        assert b"\r" not in raw
        assert raw.endswith(b"\n")
        for line in raw.decode("utf-8").split("\n")[:-1]:
            json.loads(line)


@pytest.mark.usefixtures("vectors_kept")
def test_no_retriever_wins_everywhere(root: Path) -> None:
    pytest.importorskip("sentence_transformers")
    dataset = load_dataset(root / "datasets" / "harbour-tenancy")
    result = evaluate(
        dataset,
        {
            "bm25": BM25(),
            "minilm": Faiss(encoder="minilm"),
            "hybrid": Fusion(retrievers=("bm25", "minilm")),
        },
        ["nDCG@10"],
        cache=Cache.default(),
    )
    best = set()
    for kind in KINDS - {"unanswerable"}:
        queries = {
            query: graded
            for query, graded in dataset.qrels.to_dict().items()
            if dataset.queries.tags[dataset.queries.ids.row(query)][0] == kind
        }
        means = {
            name: score(run, queries, ["nDCG@10"]).entries[0].means[0]
            for (_, name), run in result.runs.items()
        }
        best.add(max(means, key=lambda name: means[name]))
    assert best == {"bm25", "minilm", "hybrid"}


@pytest.mark.usefixtures("vectors_kept")
@pytest.mark.parametrize(
    "name",
    # An English encoder reads Korean letter by letter, which takes it long.
    ["harbour-tenancy", pytest.param("insurer-handbook-ko", marks=pytest.mark.slow)],
)
def test_the_table_of_the_readme_is_what_its_command_prints(root: Path, name: str) -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("kiwipiepy")
    readme = (root / "datasets" / name / "README.md").read_text(encoding="utf-8")
    for line in table(name):
        cells = [cell.strip() for cell in line.split("|")]
        pattern = r"\s*\|\s*".join(re.escape(cell) for cell in cells[:3])
        (found,) = re.findall(rf"^{pattern}\s*\|(.*)\|$", readme, re.MULTILINE)
        numbers = [cell.strip() for cell in found.split("|")]
        if cells[3][0].isdigit():  # the third digit may move with the processor
            wanted = [float(cell) for cell in cells[3:-1]]
            assert [float(cell) for cell in numbers] == pytest.approx(wanted, abs=0.002)
        else:
            assert numbers == cells[3:-1]


def test_superseded_texts_are_forbidden_to_questions_about_today() -> None:
    folder = Path(__file__).resolve().parent.parent / "datasets" / "harbour-tenancy"
    flat = load_dataset(folder)
    made = load_dataset(folder, ground_truth="ground_truth_forbidden.jsonl")
    assert made.qrels.to_dict() == flat.qrels.to_dict()
    assert made.corpus is not None
    forbidden, passages = made.qrels.forbidden, made.qrels.passages
    assert forbidden is not None
    old = [passages[row] for row, tags in made.corpus.tags.items() if "superseded" in tags]
    assert len(old) == 6
    lists = forbidden.lists(made.qrels.queries, passages)
    for query, graded in flat.qrels.to_dict().items():
        past = any(graded.get(passage, 0) > 0 for passage in old)
        wanted = {
            passage
            for passage in old
            if not past
            and (graded.get(passage.rpartition("-")[0], 0) > 0 or graded.get(passage) == 0)
        }
        assert set(lists.get(query, [])) == wanted, query
    assert (len(forbidden.rows), int(forbidden.restricted.sum())) == (16, 15)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "There are 16 in 15 queries" in readme
