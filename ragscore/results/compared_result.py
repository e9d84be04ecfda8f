"""ComparedResult: a result, its retrievers compared and tuned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, Unpack

import ragscore.sweeps
from ragscore.comparison import CompareOptions
from ragscore.comparison.comparing import Comparison
from ragscore.comparison.options import CompareChanges
from ragscore.errors import ConfigError, RagscoreError, did_you_mean, unknown_name
from ragscore.measures import Measure, parse_measures
from ragscore.results.dataset_result import DatasetResult
from ragscore.results.folder_parts import FolderParts
from ragscore.results.joined_parts import JoinedParts
from ragscore.results.result_facts import ResultFacts
from ragscore.results.result_view import Noted, ResultView, experiment_data, recorded_view
from ragscore.results.selectivity import with_selectivity
from ragscore.tuning import TuneOptions, Tuning
from ragscore.tuning.options import TuneChanges
from ragscore.tuning.tuning_input import TokenCounter


@dataclass(frozen=True, eq=False)
class ComparedResult(ResultFacts):
    """A result with what is computed from its runs and scores, each part when it is first read."""

    _view: ResultView | None = None

    @cached_property
    def view(self) -> ResultView:
        """The options of comparison and tuning: the experiment's."""
        return self._view or recorded_view(self.manifest, self.parts.experiment_text)

    @cached_property
    def dataset_results(self) -> tuple[DatasetResult, ...]:
        """The datasets with scores, each with everything that is computed for it."""
        made: list[DatasetResult] = []
        for name in self.datasets:
            part = DatasetResult(self.parts, self.view, name, len(made))
            made += [part] if part.scores.entries else []
        return tuple(made)

    def __getitem__(self, dataset: str) -> DatasetResult:
        """One dataset, with all that is computed of it; a KeyError where it has no scores."""
        for part in self.dataset_results:
            if part.dataset == dataset:
                return part
        raise KeyError(f"{dataset} has no scores; available: {[r.dataset for r in self]}")

    def __iter__(self) -> Iterator[DatasetResult]:
        return iter(self.dataset_results)

    def viewed(self, *, compare: CompareOptions | None = None, choices: bool | None = None) -> Self:
        """The same result with other options; what does not depend on them is not read again.

        Args:
            compare: how retrievers are compared.
            choices: whether all choices of baseline and primary measure are computed.
        """
        view = self.view
        if compare is not None:
            view = replace(view, compare=Noted(compare))
        if choices is not None:
            view = replace(view, choices=choices)
        return self if view == self.view else replace(self, _view=view)

    def share_datasets(self, other: ComparedResult) -> None:
        """Read a dataset that both results have only once."""
        if isinstance(self.parts, FolderParts):
            self.parts.share_datasets(other.parts)

    def rescored(self, measures: Iterable[str | Measure]) -> Self:
        """The same runs, scored by other measures; the first is primary.

        Raises:
            MeasureError: a measure cannot be parsed, or its cutoff is above a run's depth.
        """
        return replace(self, parts=JoinedParts([self.parts], parse_measures(measures)))

    def comparison(
        self, *, measure: str | Measure | None = None, **options: Unpack[CompareChanges]
    ) -> Comparison:
        """Compare the retrievers on each dataset: which is better, by how much, and how sure that
        is; with slices, where the options name keys, and with what pairs of runs find together.

        Args:
            measure: the primary measure; by default the one that was listed first.
            options: fields of :class:`CompareOptions`; by default the experiment's.

        Raises:
            ConfigError: an option is wrong, the baseline is absent, or there is one retriever only.
            DataError: retrievers were scored on different queries, or the dataset that knows
                clusters and slices is not there.
        """
        result: ComparedResult = self
        if measure is not None:
            (first,) = parse_measures([measure])
            if str(first) != self.primary:
                result = self.rescored([first, *(m for m in self.scores.measures if m != first)])
        if options:
            chosen = self.view.compare.value.changed(**options)
            check_compared(result, chosen)
            result = result.viewed(compare=chosen, choices=False)
        if not any(part.comparison for part in result):
            for part in result:
                _ = part.comparer  # raises what hinders it
            what = "nothing to compare: there are no scores"
            raise ConfigError(what, instead="Score two retrievers")
        return result._compared

    @cached_property
    def _compared(self) -> Comparison:
        compared = [part for part in self if part.comparison is not None]
        options = self.view.compare.value
        sliced = compared if options.slices else ()
        return Comparison(
            options,
            tuple(part.comparison for part in compared if part.comparison is not None),
            tuple(slices for part in sliced for slices in part.slices.get(part.baseline, ())),
            {part.dataset: part.overlap for part in compared if part.qrels is not None},
        )

    @property
    def compared(self) -> Comparison | None:
        """The comparison with the experiment's options; None if the experiment turns it off, or
        nothing could be compared."""
        if self.manifest.compare is None or not any(part.comparison for part in self):
            return None
        return self._compared

    def tune(
        self,
        options: TuneOptions | None = None,
        *,
        retrievers: Sequence[str] = (),
        count_tokens: TokenCounter | None = None,
        **changes: Unpack[TuneChanges],
    ) -> list[Tuning]:
        """Choose how many passages to take, for every retriever on every dataset.

        Args:
            options: the rule and all else; by default the experiment's.
            retrievers: names; by default all.
            count_tokens: for a budget of tokens; by default the counts that were recorded, where
                the budget is the experiment's.
            changes: single fields of :class:`TuneOptions`.

        Raises:
            ConfigError: a name is unknown, or as :func:`~ragscore.tune`.
            DataError: a dataset has changed since.
        """
        for name in retrievers:
            if name not in self.retrievers:
                raise ConfigError(unknown_name("retriever", name, self.retrievers, "--retriever"))
        own = self.view.tune.value
        chosen = (options or own).changed(**changes)
        same = count_tokens is None and chosen.budget == own.budget
        counted = chosen.budget is not None and chosen.budget.unit == "tokens"
        return [
            part.tuning(
                name,
                chosen,
                self.parts.token_counts(part.dataset) if same and counted else count_tokens,
            )
            for part in self
            for name in part.retrievers
            if not retrievers or name in retrievers
        ]

    @cached_property
    def sweeps(self) -> tuple[ragscore.sweeps.SweepResult, ...]:
        """What the experiment's sweep found on each dataset; empty if it swept nothing.

        Raises:
            DataError: what was recorded of it is damaged.
        """
        return tuple(part.sweep for part in self if part.sweep is not None)

    @cached_property
    def tunings(self) -> tuple[Tuning, ...]:
        """The tunings by dataset and retriever, where the experiment asks for them and they could
        be computed."""
        if not experiment_data(self.experiment_text).get("tune"):
            return ()
        try:
            return tuple(self.tune())
        except RagscoreError:  # `notes` has it
            return ()


def check_compared(result: ComparedResult, options: CompareOptions) -> None:
    """Refuse options that do not fit a result, before anything is computed.

    Raises:
        ConfigError: the baseline is not one of the retrievers, or no query of a dataset has the tag
            or metadata that they are clustered or sliced by.
        DataError: the dataset, which knows tags and metadata, is not there.
    """
    if options.baseline is not None and options.baseline not in result.retrievers:
        raise ConfigError(
            f"the baseline '{options.baseline}' is not one of the retrievers",
            instead=did_you_mean(options.baseline, result.retrievers),
        )
    if options.cluster is not None or options.slices:
        for dataset in result.scores.datasets:
            specs = {name: entry.spec for name, entry in result[dataset].entries.items()}
            options.check_keys(with_selectivity(result.dataset(dataset), specs, options.slices))
