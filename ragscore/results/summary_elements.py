"""A result as ``ragscore run`` and ``print`` show it: means, verdict, advice on k, the sweep."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import ragscore.sweeps
from ragscore.comparison.comparing import Comparison
from ragscore.elements import Column, Element, Headline, Lines, Table
from ragscore.elements.cells import latency_cell, latency_column, name_cell, nothing
from ragscore.elements.numbers import EARLIER, count_text, number_text, share_text, signed_text
from ragscore.encoders.truncation import truncation_notes
from ragscore.messages import Text, _, counted, few_names, joined
from ragscore.results.compared_result import ComparedResult
from ragscore.results.failed_notes import asked_again_notes, failed_notes
from ragscore.results.filter_notes import filter_notes
from ragscore.results.prices import price_columns
from ragscore.results.result_facts import ResultFacts
from ragscore.results.stages import Stages
from ragscore.scoring import RetrieverScores
from ragscore.tuning import Tuning
from ragscore.tuning.text import tuning_elements


def summary_elements(
    result: ComparedResult,
    comparison: Comparison | None,
    tunings: Sequence[Tuning],
    sweeps: Sequence[ragscore.sweeps.SweepResult],
) -> Iterator[Element]:
    """The verdict, the means of each dataset, their average, what was tuned and swept, where it is.

    Args:
        result: of an experiment or an evaluation.
        comparison: of its retrievers; None if there is none.
        tunings: empty if the experiment asked for none.
        sweeps: the same; their headlines stand first of all.
    """
    if comparison is not None:
        named = len(_datasets(result)) > 1
        yield from comparison.brief(
            named=named, latency={part.dataset: part.latency for part in result}
        )
    for dataset in _datasets(result):
        yield _means(result, dataset)
    if len(result.scores.datasets) > 1:
        yield result.scores.average_table()
    if tunings:
        yield from tuning_elements(tunings, brief=True)
    for section in (section for swept in sweeps for section in swept.elements()):
        below = (element for element in section.elements if not isinstance(element, Headline))
        yield replace(section, elements=tuple(below))
    lines = []
    if result.page is not None:
        lines.append(_("report: {path}", path=result.page))
    if result.folder is not None:
        lines.append(_("written to {path}", path=result.folder))
    if result.experiment_text and any(own.failed for own in result.stages.values()):
        lines.append(
            _(
                "ragscore run --retry-failed {path} asks the failed queries again, and no others",
                path=shlex.quote(str(result.folder)),
            )
        )
    if lines and result.folder is not None:
        yield Lines(tuple(lines))


def note_elements(result: ResultFacts) -> Iterator[Element]:
    """Which retrievers failed, and what else the user should know."""
    lines = [
        _(
            "{retriever} failed on {dataset}: {error}",
            retriever=retriever,
            dataset=dataset,
            error=error,
        )
        for (dataset, retriever), error in result.failures.items()
    ]
    lines += [_("note: {note}", note=note) for note in result.notes]
    if lines:
        yield Lines(tuple(lines))


def _datasets(result: ResultFacts) -> list[str]:
    return list(dict.fromkeys(dataset for dataset, _name in [*result.runs, *result.failures]))


def _means(result: ComparedResult, dataset: str) -> Table:
    """The means of one dataset, what each query takes, and what a reader must know of them."""
    entries = [entry for entry in result.scores.entries if entry.dataset == dataset]
    stages = {name: timed for (at, name), timed in result.stages.items() if at == dataset}
    table = result.scores.table(dataset)
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    failed = [name for at, name in result.failures if at == dataset]
    if len(columns) == 1 and failed:
        columns.append(Column("scores", _("Scores")))
    for name in failed:
        missing = (nothing(_("failed")), *[nothing()] * len(columns[2:]))
        rows.append([name_cell(name), *missing])
    timed = {name: own.latency for name, own in stages.items() if own.latency is not None}
    if timed:
        columns.append(latency_column())
        for row in rows:
            latency = timed.get(str(row[0].value))
            row.append(
                latency_cell(latency.p50_ms, earlier=latency.from_cache)
                if latency is not None
                else nothing()
            )
    usages = [own.usage if (own := stages.get(str(row[0].value))) else None for row in rows]
    for column, cell_of in price_columns(usages):
        columns.append(column)
        for row, usage in zip(rows, usages, strict=True):
            row.append(cell_of(usage))
    notes = [*_remarks(entries)]
    cuts = (cut for own in stages.values() for cut in own.truncations)
    notes += list(truncation_notes(cuts))
    notes += _on_the_whole(entries, stages)
    notes += _beside_exact(entries, stages)
    notes += _ceilings(result, dataset)
    described = [item.queries for item in result.manifest.datasets if item.name == dataset]
    notes += list(failed_notes(stages, sum(described)))
    notes += list(asked_again_notes(stages, sum(described)))
    filters = {name: own.filtered for name, own in stages.items()}
    notes += list(filter_notes(filters))
    if any(latency.from_cache for latency in timed.values()):
        notes.append(
            _(
                "{mark} timed in an earlier run; this run took the result from the cache.",
                mark=EARLIER,
            )
        )
    title = _("{dataset}: {sizes}", dataset=dataset, sizes=_sizes(result, dataset))
    shown = tuple(map(tuple, rows))
    return replace(table, title=title, columns=tuple(columns), rows=shown, notes=tuple(notes))


def _ceilings(result: ComparedResult, dataset: str) -> Iterator[Text]:
    """What the passages that each reranker reads allow at best."""
    for part in result:
        if part.dataset != dataset:
            continue
        for name, ceiling in part.ceilings.items():
            inputs = part.losses[name].inputs
            if len(inputs) == 1:
                yield _(
                    "{retriever} reranks {n} passages of {input} (recall {recall}): in the best "
                    "order, {label} would be {best}",
                    retriever=few_names([name]),
                    input=few_names(inputs),
                    n=count_text(ceiling.pool),
                    recall=share_text(ceiling.recall),
                    label=part.labels[part.primary],
                    best=number_text(ceiling.best),
                )


def _sizes(result: ResultFacts, dataset: str) -> Text:
    """``168 passages, 64 queries (56 averaged, 8 unanswerable)``."""
    described = next((item for item in result.manifest.datasets if item.name == dataset), None)
    entry = next((entry for entry in result.scores.entries if entry.dataset == dataset), None)
    counts: list[Text] = []
    if entry is not None:
        n = entry.counts.queries
        counts.append(
            _("{n} averaged", n=count_text(n))
            if described is not None
            else _("{queries} averaged", queries=counted("1 query", "{count} queries", n))
        )
        if entry.counts.unanswerable:
            unanswerable = count_text(entry.counts.unanswerable)
            counts.append(_("{n} unanswerable", n=unanswerable))
    if described is None:
        return joined(counts, ", ")
    queries = counted("1 query", "{count} queries", described.queries)
    if counts:
        queries = _("{queries} ({averaged})", queries=queries, averaged=joined(counts, ", "))
    if described.passages is None:
        return queries
    if described.sample is not None:
        return joined([described.sample.size(), queries], ", ")
    passages = counted("1 passage", "{count} passages", described.passages)
    return joined([passages, queries], ", ")


def _remarks(entries: Sequence[RetrieverScores]) -> Iterator[Text]:
    """What a reader must know to trust the means; each only where there is something to say."""
    empty = {entry.retriever: entry.counts.empty + entry.counts.missing for entry in entries}
    if any(empty.values()):
        yield _("queries that got nothing: {listed}", listed=_counts(empty))
    # The first measure is the one that matters most; summary.json has the other cutoffs.
    named = (measure.cutoff for entry in entries for measure in entry.measures)
    cutoff = next((cutoff for cutoff in named if isinstance(cutoff, int)), None)
    if cutoff is None:
        return
    tied = {entry.retriever: entry.counts.tied.get(cutoff, 0) for entry in entries}
    if any(tied.values()):
        yield _(
            "queries with a tie across rank {cutoff}: {listed}", cutoff=cutoff, listed=_counts(tied)
        )
    # Said also where all is judged: a mean says nothing of what nobody looked at.
    unjudged = {entry.retriever: entry.counts.unjudged.get(cutoff) for entry in entries}
    shares = [
        f"{name} {share_text(share)}" for name, share in unjudged.items() if share is not None
    ]
    if shares:
        yield _("unjudged in the top {cutoff}: {listed}", cutoff=cutoff, listed=", ".join(shares))


def _on_the_whole(
    entries: Sequence[RetrieverScores], stages: Mapping[str, Stages]
) -> Iterator[Text]:
    """What the retrievers of a sample's pool reach on the whole corpus: the bias, measured."""
    if not entries:
        return
    measure = entries[0].measures[0]
    listed = []
    for entry in entries:
        own = stages.get(entry.retriever)
        whole = own.whole.means.get(str(measure)) if own is not None and own.whole else None
        if whole is not None:
            facts = {
                "retriever": entry.retriever,
                "whole": number_text(whole),
                "own": number_text(entry.mean(measure)),
                "difference": signed_text(entry.mean(measure) - whole),
            }
            listed.append(_("{retriever} {whole} (sample: {own}, {difference})", **facts))
    if listed:
        yield _(
            "{measure} on the whole corpus: {listed}",
            measure=measure.label,
            listed=joined(listed, ", "),
        )


def _beside_exact(
    entries: Sequence[RetrieverScores], stages: Mapping[str, Stages]
) -> Iterator[Text]:
    """How near approximate indexes come to exact search, and what that would reach."""
    known = {name: own.exact for name, own in stages.items() if own.exact is not None}
    cutoffs = [cutoff for exact in known.values() for cutoff in exact.overlap]
    if not entries or not cutoffs:
        return
    measure = entries[0].measures[0]
    cutoff = measure.cutoff if measure.cutoff in cutoffs else min(cutoffs)
    shares = [
        f"{name} {share_text(exact.overlap[cutoff])}"
        for name, exact in known.items()
        if cutoff in exact.overlap
    ]
    yield _(
        "share of exact search's top {cutoff} that was found: {listed}",
        cutoff=cutoff,
        listed=", ".join(shares),
    )
    means = {name: exact.means.get(str(measure)) for name, exact in known.items()}
    listed = [f"{name} {number_text(mean)}" for name, mean in means.items() if mean is not None]
    if listed:
        yield _(
            "{measure} with exact search: {listed}",
            measure=measure.label,
            listed=joined(listed, ", "),
        )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{retriever} {count_text(count)}" for retriever, count in counts.items())
