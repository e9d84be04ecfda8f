"""Curves against k, and what the experiment's rule recommends."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ragscore.errors import DataError, RagscoreError
from ragscore.measures import NDCG, F, Measure, P, R
from ragscore.report.data import Panel
from ragscore.report.gathered.recorded import tune_options
from ragscore.strings import Strings

if TYPE_CHECKING:
    from ragscore.results import RecordedResult
    from ragscore.results.tokens_file import TokenCounts
    from ragscore.run import Run
    from ragscore.tuning import TuneOptions, Tuning

DRAWN: tuple[type[Measure], ...] = (P, R, F, NDCG)
"""The measures of the curves."""


def tuning_fields(
    panel: Panel,
    result: RecordedResult,
    experiment: Mapping[str, Any],
    manifest: Mapping[str, Any],
    words: Strings,
    notes: list[str],
) -> dict[str, Any]:
    """The panel's ``tunings`` and ``curves``, by retriever; empty where the dataset is not there.

    Args:
        panel: with its data and recorded runs.
        result: what recorded them, and the tokens of passages.
        experiment, manifest: what they say of ``tune``; without a rule nothing is recommended.
        words: for notes.
        notes: is notified of retrievers that cannot be tuned.
    """
    from ragscore.tuning import tune

    data = panel.data
    if data is None:
        return {}
    options = tune_options(manifest, experiment, words.language, words, notes)
    options, counts = _counted(options, result, panel.dataset, words, notes)
    options = options.model_copy(update={"measures": [str(one()) for one in DRAWN]})
    # Curves are drawn against k, whatever the experiment cut by.
    by_k = {"by": "k", "rule": None, "target": None, "confident": False, "coverage": None}

    def tuned(run: Run, options: TuneOptions) -> Tuning:
        return tune(
            run,
            data,
            options,
            dataset=panel.dataset,
            profile=manifest.get("profile", "trec"),
            count_tokens=counts,
        )

    found: dict[str, Tuning] = {}
    curves: dict[str, Tuning] = {}
    for name, run in panel.recorded_runs.items():
        try:
            found[name] = tuned(run, options)
            curves[name] = (
                found[name] if options.by == "k" else tuned(run, options.model_copy(update=by_k))
            )
        except RagscoreError as error:
            found.pop(name, None)
            notes.append(words("gathered_not_tuned", retriever=words.names([name]), error=error))
    return {"tunings": found, "curves": curves}


def _counted(
    options: TuneOptions, result: RecordedResult, dataset: str, words: Strings, notes: list[str]
) -> tuple[TuneOptions, TokenCounts | None]:
    """The options with the recorded token counts. Where there are none contexts are counted in
    words, without the limit, which is in tokens: the tokenizer that a result names may be
    anyone's code and is never loaded."""
    if options.budget is None or options.budget.unit != "tokens":
        return options, None
    counts = None
    with suppress(DataError):  # a damaged file counts as none
        counts = result.token_counts(dataset)
    if counts is None:
        notes.append(words("gathered_no_tokens"))
        given = options.model_dump(exclude_unset=True, exclude={"budget"})
        if options.rule == "budget":
            given = {key: value for key, value in given.items() if key not in ("rule", "coverage")}
        options = type(options).model_validate(given)
    return options, counts
