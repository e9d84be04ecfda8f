"""``ragscore compare``: which retriever is better, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    Cluster,
    Debug,
    OutputFormat,
    QrelsUnit,
    Quiet,
    RecordedLanguage,
    RunQrels,
    Slices,
    keys_of,
    measures_loaded,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements, print_json, print_note
from ragscore.errors import DataError
from ragscore.messages import Text, _

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions
    from ragscore.comparison.comparing import Comparison
    from ragscore.elements import Section
    from ragscore.results import Result


def main(
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|RUN...",
            help="A folder that `ragscore run` wrote, or several; or run files, with --qrels.",
        ),
    ],
    qrels: RunQrels = None,
    unit: QrelsUnit = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            callback=measures_loaded,
            metavar="MEASURE",
            help="A measure such as nDCG@10; the first is primary; may be repeated. "
            "[default: the recorded ones]",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="The retriever that the others are compared with. [default: the first]",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="M",
            help="The largest difference that does not matter. "
            "[default: 0.01 on measures from 0 to 1]",
        ),
    ] = None,
    interval: Annotated[
        Literal["default", "bca", "t", "percentile"] | None,
        typer.Option(
            "--interval",
            help="Method of the intervals. [default: Wilson, BCa or t, whichever fits the values]",
        ),
    ] = None,
    test: Annotated[
        Literal["randomization", "t", "wilcoxon"] | None,
        typer.Option("--test", help="Paired test of each difference. [default: randomization]"),
    ] = None,
    correction: Annotated[
        Literal["holm", "bonferroni", "bh", "none"] | None,
        typer.Option("--correction", help="Correction for several comparisons. [default: holm]"),
    ] = None,
    cluster: Cluster = None,
    all_pairs: Annotated[
        bool,
        typer.Option("--all-pairs", help="Also show every pair, with p corrected over all pairs."),
    ] = False,
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            metavar="N",
            help="Resamples for the bootstrap and the test. [default: 10000]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            help="Random seed; the same seed gives the same digits. [default: 1234]",
        ),
    ] = None,
    slices: Slices = None,
    allow_intersect: Annotated[
        bool,
        typer.Option(
            "--allow-intersect",
            help="Where runs have different queries, compare on the common ones.",
        ),
    ] = False,
    language: RecordedLanguage = None,
    format: OutputFormat = "table",
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compare retrievers from recorded runs: differences, how sure they are, and a verdict."""
    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.comparison import CompareOptions
    from ragscore.results.opening import result_at

    flags = {
        "baseline": baseline,
        "margin": margin,
        "interval": interval,
        "test": test,
        "correction": correction,
        "cluster": cluster,
        "all_pairs": all_pairs or None,
        "resamples": resamples,
        "seed": seed,
        "slices": None if slices is None else keys_of(slices),
        "allow_intersect": allow_intersect or None,
        "language": language,
    }
    given = {name: value for name, value in flags.items() if value is not None}
    with named_as_flags():  # a wrong flag is an error before anything is read
        CompareOptions().changed(**given)
    with named_as_flags(only=("qrels", "unit")):
        result = result_at(
            places,
            judgments_at(qrels),
            measures or (),
            unit=unit_given(unit),
            allow_intersect=allow_intersect,
        )
    notes: list[Text] = list(result.notes)
    compared = compared_result(result, given, notes)
    if not quiet:
        for note in notes:
            print_note(note, compared.options.language)
    if format == "json":
        print_json(compared)
    else:
        markdown = format == "markdown"
        shown = [*compared.elements(every_measure=markdown), *_budgets(result, compared)]
        print_elements(shown, compared.options.language, markdown=markdown)


def _budgets(result: Result, compared: Comparison) -> Iterator[Section]:
    """What the same context holds, where retrievers search different chunks."""
    from ragscore.elements import Section
    from ragscore.report.sections.equal_budgets import budget_tables

    for part in result:
        if tables := tuple(budget_tables(part)):
            yield Section("budgets", part.dataset if len(compared.datasets) > 1 else "", tables)


def compared_result(result: Result, given: Mapping[str, Any], notes: list[Text]) -> Comparison:
    """Compare the retrievers of a result.

    Args:
        result: of a folder, several folders or run files.
        given: the flags that were given; they win over what the experiment said.
        notes: what a reader must know is added here.

    Raises:
        ConfigError: the baseline is not there, no query has a tag that is asked for.
        DataError: the retrievers were scored on different queries.
    """
    from ragscore.results.compared_result import check_compared

    options = _options(result, given, notes)
    check_compared(result, options)
    result = result.viewed(compare=options, choices=False)
    for part in result:
        part.comparer  # noqa: B018 - raises what hinders it
        if (named := part.lacking_baseline) is not None:
            notes.append(
                _(
                    "{dataset}: the baseline {baseline} has no run; all pairs are compared",
                    dataset=part.dataset,
                    baseline=named,
                )
            )
        if options.slices:
            notes += part.notes_on("slices")
        try:
            result.qrels(part.dataset)
        except DataError as error:
            notes.append(_("what pairs find together is left out: {error}", error=error))
    return result.comparison()


def _options(result: Result, given: Mapping[str, Any], notes: list[Text]) -> CompareOptions:
    """The experiment's options with the flags; its baseline only where it has scores."""
    recorded = result.view.compare
    notes += recorded.notes
    base = recorded.value
    if base.baseline is not None and base.baseline not in result.scores.retrievers:
        if "baseline" not in given:
            notes.append(
                _("the baseline {baseline} of the experiment has no run", baseline=base.baseline)
            )
        base = base.model_copy(update={"baseline": None})
    with named_as_flags():
        return base.changed(**given)
