"""What sections read: gathered once from a result, nothing retrieved, nothing rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragscore.comparison import (
        CompareOptions,
        DatasetComparison,
        Difference,
        MeanWithInterval,
    )
    from ragscore.comparison.overlap import Overlap
    from ragscore.comparison.slice_model import Slices
    from ragscore.dataset import Dataset
    from ragscore.diagnose import Causes
    from ragscore.encoders import Truncation
    from ragscore.report.options import ReportOptions
    from ragscore.run import Run
    from ragscore.scoring import Scores
    from ragscore.strings import Strings
    from ragscore.tuning import Tuning


@dataclass(frozen=True, eq=False)
class Panel:
    """One dataset, with everything that is shown of it.

    Attributes:
        index: its number in the report, from 0.
        dataset: its name.
        retrievers: those with a run on it, in the order of the experiment.
        measures: as they parse, the primary first; those that every retriever was scored by.
        labels: by measure: what tables print (``mAP@10``).
        scores: of this dataset alone.
        baseline, primary: the defaults.
        baselines, primaries: what can be chosen, the default first.
        comparisons: by (baseline, primary), for all that can be chosen; empty where fewer than
            two retrievers have a run or nothing could be compared.
        options: how they were compared; their baseline is the one that the experiment names, None
            where it names none, or one without a run: the family is then all pairs.
        slices: by baseline: by the experiment's keys, all measures; where it names none, by the
            tags and metadata that part the queries well. One retriever has means alone.
        overlap: of each pair of runs.
        tunings: by retriever: what the experiment's rule recommends, with P, R, F1, nDCG at every
            setting; empty where the dataset is not there any more.
        curves: by retriever: the same at every k, also where the experiment cuts scores.
        k: the cutoff at which a query fails: the primary measure's, else 10.
        causes: why queries fail; None where the dataset is not there any more.
        runs: by retriever, in the order that the conventions of the scores give them, all over
            one vocabulary: the dataset's passages first where it is there.
        recorded_runs: by retriever, as they were recorded, over the same vocabulary.
        data: the dataset; None where it is not there any more or has changed.
        latency: by retriever: half of the single queries were answered in so many milliseconds.
        failures: by retriever without a run: the error.
        entry: what the manifest says of the dataset.
        entries: by retriever: what the manifest says of it on this dataset.
        notes: what a reader must know of this panel: what is wrong with its data.
        asides: by section: what could not be gathered for it or was left out, and why.
        truncations: what the encoders did not read of the passages and queries.
        means: by measure and retriever, with intervals; there too where nothing was compared.
        pairs: by measure: every pair of retrievers, the first listed against the second; p is
            corrected over all pairs of the measure. Empty where nothing was compared.
    """

    index: int
    dataset: str
    retrievers: tuple[str, ...]
    measures: tuple[str, ...]
    labels: Mapping[str, str]
    scores: Scores
    baseline: str
    primary: str
    baselines: tuple[str, ...]
    primaries: tuple[str, ...]
    comparisons: Mapping[tuple[str, str], DatasetComparison]
    options: CompareOptions
    slices: Mapping[str, tuple[Slices, ...]]
    overlap: tuple[Overlap, ...]
    tunings: Mapping[str, Tuning]
    k: int
    causes: Causes | None
    runs: Mapping[str, Run]
    data: Dataset | None
    latency: Mapping[str, float]
    failures: Mapping[str, str]
    entry: Mapping[str, Any]
    entries: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()
    asides: Mapping[str, Sequence[str]] = field(default_factory=dict)
    truncations: tuple[Truncation, ...] = ()
    means: Mapping[str, Mapping[str, MeanWithInterval]] = field(default_factory=dict)
    pairs: Mapping[str, tuple[Difference, ...]] = field(default_factory=dict)
    recorded_runs: Mapping[str, Run] = field(default_factory=dict)
    curves: Mapping[str, Tuning] = field(default_factory=dict)

    @property
    def relevant_from(self) -> float:
        """The lowest grade that the primary measure takes for relevant."""
        from ragscore.measures import parse_measure

        return float(getattr(parse_measure(self.primary), "relevant_from", None) or 1.0)


@dataclass(frozen=True, eq=False)
class ReportData:
    """A result, ready for sections.

    Attributes:
        name, description: of the experiment.
        folder: where the result stands, as it was given.
        manifest: all that manifest.json says.
        experiment: the text of experiment.yaml.
        retrievers: of all panels; a retriever's number here is its colour and shape everywhere.
        panels: one for each dataset.
        options: of the report.
        words: the table of strings in the report's language.
        before: the result that this one is held against; None without one. Of it only scores,
            runs, datasets and what the manifest says are gathered: nothing is compared.
        notes: what a reader must know of the whole: datasets without any run, and why.
    """

    name: str
    description: str
    folder: str
    manifest: Mapping[str, Any]
    experiment: str
    retrievers: tuple[str, ...]
    panels: tuple[Panel, ...]
    options: ReportOptions
    words: Strings
    before: ReportData | None = None
    notes: tuple[str, ...] = ()

    def number(self, retriever: str) -> int:
        """The retriever's number: its colour and shape."""
        return self.retrievers.index(retriever)
