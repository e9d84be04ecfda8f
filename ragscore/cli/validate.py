"""``ragscore validate``: everything but running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.options import Debug, Overrides
from ragscore.cli.streams import print_note, print_text
from ragscore.messages import _, few_names


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
        for spec, dataset in zip(experiment.datasets, datasets, strict=True):
            print_text(dataset)
            if spec.pool is not None and dataset.sample is not None:
                facts = {
                    "names": few_names(spec.pool.retrievers),
                    "count": f"{dataset.sample.of:,}",
                }
                print_note(
                    _(
                        "the pool is unknown until {names} searched the whole corpus of "
                        "{count} passages: the sample will be larger than planned here",
                        **facts,
                    )
                )
        check_experiment_data(experiment, datasets, experiment.retrievers)
        print_text(f"{config}: valid")
