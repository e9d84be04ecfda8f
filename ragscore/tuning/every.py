"""Every retriever of a result on every dataset: what tuning.json holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, did_you_mean
from ragscore.run import Run
from ragscore.scoring import ProfileName
from ragscore.tuning.choose import tune
from ragscore.tuning.context import TokenCounter
from ragscore.tuning.options import TuneOptions
from ragscore.tuning.result import Tuning


class Recorded(Protocol):
    """What is tuned: :class:`~ragscore.results.RecordedResult`, or anything that reads alike."""

    @property
    def datasets(self) -> Sequence[str]:
        """Names."""

    @property
    def retrievers(self) -> Sequence[str]:
        """Names of those with a run on some dataset."""

    @property
    def failures(self) -> Mapping[tuple[str, str], Any]:
        """By (dataset, retriever) without a run."""

    @property
    def profile(self) -> ProfileName:
        """The conventions of its scores."""

    def run(self, dataset: str, retriever: str, /) -> Run:
        """A recorded run."""

    def dataset(self, name: str, /) -> Dataset:
        """A dataset."""


def tune_runs(
    runs: Mapping[tuple[str, str], Run],
    datasets: Mapping[str, Dataset],
    options: TuneOptions | None = None,
    *,
    profile: ProfileName = "trec",
    count_tokens: Mapping[str, TokenCounter] | None = None,
) -> list[Tuning]:
    """Tune runs by (dataset, retriever), in their order.

    Args:
        runs: what is tuned.
        datasets: by name.
        options: the rule and all else.
        profile: conventions, as for :func:`~ragscore.scoring.score`.
        count_tokens: by dataset; needed for a budget of tokens.

    Raises:
        DataError, ConfigError: as :func:`~ragscore.tuning.choose.tune`.
    """
    return [
        tune(
            run.renamed(retriever),
            datasets[dataset],
            options,
            dataset=dataset,
            profile=profile,
            count_tokens=(count_tokens or {}).get(dataset),
        )
        for (dataset, retriever), run in runs.items()
    ]


def tune_result(
    result: Recorded,
    options: TuneOptions | None = None,
    *,
    only: Sequence[str] = (),
    count_tokens: TokenCounter | None = None,
) -> list[Tuning]:
    """Tune every retriever of a recorded result on every dataset.

    Args:
        result: what is tuned.
        options: the rule and all else; never taken from the result.
        only: names of retrievers; by default all.
        count_tokens: for a budget of tokens, as for :func:`~ragscore.tuning.choose.tune`.

    Raises:
        ConfigError: a name in ``only`` is unknown, or as :func:`~ragscore.tuning.choose.tune`.
        DataError: a dataset has changed since.
    """
    for name in only:
        if name not in result.retrievers:
            raise ConfigError(
                f"no retriever is named '{name}'",
                where="--retriever",
                instead=did_you_mean(name, result.retrievers),
            )

    def each() -> Iterator[Tuning]:
        for dataset in result.datasets:
            for retriever in result.retrievers:
                if (dataset, retriever) in result.failures or (only and retriever not in only):
                    continue
                run = result.run(dataset, retriever)
                data = result.dataset(dataset)
                yield tune(
                    run,
                    data,
                    options,
                    dataset=dataset,
                    profile=result.profile,
                    count_tokens=count_tokens,
                )

    return list(each())
