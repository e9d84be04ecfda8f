"""The datasets that ship keep the promises of their READMEs."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets_by_kind import table
from ragscore import Dataset, check_dataset, evaluate, load_dataset
from ragscore.cache import Cache
from ragscore.chunking import ParagraphChunker, cut
from ragscore.dataset.ground_truth_rows import passages_of_needs
from ragscore.formats import DatasetSpec
from ragscore.models import GroundTruth
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
HARBOUR = Path(__file__).resolve().parent.parent / "datasets" / "harbour-tenancy"
FLAT = "ea39b1181af21a2d077ab37275547c8a72dbdb523ac205707c53bedb309f7cc3"
"""Digest of the judgments that everybody has compared numbers on."""
EVIDENCE = DatasetSpec(
    path=str(HARBOUR), documents="documents", ground_truth="ground_truth_evidence.jsonl"
)
SECTIONS = ParagraphChunker(size=1, unit="paragraphs")
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
    words = dataset.corpus.words(np.arange(len(dataset.corpus)))
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
    folder = HARBOUR
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


@pytest.fixture(scope="module")
def flat() -> Dataset:
    return load_dataset(HARBOUR)


@pytest.fixture(scope="module")
def cited() -> Dataset:
    return load_dataset(EVIDENCE)


def truth_rows(name: str) -> list[GroundTruth]:
    lines = (HARBOUR / name).read_text(encoding="utf-8").splitlines()
    return [GroundTruth.model_validate_json(line) for line in lines]


def test_the_flat_judgments_are_what_they_were(flat: Dataset) -> None:
    assert flat.qrels.digest == FLAT
    assert (flat.documents, flat.evidence, flat.qrels.needs) == (None, None, None)


def test_needs_have_the_grades_of_the_flat_judgments(flat: Dataset) -> None:
    made = load_dataset(HARBOUR, ground_truth="ground_truth_needs.jsonl")
    assert made.qrels.to_dict() == flat.qrels.to_dict()
    rows = [row for row in truth_rows("ground_truth_needs.jsonl") if row.needs]
    kinds = {flat.queries.tags[flat.queries.ids.row(row.query_id)][0] for row in rows}
    assert kinds == {"multi-passage"}
    of_rows = [[need for need in row.needs if isinstance(need, dict)] for row in rows]
    assert all(max(need.values()) >= 2 for needs in of_rows for need in needs)
    several = sum(sum(g >= 2 for g in need.values()) > 1 for needs in of_rows for need in needs)
    counted = f"{len(rows)} questions have {sum(map(len, of_rows))} needs, of which {several} have"
    assert counted in " ".join((HARBOUR / "README.md").read_text(encoding="utf-8").split())


def test_documents_hold_each_passage_below_its_title(flat: Dataset, cited: Dataset) -> None:
    assert flat.corpus is not None
    assert cited.documents is not None
    below = {
        f"## {flat.corpus.titles[row]}\n{text}": row for row, text in enumerate(flat.corpus.texts)
    }
    cut = [
        text[start:end]
        for text in cited.documents.texts
        for start, end in SECTIONS.spans(text).tolist()
    ]
    assert sorted(below[section] for section in cut) == [*range(len(flat.corpus))]


def test_evidence_says_of_the_passages_what_the_flat_judgments_say(
    flat: Dataset, cited: Dataset
) -> None:
    """Each passage of grade 2 or 3 holds evidence with its grade, and no other one does; what
    several passages answer has the same needs."""
    chunked = chunked_into_sections(cited)
    passage_of = passages_of_sections(flat, chunked)
    made = {
        query: {passage_of[chunk]: grade for chunk, grade in graded.items()}
        for query, graded in chunked.qrels.to_dict().items()
    }
    assert {query: graded for query, graded in made.items() if graded} == {
        query: {passage: grade for passage, grade in graded.items() if grade >= 2}
        for query, graded in flat.qrels.to_dict().items()
        if max(graded.values()) > 0
    }
    cited_needs = passages_of_needs(chunked.qrels)
    for row in truth_rows("ground_truth_needs.jsonl"):
        if row.needs:
            needs = [need for need in row.needs if isinstance(need, dict)]
            assert [
                {passage_of[chunk]: grade for chunk, grade in need.items()}
                for need in cited_needs[row.query_id]
            ] == [{passage: g for passage, g in need.items() if g >= 2} for need in needs]


def test_every_quote_stands_once(cited: Dataset) -> None:
    rows = truth_rows("ground_truth_evidence.jsonl")
    given = [item for row in rows for item in row.evidence]
    lists = [need for row in rows for need in row.needs]
    given += [item for need in lists for item in need if not isinstance(item, str)]
    assert cited.documents is not None
    assert cited.evidence is not None
    texts = dict(zip(cited.documents.ids, cited.documents.texts, strict=True))
    assert all(item.quote and texts[item.document].count(item.quote) == 1 for item in given)
    needs = sum(len(row.evidence) + len(row.needs) for row in rows)
    counted = (
        f"{len(given)} quotes in {len(texts)} documents cover {needs} needs of {len(rows)} queries"
    )
    assert counted in " ".join((HARBOUR / "README.md").read_text(encoding="utf-8").split())


def test_sections_are_searched_as_the_passages_are(flat: Dataset, cited: Dataset) -> None:
    """A section reads as title and text do, so BM25 scores it as it scores the passage."""
    found = evaluate(flat, {"bm25": BM25()}, ["P@5"], depth=20)
    again = evaluate(cited, {"bm25": BM25(chunk=SECTIONS)}, ["P@5"], depth=20)
    first, second = (next(iter(result.runs.values())).to_dict() for result in (found, again))
    for query, scored in first.items():
        assert sorted(second[query].values()) == pytest.approx(sorted(scored.values()), rel=1e-6)


@pytest.mark.parametrize(
    "spec",
    [
        DatasetSpec(path=str(HARBOUR), ground_truth="ground_truth_needs.jsonl"),
        DatasetSpec(path=str(HARBOUR), ground_truth="ground_truth_forbidden.jsonl"),
        EVIDENCE,
    ],
    ids=["needs", "forbidden", "evidence"],
)
def test_nothing_is_wrong_with_the_other_judgments(spec: DatasetSpec) -> None:
    assert not check_dataset(spec).findings


def chunked_into_sections(dataset: Dataset) -> Dataset:
    assert dataset.documents is not None
    return dataset.chunked({"sections": cut(SECTIONS, dataset.documents)})


def passages_of_sections(flat: Dataset, chunked: Dataset) -> dict[str, str]:
    """By chunk, the passage that stands there below its title."""
    assert flat.corpus is not None
    assert chunked.corpus is not None
    rows = zip(flat.corpus.ids, flat.corpus.titles, flat.corpus.texts, strict=True)
    passages = {f"## {title}\n{text}": passage for passage, title, text in rows}
    sections = zip(chunked.corpus.ids, chunked.corpus.texts, strict=True)
    return {chunk: passages[text] for chunk, text in sections}
