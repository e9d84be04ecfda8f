"""gather(result) -> ReportData: everything that sections read, computed once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragscore.errors import RagscoreError
from ragscore.report.data import Panel, ReportData
from ragscore.report.options import ReportOptions
from ragscore.report.words import Words

if TYPE_CHECKING:
    from ragscore.results import RecordedResult


def gather(
    result: RecordedResult,
    options: ReportOptions | None = None,
    *,
    before: RecordedResult | None = None,
) -> ReportData:
    """Everything that the report of a result tells.

    Args:
        result: a result folder, opened.
        options: of the report; by default the experiment's.
        before: another result that this one is held against.
    """
    options = options or ReportOptions()
    manifest = json.loads((result.folder / "manifest.json").read_text(encoding="utf-8"))
    return ReportData(
        name=result.name,
        description="",
        folder=str(result.folder),
        manifest=manifest,
        experiment=(result.folder / "experiment.yaml").read_text(encoding="utf-8"),
        retrievers=tuple(result.retrievers),
        panels=tuple(_panels(result, manifest, options)),
        options=options,
        words=Words(options.language),
        before=gather(before, options) if before is not None else None,
    )


def _panels(
    result: RecordedResult, manifest: dict[str, Any], options: ReportOptions
) -> Iterator[Panel]:
    from ragscore.comparison import CompareOptions, compare
    from ragscore.comparison.overlap import overlaps
    from ragscore.comparison.slices import slices
    from ragscore.dataset.labels import label_names
    from ragscore.scoring import Scores
    from ragscore.tuning import TuneOptions, tune

    compare_options = CompareOptions.model_validate(manifest["compare"] or {})
    compare_options = compare_options.model_copy(update={"language": options.language})
    for index, name in enumerate(result.datasets):
        entries = tuple(one for one in result.scores.entries if one.dataset == name)
        if not entries:
            continue
        scores = Scores(entries)
        retrievers = tuple(scores.retrievers)
        measures = tuple(map(str, scores.measures))
        latency = {r: ms for r in retrievers if (ms := result.latency_ms(name, r)) is not None}
        comparisons = {}
        if len(retrievers) > 1:
            for baseline in retrievers:
                for primary in measures:
                    order = [primary, *(m for m in measures if m != primary)]
                    part = Scores(
                        tuple(
                            one
                            for one in result.scored(order).entries
                            if one.dataset == name
                        )
                    )
                    made = compare(part, compare_options, baseline=baseline, latency=latency)
                    comparisons[baseline, primary] = made.datasets[0]
        runs = {r: result.run(name, r).renamed(r) for r in retrievers}
        data, notes = None, []
        try:
            data = result.dataset(name)
        except RagscoreError as error:
            notes.append(str(error))
        tunings = {}
        sliced = {}
        if data is not None:
            for r in retrievers:
                tunings[r] = tune(runs[r], data, TuneOptions(language=options.language))
            keys = tuple(key for key in label_names(data.queries) if key != "tags")
            for baseline in retrievers:
                chosen = compare_options.model_copy(update={"slices": keys, "baseline": baseline})
                if keys and len(retrievers) > 1:
                    sliced[baseline] = tuple(slices(scores, data.queries, options=chosen))
        yield Panel(
            index=index,
            dataset=name,
            retrievers=retrievers,
            measures=measures,
            labels={m: m for m in measures},
            scores=scores,
            baseline=compare_options.baseline or retrievers[0],
            primary=measures[0],
            baselines=retrievers,
            primaries=measures,
            comparisons=comparisons,
            options=compare_options,
            slices=sliced,
            overlap=overlaps(list(runs.values()), data.qrels if data else None, scores),
            tunings=tunings,
            k=10,
            causes=None,
            runs=runs,
            data=data,
            latency=latency,
            failures={r: e for (d, r), e in result.failures.items() if d == name},
            entry=next(one for one in manifest["datasets"] if one["name"] == name),
            entries={one["name"]: one for one in manifest["retrievers"] if one["dataset"] == name},
            notes=tuple(notes),
        )
