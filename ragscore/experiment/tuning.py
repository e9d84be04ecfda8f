"""Choosing k for every run of a result, where the experiment asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ragscore.dataset import Dataset, Ids
from ragscore.errors import RagscoreError
from ragscore.experiment.result import Result
from ragscore.experiment.write import Loaded
from ragscore.progress import Progress
from ragscore.results.manifest import Key
from ragscore.results.tokens_file import TokenCounts
from ragscore.run import Run
from ragscore.scoring import ProfileName
from ragscore.tuning.options import TuneOptions


def with_tuning(
    result: Result,
    options: TuneOptions,
    datasets: Iterable[Loaded],
    profile: ProfileName,
    notes: Progress,
) -> Result:
    """The result with k chosen for every run; what hinders it is noted, and costs no score."""
    from ragscore.tuning import tune_runs

    by_name = {loaded.dataset.name: loaded.dataset for loaded in datasets}
    counts: Mapping[str, TokenCounts] = {}
    try:
        if options.budget is not None and options.budget.tokenizer is not None:
            counts = _token_counts(result.runs, by_name, options.budget.tokenizer)
        tunings = tune_runs(result.runs, by_name, options, profile=profile, count_tokens=counts)
    except RagscoreError as error:
        notes.note(f"no k was chosen: {error}")
        return replace(result, token_counts=counts)
    return replace(result, tunings=tuple(tunings), token_counts=counts)


def _token_counts(
    runs: Mapping[Key, Run], datasets: Mapping[str, Dataset], tokenizer: str
) -> dict[str, TokenCounts]:
    """By dataset, the tokens of every passage that any retriever returned, each counted once by
    the tokenizer that the config names; the result records them, so that reading it needs none."""
    from ragscore.tuning.tokenizers import token_counter

    count = token_counter(tokenizer)
    counts = {}
    for name, dataset in datasets.items():
        corpus, returned = dataset.corpus, [run for (at, _), run in runs.items() if at == name]
        if corpus is None or not returned:
            continue
        used = np.zeros(len(corpus), dtype=bool)
        for run in returned:
            rows = corpus.ids.rows_of(run.passages, np.unique(run.rows[run.rows >= 0]))
            used[rows[rows >= 0]] = True
        counted = np.flatnonzero(used)
        counts[name] = TokenCounts(name, Ids(corpus.ids.texts(counted)), count(corpus, counted))
    return counts
