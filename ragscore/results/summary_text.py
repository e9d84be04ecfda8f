"""A result as ``ragscore run`` and ``print`` show it: means, verdict, advice on k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragscore.blocks import Table
from ragscore.encoders import truncation_sentences
from ragscore.scoring.tables import aligned

if TYPE_CHECKING:
    from ragscore.results.result import Result
    from ragscore.scoring import RetrieverScores


def rendered(result: Result, style: str) -> str:
    """The summary of a result.

    Args:
        result: one that was written, or is shown as ``table`` or ``markdown``.
        style: ``table`` or ``markdown`` for people; ``json`` or ``csv`` for programs, which get
            summary.json or summary.csv as they stand in the result folder.
    """
    if style in ("json", "csv"):
        assert result.folder is not None
        return (result.folder / f"summary.{style}").read_text(encoding="utf-8").rstrip("\n")
    blocks = [_dataset(result, dataset, style) for dataset in _datasets(result)]
    average = _average(result, style)
    if average:
        blocks.append(average)
    blocks += _comparison(result, style)
    if result.tunings:
        from ragscore.blocks import as_markdown, as_text
        from ragscore.tuning.tuning_tables import tuning_blocks

        advice = list(tuning_blocks(result.tunings, "en", brief=True))
        blocks.append(as_markdown(advice, level=3) if style == "markdown" else as_text(advice))
    if result.folder is not None:
        report = f"report: {result.page}\n" if result.page is not None else ""
        blocks.append(f"{report}written to {result.folder}")
    return "\n\n".join(blocks)


def _texts(table: Table) -> tuple[list[str], list[list[str]]]:
    return ["retriever", *(column.head for column in table.columns[1:])], [
        [f"{cell.text} {cell.interval}".strip() for cell in row] for row in table.rows
    ]


def _datasets(result: Result) -> list[str]:
    return list(dict.fromkeys(dataset for dataset, _ in [*result.runs, *result.failures]))


def _dataset(result: Result, dataset: str, style: str) -> str:
    header, rows = _texts(result.scores.table(dataset))
    header, rows = _with_latency(result, dataset, header, rows)
    failed = [retriever for at, retriever in result.failures if at == dataset]
    if len(header) == 1 and failed:
        header = ["retriever", "scores"]
    rows += [[retriever, "failed", *["-"] * (len(header) - 2)] for retriever in failed]
    entries = [entry for entry in result.scores.entries if entry.dataset == dataset]
    remarks = list(_remarks(entries))
    own = [stages for (at, _), stages in result.stages.items() if at == dataset]
    remarks += truncation_sentences(cut for stages in own for cut in stages.truncations)
    if any(row[-1].endswith("*") for row in rows):
        remarks.append("* timed in an earlier run; this one took it from the cache")
    lines = [_head(result, dataset, entries), *aligned(header, rows, style)]
    return "\n".join([*lines, *([""] if remarks and style == "markdown" else []), *remarks])


def _comparison(result: Result, style: str) -> list[str]:
    """The verdict and the differences on the primary measure; comparison.md has the others."""
    if result.compared is None:
        return []
    from ragscore.blocks import as_markdown, as_text

    shown = result.compared.brief(named=len(_datasets(result)) > 1)
    return [as_markdown(shown) if style == "markdown" else as_text(shown)]


def _average(result: Result, style: str) -> str:
    header, rows = _texts(result.scores.average_table())
    if not rows:
        return ""
    head = f"average of {len(result.scores.datasets)} datasets, unweighted"
    return "\n".join([head, *aligned(header, rows, style)])


def _head(result: Result, dataset: str, entries: Sequence[RetrieverScores]) -> str:
    """``harbour: 168 passages, 64 queries (56 averaged, 8 unanswerable)``."""
    described = next((item for item in result.manifest.datasets if item.name == dataset), None)
    parts = []
    if described is not None and described.passages is not None:
        parts.append(f"{described.passages:,} passages")
    if described is not None:
        parts.append(f"{described.queries:,} queries")
    if entries:
        counts = entries[0].counts
        unanswerable = f", {counts.unanswerable:,} unanswerable" if counts.unanswerable else ""
        if described is not None:
            parts[-1] += f" ({counts.queries:,} averaged{unanswerable})"
        else:
            parts.append(f"{counts.queries:,} queries averaged{unanswerable}")
    return f"{dataset}: {', '.join(parts)}"


def _with_latency(
    result: Result, dataset: str, header: list[str], rows: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    measured = {
        retriever: stages.latency.p50_ms
        for (at, retriever), stages in result.stages.items()
        if at == dataset and stages.latency is not None
    }
    if not measured:
        return header, rows
    earlier = {
        retriever
        for (at, retriever), stages in result.stages.items()
        if at == dataset and stages.latency is not None and stages.latency.from_cache
    }
    shown = {
        retriever: f"{milliseconds:.2f}" + ("*" if retriever in earlier else "")
        for retriever, milliseconds in measured.items()
    }
    return [*header, "p50 ms"], [[*row, shown.get(row[0], "-")] for row in rows]


def _remarks(entries: Sequence[RetrieverScores]) -> Iterator[str]:
    """What a reader must know to trust the means; each only where there is something to say."""
    empty = {e.retriever: e.counts.empty + e.counts.missing for e in entries}
    if any(empty.values()):
        yield f"queries that got nothing: {_listed(empty)}"
    # The first measure is the one that matters most; summary.json has the other cutoffs.
    named = (measure.cutoff for entry in entries for measure in entry.measures)
    cutoff = next((cutoff for cutoff in named if isinstance(cutoff, int)), None)
    if cutoff is None:
        return
    tied = {e.retriever: e.counts.tied.get(cutoff, 0) for e in entries}
    if any(tied.values()):
        yield f"queries with a tie across rank {cutoff}: {_listed(tied)}"
    # Said also where all is judged: a mean says nothing of what nobody looked at.
    unjudged = {e.retriever: e.counts.unjudged.get(cutoff) for e in entries}
    shown = {name: f"{100 * share:.1f} %" for name, share in unjudged.items() if share is not None}
    if shown:
        yield f"unjudged in the top {cutoff}: {_listed(shown)}"


def _listed(values: dict[str, int] | dict[str, str]) -> str:
    return ", ".join(f"{retriever} {value}" for retriever, value in values.items())
