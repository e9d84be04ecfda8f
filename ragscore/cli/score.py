"""``ragscore score``: measure run files, as trec_eval does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.cli.options import Debug, Quiet
from ragscore.cli.streams import print_note, print_text
from ragscore.errors import ConfigError, DataError, Problem

if TYPE_CHECKING:
    from ragscore.cli.score_inputs import Scored
    from ragscore.cli.score_measures import Wanted

ScoreFormat = Literal["table", "json", "csv", "trec", "latex"]
FOR_PEOPLE = ("table", "latex")


def main(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Run files: TREC, Parquet, CSV, TSV or JSON."),
    ],
    qrels: Annotated[
        Path,
        typer.Option(
            "--qrels",
            metavar="QRELS",
            help="Judgments: TREC, BEIR, CSV, TSV, JSON or Parquet; or a dataset's folder.",
        ),
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="nDCG@10, AP, ..., or as for trec_eval -m: P.5,10, all_trec; may be repeated.",
        ),
    ] = None,
    per_query: Annotated[
        bool, typer.Option("--per-query", help="The value of every query, too.")
    ] = False,
    format: Annotated[
        ScoreFormat, typer.Option("--format", help="How the scores are written to stdout.")
    ] = "table",
    missing: Annotated[
        Literal["zero", "drop"] | None,
        typer.Option(
            "--missing", help="A judged query that the run lacks. [default: zero, or the profile's]"
        ),
    ] = None,
    relevant_from: Annotated[
        float | None,
        typer.Option(
            "--relevant-from",
            metavar="N",
            help="The lowest grade that is relevant, in binary measures. [default: 1]",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", min=1, help="Look at the top N of each query only."),
    ] = None,
    unjudged: Annotated[
        Literal["keep", "remove"],
        typer.Option("--unjudged", help="Passages that nobody judged: keep, or close the gaps."),
    ] = "keep",
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="Compute what this tool computes.")
    ] = "trec",
    passages: Annotated[
        int | None,
        typer.Option(
            "--passages", metavar="N", min=1, help="Number of passages in the corpus, for AUC."
        ),
    ] = None,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds", help="What each measure could be, were the unjudged passages judged."
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="A passage named twice for a query, or ids that no judgment knows, are errors.",
        ),
    ] = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Score run files against judgments."""
    from ragscore.cli.quick_numpy import load_numpy
    from ragscore.cli.score_inputs import HowToScore, Judgments, score_file
    from ragscore.formats.runs.detect import names_of

    if bounds and format == "trec":
        raise ConfigError(
            "--bounds: trec_eval's lines have no place for bounds",
            instead="Choose --format table, json, csv or latex",
        )
    load_numpy()
    judgments = Judgments(qrels)
    names = names_of(runs)

    from ragscore.cli.score_measures import judged_beside, wanted_measures
    from ragscore.cli.score_notes import id_trouble, notes_on
    from ragscore.measures import DEFAULT_MEASURES
    from ragscore.scoring import profile_named

    chosen = profile_named(profile)
    texts = measures or (["official"] if format == "trec" else DEFAULT_MEASURES)
    wanted = wanted_measures(texts, relevant_from=checked(relevant_from), profile=chosen)
    computed = dict.fromkeys(wanted.measures)
    if format in FOR_PEOPLE:
        computed.setdefault(judged_beside(wanted.measures))
    judgments.refuse_none()
    how = HowToScore(
        measures=tuple(computed),
        profile=chosen,
        missing=missing or chosen.missing,
        depth=depth,
        unjudged=unjudged,
        n_passages=passages if passages is not None else judgments.n_passages,
        bounds=bounds,
        strict=strict,
    )
    scored = [
        score_file(path, name, judgments, how) for path, name in zip(runs, names, strict=True)
    ]
    if strict:
        wrong = [(one, id_trouble(one.entry)) for one in scored if one.entry.mismatch]
        if wrong:
            raise DataError([Problem(said, where=str(one.path)) for one, said in wrong])
    notes = [
        f"{one.entry.retriever}: {n}" for one in scored for n in notes_on(one.entry, one.dropped)
    ]
    if not quiet:
        for note in notes:
            print_note(note)
    if format == "json":
        from ragscore.cli.score_json import ScoreOptions, as_json

        options = ScoreOptions(
            profile=profile,
            missing=how.missing,
            relevant_from=relevant_from,
            depth=depth,
            unjudged=unjudged,
            passages=how.n_passages,
        )
        text = as_json(
            [one.entry for one in scored],
            [one.dropped for one in scored],
            qrels=str(qrels),
            runs={one.entry.retriever: str(path) for one, path in zip(scored, runs, strict=True)},
            options=options,
            notes=notes,
            per_query=per_query,
        )
    else:
        text = written(scored, wanted, format, per_query=per_query)
    print_text(text, machine=format != "table")


def checked(relevant_from: float | None) -> float | None:
    """The threshold, if it is one."""
    if relevant_from is not None and not 0 < relevant_from < float("inf"):
        raise ConfigError(
            f"--relevant-from: {relevant_from:g} is no threshold",
            instead="Give the lowest grade that is relevant, above 0",
        )
    return relevant_from


def written(scored: list[Scored], wanted: Wanted, format: ScoreFormat, *, per_query: bool) -> str:
    """The scores in any format but JSON."""
    entries = [one.entry for one in scored]
    if format == "trec":
        from ragscore.cli.score_trec import as_trec

        return "\n".join(
            as_trec(one.entry, wanted.lines, tag=one.tag(), depth=one.depth, per_query=per_query)
            for one in scored
        )
    from ragscore.cli.score_tables import as_csv, as_latex, as_text, means_table, per_query_table

    if format == "csv":
        return as_csv(entries, per_query=per_query)
    tables = [per_query_table(entry) for entry in entries] if per_query else []
    tables.append(means_table(entries))
    return as_latex(tables) if format == "latex" else as_text(tables)
