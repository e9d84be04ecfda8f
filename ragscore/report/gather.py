"""gather(result) -> ReportData: everything that sections read, computed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragscore.errors import DataError, RagscoreError
from ragscore.names import MOST
from ragscore.report.data import Panel, ReportData
from ragscore.report.gathered import compared, recorded, sliced, tuned
from ragscore.report.options import ReportOptions
from ragscore.report.strings import STRINGS
from ragscore.strings import Strings

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions
    from ragscore.dataset import Dataset
    from ragscore.results import RecordedResult
    from ragscore.run import Run
    from ragscore.scoring import Scores

USUAL_K = 10
"""The cutoff at which a query fails where the primary measure has none."""


def gather(
    result: RecordedResult,
    options: ReportOptions | None = None,
    *,
    before: RecordedResult | None = None,
) -> ReportData:
    """Everything that the report of a result tells. Nothing is retrieved; what cannot be told
    becomes a note.

    Args:
        result: a result folder, opened.
        options: of the report; by default the experiment's.
        before: another result that this one is held against.

    Raises:
        DataError: recorded scores or runs are missing or were changed.
    """
    if options is None:
        options = recorded.recorded_options(result)
    known: dict[str, Dataset] = {}
    data = _Gathering(result, options, known).data(whole=True)
    if before is None:
        return data
    return replace(data, before=_Gathering(before, options, known).data(whole=False))


@dataclass(frozen=True)
class _Gathering:
    """One result being gathered.

    Attributes:
        result: it.
        options: of the report.
        known: datasets that were read, by digest: results that are held against each other
            mostly share theirs.
    """

    result: RecordedResult
    options: ReportOptions
    known: dict[str, Dataset]

    def data(self, *, whole: bool) -> ReportData:
        """The result; ``whole``: with all that is computed."""
        result, words = self.result, STRINGS.strings(self.options.language)
        manifest, text = result.document, result.experiment_text
        experiment = recorded.experiment(text)
        panels: list[Panel] = []
        notes: list[str] = []
        for name in result.datasets:
            panel = self._panel(len(panels), name, manifest, experiment, words, whole=whole)
            if panel is None:
                notes.append(words("gathered_no_run", dataset=words.names([name])))
                notes += _why(result.failures, name, words)
            else:
                panels.append(panel)
        return ReportData(
            name=result.name,
            description=str(experiment.get("description") or ""),
            folder=str(result.folder),
            manifest=manifest,
            experiment=text,
            retrievers=tuple(result.retrievers),
            panels=tuple(panels),
            options=self.options,
            words=words,
            notes=tuple(notes),
        )

    def _panel(
        self,
        index: int,
        name: str,
        manifest: Mapping[str, Any],
        experiment: Mapping[str, Any],
        words: Strings,
        *,
        whole: bool,
    ) -> Panel | None:
        """One dataset; None where it has no scores."""
        notes: list[str] = []
        asides: dict[str, list[str]] = defaultdict(list)
        data = self._dataset(name, words, notes)
        for section in ("curves", "failures") if data is None else ():
            asides[section] += notes
        scores = self._scores(name, words, notes)
        if scores is None:
            return None
        result = self.result
        retrievers = tuple(scores.retrievers)
        measures = tuple(map(str, scores.entries[0].measures))
        read = {one: result.run(name, one).renamed(one) for one in retrievers}
        runs = on_one_vocabulary(read, data)
        timed = {one: result.latency_ms(name, one) for one in retrievers}
        latency = {one: ms for one, ms in timed.items() if ms is not None}
        how = recorded.compare_options(manifest, self.options.language, words, notes)
        baselines = self._baselines(retrievers, how, words, notes, asides["measures"])
        if how.baseline not in retrievers:
            how = how.model_copy(update={"baseline": None})
        panel = Panel(
            index=index,
            dataset=name,
            retrievers=retrievers,
            measures=measures,
            labels={str(one): one.label for one in scores.measures},
            scores=scores,
            baseline=baselines[0],
            primary=measures[0],
            baselines=baselines,
            primaries=measures,
            comparisons={},
            options=how,
            slices={},
            overlap=(),
            tunings={},
            k=_cutoff(scores),
            causes=None,
            runs=self._as_scored(runs),
            recorded_runs=runs,
            data=data,
            latency=latency,
            failures={one: error for (at, one), error in result.failures.items() if at == name},
            entry=next(one for one in manifest["datasets"] if one["name"] == name),
            truncations=result.truncations(name),
            entries={one["name"]: one for one in manifest["retrievers"] if one["dataset"] == name},
        )
        if whole:
            panel = replace(
                panel, **compared.compared_fields(panel, words, notes, asides["measures"])
            )
            panel = replace(panel, **sliced.slice_fields(panel, words, asides["slices"]))
            tuned_fields = tuned.tuning_fields(
                panel, result, experiment, manifest, words, asides["curves"]
            )
            overlap = _overlap(panel, words, asides["differences"])
            panel = replace(panel, **tuned_fields, overlap=overlap)
            panel = replace(panel, causes=_causes(panel, words, asides["failures"]))
        beside = {section: tuple(texts) for section, texts in asides.items() if texts}
        return replace(panel, notes=tuple(notes), asides=beside)

    def _dataset(self, name: str, words: Strings, notes: list[str]) -> Dataset | None:
        """What was searched; None, and a note, where it is not there as it was."""
        digest = self.result.dataset_entry(name).digest
        if digest not in self.known:
            try:
                self.known[digest] = self.result.dataset(name)
            except RagscoreError as error:
                notes.append(words("gathered_no_dataset", error=error))
        return self.known.get(digest)

    def _scores(self, name: str, words: Strings, notes: list[str]) -> Scores | None:
        """The scores of one dataset by the measures that all retrievers share."""
        from ragscore.scoring import Scores

        result = self.result
        try:
            found = result.scores
        except DataError:
            # Means that weigh the queries are measured anew, from all the datasets.
            if all(self._dataset(one, words, []) is not None for one in result.datasets):
                raise
            found = result.plain_scores
            if left_out := result.weighed(name):
                notes.append(words("gathered_weighed", measures=words.names(left_out)))
        entries = [one for one in found.entries if one.dataset == name]
        entries.sort(key=lambda one: result.retrievers.index(one.retriever))
        if not entries:
            return None
        common = [one for one in entries[0].measures if all(one in e.measures for e in entries)]
        others = dict.fromkeys(one for e in entries for one in e.measures if one not in common)
        if others:
            notes.append(words("gathered_not_common", measures=words.names(map(str, others))))
        if not common:
            return None
        return Scores(tuple(entry.by(common) for entry in entries))

    def _baselines(
        self,
        retrievers: tuple[str, ...],
        how: CompareOptions,
        words: Strings,
        notes: list[str],
        fewer: list[str],
    ) -> tuple[str, ...]:
        """What can be chosen as baseline, the default first."""
        default = retrievers[0]
        if how.baseline in retrievers:
            default = str(how.baseline)
        elif how.baseline is not None and len(retrievers) > 1:
            one, other = words.names([how.baseline]), words.names([default])
            notes.append(words("gathered_no_baseline", baseline=one, other=other))
        listed = (default, *(one for one in retrievers if one != default))
        shown = listed[: compared.MOST_CHOICES]
        if len(shown) < len(listed):
            facts = {"retrievers": len(listed), "shown": len(shown)}
            fewer.append(words("gathered_baselines", **facts))
        return shown

    def _as_scored(self, runs: Mapping[str, Run]) -> dict[str, Run]:
        """The runs in the order that the conventions of the scores give them."""
        from ragscore.scoring import profile_named

        profile = profile_named(self.result.profile)
        return {name: profile.run(run) for name, run in runs.items()}


def on_one_vocabulary(runs: Mapping[str, Run], data: Dataset | None) -> dict[str, Run]:
    """The runs over the dataset's passages, and any others behind them, so that ids are looked up
    once."""
    from ragscore.dataset import Ids

    vocabulary = data.qrels.passages if data is not None else Ids(())
    for run in runs.values():
        if not vocabulary.starts_with(run.passages):
            vocabulary = vocabulary.extended(run.passages)
    return {name: run.onto(vocabulary) for name, run in runs.items()}


def _why(failures: Mapping[tuple[str, str], str], dataset: str, words: Strings) -> Iterator[str]:
    """The errors of the retrievers that have no run on a dataset."""
    listed = [(name, error) for (where, name), error in failures.items() if where == dataset]
    for name, error in listed[:MOST]:
        told = words("retriever_failed", retriever=words.names([name]), error=error)
        yield error if f"'{name}'" in error else told
    if len(listed) > MOST:
        yield words("gathered_more_failed", count=len(listed) - MOST)


def _cutoff(scores: Scores) -> int:
    cutoff = scores.entries[0].measures[0].cutoff
    return cutoff if isinstance(cutoff, int) else USUAL_K


def _overlap(panel: Panel, words: Strings, notes: list[str]) -> tuple[Any, ...]:
    from ragscore.comparison.overlap import overlaps

    if len(panel.runs) < 2:
        return ()
    qrels = panel.data.qrels if panel.data is not None else None
    try:
        return overlaps(list(panel.runs.values()), qrels, panel.scores)
    except RagscoreError as error:
        notes.append(words("gathered_no_overlap", error=error))
        return ()


def _causes(panel: Panel, words: Strings, notes: list[str]) -> Any:
    from ragscore.diagnose import causes

    if panel.data is None:
        return None
    queries, least = _averaged(panel.scores), panel.relevant_from
    try:
        return causes(panel.runs, panel.data, queries, k=panel.k, relevant_from=least)
    except RagscoreError as error:
        notes.append(words("gathered_no_causes", error=error))
        return None


def _averaged(scores: Scores) -> list[str]:
    """The queries that were averaged for any retriever, in order."""
    return list(dict.fromkeys(query for entry in scores.entries for query in entry.query_ids))
