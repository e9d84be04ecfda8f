"""How it was computed: all that is needed to check the numbers and to make them again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ragscore.comparison.difference_cells import correction_name
from ragscore.comparison.printing import how_to_read
from ragscore.elements import (
    Cell,
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
from ragscore.elements.numbers import bytes_text, count_text, number_text, plain_number
from ragscore.errors import RagscoreError
from ragscore.messages import text_of
from ragscore.plugins import summary_of
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_both, named
from ragscore.results import DatasetResult
from ragscore.results.manifest import FileEntry, Retried
from ragscore.scoring.explanation import explanation
from ragscore.scoring.profiles import PROFILES
from ragscore.scoring.strings import STRINGS as SCORE_STRINGS
from ragscore.strings import Strings

TERMS = (
    "judgment",
    "baseline",
    "primary",
    "interval",
    "decided",
    "p",
    "corrected",
    "margin",
    "detectable",
    "record",
    "tie",
    "unjudged",
    "unanswerable",
    "held_out",
    "best_of",
    "rbo",
    "latency",
)
"""The keys ``term_NAME`` and ``term_NAME_means``, in order of use."""


def computed(report: Report, panel: DatasetResult) -> Section | None:
    """Definitions, conventions, statistics, command, config, digests, versions, machine."""
    return Section("computed", report.strings("computed"), tuple(_elements(report, panel)))


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    strings, manifest = report.strings, report.result.manifest
    command = manifest.command
    if command:
        yield Paragraph(strings("command_says"))
        yield Code(shlex.join(_typed(command)), "sh")
    yield Facts(tuple(_facts(report, panel)))
    if panel.comparisons:
        statistics: list[Element] = [Facts(tuple(_options(report, panel)))]
        statistics.append(by_both(panel, lambda b, m: tuple(_reading(panel, b, m, strings))))
        yield Details(strings("statistics"), tuple(statistics), named(panel, "statistics"))
    yield Details(
        strings("definitions"), tuple(_definitions(report, panel)), named(panel, "definitions")
    )
    if report.result.experiment_text:
        yaml = (Code(report.result.experiment_text, "yaml"),)
        yield Details(strings("config"), yaml, named(panel, "config"))
    for key, listed in (("versions", manifest.versions), ("machine", manifest.machine)):
        if listed:
            yield Details(strings(key), (Facts(_pairs(listed)),), named(panel, key))
    if manifest.files:
        yield Details(
            strings("files"), (_files(report, panel, manifest.files),), named(panel, "files")
        )
    yield _glossary(strings, named(panel, "glossary"))


def _typed(command: Sequence[Any]) -> list[str]:
    """A command as one types it: ``python -m ragscore`` leaves the path of a file in argv."""
    program, *others = map(str, command)
    path = PurePath(program.replace("\\", "/"))
    if path.name == "__main__.py":
        return ["python", "-m", path.parent.name, *others]
    return [program, *others]


def _facts(report: Report, panel: DatasetResult) -> Iterator[tuple[str, str]]:
    strings, manifest, entry = report.strings, report.result.manifest, panel.entry
    if report.result.parts.where:
        yield strings("fact_result"), report.result.parts.where
    yield strings("fact_created"), manifest.created
    if entry.path:
        yield strings("fact_path"), entry.path
    yield strings("fact_digest"), entry.digest
    if manifest.config_digest:
        yield strings("fact_config_digest"), manifest.config_digest
    if manifest.retried is not None:
        yield strings("fact_retried"), _retried(manifest.retried, entry.name, strings)
    yield strings("fact_profile"), _profile(manifest.profile, strings)
    if report.unit is not None:
        yield strings("fact_judged"), strings("judged_units", cutoff=report.unit.cutoff)
    if manifest.seconds is not None:
        seconds = f"{number_text(manifest.seconds, 1)} s"
        if any(entry.run_from_cache or entry.index_from_cache for entry in manifest.retrievers):
            seconds = strings("seconds_cached", seconds=seconds)
        yield strings("fact_seconds"), seconds
    memory = manifest.memory
    if memory is not None and memory.peak_bytes is not None:
        facts = {"peak": bytes_text(memory.peak_bytes), "budget": memory.budget}
        yield strings("fact_memory"), strings("memory_used", **facts)
    for note in manifest.notes:
        yield strings("fact_note"), note


def _retried(retried: Retried, dataset: str, strings: Strings) -> str:
    """How many queries each retriever was asked again, and which result has the other answers."""
    runs = [
        strings(
            "retried_run" if run.failed else "retried_run_all",
            retriever=run.retriever,
            count=count_text(run.queries),
            failed=count_text(run.failed),
        )
        for run in retried.runs
        if run.dataset == dataset
    ]
    listed = "; ".join(runs) or strings("retried_none")
    return strings("retried", retrievers=listed, result=retried.result, created=retried.created)


def _profile(name: str, strings: Strings) -> str:
    profile = PROFILES.get(name)
    if profile is None:
        return name
    exceptions = text_of(profile.exceptions, strings.language)
    return " ".join(part for part in (f"{name}: {profile.tool}.", exceptions) if part)


def _options(report: Report, panel: DatasetResult) -> Iterator[tuple[str, str]]:
    strings, options = report.strings, panel.options
    yield strings("option_baseline"), panel.baseline
    yield strings("option_primary"), panel.labels[panel.primary]
    margin = options.margin_on(bounded=True)
    assert margin is not None  # on measures from 0 to 1 there is one
    assumed = strings("margin_assumed", margin=plain_number(margin))
    yield strings("option_margin"), assumed if options.margin is None else plain_number(margin)
    yield strings("option_interval"), strings(f"interval_{options.interval}")
    yield strings("option_test"), strings(f"test_{options.test}")
    yield strings("option_correction"), correction_name(options, strings)
    yield strings("option_resamples"), count_text(options.resamples)
    yield strings("option_seed"), str(options.seed)
    yield strings("option_cluster"), options.cluster or strings("none")


def _reading(
    panel: DatasetResult, baseline: str, measure: str, strings: Strings
) -> Iterator[Element]:
    comparison = panel.comparisons[baseline, measure]
    for sentence in how_to_read(comparison, panel.options, strings):
        yield Paragraph(sentence)


def _definitions(report: Report, panel: DatasetResult) -> Iterator[Element]:
    strings = SCORE_STRINGS.strings(report.strings.language)
    yield Paragraph(report.strings("definitions_says"), "note")
    for measure in panel.scores.measures:
        try:
            explained = as_text(explanation(measure, strings))
        except RagscoreError as error:  # a cutoff far beyond the example
            explained = f"{measure}: {text_of(summary_of(measure), strings.language)}\n{error}"
        yield Details(measure.label, (Code(explained),))


def _files(report: Report, panel: DatasetResult, files: Mapping[str, FileEntry]) -> Table:
    columns = (
        Column("file", report.strings("column_file"), "text"),
        Column("bytes", report.strings("column_size")),
        Column("sha256", "SHA-256", "text"),
    )
    rows = tuple(
        (
            Cell(name, name),
            Cell(entry.bytes, count_text(entry.bytes)),
            Cell(entry.sha256, entry.sha256),
        )
        for name, entry in files.items()
    )
    return Table(named(panel, "files"), report.strings("files"), columns, rows)


def _pairs(listed: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((key, "-" if value is None else str(value)) for key, value in listed.items())


def _glossary(strings: Strings, id: str) -> Details:
    """Every term with what it means."""
    rows = tuple((strings(f"term_{term}"), strings(f"term_{term}_means")) for term in TERMS)
    return Details(strings("glossary"), (Facts(rows),), id)
