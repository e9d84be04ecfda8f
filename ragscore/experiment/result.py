"""Result: what an experiment or an evaluation leaves, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragscore.described import in_short
from ragscore.errors import DiskError, RagscoreError
from ragscore.results.stages import Stages
from ragscore.run import Run
from ragscore.scoring import Scores

if TYPE_CHECKING:
    import polars

    from ragscore.comparison import Comparison
    from ragscore.comparison.model import Identical
    from ragscore.experiment.comparison import Compared
    from ragscore.results.manifest import Key, Manifest
    from ragscore.results.summary import Summary
    from ragscore.results.tokens_file import TokenCounts
    from ragscore.tuning import Tuning


@dataclass(frozen=True, eq=False)
class Result:
    """Scores with the runs they came from.

    Attributes:
        name: of the experiment.
        scores: every value.
        runs, stages, failures: by (dataset, retriever).
        notes: what the user should know, each once.
        folder: where it was written, None where it was not.
        manifest: what manifest.json says; None where nothing was written.
        compared: the comparison with slices and overlap; None where it was not asked for or
            one retriever only has a run.
        tunings: how many passages to take, by dataset and retriever, where that was asked for.
        token_counts: by dataset, the tokens of the passages that came back; empty unless the
            experiment has a budget of tokens.
        report: the page that was written, the folder of the report where no page was wanted, None
            where there is none.
    """

    name: str
    scores: Scores
    runs: Mapping[Key, Run]
    stages: Mapping[Key, Stages]
    failures: Mapping[Key, RagscoreError]
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    manifest: Manifest | None = None
    compared: Compared | None = None
    tunings: tuple[Tuning, ...] = ()
    token_counts: Mapping[str, TokenCounts] = field(default_factory=dict)
    report: Path | None = None
    unreported: DiskError | None = None

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the retrievers, None where there is none."""
        return self.compared.comparison if self.compared is not None else None

    def summary(self) -> Summary:
        """What summary.json says."""
        from ragscore.results.summary import FailureRow, summarise

        failures = [
            FailureRow(dataset=dataset, retriever=retriever, error=str(error))
            for (dataset, retriever), error in self.failures.items()
        ]
        return summarise(self.name, self.scores, failures)

    def to_polars(self) -> polars.DataFrame:
        """The means, one row each; see :meth:`Scores.to_polars`."""
        return self.scores.to_polars()

    def per_query(self) -> polars.DataFrame:
        """The values of every query; see :meth:`Scores.per_query`."""
        return self.scores.per_query()

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{dataset: {retriever: {measure: mean}}}``."""
        return self.scores.to_dict()

    def _failed(self) -> list[str]:
        return [
            f"{retriever} failed on {dataset}: {error}"
            for (dataset, retriever), error in self.failures.items()
        ]

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(str(self))

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"Result({in_short(self.name)}: {self.scores!r}{failed})"

    def __str__(self) -> str:
        from ragscore.experiment.summary_text import rendered

        under = [*self._failed(), *(f"note: {note}" for note in self.notes)]
        return "\n\n".join([rendered(self, "table"), *(["\n".join(under)] if under else [])])

    def _repr_html_(self) -> str:
        from ragscore.comparison.identical import identical_runs
        from ragscore.report.notebook import scores_html

        def latency(dataset: str, retriever: str) -> float | None:
            timed = self.stages[dataset, retriever].latency
            return timed.p50_ms if timed is not None else None

        def identical(dataset: str) -> Sequence[Identical]:
            entries = [one for one in self.scores.entries if one.dataset == dataset]
            runs = {name: run for (at, name), run in self.runs.items() if at == dataset}
            return identical_runs(runs, entries)

        return scores_html(
            self.scores,
            name=self.name,
            options=self.comparison.options if self.comparison is not None else None,
            comparison=self.comparison,
            latency=latency,
            failures={key: str(error) for key, error in self.failures.items()},
            identical=identical,
        )
