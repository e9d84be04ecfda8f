"""``ragscore validate``: everything but running."""

from __future__ import annotations

from ragscore.cli.options import Config, Debug, Overrides


def main(config: Config, overrides: Overrides = None, debug: Debug = False) -> None:
    """Check a config, its files and its names without running it.

    No retriever is built, and no custom code is imported.
    """
    from ragscore.errors import ConfigError
    from ragscore.experiment import validate_experiment

    problems = validate_experiment(config, overrides or ())
    if problems:
        raise ConfigError(problems)
    print(f"{config}: valid")
