"""``ragscore anchor``: quotes of evidence become offsets into their documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ragscore.cli.dataset_place import DatasetPlace, dataset_at
from ragscore.cli.options import Debug, InLanguage, OutputFormat, named_as_flags
from ragscore.cli.streams import print_found

DocumentsFlag = Annotated[
    str | None,
    typer.Option(
        "--documents",
        metavar="PATH",
        help="Folder or .jsonl file of the documents, relative to the dataset's folder.",
    ),
]
GroundTruthFlag = Annotated[
    str | None,
    typer.Option(
        "--ground-truth",
        metavar="FILE",
        help="File of the ground truth, relative to the dataset's folder.",
    ),
]
HtmlFlag = Annotated[
    Literal["text", "source"] | None,
    typer.Option("--html", help="What offsets into HTML count: the text shown, or the source."),
]
EncodingFlag = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Encoding of the files. [default: utf-8]"),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The ground truth to write."),
]
OverwriteFile = Annotated[
    bool, typer.Option("--overwrite", help="Replace the file of --output if it exists.")
]


def main(
    dataset: DatasetPlace,
    output: OutputFile = None,
    overwrite: OverwriteFile = False,
    similarity: Annotated[
        float,
        typer.Option(
            "--similarity",
            metavar="SHARE",
            help="Minimum similarity for a fuzzy match, above 0.5; 1 disables fuzzy matching.",
        ),
    ] = 0.9,
    allow_differing: Annotated[
        bool,
        typer.Option(
            "--allow-differing",
            help="Also accept fuzzy matches whose numbers or negations differ.",
        ),
    ] = False,
    documents: DocumentsFlag = None,
    ground_truth: GroundTruthFlag = None,
    html: HtmlFlag = None,
    encoding: EncodingFlag = None,
    language: InLanguage = "en",
    format: OutputFormat = "table",
    debug: Debug = False,
) -> None:
    """Turn quotes of evidence into offsets; exit code 3 if one has no certain place."""
    from ragscore.anchoring.anchor import anchor
    from ragscore.errors import DataError

    given = {
        "documents": documents,
        "ground_truth": ground_truth,
        "html": html,
        "encoding": encoding,
    }
    options = {name: value for name, value in given.items() if value is not None}
    with named_as_flags(only=("similarity", *given)):
        spec = dataset_at(dataset).changed(**options)
        found = anchor(
            spec,
            output=output,
            overwrite=overwrite,
            similarity=similarity,
            allow_differing=allow_differing,
        )
    print_found(found, format, language)
    if not found.complete:
        raise typer.Exit(DataError.exit_code)
