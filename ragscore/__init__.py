"""ragscore compares retrievers for retrieval-augmented generation, exactly and repeatably.

The names below are all there is to know for most uses. Each is loaded when it is first used,
so that ``import ragscore`` costs nothing.

>>> import ragscore
>>> print(ragscore.parse_measure("ndcg@10"))
nDCG@10
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import hand_down, lazily
from ragscore.version import __version__ as __version__

if TYPE_CHECKING:
    from ragscore.anchoring.anchor import anchor as anchor
    from ragscore.anchoring.anchored import Anchored as Anchored
    from ragscore.anchoring.migrate import migrate as migrate
    from ragscore.anchoring.migrated import Migrated as Migrated
    from ragscore.cache import Cache as Cache
    from ragscore.change.between import changes as changes
    from ragscore.change.ranking_changes import RankingChanges as RankingChanges
    from ragscore.chunking import CharacterChunker as CharacterChunker
    from ragscore.chunking import CustomChunker as CustomChunker
    from ragscore.chunking import DocumentChunker as DocumentChunker
    from ragscore.chunking import HtmlChunker as HtmlChunker
    from ragscore.chunking import MarkdownChunker as MarkdownChunker
    from ragscore.chunking import ParagraphChunker as ParagraphChunker
    from ragscore.chunking import RecursiveChunker as RecursiveChunker
    from ragscore.chunking import SentenceChunker as SentenceChunker
    from ragscore.chunking import TokenChunker as TokenChunker
    from ragscore.chunking import WordChunker as WordChunker
    from ragscore.comparison import CompareOptions as CompareOptions
    from ragscore.comparison import Comparison as Comparison
    from ragscore.comparison import DatasetComparison as DatasetComparison
    from ragscore.comparison import Difference as Difference
    from ragscore.comparison import MeasureComparison as MeasureComparison
    from ragscore.comparison import Verdict as Verdict
    from ragscore.comparison.overlap import Overlap as Overlap
    from ragscore.comparison.power_analysis import DatasetPower as DatasetPower
    from ragscore.comparison.power_analysis import Power as Power
    from ragscore.comparison.query_slices import Slices as Slices
    from ragscore.dataset import Corpus as Corpus
    from ragscore.dataset import Dataset as Dataset
    from ragscore.dataset import Documents as Documents
    from ragscore.dataset import EvidenceColumns as EvidenceColumns
    from ragscore.dataset import Ids as Ids
    from ragscore.dataset import Qrels as Qrels
    from ragscore.dataset import Queries as Queries
    from ragscore.diagnose.check_run import DataFinding as DataFinding
    from ragscore.diagnose.check_run import DatasetCheck as DatasetCheck
    from ragscore.diagnose.check_run import check_dataset as check_dataset
    from ragscore.encoders import Endpoint as Endpoint
    from ragscore.encoders import MiniLM as MiniLM
    from ragscore.encoders import Precomputed as Precomputed
    from ragscore.encoders import SentenceTransformers as SentenceTransformers
    from ragscore.encoders import Static as Static
    from ragscore.encoders import Windows as Windows
    from ragscore.errors import ConfigError as ConfigError
    from ragscore.errors import DataError as DataError
    from ragscore.errors import MeasureError as MeasureError
    from ragscore.errors import MissingPackageError as MissingPackageError
    from ragscore.errors import Problem as Problem
    from ragscore.errors import RagscoreError as RagscoreError
    from ragscore.errors import RetrieverError as RetrieverError
    from ragscore.estimate import Estimate as Estimate
    from ragscore.experiment import Experiment as Experiment
    from ragscore.experiment import Plan as Plan
    from ragscore.experiment import evaluate as evaluate
    from ragscore.experiment import experiment_schema as experiment_schema
    from ragscore.experiment import load_experiment as load_experiment
    from ragscore.experiment import plan as plan
    from ragscore.experiment import run_experiment as run_experiment
    from ragscore.experiment import validate_experiment as validate_experiment
    from ragscore.formats import Converted as Converted
    from ragscore.formats import DatasetSpec as DatasetSpec
    from ragscore.formats import convert as convert
    from ragscore.formats import load_dataset as load_dataset
    from ragscore.formats import load_qrels as load_qrels
    from ragscore.formats import load_run as load_run
    from ragscore.gate import Baseline as Baseline
    from ragscore.gate import GateCondition as GateCondition
    from ragscore.gate import GateOptions as GateOptions
    from ragscore.gate import GateResult as GateResult
    from ragscore.gate import gate_result as gate_result
    from ragscore.gate import read_baseline as read_baseline
    from ragscore.gate import read_gate as read_gate
    from ragscore.gate import write_baseline as write_baseline
    from ragscore.measures import Measure as Measure
    from ragscore.measures import parse_measure as parse_measure
    from ragscore.models import Document as Document
    from ragscore.models import Evidence as Evidence
    from ragscore.models import GroundTruth as GroundTruth
    from ragscore.models import Passage as Passage
    from ragscore.models import Query as Query
    from ragscore.progress import Progress as Progress
    from ragscore.report import Report as Report
    from ragscore.report import ReportOptions as ReportOptions
    from ragscore.report import make_report as make_report
    from ragscore.results import DatasetResult as DatasetResult
    from ragscore.results import Result as Result
    from ragscore.results import open_result as open_result
    from ragscore.results.questions import compare as compare
    from ragscore.results.questions import power as power
    from ragscore.results.questions import tune as tune
    from ragscore.retrievers import BM25 as BM25
    from ragscore.retrievers import Command as Command
    from ragscore.retrievers import Custom as Custom
    from ragscore.retrievers import Faiss as Faiss
    from ragscore.retrievers import Fusion as Fusion
    from ragscore.retrievers import Http as Http
    from ragscore.retrievers import MultiVector as MultiVector
    from ragscore.retrievers import Recorded as Recorded
    from ragscore.retrievers import Rerank as Rerank
    from ragscore.retrievers import RetrieverObject as RetrieverObject
    from ragscore.retrievers import Sparse as Sparse
    from ragscore.run import QueryFailure as QueryFailure
    from ragscore.run import Run as Run
    from ragscore.scoring import RetrieverScores as RetrieverScores
    from ragscore.scoring import ScoreRow as ScoreRow
    from ragscore.scoring import Scores as Scores
    from ragscore.scoring import score as score
    from ragscore.stats.equivalence import Equivalence as Equivalence
    from ragscore.stats.intervals import Interval as Interval
    from ragscore.stats.paired import PairedTest as PairedTest
    from ragscore.tokens import token_counter as token_counter
    from ragscore.tokens import with_tokens as with_tokens
    from ragscore.tuning import Budget as Budget
    from ragscore.tuning import CrossValidated as CrossValidated
    from ragscore.tuning import TuneOptions as TuneOptions
    from ragscore.tuning import Tuning as Tuning
else:
    _HOMES = {
        "ragscore.anchoring.anchor": ("anchor",),
        "ragscore.anchoring.anchored": ("Anchored",),
        "ragscore.anchoring.migrate": ("migrate",),
        "ragscore.anchoring.migrated": ("Migrated",),
        "ragscore.cache": ("Cache",),
        "ragscore.chunking": (
            "CharacterChunker",
            "CustomChunker",
            "DocumentChunker",
            "HtmlChunker",
            "MarkdownChunker",
            "ParagraphChunker",
            "RecursiveChunker",
            "SentenceChunker",
            "TokenChunker",
            "WordChunker",
        ),
        "ragscore.change.between": ("changes",),
        "ragscore.change.ranking_changes": ("RankingChanges",),
        "ragscore.comparison": (
            "CompareOptions",
            "Comparison",
            "DatasetComparison",
            "Difference",
            "MeasureComparison",
            "Verdict",
        ),
        "ragscore.comparison.overlap": ("Overlap",),
        "ragscore.comparison.power_analysis": ("DatasetPower", "Power"),
        "ragscore.comparison.query_slices": ("Slices",),
        "ragscore.dataset": (
            "Corpus",
            "Dataset",
            "Documents",
            "EvidenceColumns",
            "Ids",
            "Qrels",
            "Queries",
        ),
        "ragscore.diagnose.check_run": ("check_dataset", "DatasetCheck", "DataFinding"),
        "ragscore.encoders": (
            "Endpoint",
            "MiniLM",
            "Precomputed",
            "SentenceTransformers",
            "Static",
            "Windows",
        ),
        "ragscore.errors": (
            "ConfigError",
            "DataError",
            "MeasureError",
            "MissingPackageError",
            "Problem",
            "RagscoreError",
            "RetrieverError",
        ),
        "ragscore.estimate": ("Estimate",),
        "ragscore.experiment": (
            "Experiment",
            "Plan",
            "evaluate",
            "experiment_schema",
            "load_experiment",
            "plan",
            "run_experiment",
            "validate_experiment",
        ),
        "ragscore.formats": (
            "Converted",
            "DatasetSpec",
            "convert",
            "load_dataset",
            "load_qrels",
            "load_run",
        ),
        "ragscore.gate": (
            "Baseline",
            "GateCondition",
            "GateOptions",
            "GateResult",
            "gate_result",
            "read_baseline",
            "read_gate",
            "write_baseline",
        ),
        "ragscore.measures": ("Measure", "parse_measure"),
        "ragscore.models": ("Document", "Evidence", "GroundTruth", "Passage", "Query"),
        "ragscore.progress": ("Progress",),
        "ragscore.report": ("Report", "ReportOptions", "make_report"),
        "ragscore.results": ("DatasetResult", "Result", "open_result"),
        "ragscore.results.questions": ("compare", "power", "tune"),
        "ragscore.retrievers": (
            "BM25",
            "Command",
            "Custom",
            "Faiss",
            "Fusion",
            "Http",
            "MultiVector",
            "Recorded",
            "Rerank",
            "RetrieverObject",
            "Sparse",
        ),
        "ragscore.run": ("QueryFailure", "Run"),
        "ragscore.scoring": ("RetrieverScores", "ScoreRow", "Scores", "score"),
        "ragscore.stats.equivalence": ("Equivalence",),
        "ragscore.stats.intervals": ("Interval",),
        "ragscore.stats.paired": ("PairedTest",),
        "ragscore.tokens": ("token_counter", "with_tokens"),
        "ragscore.tuning": ("Budget", "CrossValidated", "TuneOptions", "Tuning"),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES, ("__version__",))

hand_down(
    {
        "html_of": "ragscore.report.notebook",
        "make_report": "ragscore.report.report",
        "headlines_of": "ragscore.report.headlines",
    }
)
