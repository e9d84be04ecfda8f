"""``ragscore run``: retrieve, score, record."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragscore.cli.options import (
    Debug,
    Format,
    Memory,
    NoCache,
    Only,
    Output,
    Overrides,
    Overwrite,
    Quiet,
    RecordedLanguage,
    Store,
    cache_for,
    flags_set,
)
from ragscore.cli.streams import (
    print_elements,
    print_error,
    print_json,
    print_json_text,
    print_text,
)

if TYPE_CHECKING:
    from ragscore.cache import Cache
    from ragscore.experiment import Experiment
    from ragscore.names import Language
    from ragscore.results import Result


def main(
    config: Annotated[
        Path | None, typer.Argument(metavar="CONFIG", help="The experiment file (YAML).")
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    only: Only = None,
    overrides: Overrides = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", help="Passages per query; same as --set depth=N."),
    ] = None,
    memory: Memory = None,
    store: Store = None,
    format: Format = "table",
    language: RecordedLanguage = None,
    quiet: Quiet = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Treat a passage returned twice as an error.")
    ] = False,
    no_cache: NoCache = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show what would run and what the cache has; run and write nothing."
        ),
    ] = False,
    retry_failed: Annotated[
        Path | None,
        typer.Option(
            "--retry-failed",
            metavar="DIR",
            help="In place of CONFIG, a result: ask only its failed queries again.",
        ),
    ] = None,
    ask_anew: Annotated[
        bool,
        typer.Option(
            "--ask-anew",
            help="Ignore answers saved by an interrupted run and query every system again.",
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    """Run an experiment: search with every retriever, score, record."""
    from contextlib import redirect_stdout

    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.cache import Cache
    from ragscore.cli.progress_display import open_progress
    from ragscore.experiment import load_experiment, run_experiment

    flags = {
        "CONFIG": config is not None,
        "--only": bool(only),
        "--set": bool(overrides),
        "--depth": depth is not None,
        "--memory": memory is not None,
        "--store": store is not None,
        "--strict": strict,
        "--dry-run": dry_run,
    }
    _check_what_is_run(retry_failed, [flag for flag, given in flags.items() if given])
    changes = list(overrides or ())
    if depth is not None:
        changes.append(f"depth={depth}")
    changes += flags_set(memory, store)
    if strict:
        changes.append("strict=true")
    experiment = None if config is None else load_experiment(config, changes, only=only or ())
    place = experiment.store if experiment is not None else None
    if dry_run and experiment is not None:
        _show_plan(experiment, only or (), None if no_cache else Cache.at(place), format, language)
        return
    # What foreign code prints must not end up among the data.
    noted_in = language or ("en" if experiment is None else experiment.language)
    with open_progress(quiet, noted_in) as progress, redirect_stdout(sys.stderr):
        result = run_experiment(
            experiment,
            output=output,
            overwrite=overwrite,
            only=only or (),
            retry_failed=retry_failed,
            ask_anew=ask_anew,
            cache=cache_for(place, no_cache, progress),
            progress=progress,
        )
    print_result(result, format, language, debug=debug)


def print_result(result: Result, format: str, language: Language | None, *, debug: bool) -> None:
    """Print what a run found, and what went wrong in it.

    Raises:
        typer.Exit: a retriever failed, or the report could not be written.
    """
    import traceback

    from ragscore.errors import RetrieverError

    if format in ("json", "csv"):
        assert result.folder is not None
        recorded = (result.folder / f"summary.{format}").read_text(encoding="utf-8")
        if format == "json":
            print_json_text(recorded.rstrip("\n"))
        else:
            print_text(recorded.rstrip("\n"), machine=True)
    else:
        print_elements(
            result.elements(), language or result.language, markdown=format == "markdown"
        )
    if result.unreported is not None:
        print_error(result.unreported)
    if result.failures:
        for error in result.failures.values():
            if debug:
                print_error("".join(traceback.format_exception(error)).rstrip("\n"))
            else:
                print_error(error)
        raise typer.Exit(RetrieverError.exit_code)
    if result.unreported is not None:
        raise typer.Exit(result.unreported.exit_code)


def _check_what_is_run(retry_failed: Path | None, flags: Collection[str]) -> None:
    """Refuse a result together with what would change its experiment, and neither of both."""
    from ragscore.errors import ConfigError

    if retry_failed is None:
        if "CONFIG" not in flags:
            raise ConfigError(
                "no experiment is named",
                where="CONFIG",
                instead="Name its file, or a result whose failed queries are to be asked again: "
                "--retry-failed DIR",
            )
    elif flags:
        raise ConfigError(
            f"{' and '.join(flags)} cannot be given too: the experiment is that of {retry_failed}",
            where="--retry-failed",
            instead="Leave it out" if len(flags) == 1 else "Leave them out",
        )


def _show_plan(
    experiment: Experiment,
    only: Iterable[str],
    cache: Cache | None,
    format: str,
    language: Language | None,
) -> None:
    from ragscore.errors import ConfigError
    from ragscore.experiment.planning import plan

    if format == "csv":
        raise ConfigError("a plan is not printed as CSV", where="--format", instead="Choose json")
    found = plan(experiment, only=only, cache=cache)
    if format == "json":
        print_json(found)
    else:
        shown_in = language or experiment.language
        print_elements(found.elements(), shown_in, markdown=format == "markdown")
