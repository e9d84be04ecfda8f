"""Evidence becomes judgments of chunks: the same as by looking at every pair."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragscore.dataset import Ids, Qrels
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.projection import projected


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
            shared = len(set(range(start, end)) & set(range(chunks.start[row], chunks.end[row])))
            if not shared:
                continue
            grade, needs = found.setdefault(query, {}).get(row, (0.0, {}))
            if shared >= math.ceil((end - start) * coverage - 1e-9):
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


def some_chunks(random: np.random.Generator, documents: int, most: int) -> Chunks:
    count = random.integers(0, most)
    start = random.integers(0, 40, count)
    length = random.choice([1, 3, 8, 40], count)
    return Chunks.of(random.integers(0, documents, count), start, start + length)


@pytest.mark.parametrize("coverage", [1.0, 0.7, 0.5, 0.01])
def test_every_pair(coverage: float) -> None:
    random = np.random.default_rng(7)
    for _ in range(60):
        chunks = some_chunks(random, 3, 40)
        count = int(random.integers(0, 20))
        rows = [
            (
                int(random.integers(0, 4)),
                int(random.integers(0, 3)),
                start := int(random.integers(0, 40)),
                start + int(random.integers(1, 20)),
                float(random.integers(1, 4)),
                int(random.integers(0, 3)),
            )
            for _ in range(count)
        ]
        evidence = evidence_of(rows, Ids("abcd"))
        passages = Ids(chunks.ids(Ids("xyz")))
        qrels = projected(
            evidence, chunks, queries=Ids("abcdef"), passages=passages, coverage=coverage
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
    qrels = projected(evidence, chunks, queries=Ids(["q"]), passages=ids)
    assert qrels.to_dict() == {"q": {"d:0-10": 2.0, "d:0-25": 2.0, "d:10-30": 1.0}}
    part = qrels.part(np.array([0]), Ids(["d:0-10"]))
    assert part.to_dict() == {"q": {"d:0-10": 2.0}}
    assert part.needs is not None
    assert part.needs.need.tolist() == [0]
    assert part.needs.best.tolist() == [2.0, 1.0]
