"""score_runs: plain run files with judgments, read like a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import DataError, did_you_mean
from ragscore.formats import load_dataset, load_qrels, load_run
from ragscore.formats.runs.formats import name_of_run, names_of
from ragscore.measures import DEFAULT_MEASURES, Measure
from ragscore.paths import expanded
from ragscore.run import Run
from ragscore.scoring import ProfileName, Scores, profile_named, score


@dataclass(frozen=True, eq=False)
class RecordedRuns:
    """Runs from files, judged alike.

    Attributes:
        name: of the judgments' folder or file; the dataset's name in the scores.
        runs: by name, over the passage ids that their files name, as the profile reads them.
        qrels: what they were judged by.
        data: the dataset, where the judgments are those of one.
        scores: every value.
        profile: the conventions that the scores follow.
    """

    name: str
    runs: dict[str, Run]
    qrels: Qrels
    data: Dataset | None
    scores: Scores
    profile: ProfileName

    @property
    def datasets(self) -> list[str]:
        """The one name."""
        return [self.name]

    @property
    def retrievers(self) -> list[str]:
        """Names of the runs."""
        return list(self.runs)

    @property
    def primary(self) -> str:
        """The measure that was listed first."""
        return str(self.scores.measures[0])

    @property
    def lacking(self) -> dict[str, frozenset[str]]:
        """By run: the judged, answerable queries that it does not name."""
        unanswerable = self.data.queries.unanswerable if self.data else frozenset[str]()
        judged = frozenset(self.qrels.to_dict()) - unanswerable
        return {name: judged - frozenset(run.queries) for name, run in self.runs.items()}

    def run(self, dataset: str, retriever: str | None = None) -> Run:
        """A run by its name, or by (dataset, name) as in a result.

        Raises:
            DataError: there is none of that name.
        """
        name = dataset if retriever is None else retriever
        if name not in self.runs:
            raise DataError(f"no run is named '{name}'", instead=did_you_mean(name, self.runs))
        return self.runs[name]

    def dataset(self, name: str | None = None) -> Dataset:
        """The dataset whose judgments were taken.

        Raises:
            DataError: they were a file: queries and passages are not known.
        """
        if self.data is None:
            raise DataError(
                "the judgments are a file, so texts, tags and metadata are not known",
                where=name or self.name,
                instead="Give the dataset's folder as --qrels",
            )
        return self.data

    def latency_ms(self, dataset: str, retriever: str) -> float | None:
        """None: a run file tells no time."""
        return None


def score_runs(
    paths: Sequence[str | Path],
    qrels_path: str | Path,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    profile: ProfileName = "trec",
    missing: Literal["zero", "drop"] | None = None,
) -> RecordedRuns:
    """Read run files and score them.

    Args:
        paths: of runs in any format that :func:`~ragscore.formats.load_run` reads.
        qrels_path: judgments, or the folder of a dataset.
        measures: texts or measures.
        profile: see :func:`~ragscore.scoring.score`.
        missing: a judged query that a run lacks scores ``zero``, or is ``drop``ped; by default
            as the profile says.

    Raises:
        DataError: a file is missing or broken, or nothing is judged.
        MeasureError: a measure cannot be parsed.
    """
    place, data = expanded(qrels_path), None
    if place.is_dir():
        data = load_dataset(place)
        name, qrels = data.name, data.qrels
    else:
        name, qrels = name_of_run(place), load_qrels(place)
    if not len(qrels):
        raise DataError("no judgment is here", where=str(place))
    chosen = profile_named(profile)
    listed, parts, runs = list(measures), [], {}
    for path, run_name in zip(paths, names_of(paths), strict=True):
        run = chosen.run(load_run(path, name=run_name))
        runs[run_name] = run
        parts.append(
            score(
                run,
                qrels,
                listed,
                dataset=name,
                retriever=run_name,
                unanswerable=data.queries.unanswerable if data else (),
                missing=missing,
                profile=profile,
                n_passages=len(data.corpus) if data and data.corpus is not None else None,
            )
        )
    return RecordedRuns(name, runs, qrels, data, Scores.joined(parts), profile)
