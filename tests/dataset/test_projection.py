"""Evidence becomes judgments of chunks: the same as by looking at every pair."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.dataset import Ids, Qrels
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.projection import projected
from tests.factories.thorough import examples

TEXTS = ["ab cd  efg h\u3000ijk\r\nlm no " * 3, "x" * 60, "y z\t" * 15]
"""What stands in three documents: white space here and there."""


def evidence_of(rows: list[tuple[int, int, int, int, float, int]], queries: Ids) -> EvidenceColumns:
    """From (query, document, start, end, grade, need)."""
    query, document, start, end, grade, need = (
        np.array(column) for column in (zip(*rows, strict=True) if rows else [[]] * 6)
    )
    return EvidenceColumns(
        queries,
        query.astype(np.int64),
        document.astype(np.int32),
        start.astype(np.int64),
        end.astype(np.int64),
        grade.astype(np.float64),
        need.astype(np.int32),
    )


def judged_by_hand(evidence: EvidenceColumns, chunks: Chunks, coverage: float) -> dict:
    """{query: {chunk: (grade, {need: grade})}} by looking at every pair."""
    found: dict = {}
    columns = (evidence.query, evidence.document, evidence.start, evidence.end)
    for at, (query, document, start, end) in enumerate(
        zip(*map(np.ndarray.tolist, columns), strict=True)
    ):
        for row in range(len(chunks)):
            if chunks.document[row] != document:
                continue
            both = set(range(start, end)) & set(range(chunks.start[row], chunks.end[row]))
            if not both:
                continue
            text = TEXTS[document]
            shared = sum(not text[at].isspace() for at in both)
            length = sum(not text[at].isspace() for at in range(start, end))
            grade, needs = found.setdefault(query, {}).get(row, (0.0, {}))
            if shared >= math.ceil(length * coverage - 1e-9):
                own = float(evidence.grade[at])
                need = int(evidence.need[at])
                grade, needs = max(grade, own), {**needs, need: max(own, needs.get(need, 0.0))}
            found[query][row] = (grade, needs)
    return found


def as_dict(qrels: Qrels) -> dict:
    assert qrels.needs is not None
    found: dict = {}
    for query in range(len(qrels.queries)):
        for at in range(qrels.indptr[query], qrels.indptr[query + 1]):
            own = slice(qrels.needs.indptr[at], qrels.needs.indptr[at + 1])
            columns = (qrels.needs.need[own].tolist(), qrels.needs.grades[own].tolist())
            needs = dict(zip(*columns, strict=True))
            found.setdefault(query, {})[int(qrels.rows[at])] = (float(qrels.grades[at]), needs)
    return found


def _ends_with_no_white_space(place: tuple[int, int, int]) -> bool:
    document, start, length = place
    text = TEXTS[document][start : start + length]
    return text == text.strip()


places = st.tuples(st.integers(0, 2), st.integers(0, 39), st.integers(1, 20))
pieces = st.tuples(
    st.integers(0, 3),
    places.filter(_ends_with_no_white_space),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.integers(0, 2),
).map(lambda of: (of[0], of[1][0], of[1][1], of[1][1] + of[1][2], of[2], of[3]))


@settings(max_examples=examples(300), deadline=None)
@given(
    rows=st.lists(pieces, max_size=12),
    cut=st.lists(places, max_size=30, unique=True),
    coverage=st.sampled_from([1.0, 0.7, 0.5, 0.01]),
)
def test_every_pair(
    rows: list[tuple[int, int, int, int, float, int]],
    cut: list[tuple[int, int, int]],
    coverage: float,
) -> None:
    columns = np.array(cut, dtype=np.int64).reshape(-1, 3).T
    chunks = Chunks.of(columns[0], columns[1], columns[1] + columns[2])
    evidence = evidence_of(rows, Ids("abcd"))
    passages = Ids(chunks.ids(Ids("xyz")))
    qrels = projected(
        evidence, chunks, TEXTS, queries=Ids("abcdef"), passages=passages, coverage=coverage
    )
    assert as_dict(qrels) == judged_by_hand(evidence, chunks, coverage)
    assert qrels.needs is not None
    for query in range(6):
        of_query = [row for row in rows if row[0] == query]
        count = max((need + 1 for *_, need in of_query), default=0)
        best = [
            max((grade for *_, grade, need in of_query if need == number), default=0.0)
            for number in range(count)
        ]
        bounds = qrels.needs.bounds
        assert qrels.needs.best[bounds[query] : bounds[query + 1]].tolist() == best


def test_a_part_keeps_the_needs_that_it_does_not_cover() -> None:
    chunks = Chunks.of_spans([[(0, 10), (0, 25), (10, 30)]])
    evidence = evidence_of([(0, 0, 2, 8, 2.0, 0), (0, 0, 12, 20, 1.0, 1)], Ids(["q"]))
    ids = Ids(chunks.ids(Ids(["d"])))
    qrels = projected(evidence, chunks, ["x" * 30], queries=Ids(["q"]), passages=ids)
    assert qrels.to_dict() == {"q": {"d:0-10": 2.0, "d:0-25": 2.0, "d:10-30": 1.0}}
    part = qrels.part(np.array([0]), Ids(["d:0-10"]))
    assert part.to_dict() == {"q": {"d:0-10": 2.0}}
    assert part.needs is not None
    assert part.needs.need.tolist() == [0]
    assert part.needs.best.tolist() == [2.0, 1.0]
