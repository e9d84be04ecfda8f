"""``ragscore score``: measure run files, as trec_eval does."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.cli.dataset_place import judgments_at
from ragscore.cli.options import (
    CorpusSize,
    Debug,
    InLanguage,
    QrelsUnit,
    Quiet,
    named_as_flags,
    unit_given,
)
from ragscore.cli.streams import print_elements, print_json, print_note, print_text
from ragscore.errors import ConfigError, DataError, Problem
from ragscore.formats.reading.column_names import QrelsFormat
from ragscore.messages import Text, _, joined, translated

if TYPE_CHECKING:
    from ragscore.cli.score_workers import PartReaders
    from ragscore.scoring import RetrieverScores

ScoreFormat = Literal["table", "markdown", "json", "csv", "trec", "latex"]
FOR_PEOPLE = ("table", "markdown", "latex")


def main(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Run files: TREC, Parquet, CSV, TSV or JSON; or folders of parts: TREC, Parquet.",
        ),
    ],
    qrels: Annotated[
        Path,
        typer.Option(
            "--qrels",
            metavar="QRELS",
            help="Judgments: TREC, BEIR, CSV, TSV, JSON or Parquet; a dataset's folder, or an "
            "experiment (YAML) with one.",
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
        bool, typer.Option("--per-query", help="Also print the value of every query.")
    ] = False,
    format: Annotated[
        ScoreFormat, typer.Option("--format", help="Format of the scores on stdout.")
    ] = "table",
    missing: Annotated[
        Literal["zero", "drop"] | None,
        typer.Option(
            "--missing",
            help="Score a judged query that the run lacks as 0, or leave it out. [default: zero, "
            "or the profile's]",
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
        typer.Option("--depth", metavar="N", min=1, help="Score only the top N of each query."),
    ] = None,
    unjudged: Annotated[
        Literal["keep", "remove"],
        typer.Option(
            "--unjudged",
            help="Keep passages that nobody judged, or remove them and close the gaps.",
        ),
    ] = "keep",
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="The tool whose conventions to follow.")
    ] = "trec",
    passages: CorpusSize = None,
    unit: QrelsUnit = None,
    qrels_format: Annotated[
        QrelsFormat,
        typer.Option(
            "--qrels-format",
            help="Format of a file of judgments; trec-subtopics: its second column names needs.",
        ),
    ] = "auto",
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds",
            help="Also print what each measure could be if the unjudged passages were judged.",
        ),
    ] = False,
    language: InLanguage = "en",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Treat a passage named twice for a query, and ids that no judgment has, as "
            "errors.",
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Read the parts of a folder in N processes. [default: in this one, on all cores]",
        ),
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor",
            metavar="EXECUTOR",
            help="Executor that reads the parts of a folder: ray, or '{kind: ray, address: "
            "HOST:PORT}' as in an experiment.",
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="PLACE",
            help="Folder or URL for the results of workers, which all of them can reach; parts "
            "found there are not read again.",
        ),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Score run files against judgments."""
    from ragscore.cli.quick_numpy import load_numpy

    if bounds and format == "trec":
        raise ConfigError(
            "--bounds: trec_eval's lines have no place for bounds",
            instead="Choose --format table, markdown, json, csv or latex",
        )
    load_numpy()

    from ragscore.cli.progress_display import open_progress
    from ragscore.cli.score_measures import judged_beside, wanted_measures
    from ragscore.measures import DEFAULT_MEASURES
    from ragscore.scoring import LoadedQrels, profile_named
    from ragscore.scoring import score as score_runs
    from ragscore.scoring.score_tables import score_notes, scored_tables

    with named_as_flags({"format": "qrels-format"}, only=("unit", "format")):
        judged = LoadedQrels(judgments_at(qrels), unit=unit_given(unit), format=qrels_format)
    chosen = profile_named(profile, load=True)
    texts = measures or (["official"] if format == "trec" else DEFAULT_MEASURES)
    wanted = wanted_measures(texts, relevant_from=checked(relevant_from), profile=chosen)
    computed = dict.fromkeys(wanted.measures)
    if format in FOR_PEOPLE:
        computed.setdefault(judged_beside(wanted.measures))
    readers = readers_of(workers, executor, store)
    # Stdout is for scores.
    with redirect_stdout(sys.stderr), open_progress(quiet or not readers, language) as progress:
        entries = score_runs(
            runs,
            judged,
            tuple(computed),
            missing=missing,
            depth=depth,
            unjudged=unjudged,
            profile=profile,
            n_passages=passages,
            bounds=bounds,
            strict=strict,
            executor=readers.executor if readers else None,
            cache=readers.cache if readers else None,
            progress=progress,
        ).entries
    if strict:
        wrong = [
            Problem(str(id_note(entry)), where=str(path))
            for entry, path in zip(entries, runs, strict=True)
            if entry.mismatch
        ]
        if wrong:
            raise DataError(wrong)
    notes: list[Text] = [
        joined([f"{entry.retriever}:", note])
        for entry in entries
        for note in (
            *([id_note(entry)] if entry.mismatch else []),
            *score_notes(entry),
        )
    ]
    notes += list(judged.notes())
    if not quiet:
        for note in notes:
            print_note(note, language)
    if format in FOR_PEOPLE:
        tables = scored_tables(entries, per_query=per_query)
        if format != "latex":
            print_elements(tables, language, markdown=format == "markdown")
            return
        from ragscore.elements.table_files import latex_table

        written = translated(tables, language)
        text = "\n".join(map(latex_table, written)).rstrip("\n")
    elif format == "trec":
        from ragscore.cli.score_trec import as_trec

        text = "\n".join(
            as_trec(entry, wanted.lines, run=path, per_query=per_query)
            for entry, path in zip(entries, runs, strict=True)
        )
    elif format == "csv":
        from ragscore.cli.score_documents import as_csv

        for text in as_csv(entries, per_query=per_query):
            print_text(text, machine=True)
        return
    else:
        from ragscore.cli.score_documents import (
            ScoreCountRow,
            ScoreOptions,
            ScoreSummary,
            query_rows,
        )

        summary = ScoreSummary(
            qrels=str(qrels),
            runs={entry.retriever: str(path) for entry, path in zip(entries, runs, strict=True)},
            options=ScoreOptions(
                profile=profile,
                missing=missing or chosen.missing,
                relevant_from=relevant_from,
                depth=depth,
                unjudged=unjudged,
                passages=judged.n_passages if passages is None else passages,
            ),
            results=[row for entry in entries for row in entry.rows()],
            counts=[
                ScoreCountRow(**vars(entry.count_row), dropped=entry.dropped) for entry in entries
            ],
            per_query=[row for entry in entries for row in query_rows(entry)]
            if per_query
            else None,
            notes=notes,
        )
        print_json(summary)
        return
    print_text(text, machine=True)


def readers_of(workers: int | None, executor: str | None, store: str | None) -> PartReaders | None:
    """Who reads the parts of runs; None if this process does."""
    if workers is None and executor is None:
        if store is not None:
            raise ConfigError(
                "--store is for what workers find, and there are none",
                instead="Give --workers N or --executor too",
            )
        return None
    from ragscore.cli.score_workers import part_readers

    return part_readers(workers, executor, store)


def checked(relevant_from: float | None) -> float | None:
    """The threshold, if it is one."""
    if relevant_from is not None and not 0 < relevant_from < float("inf"):
        raise ConfigError(
            f"--relevant-from: {relevant_from:g} is not a threshold",
            instead="Give the lowest grade that is relevant, above 0",
        )
    return relevant_from


def id_note(entry: RetrieverScores) -> Text:
    """What ``ragscore compare`` says of a run whose ids are not those of the judgments; nothing
    of any other run."""
    if entry.mismatch is None:
        return ""
    from ragscore.comparison.check import id_problem

    problem = id_problem(entry)
    return "" if problem is None else _("CHECK DATA: {problem}", problem=problem.sentence)
