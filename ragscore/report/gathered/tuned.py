"""Curves against k, with the k that the experiment's rule recommends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragscore.errors import RagscoreError
from ragscore.measures import NDCG, F, Measure, P, R
from ragscore.report.data import Panel
from ragscore.report.gathered.recorded import tune_options
from ragscore.report.words import Words

if TYPE_CHECKING:
    from ragscore.tuning import Tuning

DRAWN: tuple[type[Measure], ...] = (P, R, F, NDCG)
"""The measures of the curves."""


def tunings(
    panel: Panel,
    experiment: Mapping[str, Any],
    manifest: Mapping[str, Any],
    words: Words,
    notes: list[str],
) -> dict[str, Tuning]:
    """By retriever, at every k; empty where the dataset is not there.

    Args:
        panel: with its data and recorded runs.
        experiment, manifest: what they say of ``tune``; k is chosen by that rule, else by the
            highest F1.
        words: for notes.
        notes: told of retrievers that cannot be tuned.
    """
    from ragscore.tuning import tune

    if panel.data is None:
        return {}
    options = tune_options(manifest, experiment, words.language, words, notes)
    # The curves are drawn against k, whatever the experiment cut by.
    options = options.model_copy(update={"by": "k", "measures": [str(one()) for one in DRAWN]})
    found = {}
    for name, run in panel.recorded_runs.items():
        try:
            found[name] = tune(
                run,
                panel.data,
                options,
                dataset=panel.dataset,
                profile=manifest.get("profile", "trec"),
            )
        except RagscoreError as error:
            notes.append(words("gathered_not_tuned", retriever=words.names([name]), error=error))
    return found
