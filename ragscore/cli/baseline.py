"""``ragscore baseline``: keep what was reached, for ``ragscore gate`` to hold later results to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    Debug,
    InLanguage,
    QrelsUnit,
    RunQrels,
    measures_loaded,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements, print_note, print_text
from ragscore.messages import Message, _, counted, few_names

if TYPE_CHECKING:
    from ragscore.gate.baseline import Baseline
    from ragscore.names import Language


def main(
    action: Annotated[
        Literal["save", "update"],
        typer.Argument(
            help="save: write a new baseline; update: replace one (values may fall only with "
            "--accept)."
        ),
    ],
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|RUN...",
            help="A folder that `ragscore run` wrote; or run files, with --qrels.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The baseline.")
    ] = Path("baseline.json"),
    qrels: RunQrels = None,
    unit: QrelsUnit = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            callback=measures_loaded,
            metavar="MEASURE",
            help="A measure to keep; may be repeated. [default: those of the experiment's gate, "
            "else all; of update, the baseline's]",
        ),
    ] = None,
    retrievers: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            metavar="NAME",
            help="A retriever to keep; may be repeated. [default: all; of update, the baseline's]",
        ),
    ] = None,
    passages: Annotated[
        int | None,
        typer.Option(
            "--passages",
            metavar="N",
            min=0,
            help="Also keep the ids of the first N passages of each query: `ragscore gate` shows "
            "which relevant ones were lost. [default: none; of update, as many as before]",
        ),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Write the update even if values fall.")
    ] = False,
    language: InLanguage = "en",
    debug: Debug = False,
) -> None:
    """Save the values of every query in a file to commit to your repository."""
    from ragscore.errors import ConfigError
    from ragscore.gate import Baseline, gate_options, read_baseline, write_baseline
    from ragscore.gate.baseline import other_data
    from ragscore.results.failed_notes import failed_notes
    from ragscore.results.opening import result_at

    for place in places:
        if place.suffix in (".yaml", ".yml") and not place.is_dir():
            raise ConfigError(
                "an experiment is not a result",
                where=str(place),
                instead=f"Run it first, and name its folder: ragscore run {place} --output DIR",
            )
    if output.is_dir():
        instead = f"Name a file: {output / 'baseline.json'}"
        raise ConfigError("it is a folder", where=f"--output: {output}", instead=instead)
    before = None
    if action == "update":
        before = read_baseline(output)
    elif output.exists():
        raise ConfigError(
            f"{output} is there already",
            where="--output",
            instead=f"Replace it with: ragscore baseline update ... -o {output}",
        )
    with named_as_flags(only=("qrels", "unit")):
        result = result_at(
            places,
            judgments_at(qrels),
            _measures(measures, before, qrels),
            unit=unit_given(unit),
        )
    kept: Sequence[str] = measures or ()
    if not kept and before is None and (gate := gate_options(result)) is not None:
        kept = gate.measures
    names = retrievers or ()
    if before is not None:
        kept = kept or before.measures
        known = dict.fromkeys(entry.retriever for entry in before.retrievers)
        names = names or [name for name in known if name in result.scores.retrievers]
        if passages is None:
            lengths = (len(ids) for e in before.retrievers for ids in e.passages.values())
            passages = max(lengths, default=0)
    with named_as_flags({"retrievers": "retriever"}, only=("retrievers",)):
        made = Baseline.from_result(result, kept, retrievers=names, passages=passages or 0)
    for entry in result.manifest.datasets:
        own = {
            name: each for (dataset, name), each in result.stages.items() if dataset == entry.name
        }
        for note in failed_notes(own, entry.queries):
            print_note(note, language)
    if result.failures:
        failed = few_names(tuple(dict.fromkeys(name for _, name in result.failures)))
        print_note(_("the baseline leaves out {names}, which failed", names=failed), language)
    if before is not None:
        for dataset in made.datasets:
            earlier = before.dataset(dataset.name)
            if earlier is not None and (changed := other_data(earlier, dataset)) is not None:
                print_note(changed, language)
        _refuse_lower(before, made, output, language, accept=accept)
        made = made.dated_as(before)
    write_baseline(made, output)
    print_text(_summary(made, output).text(language))


def _measures(given: list[str] | None, before: Baseline | None, qrels: Path | None) -> list[str]:
    """What run files are scored by; a result's folder has its own."""
    if qrels is None:
        return []
    if given or before is None:
        return given or []
    return before.measures


def _refuse_lower(
    before: Baseline, made: Baseline, output: Path, language: Language, *, accept: bool
) -> None:
    from ragscore.errors import GATE_FAILED
    from ragscore.gate.baseline import lowered
    from ragscore.gate.printed import lowered_elements

    fallen = lowered(before, made)
    if fallen:
        print_elements(lowered_elements(fallen, accepted=accept), language)
        if not accept:
            note = counted(
                "{place} was not changed: one of its values would fall",
                "{place} was not changed: {count} of its values would fall",
                len(fallen),
                place=output,
            )
            print_note(note, language)
            raise typer.Exit(GATE_FAILED)


def _summary(made: Baseline, output: Path) -> Message:
    queries = sum(
        max(len(entry.values) for entry in made.retrievers if entry.dataset == dataset.name)
        for dataset in made.datasets
    )
    names = dict.fromkeys(entry.retriever for entry in made.retrievers)
    return _(
        "{place}: {retrievers} on {queries} queries, {measures}",
        place=output,
        retrievers=few_names(names),
        queries=queries,
        measures=few_names(made.measures),
    )
