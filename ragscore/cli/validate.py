"""``ragscore validate``: everything but running."""

from __future__ import annotations

from ragscore.cli.options import Config, Debug, Overrides
from ragscore.cli.streams import print_text


def main(config: Config, overrides: Overrides = None, debug: Debug = False) -> None:
    """Check a config, its names and its datasets without running it.

    No retriever is built, and no custom code is imported.
    """
    from ragscore.experiment import load_experiment
    from ragscore.experiment.data_checks import check_experiment_data
    from ragscore.formats import load_dataset

    experiment = load_experiment(config, overrides or ())
    datasets = [load_dataset(spec) for spec in experiment.datasets]
    for dataset in datasets:
        print_text(dataset)
    check_experiment_data(experiment, datasets, experiment.retrievers)
    print(f"{config}: valid")
