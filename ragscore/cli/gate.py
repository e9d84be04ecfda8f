"""``ragscore gate``: does a result keep its conditions? The build goes on, or it stops."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    Cluster,
    Debug,
    NoCache,
    Only,
    Output,
    Overrides,
    QrelsUnit,
    Quiet,
    RecordedLanguage,
    RunQrels,
    cache_for,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements, print_json, print_note, print_text

if TYPE_CHECKING:
    from ragscore.elements import Element
    from ragscore.gate import GateResult
    from ragscore.names import Language
    from ragscore.results import Result

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file that it shows as the summary of a job."""
MAX_SUMMARY = 1_000_000
"""Bytes of a summary that GitHub shows; of a longer one it shows nothing."""
FLAGS = {"retrievers": "retriever"}
LIMITS = ("min", "max_drop", "max")


def main(
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="CONFIG|DIR|RUN...",
            help="An experiment file, which is run; a folder that `ragscore run` wrote; or run "
            "files, with --qrels.",
        ),
    ],
    qrels: RunQrels = None,
    unit: QrelsUnit = None,
    min: Annotated[
        list[str] | None,
        typer.Option(
            "--min",
            metavar="MEASURE=X",
            help="Lower limit for a measure, e.g. nDCG@10=0.55; may be repeated.",
        ),
    ] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(
            "--max-drop",
            metavar="MEASURE=X",
            help="How far a measure may fall below the baseline, e.g. nDCG@10=0.02; may be "
            "repeated.",
        ),
    ] = None,
    max: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="QUANTITY=X",
            help="Upper limit for p50_ms, p95_ms, p99_ms, failed or a lower-is-better measure; "
            "may be repeated.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE|DIR",
            help="What `ragscore baseline save` wrote, or the folder of an earlier result.",
        ),
    ] = None,
    confident: Annotated[
        bool,
        typer.Option(
            "--confident",
            help="Judge --min and --max of a measure by the 95 % interval: UNDECIDED if it holds "
            "the limit.",
        ),
    ] = False,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="KEY",
            help="A tag or metadata key: the conditions must hold for each of its values; may be "
            "repeated.",
        ),
    ] = None,
    retrievers: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            metavar="NAME",
            help="A retriever that must meet the conditions; may be repeated. [default: all]",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Fail if the observed drop is above --max-drop, without a test."
        ),
    ] = False,
    undecided: Annotated[
        Literal["pass", "fail"] | None,
        typer.Option("--undecided", help="What UNDECIDED counts as. [default: exit code 6]"),
    ] = None,
    allow_intersect: Annotated[
        bool,
        typer.Option(
            "--allow-intersect",
            help="Where the baseline has other data, compare on the common queries.",
        ),
    ] = False,
    texts: Annotated[
        bool,
        typer.Option(
            "--texts/--no-texts",
            help="Show texts of queries, ids of passages and a system's answers. --no-texts hides "
            "them, and the notes, which may quote them.",
        ),
    ] = True,
    format: Annotated[
        Literal["table", "json", "markdown", "junit"],
        typer.Option("--format", help="Format of the output on stdout."),
    ] = "table",
    output: Output = None,
    only: Only = None,
    overrides: Overrides = None,
    no_cache: NoCache = False,
    cluster: Cluster = None,
    language: RecordedLanguage = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Judge a result: exit code 0 for PASS, 5 for FAIL, 6 for UNDECIDED.

    The conditions are those of the experiment's `gate:`; each flag replaces one of them.
    """
    from ragscore.errors import ConfigError
    from ragscore.gate import GateOptions, baseline_for, gate_options, gate_result, read_gate
    from ragscore.gate.judging import recorded_baseline
    from ragscore.gate.printed import printed_gate

    given = {
        "min": _limits("--min", min),
        "max_drop": _limits("--max-drop", max_drop),
        "max": _limits("--max", max),
        "baseline": baseline,
        "confident": confident or None,
        "by": tuple(by) if by else None,
        "retrievers": tuple(retrievers) if retrievers else None,
        "strict": strict or None,
        "undecided": undecided,
        "allow_intersect": allow_intersect or None,
    }
    flags: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    quiet = quiet or not texts  # notes quote what was asked and answered
    if _is_experiment(places):
        _refuse("an experiment has judgments of its own", "Leave it out", qrels=qrels, unit=unit)
        instead = f"Write it into {places[0]}: compare: {{cluster: {cluster}}}"
        _refuse("an experiment names its clusters itself", instead, cluster=cluster)
        result = _run(places[0], flags, output, only, overrides, no_cache, quiet, language)
        gated, before = read_gate(result), recorded_baseline(result)
    else:
        _refuse(
            "only an experiment is run, and this is a result",
            "Leave it out, or name an experiment file",
            **{"output": output, "only": only, "set": overrides, "no-cache": no_cache},
        )
        with named_as_flags(only=("qrels", "unit")):
            result = _opened(places, qrels, flags, unit_given(unit))
        if cluster is not None:
            own = result.view.compare.value
            result = result.viewed(compare=own.changed(cluster=cluster))
        if not flags and gate_options(result) is None:
            if len(places) > 1:
                raise ConfigError(
                    "there is no condition, and several results have no gate together",
                    instead=f"To hold one to another: ragscore gate {places[-1]} --max-drop "
                    f"nDCG@10=0.02 --baseline {places[0]}",
                )
            raise ConfigError(
                "there is no condition, and the result's experiment has no gate",
                instead="Give --max-drop nDCG@10=0.02 --baseline baseline.json, or --min, or --max",
            )
        if not quiet:  # those of an experiment are shown while it runs
            for note in result.notes:
                print_note(note, language or result.view.compare.value.language)
        gated = None
    if gated is None:  # of an experiment, what prevented it is raised here
        with named_as_flags(
            FLAGS, mappings=LIMITS, only=(*GateOptions.model_fields, "gate", "cluster")
        ):
            before = baseline_for(result, **flags)
            gated = gate_result(result, **{**flags, "baseline": before})
    if not texts:
        gated = gated.without_texts()
    shown_in = language or result.view.compare.value.language
    _print(gated, printed_gate(gated, result, before, texts=texts), format, shown_in)
    raise typer.Exit(gated.exit_code)


def _limits(flag: str, given: list[str] | None) -> Mapping[str, float] | None:
    """``["nDCG@10=0.55"]`` as a mapping; None if nothing was given."""
    from ragscore.errors import ConfigError

    if not given:
        return None
    limits = {}
    for text in given:
        name, sign, number = text.rpartition("=")
        if name in limits:
            raise ConfigError(f"'{name}' is given twice", where=flag, instead="Give it once")
        try:
            limits[name] = float(number)
        except ValueError:
            sign = ""
        if not (sign and name):
            example = {"--max-drop": "nDCG@10=0.02", "--max": "failed=0.01"}.get(flag)
            raise ConfigError(
                f"'{text}' is not a name and a number",
                where=flag,
                instead=f"Write {example or 'nDCG@10=0.55'}",
            )
    return limits


def _is_experiment(places: list[Path]) -> bool:
    named = [place for place in places if place.suffix in (".yaml", ".yml")]
    return len(places) == len(named) == 1 and not places[0].is_dir()


def _refuse(what: str, instead: str, **given: object) -> None:
    """Refuse flags that would change nothing."""
    from ragscore.errors import ConfigError

    for flag, value in given.items():
        if value:
            raise ConfigError(what, where=f"--{flag}", instead=instead)


def _opened(places: list[Path], qrels: Path | None, flags: Mapping[str, Any], unit: Any) -> Result:
    from ragscore.errors import ConfigError
    from ragscore.gate.options import QUANTITIES
    from ragscore.results.opening import result_at

    named = [name for key in ("min", "max_drop", "max") for name in flags.get(key, {})]
    measures = [name for name in named if name not in QUANTITIES]
    for place in places:
        if qrels is None and place.suffix == ".json" and place.is_file():
            raise ConfigError(
                "this file is not a result",
                where=str(place),
                instead=f"Name a folder that `ragscore run` wrote; to measure drops from a saved "
                f"baseline, write --baseline {place}; run files need --qrels",
            )
    # A folder is asked for the measures of its gate later, which may not be among these.
    return result_at(
        places,
        judgments_at(qrels),
        measures if qrels is not None else (),
        unit=unit,
        same_queries=qrels is None,
    )


def _run(
    config: Path,
    flags: Mapping[str, Any],
    output: Path | None,
    only: list[str] | None,
    overrides: list[str] | None,
    no_cache: bool,
    quiet: bool,
    language: Language | None,
) -> Result:
    import sys
    from contextlib import redirect_stdout

    from ragscore.cli.progress_display import open_progress
    from ragscore.experiment import load_experiment, run_experiment
    from ragscore.experiment.gating import with_gate

    experiment = load_experiment(config, overrides or (), only=only or ())
    with named_as_flags(FLAGS, mappings=LIMITS):  # what is missing is found before anything runs
        experiment = with_gate(experiment, flags)
    noted_in = language or experiment.language
    with open_progress(quiet, noted_in) as progress, redirect_stdout(sys.stderr):
        return run_experiment(
            experiment,
            output=output,
            only=only or (),
            cache=cache_for(experiment.store, no_cache, progress),
            progress=progress,
        )


def _print(gated: GateResult, elements: Sequence[Element], format: str, language: Language) -> None:
    from ragscore.elements import as_markdown
    from ragscore.gate.printed import junit_text, short_elements

    if format == "json":
        print_json(replace(gated, notes=tuple(map(str, gated.notes))))
    elif format == "junit":
        text = junit_text(gated, language)
        print_text(text.replace("##", "#&#35;"), machine=True)  # ##[error] would be a command
    else:
        print_elements(elements, language, markdown=format == "markdown")
    if summary := os.environ.get(STEP_SUMMARY):
        text = as_markdown(elements, language=language)
        if len(text.encode()) > MAX_SUMMARY:
            text = as_markdown(short_elements(gated), language=language)
        _append(Path(summary), text + "\n")


def _append(path: Path, text: str) -> None:
    from ragscore.disk import writing
    from ragscore.files import open_to_write

    with (
        writing(
            "the summary of the job",
            path,
            kept="The outcome is printed",
            elsewhere=f"unset {STEP_SUMMARY}",
        ),
        open_to_write(path, append=True) as file,
    ):
        file.write(text.encode("utf-8"))
