"""A corpus cut into blocks, and runs that have to be equal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ragscore.dataset import Corpus, Ids
from ragscore.run import Run


def in_blocks(corpus: Corpus, cuts: Sequence[int]) -> Corpus:
    """The corpus cut before these rows."""
    bounds = [0, *sorted(min(cut, len(corpus)) for cut in cuts), len(corpus)]
    titles = corpus.titles
    return Corpus.of_blocks(
        Corpus(
            Ids(corpus.ids[start:end]),
            corpus.texts[start:end],
            None if titles is None else titles[start:end],
            metadata={
                row - start: metadata
                for row, metadata in corpus.metadata.items()
                if start <= row < end
            },
        )
        for start, end in pairwise(bounds)
    )


def assert_equal(found: Run, wanted: Run) -> None:
    """Bit for bit: the same passages in the same places, with the same scores."""
    assert found.rows.tolist() == wanted.rows.tolist()
    assert found.scores is not None
    assert wanted.scores is not None
    assert found.scores.tobytes() == wanted.scores.tobytes()
