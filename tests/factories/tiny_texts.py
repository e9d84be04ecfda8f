"""Passages and questions of the words that tiny models know, and what holds for every index over
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.retrievers import Index
from ragscore.retrievers.base import RestrictedIndex
from ragscore.retrievers.model_retriever import ModelRetriever
from tests.factories.tiny_models import WORDS

QUERIES = Queries.from_texts({word: f"the {word} of the house" for word in WORDS})
AnyModel = TypeVar("AnyModel", bound=ModelRetriever)


def corpus_of(texts: list[str]) -> Corpus:
    return Corpus(Ids(f"p{at}" for at in range(len(texts))), texts)


def drawn(sizes: Iterable[int], twice_again: int) -> Corpus:
    """Passages of so many words; at the end that of row ``twice_again`` twice more, and a long one,
    which models cut."""
    draw = np.random.default_rng(5)
    texts = [" ".join(draw.choice(WORDS, size=size)) for size in sizes]
    return corpus_of([*texts, texts[twice_again], texts[twice_again], "notice, " * 100])


def held(spec: AnyModel) -> Iterator[AnyModel]:
    """A spec whose model is loaded once, as long as a fixture lasts."""
    encoder = spec.open_encoder()
    yield spec
    del encoder


def check_that_only_allowed_passages_come_back(index: Index) -> None:
    """Every other query may get every other passage."""
    assert isinstance(index, RestrictedIndex)
    assert index.passages_indexed is not None
    masks = np.zeros((2, index.passages_indexed), dtype=bool)
    masks[0, ::2] = masks[1, 1::2] = True
    group = np.arange(len(QUERIES)) % 2
    found = index.search_allowed(QUERIES, 5, Allowed(group, 2, lambda at: masks[at]))
    whole = index.search(QUERIES, index.passages_indexed)
    for at, returned in enumerate(whole.returned):
        rows = whole.rows[at, :returned]
        expected = rows[masks[group[at]][rows]][:5]
        np.testing.assert_array_equal(found.rows[at, : found.returned[at]], expected)
