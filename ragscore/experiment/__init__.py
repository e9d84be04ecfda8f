"""Experiments: one YAML file names datasets, retrievers and measures; one call answers.

``load_experiment`` reads the file or says all that is wrong with it; ``run_experiment``
searches, scores and records; ``evaluate`` does the same for retrievers given in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.experiment.config.load_experiment import (
    load_experiment,
    resolved_yaml,
    validate_experiment,
)
from ragscore.experiment.model import Experiment, Latency
from ragscore.experiment.schema import experiment_schema
from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.experiment.run import evaluate, run_experiment

__all__ = [
    "Experiment",
    "Latency",
    "evaluate",
    "experiment_schema",
    "load_experiment",
    "resolved_yaml",
    "run_experiment",
    "validate_experiment",
]

# Running is imported when it is asked for: validating a file needs none of it.
__getattr__ = lazily(__name__, {"ragscore.experiment.run": ("evaluate", "run_experiment")})
