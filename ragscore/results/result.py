"""Result: what an experiment or an evaluation found, or what a folder or run files hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, Unpack

from ragscore.blocks import Block, as_text
from ragscore.comparison import CompareOptions
from ragscore.comparison.document import Comparison
from ragscore.comparison.options import CompareChanges
from ragscore.dataset.labels import clusters_of, labels
from ragscore.described import in_short
from ragscore.display import Displayed, report_of
from ragscore.errors import ConfigError, DiskError, RagscoreError, did_you_mean
from ragscore.files import expanded
from ragscore.measures import Measure, parse_measures
from ragscore.progress import SILENT, Progress
from ragscore.results.dataset_result import DatasetResult
from ragscore.results.folder import FolderParts
from ragscore.results.joined import JoinedParts
from ragscore.results.memory import MemoryParts
from ragscore.results.placing import UNCHANGED, check_output
from ragscore.results.result_facts import ResultFacts
from ragscore.results.result_view import ResultView, experiment_data, recorded_view
from ragscore.results.saving import write_result
from ragscore.results.strings import Noted
from ragscore.results.summary_blocks import note_blocks, summary_blocks
from ragscore.strings import Language
from ragscore.tuning import TuneOptions, Tuning
from ragscore.tuning.context import TokenCounter
from ragscore.tuning.options import TuneChanges


class ReportOfResult(Protocol):
    """What :meth:`Result.report` returns: prints itself, and shows itself in a notebook."""

    def write(
        self, folder: str | Path, formats: Iterable[Any] | None = None, *, page: str = "report.html"
    ) -> Any:
        """Write its files into a folder."""


@dataclass(frozen=True, eq=False)
class Result(ResultFacts, Displayed):
    """Runs and scores, and everything that is computed from them, each part when it is first read.

    ``result[dataset]`` has the parts of one dataset: comparison, slices, overlap, tunings, causes.
    """

    _view: ResultView | None = None

    # What is computed.

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

    def viewed(
        self,
        *,
        compare: CompareOptions | None = None,
        choices: bool | None = None,
    ) -> Result:
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

    def share_datasets(self, other: Result) -> None:
        """Read a dataset that both results have only once."""
        if isinstance(self.parts, FolderParts):
            self.parts.share_datasets(other.parts)

    def rescored(self, measures: Iterable[str | Measure]) -> Result:
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
        result = self
        if measure is not None:
            (first,) = parse_measures([measure])
            if str(first) != self.primary:
                result = self.rescored([first, *(m for m in self.scores.measures if m != first)])
        if options:
            chosen = self.view.compare.value.changed(**options)
            check_compared(result, chosen)
            result = result.viewed(compare=chosen, choices=False)
        if not any(part.comparisons for part in result):
            for part in result:
                _ = part.every  # raises what hinders it
            what = "nothing to compare: there are no scores"
            raise ConfigError(what, instead="Score two retrievers")
        return result._compared

    @cached_property
    def _compared(self) -> Comparison:
        compared = [part for part in self if part.comparisons]
        options = self.view.compare.value
        sliced = compared if options.slices else ()
        return Comparison(
            options,
            tuple(part.comparisons[part.baseline, part.primary] for part in compared),
            tuple(slices for part in sliced for slices in part.slices.get(part.baseline, ())),
            {part.dataset: part.overlap for part in compared if part.qrels is not None},
        )

    @property
    def compared(self) -> Comparison | None:
        """The comparison with the experiment's options; None where the experiment turns it off, or
        nothing could be compared."""
        if self.manifest.compare is None or not any(part.comparisons for part in self):
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
                raise ConfigError(
                    f"no retriever is named '{name}'",
                    where="--retriever",
                    instead=did_you_mean(name, self.retrievers),
                )
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
    def tunings(self) -> tuple[Tuning, ...]:
        """The tunings by dataset and retriever, where the experiment asks for them and they could
        be computed."""
        if not experiment_data(self.experiment_text).get("tune"):
            return ()
        try:
            return tuple(self.tune())
        except RagscoreError:  # `notes` has it
            return ()

    def report(
        self,
        *,
        before: Result | str | Path | None = None,
        language: Language | None = None,
        sections: Sequence[str] | None = None,
        formats: Sequence[Literal["html", "markdown", "latex", "csv"]] | None = None,
        depth: int | None = None,
        max_mb: float | None = None,
        pictures: Literal["svg", "png"] | None = None,
    ) -> ReportOfResult:
        """The report: ``result.report().write(folder)`` writes it, and a notebook shows it.

        Args:
            before: an earlier result to compare with.
            language, sections, formats, depth, max_mb, pictures: fields of
                :class:`~ragscore.ReportOptions`; by default the experiment's.

        Raises:
            ConfigError: a value or section that is not allowed.
            DataError: what was recorded is damaged.
        """
        given = {
            "language": language,
            "sections": tuple(sections) if sections is not None else None,
            "formats": tuple(formats) if formats is not None else None,
            "depth": depth,
            "max_mb": max_mb,
            "pictures": pictures,
        }
        options = {name: value for name, value in given.items() if value is not None}
        made: ReportOfResult = report_of(self, before=before, **options)
        return made

    def save(
        self,
        folder: str | Path,
        *,
        overwrite: bool = False,
        progress: Progress = SILENT,
    ) -> Result:
        """Write the result into a folder, completely or not at all.

        Args:
            folder: a folder that does not exist yet.
            overwrite: replace a result that is already there.
            progress: is notified of notes.

        Returns:
            The result as it was written: its folder, and the digests of its files.

        Raises:
            ConfigError: the folder exists, or is something else.
            DiskError: it cannot be written.
        """
        check_output(expanded(folder), overwrite=overwrite)
        return self.written(folder, overwrite=overwrite, progress=progress)

    def written(
        self, folder: str | Path, *, overwrite: bool, progress: Progress, kept: str = UNCHANGED
    ) -> Result:
        """Write as :meth:`save` does, into a place that was checked before.

        Args:
            folder: where; the next free number is added where another run took it meanwhile.
            overwrite: replace a result that is already there.
            progress: is notified of notes.
            kept: what an error says is whole all the same.

        Raises:
            DiskError: it cannot be written.
        """
        place, found = expanded(folder), self.compared
        written = write_result(
            self, found, place, overwrite=overwrite, progress=progress, kept=kept
        )
        if not isinstance(self.parts, MemoryParts):
            return Result(written)
        self.parts.manifest, self.parts.folder = written.manifest, written.folder
        return self

    def reported(
        self,
        *,
        page: Path | None = None,
        unreported: DiskError | None = None,
        notes: Sequence[str] = (),
    ) -> Result:
        """The same result with the path of its report; what was computed is kept."""
        made = copy(self)
        vars(made).update(page=page, unreported=unreported, report_notes=tuple(notes))
        return made

    # How it is shown.

    def blocks(self, language: Language | None = None) -> list[Block]:
        """What ``ragscore run`` prints: means, verdict, advice on k, and where it was written.

        Args:
            language: of all texts; by default that of the comparison.
        """
        language = language or self._language
        return list(summary_blocks(self, self.compared, self.tunings, language))

    @property
    def _language(self) -> Language:
        return self.view.compare.value.language

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(str(self))

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        if self.folder is not None:
            names = in_short(", ".join(self.retrievers))
            return f"Result({in_short(str(self.folder))}: {names}{failed})"
        return f"Result({in_short(self.name)}: {self.scores!r}{failed})"

    def __str__(self) -> str:
        return as_text([*self.blocks(), *note_blocks(self, self._language)])


def check_compared(result: Result, options: CompareOptions) -> None:
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
    for dataset in result.scores.datasets:
        if options.cluster is not None:
            clusters_of(result.dataset(dataset).queries, options.cluster)
        for key in options.slices:
            labels(result.dataset(dataset).queries, key)
