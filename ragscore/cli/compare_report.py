"""What ``ragscore compare`` says, in every format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragscore.cli.compare_inputs import Source, given_options
from ragscore.errors import DataError

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions
    from ragscore.dataset import Qrels
    from ragscore.experiment.comparison import Compared


def compared_source(source: Source, given: Mapping[str, Any], notes: list[str]) -> Compared:
    """Compare what a source holds.

    Args:
        source: what.
        given: the flags that were given; they win over what the experiment said.
        notes: what a reader must know is added here.

    Raises:
        ConfigError: the baseline is not there, no query has a tag that is asked for.
        DataError: the retrievers were scored on different queries.
    """
    from ragscore.experiment.comparison import compared

    options = _options(source, given, notes)
    datasets = source.scores.datasets
    needed = datasets if options.cluster is not None or options.slices else ()
    queries = {name: source.dataset(name).queries for name in needed}
    qrels: dict[str, Qrels] = {}
    titled: dict[str, bool] = {}
    for name in datasets:
        try:
            qrels[name] = source.qrels(name)
        except DataError as error:
            notes.append(f"what pairs find together is left out: {error}")
        if source.settings and name in qrels:
            corpus = source.dataset(name).corpus
            if corpus is not None:
                titled[name] = corpus.titled
    return compared(
        source.scores,
        options,
        queries=queries,
        latency=source.latency,
        runs=source.run,
        qrels=qrels,
        settings=source.settings,
        titled=titled,
    )


def _options(source: Source, given: Mapping[str, Any], notes: list[str]) -> CompareOptions:
    """The experiment's options with the flags; its baseline only where it has scores."""
    from pydantic import ValidationError

    from ragscore.comparison import CompareOptions

    try:
        base = CompareOptions.model_validate(source.recorded)
    except ValidationError:
        notes.append(
            "the recorded options of 'compare' cannot be read by this version; the defaults are "
            "used"
        )
        base = CompareOptions()
    if base.baseline is not None and base.baseline not in source.scores.retrievers:
        if "baseline" not in given:
            notes.append(f"the baseline {base.baseline} of the experiment has no run")
        base = base.model_copy(update={"baseline": None})
    return given_options(given, base)
