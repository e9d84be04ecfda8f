"""Choosing k for every run of a result, where the experiment asks for it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragscore.dataset import Dataset, Ids
from ragscore.errors import RagscoreError
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.results import Result
from ragscore.results.manifest import Key
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.tokens_file import TokenCounts
from ragscore.run import Run
from ragscore.tokens import token_counter
from ragscore.tuning.options import TuneOptions


def note_tuning(result: Result, parts: MemoryParts, options: TuneOptions, notes: Progress) -> None:
    """Choose k for every run; where that fails, a note says why and the scores stay.

    Args:
        result: what is tuned.
        parts: its parts; they get the tokens of the passages that came back.
        options: the experiment's.
        notes: reports what went wrong.
    """
    try:
        if options.budget is not None and options.budget.tokenizer is not None:
            tokenizer = options.budget.tokenizer
            parts.held_tokens = _token_counts(parts.held_runs, parts.held_datasets, tokenizer)
        result.tune()
    except RagscoreError as error:
        notes.note(_("no k was chosen: {error}", error=error))


def _token_counts(
    runs: Mapping[Key, Run], datasets: Mapping[str, Dataset], tokenizer: str
) -> dict[str, TokenCounts]:
    """By dataset, the tokens of every passage that any retriever returned, each counted once by
    the tokenizer that the config names; the result records them, so that reading it needs none."""
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
