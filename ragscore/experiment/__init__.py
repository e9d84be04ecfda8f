"""Experiments: one YAML file names datasets, retrievers and measures; one call answers.

``load_experiment`` reads the file or says all that is wrong with it; ``run_experiment``
searches, scores and records; ``evaluate`` does the same for retrievers given in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.experiment.config.load_experiment import load_experiment as load_experiment
    from ragscore.experiment.config.load_experiment import resolved_yaml as resolved_yaml
    from ragscore.experiment.config.load_experiment import (
        validate_experiment as validate_experiment,
    )
    from ragscore.experiment.latency import Latency as Latency
    from ragscore.experiment.model import Experiment as Experiment
    from ragscore.experiment.planning import Plan as Plan
    from ragscore.experiment.planning import plan as plan
    from ragscore.experiment.running import evaluate as evaluate
    from ragscore.experiment.running import run_experiment as run_experiment
    from ragscore.experiment.schema import experiment_schema as experiment_schema
    from ragscore.experiment.staging import Staged as Staged
    from ragscore.experiment.staging import reduce_experiment as reduce_experiment
    from ragscore.experiment.staging import run_stage as run_stage
else:
    # Running is imported when it is asked for: validating a file needs none of it.
    _HOMES = {
        "ragscore.experiment.config.load_experiment": (
            "load_experiment",
            "resolved_yaml",
            "validate_experiment",
        ),
        "ragscore.experiment.latency": ("Latency",),
        "ragscore.experiment.model": ("Experiment",),
        "ragscore.experiment.planning": ("Plan", "plan"),
        "ragscore.experiment.running": ("evaluate", "run_experiment"),
        "ragscore.experiment.schema": ("experiment_schema",),
        "ragscore.experiment.staging": ("Staged", "reduce_experiment", "run_stage"),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
