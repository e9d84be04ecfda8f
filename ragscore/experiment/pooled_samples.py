"""The pool of a sampled corpus: what some retrievers find in the whole of it.

They search the whole corpus as any retriever does, so that their runs are kept in the cache and
found there whenever another sample is taken. What they reach on the whole corpus is known then, and
stands beside what they reach on the sample: the bias of the sample, measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ragscore.arrays import distinct
from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError
from ragscore.experiment.data_checks import check_data, in_its_file, read_spec
from ragscore.experiment.model import Experiment
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.search import Search
from ragscore.measures import Measure
from ragscore.messages import _, few_names
from ragscore.progress import SILENT, Progress
from ragscore.results.stages import WholeCorpus
from ragscore.run import Run
from ragscore.scoring import ProfileName, score


@dataclass(frozen=True, eq=False)
class FoundPool:
    """What the retrievers of a pool found in a whole corpus.

    Attributes:
        ids: of the passages that a sample keeps.
        whole: the dataset with its whole corpus; None if there is no pool.
        runs: over it, by retriever.
    """

    ids: tuple[str, ...] = ()
    whole: Dataset | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)

    def reached(
        self, measures: tuple[Measure, ...], profile: ProfileName, depth: int
    ) -> dict[str, WholeCorpus]:
        """What each retriever of the pool reaches on the whole corpus.

        Args:
            measures: that the sample is scored by.
            profile: the conventions of the scores.
            depth: that ``@depth`` means.
        """
        found = {}
        for name, run in self.runs.items():
            assert self.whole is not None
            scored = score(run, self.whole, measures, profile=profile, recorded=depth)
            (entry,) = scored.entries
            means = zip(map(str, entry.measures), entry.means.tolist(), strict=True)
            found[name] = WholeCorpus({name: mean for name, mean in means if math.isfinite(mean)})
        return found


def pool_of(experiment: Experiment, place: int, cache: Cache | None, notes: RunNotes) -> FoundPool:
    """The pool of one of the datasets of an experiment, searched now or found in the cache.

    Args:
        experiment: with all of its retrievers.
        place: of the dataset in its list.
        cache: where runs are kept.
        notes: says that the whole corpus is searched.

    Raises:
        ConfigError: a retriever of the pool cannot search this corpus.
        DataError: the dataset's files have problems.
        RetrieverError: a retriever of the pool failed: without it there is no such sample.
    """
    search = pool_search(experiment, place, cache, notes)
    if search is None:
        return FoundPool()
    pool, whole = experiment.datasets[place].pool, search.dataset
    assert pool is not None
    if not all(map(search.is_kept, search.wanted)):
        count = count_text(0 if whole.corpus is None else len(whole.corpus))
        names = few_names(search.wanted)
        notes.note_on(
            whole.name,
            _(
                "the whole corpus of {count} passages is searched for the pool of the "
                "sample: {names}",
                count=count,
                names=names,
            ),
        )
    retrieved = search.run()
    for failure in retrieved.failures.values():
        raise failure
    ids = dict.fromkeys(id for run in retrieved.runs.values() for id in best_ids(run, pool.depth))
    return FoundPool(tuple(ids), whole, retrieved.runs)


def pool_search(
    experiment: Experiment, place: int, cache: Cache | None, progress: Progress = SILENT
) -> Search | None:
    """The search of a pool over the whole corpus, which is still to run; None without a pool. It
    goes as deep as the experiment's runs where that is deeper than the pool.

    Raises:
        ConfigError, DataError: as :func:`pool_of`.
    """
    spec = experiment.datasets[place]
    if spec.pool is None:
        return None
    whole = read_spec(
        experiment, place, spec.changed(corpus=True), progress, cache=cache, in_blocks=True
    )
    with in_its_file(experiment):
        check_data([whole], experiment.retrievers, spec.pool.retrievers)
    if whole.corpus is None:
        raise ConfigError("the dataset has no corpus to sample", where=f"datasets[{place}].corpus")
    return Search(
        whole,
        experiment.retrievers,
        whole.reachable_depth(max(spec.pool.depth, experiment.depth)),
        spec.pool.retrievers,
        None,
        cache,
        experiment.strict,
        progress,
    )


def best_ids(run: Run, depth: int) -> list[str]:
    """The ids of the passages that are among the first of any query."""
    rows = distinct(run.rows[:, :depth].ravel())
    return run.passages.texts(rows[rows >= 0].astype(np.int64))
