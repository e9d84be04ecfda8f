"""BM25: the scores of bm25s, without passages that share nothing with the query."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, get_args

import bm25s
import numpy as np
import pytest
import Stemmer
from pydantic import ValidationError

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries, SharedQueries
from ragscore.errors import RetrieverError
from ragscore.formats import load_dataset
from ragscore.models import Passage
from ragscore.progress import SILENT
from ragscore.retrievers import BM25
from ragscore.retrievers.bm25 import Variant
from ragscore.retrievers.bm25_variants import weights
from ragscore.retrievers.postings import postings_of
from ragscore.scoring import score
from ragscore.text import Analyzer, Whitespace, Words

VARIANTS = get_args(Variant)


def corpus_of(**texts: str) -> Corpus:
    return Corpus(Ids(texts), list(texts.values()))


def queries_of(**texts: str) -> Queries:
    return Queries.from_texts(texts)


TENANCY = corpus_of(
    a="rent is due on the first day",
    b="the deposit is held for the whole tenancy",
    c="pets need consent",
    d="",
    e="rent rent rent and a deposit",
)


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_passages_that_share_a_term_come_back(variant: Variant) -> None:
    queries = queries_of(
        one="When is the rent due?", both="rent deposit", none="unicorns", empty="", stops="the of"
    )
    run = BM25(variant=variant).build(TENANCY).search(queries, 10)
    returned = {query: set(passages) for query, passages in run.to_dict().items()}
    assert returned == {
        "one": {"a", "e"}, "both": {"a", "b", "e"}, "none": set(), "empty": set(), "stops": set(),
    }  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_term_that_every_passage_holds_still_finds_them(variant: Variant) -> None:
    # robertson and atire give such a term weight 0.
    corpus = corpus_of(a="rent", b="rent due", c="rent day rent")
    run = BM25(variant=variant).build(corpus).search(queries_of(q="rent", r="fee"), 5)
    assert set(run.to_dict()["q"]) == {"a", "b", "c"}
    assert run.to_dict()["r"] == {}


@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_are_those_of_bm25s(variant: Variant) -> None:
    drawn = random.Random(7)
    words = [f"w{number}" for number in range(120)]
    corpus = Corpus(
        Ids(f"p{row}" for row in range(300)),
        [" ".join(drawn.choices(words, k=drawn.randint(0, 30))) for _ in range(300)],
    )
    # A term that is asked twice counts twice.
    texts = [" ".join(drawn.choices(words, k=6)) + " w1 w1" for _ in range(40)]
    queries = Queries.from_texts({f"q{row}": text for row, text in enumerate(texts)})
    spec = BM25(variant=variant, k1=0.9, b=0.4, tokenizer="words")
    run = spec.build(corpus).search(queries, 20)

    bare = bm25s.BM25(method=variant, k1=0.9, b=0.4)
    bare.index(
        bm25s.tokenize(corpus.texts, stopwords=None, show_progress=False), show_progress=False
    )
    wanted = bm25s.tokenize(texts, stopwords=None, show_progress=False)
    _, scores = bare.retrieve(wanted, k=20, show_progress=False, backend_selection="numpy")
    assert run.scores is not None
    np.testing.assert_array_equal(run.scores, scores.astype(np.float64))


def test_ties_at_the_last_place_go_to_the_largest_ids() -> None:
    corpus = corpus_of(**dict.fromkeys("dbacfe", "rent due"), z="rent")
    index = BM25().build(corpus)
    deep = index.search(queries_of(q="rent"), 10)
    assert list(deep.to_dict()["q"]) == ["z", "f", "e", "d", "c", "b", "a"]
    for depth in range(1, 7):
        shallow = index.search(queries_of(q="rent"), depth)
        assert shallow.to_dict() == deep.cut(depth).to_dict()


def test_depth_is_never_more_than_the_corpus() -> None:
    run = BM25().build(TENANCY).search(queries_of(q="rent"), 1000)
    assert run.depth == len(TENANCY)


def test_fields_decide_what_is_searched() -> None:
    corpus = Corpus.from_passages(
        [Passage(id="a", text="due first day", title="Rent"), Passage(id="b", text="rent")]
    )
    queries = queries_of(q="rent")

    def found(*fields: str) -> set[str]:
        return set(BM25(fields=fields).build(corpus).search(queries, 5).to_dict()["q"])

    assert found("text") == {"b"}
    assert found("title") == {"a"}
    assert found("title", "text") == {"a", "b"}


@pytest.mark.parametrize(
    "corpus", [corpus_of(a="", b=""), corpus_of(a="the of"), corpus_of(a="...", b=" ")]
)
def test_a_corpus_without_a_term_is_one_clear_error(corpus: Corpus) -> None:
    with pytest.raises(RetrieverError, match=r"'words'.*holds a term.*tokenizer"):
        BM25().build(corpus, name="words")


def test_an_empty_corpus_is_one_clear_error() -> None:
    with pytest.raises(RetrieverError, match="'words': the corpus is empty"):
        BM25().build(corpus_of(), name="words")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variant": "bm25", "k1": 1}, "lucene"),
        ({"k1": -1}, "k1"),
        ({"b": 1.5}, "b"),
        ({"delta": 1.0}, "bm25l"),
        ({"fields": []}, "fields"),
        ({"fields": ["text", "text"]}, "twice"),
        ({"fields": ["body"]}, "title"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        BM25.model_validate(options)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("k1", "b", "delta"), [(0.6, 0.3, 0.5), (1.2, 0.0, 0.7), (2.0, 1.0, 0.0)])
def test_weights_are_those_of_bm25s_to_the_last_bit(
    variant: Variant, k1: float, b: float, delta: float
) -> None:
    drawn = random.Random(3)
    words = [f"w{number}" for number in range(80)]
    texts = [" ".join(drawn.choices(words, k=drawn.randint(0, 60))) for _ in range(200)]
    corpus = Corpus(Ids(f"p{row:03}" for row in range(200)), texts)
    terms = Words().open().terms(texts)
    bare = bm25s.BM25(method=variant, k1=k1, b=b, delta=delta)
    bare.index(tuple(terms), create_empty_token=False, show_progress=False)

    postings = postings_of(corpus, Words(), ("text",), None, name="bm25", progress=SILENT).value
    weighed = weights(postings, variant, k1, b, delta)
    columns = np.repeat(np.arange(len(terms.vocabulary)), np.diff(postings.bounds))
    order = np.lexsort((postings.row_at[postings.places], columns))
    assert bare.scores["data"].tobytes() == weighed.data[order].tobytes()
    np.testing.assert_array_equal(bare.scores["indices"], postings.row_at[postings.places][order])
    if bare.nonoccurrence_array is None:
        assert weighed.absent is None
    else:
        assert weighed.absent is not None
        assert bare.nonoccurrence_array.tobytes() == weighed.absent.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_where_only_presence_counts_no_weight_is_missing(variant: Variant) -> None:
    # bm25s divides 0 by 0 for bm25+.
    run = BM25(variant=variant, k1=0).build(TENANCY).search(queries_of(q="rent deposit"), 5)
    assert set(run.to_dict()["q"]) == {"a", "b", "e"}
    assert np.isfinite(list(run.to_dict()["q"].values())).all()


def test_weights_do_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    postings = postings_of(TENANCY, Words(), ("text",), None, name="bm25", progress=SILENT).value
    whole = weights(postings, "bm25l", 1.5, 0.75, 0.5)
    monkeypatch.setattr("ragscore.retrievers.bm25_variants.BLOCK", 2)
    assert weights(postings, "bm25l", 1.5, 0.75, 0.5).data.tobytes() == whole.data.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_postings_are_reopened_from_the_cache(tmp_path: Path, variant: Variant) -> None:
    cache = Cache(tmp_path / "cache")
    spec = BM25(variant=variant)
    queries = queries_of(one="rent due", two="deposit held", none="unicorns")
    other_process = Corpus(TENANCY.ids, list(TENANCY.texts))
    made = spec.build(Corpus(TENANCY.ids, TENANCY.texts), cache)
    entries = list((tmp_path / "cache" / "tokens").glob("*/*"))
    assert len(entries) == 1
    again = spec.build(other_process, cache)
    in_memory = spec.build(TENANCY)
    assert list((tmp_path / "cache" / "tokens").glob("*/*")) == entries
    runs = [index.search(queries, 3).to_dict() for index in (made, again, in_memory)]
    assert runs[0] == runs[1] == runs[2]
    assert made.size_bytes == again.size_bytes == in_memory.size_bytes
    assert again.passages_indexed == len(TENANCY)


def test_what_changes_the_tokens_changes_their_place(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for text in ("rent is due on the first day", "rent is due on the second day"):
        corpus = corpus_of(a=text)
        for spec in (BM25(), BM25(k1=1.2), BM25(tokenizer="words"), BM25(tokenizer=Whitespace())):
            spec.build(corpus, cache)
    assert len(list((tmp_path / "tokens").glob("*/*"))) == 6


def test_twenty_settings_tokenise_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {"terms": 0, "lookup": 0}
    for method in calls:
        real = getattr(Analyzer, method)

        def counted(*given: Any, real: Any = real, method: str = method) -> Any:
            calls[method] += 1
            return real(*given)

        monkeypatch.setattr(Analyzer, method, counted)
    corpus = corpus_of(a="rent is due", b="pets need consent")
    queries = SharedQueries.of(queries_of(q="rent", r=""))
    runs = [
        BM25(k1=k1 / 10, b=b / 10).build(corpus).search(queries, 5)
        for k1 in range(5, 10)
        for b in range(4)
    ]
    assert len(runs) == 20
    assert calls == {"terms": 1, "lookup": 1}


@pytest.mark.parametrize(
    ("collection", "spec", "wanted", "within"),
    [
        ("xquad-en", BM25(fields=("text",)), 0.96447, 0.00001),
        ("autorag-ko-finance", BM25(tokenizer="words"), 0.796, 0.001),
        pytest.param(
            "autorag-ko-finance", BM25(tokenizer="korean"), 0.928, 0.003, marks=pytest.mark.slow
        ),
    ],
)
def test_known_values_on_real_collections(
    conformance: Path, collection: str, spec: BM25, wanted: float, within: float
) -> None:
    if spec.check():
        pytest.skip("kiwipiepy is not installed")
    dataset = load_dataset(conformance / "collections" / collection)
    assert dataset.corpus is not None
    run = spec.build(dataset.corpus).search(dataset.queries, 100)
    ndcg = score(run, dataset.qrels, ["nDCG@10"]).entries[0].mean("nDCG@10")
    assert ndcg == pytest.approx(wanted, abs=within)


def test_real_scores_are_those_of_bm25s(conformance: Path) -> None:
    dataset = load_dataset(conformance / "collections" / "cranfield")
    assert dataset.corpus is not None
    assert dataset.corpus.titles is not None
    contents = [
        f"{title} {text}".strip()
        for title, text in zip(dataset.corpus.titles, dataset.corpus.texts, strict=True)
    ]
    stemmer = Stemmer.Stemmer("english")
    bare = bm25s.BM25()
    bare.index(
        bm25s.tokenize(contents, stopwords="en", stemmer=stemmer, show_progress=False),
        show_progress=False,
    )
    asked = bm25s.tokenize(
        dataset.queries.texts, stopwords="en", stemmer=stemmer, show_progress=False
    )
    _, scores = bare.retrieve(asked, k=100, show_progress=False, backend_selection="numpy")
    run = BM25().build(dataset.corpus).search(dataset.queries, 100)
    assert run.scores is not None
    np.testing.assert_array_equal(run.scores, np.where(scores > 0, scores, np.nan))
