"""What sections read: a result, its datasets with all that is computed of them, and the options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from ragscore.names import MOST
from ragscore.report.options import ReportOptions
from ragscore.report.strings import STRINGS
from ragscore.results import DatasetResult, Result
from ragscore.results.manifest import Manifest
from ragscore.strings import Names, Note, Strings


@dataclass(frozen=True, eq=False)
class ReportData:
    """A result, ready for sections.

    Attributes:
        name, description: of the experiment.
        folder: where the result stands; empty where it is only in memory.
        manifest: what the result says of itself.
        experiment: the text of experiment.yaml.
        retrievers: of all panels; a retriever's number here is its colour and shape everywhere.
        panels: the datasets with scores; each of their parts is computed when it is first read.
        options: of the report.
        strings: the table of strings in the report's language.
        before: the earlier result to compare with; None without one.
        notes: what a reader must know of the whole: datasets without any run, and why.
    """

    name: str
    description: str
    folder: str
    manifest: Manifest
    experiment: str
    retrievers: tuple[str, ...]
    panels: tuple[DatasetResult, ...]
    options: ReportOptions
    strings: Strings
    before: ReportData | None = None
    notes: tuple[str, ...] = ()

    def number(self, retriever: str) -> int:
        """The retriever's number: its colour and shape."""
        return self.retrievers.index(retriever)


def report_data(
    result: Result, options: ReportOptions | None = None, *, before: Result | None = None
) -> ReportData:
    """A result as sections read it; nothing is computed yet.

    Args:
        result: what is reported.
        options: of the report; by default the experiment's.
        before: an earlier result to compare with.

    Raises:
        DataError: recorded scores are missing or were changed.
    """
    options = options or recorded_options(result)
    strings = STRINGS.strings(options.language)
    if before is not None:
        before.share_datasets(result)
    return ReportData(
        name=result.name,
        description=result.description,
        folder=result.parts.where,
        manifest=result.manifest,
        experiment=result.experiment_text,
        retrievers=tuple(result.retrievers),
        panels=result.dataset_results,
        options=options,
        strings=strings,
        before=report_data(before, options) if before is not None else None,
        notes=tuple(note.text_in(strings) for note in _without_run(result)),
    )


def recorded_options(result: Result) -> ReportOptions:
    """What the experiment said of its report; the defaults where it said nothing that is known."""
    try:
        return ReportOptions.model_validate(result.manifest.report or {})
    except ValidationError:  # written by another version
        return ReportOptions()


def _without_run(result: Result) -> Iterator[Note]:
    """The datasets without a run, each with the errors of its retrievers."""
    shown = {part.dataset for part in result.dataset_results}
    for dataset in result.datasets:
        if dataset in shown:
            continue
        yield Note(STRINGS, "result_no_run", dataset=Names((dataset,)))
        listed = [(name, e) for (where, name), e in result.failures.items() if where == dataset]
        for name, error in listed[:MOST]:
            if f"'{name}'" in str(error):
                yield Note(STRINGS, "result_error", error=error)
            else:
                told = Names((name,))
                yield Note(STRINGS, "retriever_failed", retriever=told, error=error)
        if len(listed) > MOST:
            yield Note(STRINGS, "result_more_failed", count=len(listed) - MOST)
