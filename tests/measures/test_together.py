"""Evidence that several chunks hold only together, against looking at every character."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import BM25, Dataset, MeasureError, Result, Run, evaluate, score
from ragscore.chunking import CharacterChunker
from ragscore.dataset.chunks import Chunks
from ragscore.experiment.data_checks import check_measures
from tests.factories.thorough import examples

TEXTS = {"d0": "ab cd  efg h ijk\r\nlm nop", "d1": "y" * 24}
LENGTH = 24
MEASURES = ("Complete", "R", "NeedRank", "P", "AP", "RR", "Success")
spans = (
    st.tuples(st.integers(0, 1), st.integers(0, LENGTH - 1), st.integers(1, 9))
    .map(lambda at: (at[0], at[1], min(at[1] + at[2], LENGTH)))
    .filter(lambda at: bool(TEXTS[f"d{at[0]}"][at[1] : at[2]].strip()))
)


def without_space(span: tuple[int, int, int]) -> tuple[int, int, int]:
    """A span as it is read: two that differ in white space at their ends are the same."""
    document, start, end = span
    inside = TEXTS[f"d{document}"][start:end]
    return document, start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())


needs_of_one_query = st.lists(
    st.lists(spans, min_size=1, max_size=3, unique_by=without_space), min_size=1, max_size=4
)


def dataset_of(needs: list[list[tuple[int, int, int]]], coverage: float) -> Dataset:
    named = [
        [{"document": f"d{document}", "start": start, "end": end} for document, start, end in need]
        for need in needs
    ]
    row = {"query_id": "q", "needs": named}
    return Dataset.from_rows(
        None, {"q": "?"}, [row], documents=TEXTS, coverage=coverage, together=True
    )


def by_hand(
    needs: list[list[tuple[int, int, int]]],
    ranking: list[tuple[int, int, int]],
    coverage: float,
    k: int,
) -> dict[str, float]:
    """The values at k, from sets of characters."""

    def characters(span: tuple[int, int, int]) -> set[tuple[int, int]]:
        text = TEXTS[f"d{span[0]}"]
        return {(span[0], at) for at in range(span[1], span[2]) if not text[at].isspace()}

    rank_of = []
    for need in needs:
        ranks = [math.inf]
        for piece in need:
            held: set[tuple[int, int]] = set()
            wanted = math.ceil(len(characters(piece)) * coverage - 1e-9)
            for rank, chunk in enumerate(ranking, start=1):
                held |= characters(chunk) & characters(piece)
                if len(held) >= wanted:
                    ranks.append(rank)
                    break
        rank_of.append(min(ranks))
    newly = [sum(rank == at for rank in rank_of) for at in range(1, k + 1)]
    hits = np.cumsum([new > 0 for new in newly])
    covered = sum(newly)
    precision = [new * hits[at] / (at + 1) for at, new in enumerate(newly)]
    first = min(rank_of)
    whole = covered == len(needs)
    return {
        "Complete": float(whole),
        "R": covered / len(needs),
        "NeedRank": float(max(rank_of)) if whole else math.nan,
        "P": float(hits[-1]) / k,
        "AP": sum(precision) / len(needs),
        "RR": 1 / first if first <= k else 0.0,
        "Success": float(first <= k),
    }


@settings(max_examples=examples(300), deadline=None)
@given(
    needs=needs_of_one_query,
    ranking=st.lists(spans, min_size=1, max_size=8, unique=True),
    coverage=st.sampled_from([1.0, 0.7, 0.5]),
    k=st.integers(1, 9),
)
def test_every_character(
    needs: list[list[tuple[int, int, int]]],
    ranking: list[tuple[int, int, int]],
    coverage: float,
    k: int,
) -> None:
    columns = [np.array(column) for column in zip(*ranking, strict=True)]
    data = dataset_of(needs, coverage).chunked({"some": Chunks.of(*columns)})
    ids = [f"d{document}:{start}-{end}" for document, start, end in ranking]
    run = Run.from_dict({"q": ids}, passages=data.qrels.passages)
    names = [f"{name}@{k}" for name in MEASURES]
    found = score(run, data, names).entries[0]
    wanted = by_hand(needs, ranking, coverage, k)
    for name in MEASURES:
        value = float(found.per_query(f"{name}@{k}")["q"])
        np.testing.assert_allclose(value, wanted[name], atol=1e-12, err_msg=name)


def cut(together: bool, **options: Any) -> Result:
    """Evidence that no chunk of ten characters holds whole."""
    documents = {"guide": "The crane works on Tuesdays and Fridays, at any tide of the year."}
    row = {"query_id": "q", "evidence": [{"document": "guide", "quote": "Tuesdays and Fridays"}]}
    data = Dataset.from_rows(
        None,
        {"q": "Does the crane work on Tuesdays and Fridays?"},
        [row],
        documents=documents,
        together=together,
    )
    retrievers = {"pieces": BM25(chunk=CharacterChunker(size=22))}
    return evaluate(data, retrievers, options.pop("measures", ["R@1", "R@2"]), **options)


def means(result: Result) -> Mapping[str, float]:
    found: Mapping[str, float] = result.scores.to_dict()["dataset"]["pieces"]
    return found


def test_two_chunks_hold_what_neither_does() -> None:
    assert means(cut(together=False)) == {"R@1": 0.0, "R@2": 0.0}
    assert means(cut(together=True)) == {"R@1": 0.0, "R@2": 1.0}


@pytest.mark.parametrize("measure", ["nDCG@2", "IDCG@2", "alpha-nDCG@2"])
def test_what_compares_with_the_best_order_is_refused_before_anything_runs(measure: str) -> None:
    with pytest.raises(MeasureError, match="no best order of them is known") as caught:
        cut(together=True, measures=[measure])
    assert "leave together out" in str(caught.value)
    with pytest.raises(MeasureError, match="no best order"):
        check_measures([dataset_of([[(0, 0, 4)]], 1.0)], [("measures[0]", measure)])


def test_another_way_to_cover_is_other_data() -> None:
    data = dataset_of([[(0, 0, 4)]], 1.0)
    alone = Dataset.from_rows(
        None,
        {"q": "?"},
        [{"query_id": "q", "needs": [[{"document": "d0", "start": 0, "end": 4}]]}],
        documents=TEXTS,
    )
    assert data.digest != alone.digest
