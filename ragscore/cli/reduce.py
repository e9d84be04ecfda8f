"""``ragscore reduce``: join what the shards of an experiment found, score, record."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ragscore.cli.options import (
    Config,
    Debug,
    Format,
    Memory,
    Only,
    Output,
    Overrides,
    Overwrite,
    Quiet,
    RecordedLanguage,
    Store,
    flags_set,
)
from ragscore.cli.run import print_result


def main(
    config: Config,
    shards: Annotated[
        int | None,
        typer.Option(
            "--shards",
            metavar="N",
            min=1,
            help="Number of shards that the stages had, so that errors can name the missing ones.",
        ),
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    only: Only = None,
    overrides: Overrides = None,
    memory: Memory = None,
    store: Store = None,
    format: Format = "table",
    language: RecordedLanguage = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Join what `ragscore stage` found of all blocks, then score and record as `ragscore run` does.

    Blocks that are missing are named, with the commands that make them.
    """
    from contextlib import redirect_stdout

    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.cli.progress_display import open_progress
    from ragscore.experiment import load_experiment, reduce_experiment

    experiment = load_experiment(
        config, [*(overrides or ()), *flags_set(memory, store)], only=only or ()
    )
    noted_in = language or experiment.language
    with open_progress(quiet, noted_in) as progress, redirect_stdout(sys.stderr):
        result = reduce_experiment(
            experiment,
            shards=shards,
            output=output,
            overwrite=overwrite,
            only=only or (),
            progress=progress,
        )
    print_result(result, format, language, debug=debug)
