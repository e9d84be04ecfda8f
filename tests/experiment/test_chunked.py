"""Retrievers over chunks of documents: each as if its chunks were the whole corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import (
    BM25,
    Cache,
    ConfigError,
    Custom,
    DataError,
    Fusion,
    MeasureError,
    Recorded,
    Rerank,
    Result,
    evaluate,
    score,
)
from ragscore.chunking import CharacterChunker, DocumentChunker, cut
from ragscore.cli import main
from ragscore.dataset import Dataset
from ragscore.elements import Facts
from ragscore.experiment.chunked_datasets import chunked, chunker_name, chunkers_of
from ragscore.formats.datasets.jsonl import write_dataset
from ragscore.formats.runs.trec import write_trec_run
from ragscore.gate.baseline import BaselineDataset
from ragscore.report import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections.computed import computed
from ragscore.retrievers.rerank.own_reranker import OwnReranker
from ragscore.scoring.loaded_qrels import LoadedQrels
from tests.factories.harbour_documents import DOCUMENTS, QUESTIONS, TRUTH

SMALL, BIG = CharacterChunker(size=60, overlap=30), CharacterChunker(size=150, overlap=20)
MEASURES = ["R@3", "nDCG@5", "P@2", "AP", "SpanR@2", "IoU@1"]


@pytest.fixture(scope="module")
def harbour() -> Dataset:
    """Two documents, each question answered by sentences of the first or the second."""
    return Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS, name="harbour")


def test_each_retriever_is_scored_as_if_it_were_alone(harbour: Dataset) -> None:
    retrievers = {"small": BM25(chunk=SMALL), "big": BM25(chunk=BIG), "whole": BM25(chunk=WHOLE)}
    together = evaluate(harbour, retrievers, MEASURES, depth=5)
    for name, retriever in retrievers.items():
        alone = evaluate(harbour, {name: retriever}, MEASURES, depth=5)
        ours, theirs = together.scores[name], alone.scores[name]
        assert ours.query_ids == theirs.query_ids == list(QUESTIONS)
        np.testing.assert_array_equal(ours.values, theirs.values)
        assert together.run("harbour", name).to_dict() == alone.run("harbour", name).to_dict()


WHOLE = DocumentChunker()


def test_chunks_are_searched_as_passages_of_the_same_texts(harbour: Dataset) -> None:
    """A corpus with these passages and no documents gives the same ranking and scores."""
    found = evaluate(harbour, {"small": BM25(chunk=SMALL)}, ["P@1"], depth=4)
    data = found.dataset()
    passages = dict(zip(data.corpus.ids, data.corpus.texts, strict=True))
    flat = Dataset.from_rows(passages, QUESTIONS, {})
    alone = evaluate(flat, {"small": BM25()}, ["P@1"], depth=4)
    assert found.run("harbour", "small").to_dict() == alone.run("dataset", "small").to_dict()
    for passage in data.corpus:
        place = passage.metadata
        text = harbour.documents.texts[harbour.documents.ids.row(place["document"])]
        assert text[place["start"] : place["end"]] == passage.text == passages[passage.id]
        assert passage.id == f"{place['document']}:{place['start']}-{place['end']}"
        assert (place.get("part") == "rules") == (place["document"] == "rules.md")


def test_another_chunker_rebuilds_nothing(harbour: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first = evaluate(harbour, {"small": BM25(chunk=SMALL)}, MEASURES, depth=5, cache=cache)
    both = {"small": BM25(chunk=SMALL), "big": BM25(chunk=BIG)}
    second = evaluate(harbour, both, MEASURES, depth=5, cache=cache)
    stages = {name: stage for (_, name), stage in second.stages.items()}
    assert stages["small"].run_from_cache
    assert not stages["big"].run_from_cache
    np.testing.assert_array_equal(first.scores["small"].values, second.scores["small"].values)


def test_runs_of_different_chunkers_are_fused(harbour: Dataset) -> None:
    retrievers = {
        "small": BM25(chunk=SMALL),
        "big": BM25(chunk=BIG),
        "fused": Fusion(retrievers=["small", "big"], method="rrf"),
    }
    result = evaluate(harbour, retrievers, MEASURES, depth=30)
    names = {chunker_name(SMALL), chunker_name(BIG)}
    assert set(chunkers_of(retrievers)["fused"]) == names
    of_all = result.run("harbour", "fused").to_dict()
    for query, ranking in of_all.items():
        parts = [result.run("harbour", name).to_dict()[query] for name in ("small", "big")]
        assert set(ranking) == set(parts[0]) | set(parts[1])
    assert result.datasets == ["harbour"]


def test_what_has_nothing_to_cut_is_refused_at_the_option(harbour: Dataset) -> None:
    flat = Dataset.from_rows({"a": "Rent."}, {"q": "rent"}, {"q": ["a"]}, name="flat")
    with pytest.raises(ConfigError) as refused:
        evaluate(flat, {"small": BM25(chunk=SMALL)}, ["P@1"])
    assert str(refused.value) == (
        "retrievers.small.chunk, flat: the dataset has no documents that could be cut. Leave chunk "
        "out: the passages are searched as they are"
    )
    with pytest.raises(ConfigError) as refused:
        evaluate(harbour, {"plain": BM25()}, ["P@1"])
    assert str(refused.value) == (
        "retrievers.plain, harbour: the dataset has documents, and nothing says how they are cut "
        "into passages. Write chunk: {kind: characters, size: 800} there, or at the top of the "
        "file for all retrievers"
    )


def test_own_passages_beside_documents(harbour: Dataset) -> None:
    """Where evidence alone answers, they are refused; where chunks are searched, what rows say of
    them is counted and named."""
    own = {"pass": "Fees are paid.", "old": "Fees were paid."}
    query = next(iter(QUESTIONS))
    rows = [{**row, "forbidden": ["old"]} for row in TRUTH if row["query_id"] == query]
    cited = Dataset.from_rows(own, QUESTIONS, rows, documents=DOCUMENTS, name="harbour")
    with pytest.raises(ConfigError, match=r"retrievers.plain, harbour: .* none of these passages"):
        evaluate(cited, {"plain": BM25()}, ["P@1"])

    rows.append({"query_id": "other", "passages": {"pass": 1}})
    questions = {**QUESTIONS, "other": "What is paid?"}
    mixed = Dataset.from_rows(own, questions, rows, documents=DOCUMENTS, name="harbour")
    notes = evaluate(mixed, {"plain": BM25()}, ["P@1"]).manifest.notes
    assert not any("chunk" in str(note) for note in notes)
    notes = [*map(str, evaluate(mixed, {"small": BM25(chunk=SMALL)}, ["P@1"]).manifest.notes)]
    assert (
        "harbour: 1 forbidden passage is not a chunk of any chunker and cannot be returned: old"
        in notes
    )
    assert (
        "harbour: 1 relevant passage is not a chunk: evidence alone judges chunks, and its "
        "judgments do not count: pass" in notes
    )


def test_what_nothing_cuts_is_refused(harbour: Dataset) -> None:
    """Evidence would judge nothing that comes back, and every value be 0."""
    with pytest.raises(
        ConfigError, match=r"^retrievers\.mine, harbour: nothing cuts the documents"
    ):
        evaluate(harbour, {"mine": lambda query, k: ["rent.md:0-59"]}, ["P@1"])
    with pytest.raises(DataError, match=r"^harbour: .* which characters the passages of a run are"):
        score({"due": ["rent.md:0-59"]}, harbour, ["P@1"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"coverage": -1}, "coverage: -1 is not a share"),
        ({"coverage": float("nan")}, "coverage: nan is not a share"),
        ({"coverage": "half"}, "coverage: 'half' is not a share"),
        ({"coverage": True}, "coverage: True is not a share"),
        ({"coverage": 0.5}, "coverage: it says when evidence in documents is covered, and the"),
        ({"together": True}, "together: it says when evidence in documents is covered, and the"),
    ],
)
def test_options_of_evidence_that_say_nothing_are_refused(
    options: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        Dataset.from_rows({"a": "Rent."}, {"q": "rent"}, {"q": ["a"]}, **options)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "if it alone holds 100 % of the characters of its evidence (coverage: 1)"),
        ({"coverage": 0.5}, "if it alone holds 50 % of the characters"),
        ({"coverage": 0.5, "together": True}, "(coverage: 0.5, together: true)"),
    ],
)
def test_the_rule_is_a_note_of_every_result(options: dict[str, object], said: str) -> None:
    data = Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS, **options)
    result = evaluate(data, {"small": BM25(chunk=SMALL)}, ["R@1"], depth=2)
    assert said in str(result.manifest.notes[0])
    judged = LoadedQrels(result.dataset())
    (note,) = judged.notes()
    assert str(note) in str(result.manifest.notes[0])
    assert any(said in str(value) for _, value in _computed(result))


def _computed(result: Result) -> list[tuple[str, str]]:
    """The facts of the section "How it was computed"."""
    (panel,) = result
    section = computed(Report(result, ReportOptions()), panel)
    assert section is not None
    return [row for block in section.elements if isinstance(block, Facts) for row in block.rows]


def test_a_file_that_does_not_fit_its_documents_is_refused_before_it_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`validate` says what the run would, at the line; and cuts nothing."""
    data = Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS)
    write_dataset(data, tmp_path / "harbour")
    config = tmp_path / "plain.yaml"
    config.write_text("dataset: harbour\nretrievers:\n  plain: {kind: bm25}\n")
    assert main(["validate", str(config)]) == 2
    refused = capsys.readouterr().err
    assert "plain.yaml:3:10: retrievers.plain, harbour: the dataset has documents" in refused
    assert "Write chunk: {kind: characters, size: 800} there" in refused
    config.write_text(
        "dataset: {path: harbour, together: true}\nmeasures: [R@1]\nretrievers:\n"
        "  cut: {kind: bm25, chunk: {kind: custom, use: 'os:not_there'}}\n"
    )
    assert main(["validate", str(config)]) == 0


def test_functions_search_the_chunks_of_all(harbour: Dataset) -> None:
    def first(query: str, k: int) -> list[str]:
        return ["rent.md:0-59", "rent.md:0-149"][:k]

    result = evaluate(harbour, {"small": BM25(chunk=SMALL), "big": BM25(chunk=BIG), "mine": first})
    assert result.run("harbour", "mine").to_dict()["due"].keys() == {
        "rent.md:0-59",
        "rent.md:0-149",
    }


CODE = """
class Shared:
    def index(self, corpus):
        self.passages = list(corpus)

    def retrieve(self, queries, k):
        return [self.best(query, k) for query in queries]

    def best(self, query, k):
        ids = [passage.id for passage in self.passages]
        pairs = zip(ids, scores(query, self.passages), strict=True)
        return sorted(pairs, key=lambda pair: -pair[1])[:k]


def scores(query, passages):
    assert all(passage.id.startswith(passage.metadata["document"]) for passage in passages)
    words = set(query.lower().split())
    shared = [len(words & set(passage.text.lower().split())) for passage in passages]
    return [count / len(passage.text) for count, passage in zip(shared, passages, strict=True)]
"""


def test_code_rerankers_and_recorded_runs_know_the_chunks(harbour: Dataset, tmp_path: Path) -> None:
    """Code is built over the chunks of its own chunker; a reranker reads those of its inputs, also
    of several chunkers; the file of a run scores what the run did."""
    (tmp_path / "shared_words.py").write_text(CODE)
    code = {"folder": str(tmp_path)}
    order = OwnReranker(use="shared_words:scores", **code)
    retrievers = {
        "small": BM25(chunk=SMALL),
        "big": BM25(chunk=BIG),
        "code": Custom(use="shared_words:Shared", chunk=BIG, **code),
        "fused": Fusion(retrievers=["small", "big"], method="rrf"),
        "reranked": Rerank(retriever="fused", n=20, by=order),
    }
    result = evaluate(harbour, retrievers, MEASURES, depth=20)
    assert not result.failures
    runs = {name: result.run("harbour", name).to_dict() for name in retrievers}
    passages = {passage.id: passage for passage in result.dataset().corpus}
    big = set(cut(BIG, harbour.documents).ids(harbour.documents.ids))
    for query, text in QUESTIONS.items():
        assert runs["code"][query].keys() == big
        assert runs["reranked"][query].keys() == runs["fused"][query].keys()
        words = set(text.lower().split())
        for id, score_of in runs["reranked"][query].items():
            shared = len(words & set(passages[id].text.lower().split()))
            assert score_of == pytest.approx(shared / len(passages[id].text))

    file = tmp_path / "fused.trec"
    write_trec_run(result.run("harbour", "fused"), file)
    both = {"small": BM25(chunk=SMALL), "big": BM25(chunk=BIG), "file": Recorded(run=str(file))}
    again = evaluate(harbour, both, MEASURES, depth=20)
    np.testing.assert_array_equal(again.scores["file"].values, result.scores["fused"].values)


@pytest.mark.parametrize(
    ("needs", "options", "measure", "said"),
    [
        ([["a", "b"]], {}, "AUC", "several passages cover the same need"),
        ([["a"], ["a", "b"]], {}, "R@1", ""),
        ([["a"], ["a", "b"]], {}, "R(denominator=min)@1", "a passage covers several needs at once"),
        ([["a", "b"]], {}, "R(tie=max)@1", "it asks for other orders of tied passages"),
        ([[{"document": "d", "quote": "Rent"}]], {"together": True}, "nDCG@1", "no best order"),
    ],
)
def test_measures_that_needs_leave_undefined_are_refused_before_a_search(
    needs: list[list[Any]], options: dict[str, Any], measure: str, said: str
) -> None:
    asked = []
    cited = isinstance(needs[0][0], dict)
    rows = [{"query_id": "q", "needs": needs}]
    passages = None if cited else {"a": "Rent.", "b": "Rent is due."}
    documents = {"d": "Rent is due."} if cited else None
    data = Dataset.from_rows(passages, {"q": "rent"}, rows, documents=documents, **options)

    def counted(query: str, k: int) -> list[str]:
        asked.append(query)
        return []

    chunk = {"whole": BM25(chunk=WHOLE)} if cited else {}
    if not said:
        assert evaluate(data, {"it": counted, **chunk}, [measure], depth=1).scores
        return
    with pytest.raises(MeasureError, match=f"^measures, dataset: .* is not defined here: .*{said}"):
        evaluate(data, {"it": counted, **chunk}, [measure], depth=1)
    assert asked == []


def test_a_query_that_no_chunk_answers_still_counts(harbour: Dataset) -> None:
    """Chunks of 20 characters hold no sentence whole: every value is 0, and all queries count."""
    tiny = BM25(chunk=CharacterChunker(size=20))
    entry = evaluate(harbour, {"tiny": tiny}, ["R@3", "SpanR@1"]).scores["tiny"]
    assert entry.query_ids == list(QUESTIONS)
    assert entry.per_query("R@3") == dict.fromkeys(QUESTIONS, 0.0)
    assert 0 < entry.mean("SpanR@1") < 0.6


def test_names_of_chunkers() -> None:
    assert (
        chunker_name(CharacterChunker()) == chunker_name(CharacterChunker(size=800)) == "characters"
    )
    assert chunker_name(SMALL) == "characters(size=60, overlap=30)"


def test_a_dataset_is_cut_once_for_equal_chunkers(harbour: Dataset) -> None:
    equal = {
        "one": BM25(chunk=CharacterChunker(size=60, overlap=30)),
        "two": BM25(k1=2, chunk=SMALL),
    }
    data = chunked(harbour, equal)
    assert data.chunkings.names == (chunker_name(SMALL),)
    assert data.part(data.chunkings.names) is data
    assert data.digest == harbour.digest
    assert score(evaluate(harbour, equal).run("harbour", "one"), data, ["R@3"]).entries[0].query_ids


def test_another_chunker_is_no_other_data_for_a_gate(harbour: Dataset) -> None:
    one = evaluate(harbour, {"small": BM25(chunk=SMALL)}, ["R@3"], depth=5)
    both = {"small": BM25(chunk=SMALL), "big": BM25(chunk=BIG)}
    two = evaluate(harbour, both, ["R@3"], depth=5)
    known = [BaselineDataset.of(result, "harbour", harbour.digest) for result in (one, two)]
    assert known[0] == known[1]
    assert all((known[0].passages, known[0].queries, known[0].judgments))
    half = Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS, coverage=0.5)
    other = evaluate(half, {"small": BM25(chunk=SMALL)}, ["R@3"], depth=5)
    assert BaselineDataset.of(other, "dataset", half.digest).judgments != known[0].judgments
