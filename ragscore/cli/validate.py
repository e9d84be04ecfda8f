"""``ragscore validate``: everything but running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.options import Debug, Overrides
from ragscore.cli.streams import print_text


def main(
    configs: Annotated[
        list[Path], typer.Argument(metavar="CONFIG...", help="Experiment files (YAML).")
    ],
    overrides: Overrides = None,
    debug: Debug = False,
) -> None:
    """Check configs, their names and their datasets without running them.

    No retriever is built, and no custom code is imported.
    """
    from ragscore.experiment import load_experiment
    from ragscore.experiment.data_checks import check_experiment_data, dataset_of

    for config in configs:
        experiment = load_experiment(config, overrides or ())
        datasets = [dataset_of(experiment, at) for at in range(len(experiment.datasets))]
        for dataset in datasets:
            print_text(dataset)
        check_experiment_data(experiment, datasets, experiment.retrievers)
        print(f"{config}: valid")
