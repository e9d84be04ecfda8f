"""``ragscore stage``: one stage of an experiment, for some blocks of its corpora."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from ragscore.cli.options import (
    Config,
    Debug,
    Memory,
    Only,
    OutputFormat,
    Overrides,
    Quiet,
    RecordedLanguage,
    Store,
    flags_set,
)
from ragscore.cli.streams import print_elements, print_json


def main(
    stage: Annotated[
        Literal["encode", "search"],
        typer.Argument(
            metavar="STAGE",
            help="encode: make postings and vectors of blocks; search: find the best passages of "
            "blocks that are encoded.",
        ),
    ],
    config: Config,
    shard: Annotated[
        str,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Take shard I of N, counted from 1; 3,17,20-25/64 takes several.",
        ),
    ] = "1/1",
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Share the shard's blocks among N processes. [default: the experiment's executor]",
        ),
    ] = None,
    only: Only = None,
    overrides: Overrides = None,
    memory: Memory = None,
    store: Store = None,
    format: OutputFormat = "table",
    language: RecordedLanguage = None,
    quiet: Quiet = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the shard's blocks and which are done; do nothing."),
    ] = False,
    debug: Debug = False,
) -> None:
    """Do one stage of an experiment for a shard of its corpora's blocks.

    What it makes goes into the cache, or the experiment's store. It may be run twice, at once or
    after a kill. `ragscore reduce` joins the shards.
    """
    from contextlib import redirect_stdout

    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.cli.progress_display import open_progress
    from ragscore.experiment import load_experiment, run_stage

    changes = [*(overrides or ()), *flags_set(memory, store)]
    if workers is not None:
        changes.append(f"executor={{kind: local, processes: {workers}}}")
    experiment = load_experiment(config, changes, only=only or ())
    in_language = language or experiment.language
    with open_progress(quiet, in_language) as progress, redirect_stdout(sys.stderr):
        staged = run_stage(
            stage, experiment, shard, only=only or (), dry_run=dry_run, progress=progress
        )
    if format == "json":
        print_json(staged)
    else:
        print_elements(staged.elements(), in_language, markdown=format == "markdown")
