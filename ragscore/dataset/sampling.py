"""sampled_corpus(): the passages of a corpus that a sample holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.corpus import Corpus
from ragscore.dataset.corpus_sample import CorpusSample, SampledCorpus
from ragscore.dataset.drawing import drawn
from ragscore.dataset.ids import Ids
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.dataset.judgments import Judgments


@dataclass(frozen=True, eq=False)
class TakenSample:
    """A sample of a corpus.

    Attributes:
        corpus: its passages.
        sampled: what it holds; None if that is all of the corpus.
        pooled: ids of the passages that are there for the pool alone.
    """

    corpus: Corpus
    sampled: SampledCorpus | None = None
    pooled: tuple[str, ...] = ()


def sampled_corpus(
    corpus: Corpus,
    sample: CorpusSample,
    judgments: Judgments,
    units: tuple[Ids, JudgedUnits] | None = None,
    pooled: Iterable[str] = (),
) -> TakenSample:
    """A sample of a corpus, in memory and in the same order; the corpus itself where that is all
    of it.

    Args:
        corpus: all passages; the texts of a corpus in blocks are read where they are taken.
        sample: how.
        judgments: as they were read.
        units: where judgments name units, their ids and which of them each passage belongs to: all
            passages of a unit are kept with it.
        pooled: ids of the passages that the pool keeps.
    """
    random = np.zeros(len(corpus), dtype=bool)
    random[drawn(corpus.ids, sample.sample, sample.seed)] = True
    judged = np.zeros(len(corpus), dtype=bool)
    judged[_judged(corpus.ids, sample, judgments, units)] = True
    of_pool = np.zeros(len(corpus), dtype=bool)
    of_pool[_known(corpus.ids.rows(pooled))] = True
    rows = np.flatnonzero(random | judged | of_pool)
    if len(rows) == len(corpus):
        return TakenSample(corpus)
    pool, only_pooled = sample.pool, np.flatnonzero(of_pool & ~judged & ~random)
    held = SampledCorpus(
        passages=len(rows),
        of=len(corpus),
        drawn=int(random.sum()),
        kept=int((judged & ~random).sum()),
        pooled=len(only_pooled),
        keep=sample.keep,
        pool=pool.retrievers if pool is not None else (),
        depth=pool.depth if pool is not None else 0,
        seed=sample.seed,
    )
    taken_passages = Corpus.from_passages(corpus.passages(rows))
    return TakenSample(taken_passages, held, tuple(corpus.ids.texts(only_pooled)))


def _judged(
    ids: Ids, sample: CorpusSample, judgments: Judgments, units: tuple[Ids, JudgedUnits] | None
) -> NDArray[np.int64]:
    """The rows of the passages that are kept for their judgments."""
    if sample.keep == "none":
        return np.empty(0, dtype=np.int64)
    named = [
        passage
        for passage, grade in zip(judgments.passage_ids, judgments.grades, strict=True)
        if sample.keep == "judged" or grade > 0
    ]
    if sample.keep == "judged":
        named += [passage for _, passage, _ in judgments.forbidden]
    named = list(dict.fromkeys(named))
    passages = _known(ids.rows(named))
    if units is None:
        return passages
    # What is forbidden may be a passage of a unit, too.
    unit_ids, members = units
    wanted = _known(unit_ids.rows(named))
    return np.append(passages, np.flatnonzero(np.isin(members.in_corpus, wanted)))


def _known(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    return rows[rows >= 0].astype(np.int64)
