"""ragscore compares retrievers for retrieval-augmented generation, exactly and repeatably.

The names below are all there is to know for most uses. Each is loaded when it is first used,
so that ``import ragscore`` costs nothing.

>>> import ragscore
>>> print(ragscore.parse_measure("ndcg@10"))
nDCG@10
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragscore.display import display_with
from ragscore.lazy import lazily
from ragscore.version import __version__

if TYPE_CHECKING:
    from ragscore.cache import Cache
    from ragscore.comparison import (
        CompareOptions,
        Comparison,
        DatasetComparison,
        Difference,
        MeanWithInterval,
        MeasureComparison,
        PairDifference,
        Verdict,
        VerdictLine,
    )
    from ragscore.comparison.overlap import Overlap
    from ragscore.comparison.power_plan import DatasetPower, Power
    from ragscore.comparison.slice_model import Slices
    from ragscore.dataset import (
        Corpus,
        Dataset,
        Ids,
        Qrels,
        Queries,
    )
    from ragscore.encoders import MiniLM, Precomputed, SentenceTransformers
    from ragscore.errors import (
        ConfigError,
        DataError,
        MeasureError,
        MissingPackageError,
        Problem,
        RagscoreError,
        RetrieverError,
    )
    from ragscore.experiment import (
        Experiment,
        evaluate,
        experiment_schema,
        load_experiment,
        run_experiment,
        validate_experiment,
    )
    from ragscore.formats import DatasetSpec, load_dataset, load_qrels, load_run
    from ragscore.measures import Measure, parse_measure
    from ragscore.models import GroundTruth, Passage, Query
    from ragscore.progress import Progress
    from ragscore.report import Report, ReportOptions, make_report
    from ragscore.results import DatasetResult, Result, open_result
    from ragscore.results.planned import power
    from ragscore.results.questions import compare, tune
    from ragscore.retrievers import (
        BM25,
        Custom,
        Faiss,
        Fusion,
        Recorded,
    )
    from ragscore.run import Run
    from ragscore.scoring import RetrieverScores, ScoreRow, Scores, score
    from ragscore.stats.equivalence import Equivalence
    from ragscore.stats.intervals import Interval
    from ragscore.stats.paired import PairedTest
    from ragscore.tuning import Budget, CrossValidated, TuneOptions, Tuning
    from ragscore.tuning.tokenizers import token_counter

_HOMES = {
    "ragscore.cache": ("Cache",),
    "ragscore.comparison": (
        "CompareOptions",
        "Comparison",
        "DatasetComparison",
        "Difference",
        "MeanWithInterval",
        "MeasureComparison",
        "PairDifference",
        "Verdict",
        "VerdictLine",
    ),
    "ragscore.comparison.overlap": ("Overlap",),
    "ragscore.comparison.power_plan": ("DatasetPower", "Power"),
    "ragscore.comparison.slice_model": ("Slices",),
    "ragscore.dataset": ("Corpus", "Dataset", "Ids", "Qrels", "Queries"),
    "ragscore.encoders": ("MiniLM", "Precomputed", "SentenceTransformers"),
    "ragscore.errors": (
        "ConfigError",
        "DataError",
        "MeasureError",
        "MissingPackageError",
        "Problem",
        "RagscoreError",
        "RetrieverError",
    ),
    "ragscore.experiment": (
        "Experiment",
        "evaluate",
        "experiment_schema",
        "load_experiment",
        "run_experiment",
        "validate_experiment",
    ),
    "ragscore.formats": ("DatasetSpec", "load_dataset", "load_qrels", "load_run"),
    "ragscore.measures": ("Measure", "parse_measure"),
    "ragscore.models": ("GroundTruth", "Passage", "Query"),
    "ragscore.progress": ("Progress",),
    "ragscore.report": ("Report", "ReportOptions", "make_report"),
    "ragscore.results": ("DatasetResult", "Result", "open_result"),
    "ragscore.results.planned": ("power",),
    "ragscore.results.questions": ("compare", "tune"),
    "ragscore.retrievers": ("BM25", "Custom", "Faiss", "Fusion", "Recorded"),
    "ragscore.run": ("Run",),
    "ragscore.scoring": ("RetrieverScores", "ScoreRow", "Scores", "score"),
    "ragscore.stats.equivalence": ("Equivalence",),
    "ragscore.stats.intervals": ("Interval",),
    "ragscore.stats.paired": ("PairedTest",),
    "ragscore.tuning": ("Budget", "CrossValidated", "TuneOptions", "Tuning"),
    "ragscore.tuning.tokenizers": ("token_counter",),
}
__all__ = [
    "BM25",
    "Budget",
    "Cache",
    "CompareOptions",
    "Comparison",
    "ConfigError",
    "Corpus",
    "CrossValidated",
    "Custom",
    "DataError",
    "Dataset",
    "DatasetComparison",
    "DatasetPower",
    "DatasetResult",
    "DatasetSpec",
    "Difference",
    "Equivalence",
    "Experiment",
    "Faiss",
    "Fusion",
    "GroundTruth",
    "Ids",
    "Interval",
    "MeanWithInterval",
    "Measure",
    "MeasureComparison",
    "MeasureError",
    "MiniLM",
    "MissingPackageError",
    "Overlap",
    "PairDifference",
    "PairedTest",
    "Passage",
    "Power",
    "Precomputed",
    "Problem",
    "Progress",
    "Qrels",
    "Queries",
    "Query",
    "RagscoreError",
    "Recorded",
    "Report",
    "ReportOptions",
    "Result",
    "RetrieverError",
    "RetrieverScores",
    "Run",
    "ScoreRow",
    "Scores",
    "SentenceTransformers",
    "Slices",
    "TuneOptions",
    "Tuning",
    "Verdict",
    "VerdictLine",
    "__version__",
    "compare",
    "evaluate",
    "experiment_schema",
    "load_dataset",
    "load_experiment",
    "load_qrels",
    "load_run",
    "make_report",
    "open_result",
    "parse_measure",
    "power",
    "run_experiment",
    "score",
    "token_counter",
    "tune",
    "validate_experiment",
]


def _notebook_html(shown: object) -> str:
    from ragscore.report.notebook import html_of  # loaded when the first result is shown

    return html_of(shown)


def _report(result: Any, **options: Any) -> object:
    from ragscore.report.make import make_report

    return make_report(result, **options)


__getattr__ = lazily(__name__, _HOMES)
display_with(_notebook_html, _report)


def __dir__() -> list[str]:
    return sorted(__all__)
