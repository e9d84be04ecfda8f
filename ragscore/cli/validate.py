"""``ragscore validate``: everything but running."""

from __future__ import annotations

from ragscore.cli.options import Config, Debug, Overrides
from ragscore.cli.streams import print_text


def main(config: Config, overrides: Overrides = None, debug: Debug = False) -> None:
    """Check a config, its names and its datasets without running it.

    No retriever is built, and no custom code is imported.
    """
    from ragscore.experiment import load_experiment
    from ragscore.formats import load_dataset

    experiment = load_experiment(config, overrides or ())
    for spec in experiment.datasets:
        print_text(load_dataset(spec))
    print(f"{config}: valid")
