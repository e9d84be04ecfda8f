"""``ragscore score``: measure run files, as trec_eval does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.cli.options import Debug, InLanguage, Quiet
from ragscore.cli.streams import print_blocks, print_note, print_text
from ragscore.errors import ConfigError, DataError, Problem

if TYPE_CHECKING:
    from ragscore.blocks import Table
    from ragscore.cli.score_inputs import Scored
    from ragscore.cli.score_measures import Wanted
    from ragscore.scoring import RetrieverScores
    from ragscore.strings import Strings

ScoreFormat = Literal["table", "markdown", "json", "csv", "trec", "latex"]
FOR_PEOPLE = ("table", "markdown", "latex")


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
    language: InLanguage = "en",
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
            instead="Choose --format table, markdown, json, csv or latex",
        )
    load_numpy()
    judgments = Judgments(qrels)
    names = names_of(runs)

    from ragscore.cli.score_measures import judged_beside, wanted_measures
    from ragscore.measures import DEFAULT_MEASURES
    from ragscore.scoring import profile_named
    from ragscore.scoring.score_notes import score_notes
    from ragscore.scoring.strings import STRINGS

    chosen = profile_named(profile, load=True)
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
        english = STRINGS.strings("en")
        wrong = [(one, id_trouble(one.entry, english)) for one in scored if one.entry.mismatch]
        if wrong:
            raise DataError([Problem(said, where=str(one.path)) for one, said in wrong])
    strings = STRINGS.strings(language)
    notes = [
        f"{one.entry.retriever}: {note}"
        for one in scored
        for note in (
            *filter(None, [id_trouble(one.entry, strings)]),
            *score_notes(one.entry, one.dropped, strings),
        )
    ]
    if not quiet:
        for note in notes:
            print_note(note, language)
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
    elif format in FOR_PEOPLE:
        tables = blocks_of(scored, strings, per_query=per_query)
        if format != "latex":
            print_blocks(tables, markdown=format == "markdown")
            return
        from ragscore.blocks.latex import latex_table

        text = "\n".join(map(latex_table, tables)).rstrip("\n")
    else:
        text = written(scored, wanted, format, per_query=per_query)
    print_text(text, machine=True)


def checked(relevant_from: float | None) -> float | None:
    """The threshold, if it is one."""
    if relevant_from is not None and not 0 < relevant_from < float("inf"):
        raise ConfigError(
            f"--relevant-from: {relevant_from:g} is no threshold",
            instead="Give the lowest grade that is relevant, above 0",
        )
    return relevant_from


def written(scored: list[Scored], wanted: Wanted, format: ScoreFormat, *, per_query: bool) -> str:
    """The scores as trec_eval or a CSV file has them."""
    entries = [one.entry for one in scored]
    if format == "trec":
        from ragscore.cli.score_trec import as_trec

        return "\n".join(
            as_trec(one.entry, wanted.lines, tag=one.tag(), depth=one.depth, per_query=per_query)
            for one in scored
        )
    from ragscore.cli.score_csv import as_csv

    return as_csv(entries, per_query=per_query)


def blocks_of(scored: list[Scored], strings: Strings, *, per_query: bool) -> list[Table]:
    """The scores for people: the values of each query, where they are asked for; then the means."""
    from ragscore.blocks import Column
    from ragscore.blocks.numbers import count_text
    from ragscore.scoring.score_tables import means_table, query_table

    entries = [one.entry for one in scored]
    tables = [
        query_table(entry.retriever, entry.query_ids, entry.measures, entry.values, strings)
        for entry in (entries if per_query else ())
    ]
    queries = sorted({entry.counts.queries for entry in entries})
    fewest, most = count_text(queries[0]), count_text(queries[-1])
    title = strings(
        "averaged" if fewest == most else "averaged_range",
        dataset=entries[0].dataset,
        fewest=fewest,
        most=most,
    )
    rows = [row for entry in entries for row in entry.rows()]
    run = Column("run", strings("column_run"), "text")
    return [*tables, means_table(rows, strings, title=title, first=run)]


def id_trouble(entry: RetrieverScores, strings: Strings) -> str:
    """What ``ragscore compare`` says of a run whose ids are not those of the judgments; nothing
    of any other run."""
    if entry.mismatch is None:
        return ""
    from ragscore.comparison.check import trouble_in
    from ragscore.comparison.strings import STRINGS as COMPARISON

    trouble = trouble_in(entry)
    if trouble is None:
        return ""
    problem = trouble.part.text_in(COMPARISON.strings(strings.language))
    return strings("note_check_data", problem=problem)
