"""How it was computed: all that is needed to check the numbers and to make them again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ragscore.comparison.printing import how_to_read
from ragscore.comparison.tables import CORRECTIONS
from ragscore.elements import (
    Code,
    Column,
    Details,
    Element,
    Facts,
    Paragraph,
    Section,
    Table,
    as_text,
)
from ragscore.elements.cells import count_cell, text_cell
from ragscore.elements.numbers import bytes_text, count_text, number_text, plain_number
from ragscore.elements.tables import table
from ragscore.errors import RagscoreError
from ragscore.measures import Measure
from ragscore.messages import InLanguage, Message, Text, _, joined, text_of
from ragscore.plugins import summary_of
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_both, named
from ragscore.results import DatasetResult
from ragscore.results.manifest import FileEntry, Retried
from ragscore.scoring.explanation import explanation
from ragscore.scoring.profiles import PROFILES

INTERVALS = {
    "default": _(
        "95 %: Wilson for means of 0/1 measures (Clopper-Pearson for Leak), BCa bootstrap for "
        "other means, Student t for paired differences"
    ),
    "bca": _("95 %, BCa bootstrap"),
    "t": _("95 %, Student t"),
    "percentile": _("95 %, percentile bootstrap"),
}
"""By method of the intervals."""
TESTS = {
    "randomization": _("paired randomization test, two-sided (signs are flipped)"),
    "t": _("paired t test, two-sided"),
    "wilcoxon": _("Wilcoxon signed-rank test, two-sided"),
}
"""By test."""
TERMS: dict[Text, Text] = {
    _("Judgment, relevant"): _(
        "The grade given to a passage for a query. Grade 1 and above is relevant unless a measure "
        "says otherwise."
    ),
    _("Baseline"): _("The retriever that the others are compared with."),
    _("Primary measure"): _(
        "The measure that decides the verdict. Choose it before looking at the numbers."
    ),
    _("95 % interval (CI)"): _(
        "The range of true values compatible with these queries. To compare two retrievers, read "
        "the interval of their difference, not whether their own intervals overlap."
    ),
    _("Decided"): _("The corrected p is below .05 and the interval of the difference excludes 0."),
    _("p"): _(
        "How often a difference at least this large would come up if the two were equally good."
    ),
    _("Corrected p"): _(
        "A p raised for the number of comparisons: among many comparisons, one looks good by luck."
    ),
    _("Margin"): _("The largest difference that does not matter to you."),
    _("Visible from"): _(
        "The smallest true difference that this number of queries detects in 4 of 5 experiments."
    ),
    _("Better/worse/same"): _(
        "On how many queries a retriever is better than the baseline, worse, or the same."
    ),
    _("Tie across a cutoff"): _(
        "The last passage above the cutoff and the first one below it have the same score."
    ),
    _("Unjudged"): _("A returned passage that nobody graded; it counts as not relevant."),
    _("Unanswerable query"): _("A query that no passage answers; it is left out of all means."),
    _("Held out"): _("A value measured on queries that were not used for the choice."),
    _("Best of both"): _(
        "The value you would get by choosing the better retriever for every query: an upper bound "
        "that no system reaches."
    ),
    _("RBO, Jaccard"): _(
        "How similar two rankings (rank-biased overlap) or two sets of passages (Jaccard) are, "
        "from 0 to 1."
    ),
    _("p50, p95, p99"): _(
        "The times within which 50, 95 and 99 % of single queries were answered."
    ),
}
"""The glossary: terms with what they mean, in order of use."""


def computed(report: Report, panel: DatasetResult) -> Section | None:
    """Definitions, conventions, statistics, command, config, digests, versions, machine."""
    return Section("computed", _("How it was computed"), tuple(_elements(report, panel)))


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    manifest = report.result.manifest
    if manifest.command:
        yield Paragraph(_("The command that made this result:"))
        yield Code(shlex.join(_typed(manifest.command)), "sh")
    yield Facts(tuple(_facts(report, panel)))
    if panel.comparisons:
        chosen = Facts(tuple(_options(panel)))
        reading = by_both(
            panel,
            lambda baseline, measure: tuple(
                map(Paragraph, how_to_read(panel.comparisons[baseline, measure], panel.options))
            ),
        )
        yield Details(_("Statistics"), (chosen, reading), named(panel, "statistics"))
    printed = Paragraph(_("As `ragscore explain` prints them, with a computed example."), "note")
    measures = [Details(one.label, (_Explanation(one),)) for one in panel.scores.measures]
    title = _("Definitions of the measures")
    yield Details(title, (printed, *measures), named(panel, "definitions"))
    if report.result.experiment_text:
        yaml = (Code(report.result.experiment_text, "yaml"),)
        yield Details(_("Config with all defaults written out"), yaml, named(panel, "config"))
    for id, title, facts in (
        ("versions", _("Versions"), manifest.versions),
        ("machine", _("Machine"), manifest.machine),
    ):
        if facts:
            values = [(key, "-" if value is None else str(value)) for key, value in facts.items()]
            yield Details(title, (Facts(tuple(values)),), named(panel, id))
    if manifest.files:
        files = _files(panel, manifest.files)
        yield Details(_("Files and their digests"), (files,), named(panel, "files"))
    yield Details(_("Glossary"), (Facts(tuple(TERMS.items())),), named(panel, "glossary"))


def _typed(command: Sequence[Any]) -> list[str]:
    """A command as one types it: ``python -m ragscore`` leaves the path of a file in argv."""
    program, *others = map(str, command)
    path = PurePath(program.replace("\\", "/"))
    if path.name == "__main__.py":
        return ["python", "-m", path.parent.name, *others]
    return [program, *others]


def _facts(report: Report, panel: DatasetResult) -> Iterator[tuple[Text, Text]]:
    manifest, entry = report.result.manifest, panel.entry
    if report.result.parts.where:
        yield _("Result folder"), report.result.parts.where
    yield _("Searched at"), manifest.created
    if entry.path:
        yield _("Dataset path"), entry.path
    yield _("Judgments"), count_text(entry.judgments)
    yield _("Dataset digest"), entry.digest
    if manifest.config_digest:
        yield _("Config digest"), manifest.config_digest
    if manifest.retried is not None:
        yield _("Failed queries that were retried"), _retried(manifest.retried, entry.name)
    yield _("Conventions"), _profile(manifest.profile)
    if report.unit is not None:
        yield (
            _("Judged"),
            _(
                "{items}: each has the rank of its first passage, and cutoffs count "
                "{ranked_items} (cutoff: {cutoff})",
                cutoff=report.unit.cutoff,
            ),
        )
    if manifest.seconds is not None:
        seconds: Text = f"{number_text(manifest.seconds, 1)} s"
        if any(entry.run_from_cache or entry.index_from_cache for entry in manifest.retrievers):
            seconds = _("{seconds}, not counting what came from the cache", seconds=seconds)
        yield _("Total run time"), seconds
    memory = manifest.memory
    if memory is not None and memory.peak_bytes is not None:
        facts = {"peak": bytes_text(memory.peak_bytes), "budget": memory.budget}
        yield _("Memory"), _("{peak} at its peak, of {budget} allowed", **facts)
    for note in manifest.notes:
        yield _("Note"), note


def _retried(retried: Retried, dataset: str) -> Text:
    """How many queries each retriever was asked again, and which result has the other answers."""
    runs = [
        (
            _("{retriever}: {count}, of which {failed} failed again")
            if run.failed
            else _("{retriever}: {count}")
        ).given(
            retriever=run.retriever,
            count=count_text(run.queries),
            failed=count_text(run.failed),
        )
        for run in retried.runs
        if run.dataset == dataset
    ]
    listed = joined(runs, "; ") if runs else _("none")
    return _(
        "{retrievers}. All other answers come from the result {result} of {created}",
        retrievers=listed,
        result=retried.result,
        created=retried.created,
    )


def _profile(name: str) -> Text:
    profile = PROFILES.get(name)
    if profile is None:
        return name
    tool = joined([f"{name}: ", profile.tool, "."], "")
    return joined([tool, profile.exceptions]) if profile.exceptions else tool


def _options(panel: DatasetResult) -> Iterator[tuple[Text, Text]]:
    options = panel.options
    yield _("Baseline"), panel.baseline
    yield _("Primary measure"), panel.labels[panel.primary]
    margin = options.margin_on(bounded=True)
    assert margin is not None  # on measures from 0 to 1 there is one
    assumed = _("{margin} on measures from 0 to 1", margin=plain_number(margin))
    yield _("Margin"), assumed if options.margin is None else plain_number(margin)
    yield _("Intervals"), INTERVALS[options.interval]
    yield _("Test"), TESTS[options.test]
    yield _("Correction"), CORRECTIONS[options.correction]
    yield _("Resamples"), count_text(options.resamples)
    yield _("Seed"), str(options.seed)
    yield _("Clusters"), options.cluster or _("none")


@dataclass(frozen=True)
class _Explanation(Element, InLanguage):
    """What ``ragscore explain`` prints."""

    measure: Measure

    def in_language(self, language: str, words: Mapping[str, Message]) -> Code:
        """It, as a terminal has it."""
        measure = self.measure
        try:
            return Code(as_text(explanation(measure), language=language))
        except RagscoreError as error:  # a cutoff far beyond the example
            summary = text_of(summary_of(measure), language)
            return Code(f"{measure}: {summary}\n{error}")


def _files(panel: DatasetResult, files: Mapping[str, FileEntry]) -> Table:
    return table(
        named(panel, "files"),
        _("Files and their digests"),
        (
            (Column("file", _("File"), "text"), text_cell),
            (Column("bytes", _("Bytes")), lambda name: count_cell(files[name].bytes)),
            (Column("sha256", "SHA-256", "text"), lambda name: text_cell(files[name].sha256)),
        ),
        files,
    )
