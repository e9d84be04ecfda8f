"""Span measures: the same as from sets of characters, words and tokens, at every k."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from ragscore import Dataset, MeasureError, Run, parse_measure, score, with_tokens
from ragscore.arrays import first_of
from ragscore.cache import Cache
from ragscore.dataset import Chunks, Documents, EvidenceColumns, Ids, Qrels, Queries
from ragscore.encoders.named_tokenizers import open_tokenizer
from ragscore.measures import SpanR
from tests.factories.thorough import examples

TEXTS = [
    "Rent  is due\r\non the first day.",
    "",
    "가나다 라마 바 👩‍🚀 사아",
    "x",
    " \u3000 a b c d e f g ",
]
LETTERS = "ab. \n가👩\u200d\u0301"


def some_dataset(random: np.random.Generator) -> Dataset:
    documents = Documents(Ids("abcde"), TEXTS)
    queries = Queries.from_texts({f"q{number}": "?" for number in range(4)})

    def places(count: int, longest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        document = random.choice([0, 2, 3, 4], count)
        sizes = documents.lengths[document]
        start = random.integers(0, sizes)
        return document, start, np.minimum(start + random.integers(1, longest, count), sizes)

    document, start, end = places(6, 9)
    evidence = EvidenceColumns.of(
        queries.ids, query=random.integers(0, 4, 6), document=document, start=start, end=end
    )
    nothing = Qrels.from_dict({}, queries=queries.ids)
    given = Dataset("d", None, queries, nothing, documents=documents, evidence=evidence)
    return given.chunked({"short": Chunks.of(*places(12, 5)), "long": Chunks.of(*places(6, 30))})


@st.composite
def some_worlds(draw: st.DrawFn) -> tuple[Dataset, Run]:
    """Any documents, evidence and passages in them, and a run over these."""
    texts = draw(st.lists(st.text(LETTERS, min_size=1, max_size=20), min_size=1, max_size=3))
    places = st.tuples(st.integers(0, len(texts) - 1), st.integers(0, 19), st.integers(1, 12))

    def drawn(most: int) -> tuple[list[int], list[int], list[int]]:
        found = [
            (document, at := start % len(texts[document]), min(at + size, len(texts[document])))
            for document, start, size in draw(st.lists(places, min_size=1, max_size=most))
        ]
        document, start, end = map(list, zip(*found, strict=True))
        return document, start, end

    queries = Queries.from_texts({"q0": "?", "q1": "?"})
    document, start, end = drawn(5)
    query = draw(st.lists(st.integers(0, 1), min_size=len(start), max_size=len(start)))
    evidence = EvidenceColumns.of(queries.ids, query=query, document=document, start=start, end=end)
    documents = Documents(Ids("abc"[: len(texts)]), texts)
    nothing = Qrels.from_dict({}, queries=queries.ids)
    given = Dataset("d", None, queries, nothing, documents=documents, evidence=evidence)
    data = given.chunked({"some": Chunks.of(*map(np.array, drawn(8)))})
    rows = np.full((2, len(data.corpus)), -1)
    for ranking in rows:
        order = draw(st.permutations(range(len(data.corpus))))
        kept = draw(st.integers(0, len(order)))
        ranking[:kept] = order[:kept]
    return data, Run.make(queries.ids, data.corpus.ids, rows)


def counted(text: str, unit: str) -> list[int]:
    """Where what is counted begins in a text."""
    if unit == "characters":
        return list(range(len(text)))
    if unit == "words":
        return [word.start() for word in re.finditer(r"\S+", text)]
    encoded = open_tokenizer("minilm").library.encode(text, add_special_tokens=False)
    return [start for start, _ in encoded.offsets]


def by_hand(data: Dataset, run: Run, query: int, k: int, unit: str) -> dict[str, float]:
    """Each measure from sets of what is counted."""

    def held(document: int, start: int, end: int) -> set[tuple[int, int, int]]:
        begins = enumerate(counted(data.documents.texts[document], unit))
        return {(document, number, at) for number, at in begins if start <= at < end}

    spans, chunks, evidence = data.evidence, data.chunkings.chunks, set()
    for at in np.flatnonzero(spans.query == query):
        evidence |= held(int(spans.document[at]), int(spans.start[at]), int(spans.end[at]))
    passages = [
        held(int(chunks.document[row]), int(chunks.start[row]), int(chunks.end[row]))
        for row in run.rows[query, :k]
        if row >= 0
    ]
    returned = set().union(*passages)
    both, each = len(evidence & returned), sum(map(len, passages))

    def share(of: int) -> float:
        return both / of if of else 0.0

    return {
        "SpanR()": share(len(evidence)),
        "SpanP()": share(len(returned)),
        "SpanF1()": 2 * share(len(evidence) + len(returned)),
        "IoU()": share(len(evidence | returned)),
        "SpanP(overlaps=each)": share(each),
        "SpanF1(overlaps=each)": 2 * share(len(evidence) + each),
        "IoU(overlaps=each)": share(each + len(evidence) - both),
    }


@pytest.mark.parametrize(
    ("unit", "option"),
    [
        ("characters", "unit=characters"),
        ("words", "unit=words"),
        ("tokens", "unit=tokens,tokenizer=minilm"),
    ],
)
@given(world=some_worlds())
@settings(max_examples=examples(60), deadline=None)
def test_every_cutoff_is_that_of_sets(unit: str, option: str, world: tuple[Dataset, Run]) -> None:
    data, run = world
    if unit == "tokens":
        data = with_tokens(data, "minilm")
    cutoffs = sorted({1, 2, run.depth})
    queries = np.unique(data.evidence.query).tolist()
    wanted = [[by_hand(data, run, query, k, unit) for query in queries] for k in cutoffs]
    asked = [f"{name.replace('(', f'({option},')}@{k}" for k in cutoffs for name in wanted[0][0]]
    (entry,) = score(run, data, asked).entries
    assert data.queries.ids.rows(entry.query_ids).tolist() == queries
    expected = [[values[name] for values in at] for at in wanted for name in at[0]]
    np.testing.assert_allclose(entry.values, expected, atol=1e-12, rtol=0)


def test_tokens_begin_where_their_letters_do(tmp_path: Path) -> None:
    made = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Metaspace()  # as of Llama: "▁due" with the space before it
    made.save(str(tmp_path / "tokenizer.json"))
    assert made.encode("Rent is due").offsets == [(0, 4), (4, 7), (7, 11)]
    documents = Documents(Ids("ab"), ["Rent is due", " x"])
    dataset = Dataset("d", None, Queries.from_texts({}), Qrels.from_dict({}), documents=documents)
    cache = Cache(tmp_path / "cache")
    for _ in range(2):
        (begins,) = with_tokens(dataset, [str(tmp_path)], cache).documents.tokens.values()
        assert begins.tolist() == [0, 5, 8, 12]
    assert cache.writes == 1
    assert with_tokens(dataset, []) is dataset


def test_a_measure_names_its_tokenizer(tmp_path: Path) -> None:
    named = "SpanP(unit=tokens,tokenizer=minilm,overlaps=each)@5"
    assert str(parse_measure(named)) == named
    assert str(parse_measure(named).resolved(tmp_path)) == named
    (tmp_path / "minilm").mkdir()
    placed = named.replace("minilm", str(tmp_path / "minilm"))
    assert str(parse_measure(named).resolved(tmp_path)) == placed
    for wrong, message in {
        "SpanP(unit=tokens)@5": "tokens are counted by a tokenizer, and none is given",
        "SpanP(tokenizer=minilm)@5": "a tokenizer counts nothing where the unit is characters",
    }.items():
        with pytest.raises(MeasureError, match=message):
            parse_measure(wrong)
    with pytest.raises(MeasureError, match="the path 'a,b' cannot be written in a measure"):
        SpanR(unit="tokens", tokenizer="a,b")


def test_tokens_that_nobody_located_are_an_error() -> None:
    data = some_dataset(np.random.default_rng(5))
    run = Run.make(data.queries.ids, data.corpus.ids, np.zeros((4, 1), dtype=np.int64))
    with pytest.raises(MeasureError, match=r"ragscore\.with_tokens\(dataset, 'minilm'\)"):
        score(run, data, ["SpanR(unit=tokens,tokenizer=minilm)@1"])


def test_a_retriever_is_measured_by_its_own_chunks() -> None:
    data = some_dataset(np.random.default_rng(5))
    part = data.part(["short"])
    rows = np.arange(8).reshape(4, 2)
    run = Run.make(part.queries.ids, part.corpus.ids, rows)
    onto = run.onto(data.corpus.ids)
    values = [score(given, part, ["SpanF1@2"]).entries[0].values for given in (run, onto)]
    np.testing.assert_array_equal(*values)


def test_without_documents_there_are_no_spans() -> None:
    with pytest.raises(MeasureError, match=r"IoU: it reads evidence in documents"):
        score({"q": ["a"]}, {"q": ["a"]}, ["IoU@1"])


def test_first_of_every_place() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        starts = random.integers(0, 20, 12)
        ends = starts + random.integers(0, 12, 12)
        values = random.integers(0, 9, 12)
        found = first_of(starts, ends, values, 32)
        for place in range(32):
            inside = values[(starts <= place) & (place < ends)]
            assert found[place] == inside.min(initial=np.iinfo(np.int64).max)
