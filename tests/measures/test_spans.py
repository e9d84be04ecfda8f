"""Span measures: the same as from sets of characters and of words, at every k."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ragscore import Dataset, MeasureError, Run, score
from ragscore.arrays import first_of
from ragscore.dataset import Chunks, Documents, EvidenceColumns, Ids, Qrels, Queries

TEXTS = [
    "Rent  is due\r\non the first day.",
    "",
    "가나다 라마 바 👩‍🚀 사아",
    "x",
    " \u3000 a b c d e f g ",
]
UNITS = ["characters", "words"]


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


def by_hand(data: Dataset, run: Run, query: int, k: int, unit: str) -> tuple[float, ...]:
    """Recall, precision, F1 and intersection over union from sets."""

    def counted(document: int, start: int, end: int) -> set[tuple[int, int]]:
        places = {(document, place) for place in range(start, end)}
        if unit == "words":
            words = {(document, word.start()) for word in re.finditer(r"\S+", TEXTS[document])}
            return places & words
        return places

    evidence, held = set(), set()
    spans = data.evidence
    for at in np.flatnonzero(spans.query == query):
        evidence |= counted(int(spans.document[at]), int(spans.start[at]), int(spans.end[at]))
    for row in run.rows[query, :k]:
        if row >= 0:
            chunks = data.chunkings.chunks
            held |= counted(int(chunks.document[row]), int(chunks.start[row]), int(chunks.end[row]))
    both = len(evidence & held)
    recall = both / len(evidence) if evidence else 0.0
    precision = both / len(held) if held else 0.0
    f1 = 2 * both / (len(evidence) + len(held)) if evidence or held else 0.0
    union = len(evidence | held)
    return recall, precision, f1, both / union if union else 0.0


@pytest.mark.parametrize("unit", UNITS)
def test_every_cutoff_is_that_of_sets(unit: str) -> None:
    random = np.random.default_rng(3)
    asked = [f"{name}(unit={unit})@{k}" for k in (1, 2, 5, 9) for name in NAMES]
    for _ in range(20):
        data = some_dataset(random)
        count = len(data.corpus)
        rows = np.array([random.permutation(count)[:9] for _ in range(4)])
        rows[random.random(rows.shape) < 0.2] = -1
        run = Run.make(data.queries.ids, data.corpus.ids, rows)
        (entry,) = score(run, data, asked).entries
        judged = data.queries.ids.rows(entry.query_ids)
        assert set(judged.tolist()) == set(data.evidence.query.tolist())
        for at, query in enumerate(judged.tolist()):
            wanted = [value for k in (1, 2, 5, 9) for value in by_hand(data, run, query, k, unit)]
            np.testing.assert_allclose(entry.values[:, at], wanted, atol=1e-12, rtol=0)


NAMES = ("SpanR", "SpanP", "SpanF1", "IoU")


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
