"""``ragscore tune``: how many passages to take, from runs that are recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    Debug,
    InLanguage,
    OutputFormat,
    QrelsUnit,
    Quiet,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements, print_json, print_note
from ragscore.errors import ConfigError
from ragscore.messages import _

if TYPE_CHECKING:
    from ragscore.tuning import Tuning


def main(
    recorded: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|RUN...", help="A folder that `ragscore run` wrote, or run files."
        ),
    ],
    qrels: Annotated[
        Path | None,
        typer.Option(
            "--qrels",
            metavar="QRELS",
            help="For run files: the dataset's folder, an experiment (YAML) with one, or a file of "
            "judgments (then no budget).",
        ),
    ] = None,
    unit: QrelsUnit = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever", metavar="NAME", help="Tune only this retriever; may be repeated."
        ),
    ] = None,
    rule: Annotated[
        Literal["best_f", "precision", "recall", "budget", "knee"] | None,
        typer.Option(
            "--rule",
            help="best_f: highest F; precision: largest k with P of --target; recall: smallest k "
            "with R of --target; budget: highest R within --budget; knee: where R flattens. "
            "[default: none, so nothing is recommended; budget where --budget is given]",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            "--target", metavar="X", help="What precision or recall must reach, e.g. 0.9."
        ),
    ] = None,
    confident: Annotated[
        bool,
        typer.Option("--confident", help="The lower end of the 95 % interval must reach --target."),
    ] = False,
    coverage: Annotated[
        float | None,
        typer.Option(
            "--coverage",
            metavar="X",
            help="The share of queries that a score cut must answer, e.g. 0.5.",
        ),
    ] = None,
    beta: Annotated[
        float,
        typer.Option("--beta", help="How many times as much recall counts as precision in F."),
    ] = 1.0,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", help="Upper limit for the size of a context."),
    ] = None,
    budget_unit: Annotated[
        Literal["characters", "words", "tokens"] | None,
        typer.Option("--budget-unit", help="Unit that contexts are measured in. [default: words]"),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer",
            metavar="PATH",
            help="Tokenizer for tokens: minilm, a folder with tokenizer.json, or "
            "package.module:function.",
        ),
    ] = None,
    by: Annotated[
        Literal["k", "score", "gap", "ratio"],
        typer.Option(
            "--by",
            help="Cut by rank, by score, by the gap to the query's best score, or by the ratio "
            "to it.",
        ),
    ] = "k",
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="Curve to add to P, R and F, without a cutoff: nDCG, Success, ...; may be "
            "repeated.",
        ),
    ] = None,
    at: Annotated[
        list[int] | None,
        typer.Option("--at", metavar="K", help="Show this k too; may be repeated."),
    ] = None,
    folds: Annotated[
        int, typer.Option("--folds", help="Number of folds of the cross-validation.")
    ] = 5,
    repeats: Annotated[int, typer.Option("--repeats", help="How often the folds are drawn.")] = 10,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the folds.")] = 1234,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="KEY",
            help="Metadata key, or the start of tags (KEY:...): queries that share its value "
            "stay together.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="NAME", help="For run files: the tool whose conventions to follow."
        ),
    ] = None,
    language: InLanguage = "en",
    format: OutputFormat = "table",
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", help="Also write the curves, at every k or cut, to this file."
        ),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Choose k, or a score cut, from recorded runs; nothing is retrieved.

    The exit code is 1 where the rule recommends nothing.
    """
    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.results.questions import tune
    from ragscore.tokens import token_counter
    from ragscore.tuning import TuneOptions, TuningDocument
    from ragscore.tuning.text import tuning_elements

    given: dict[str, Any] = {
        "rule": rule,
        "beta": beta,
        "target": target,
        "confident": confident,
        "coverage": coverage,
        "by": by,
        "at": at or [],
        "cluster": cluster,
        "folds": folds,
        "repeats": repeats,
        "seed": seed,
        "language": language,
    }
    if budget is not None or budget_unit is not None or tokenizer is not None:
        counted = budget_unit or ("tokens" if tokenizer is not None else "words")
        given["budget"] = {"unit": counted, "limit": budget, "tokenizer": tokenizer}
    if measures:
        given["measures"] = measures
    with named_as_flags(FLAG_OF):
        options = TuneOptions().changed(**given)
    named = options.budget.tokenizer if options.budget is not None else None
    # Typed on this command line; a result's own experiment.yaml is never asked.
    count_tokens = token_counter(named) if named is not None else None
    asked = ("judged", "profile", "qrels", "retrievers", "unit")
    with named_as_flags({"judged": "qrels"}, only=asked):
        tunings = tune(
            recorded,
            judgments_at(qrels),
            options,
            unit=unit_given(unit),
            retrievers=retriever or [],
            profile=profile,
            count_tokens=count_tokens,
        )
    if csv is not None:
        _write_csv(csv, tunings)
    if format == "json":
        print_json(TuningDocument(tuple(tunings)))
    else:
        print_elements(tuning_elements(tunings), language, markdown=format == "markdown")
    if csv is not None and not quiet:
        print_note(_("the curves are in {file}", file=str(csv)), language)
    if any(tuning.setting is None and tuning.state != "no rule" for tuning in tunings):
        raise typer.Exit(NOT_REACHED)


NOT_REACHED = 1
"""The exit code where a rule recommends nothing for some retriever, after everything is printed."""
FLAG_OF = {"limit": "budget", "unit": "budget-unit", "measures": "measure"}


def _write_csv(path: Path, tunings: list[Tuning]) -> None:
    from ragscore.disk import write_file, writing
    from ragscore.elements.table_files import CAVEAT, csv_rows

    if not path.absolute().parent.is_dir():
        raise ConfigError(
            f"{path} cannot be written: there is no folder {path.parent}", where="--csv"
        )
    lines = [row for tuning in tunings for row in tuning.rows()]
    if any(tuning.sample is not None for tuning in tunings):
        caveats = {tuning.dataset: tuning.sample for tuning in tunings}
        for row in lines:
            sample = caveats[str(row["dataset"])]
            row[CAVEAT] = "" if sample is None else str(sample.caveat())
    text = csv_rows([lines[0].keys(), *(line.values() for line in lines)])
    kept = "What is already there is unchanged"
    with writing("the curves", path, kept=kept, elsewhere="name another file with --csv"):
        write_file(path, text.encode())
