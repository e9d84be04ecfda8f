"""``ragscore convert``: a dataset in another format, and what that format cannot hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ragscore.cli.dataset_place import dataset_at
from ragscore.cli.options import Debug, InLanguage, QrelsUnit, named_as_flags, unit_given
from ragscore.cli.streams import print_elements

To = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format to write; `ragscore list formats` names them.",
    ),
]
ReadAs = Annotated[
    str,
    typer.Option(
        "--from-format",
        metavar="NAME",
        help="The format of FROM; auto goes by the names of its files.",
    ),
]
Split = Annotated[
    str | None, typer.Option("--split", metavar="NAME", help="The split of FROM that is read.")
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Encoding of FROM. [default: utf-8]"),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="SIGN", help="What separates the columns of FROM's CSV."),
]
AllowMissing = Annotated[
    bool,
    typer.Option("--allow-missing", help="Keep judgments of passages that FROM does not have."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Write nothing where something would be lost (exit 3).")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files in TO that exist.")]


def main(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM", help="The folder of a dataset, or an experiment (YAML) with one."
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="TO", help="The folder to write.")],
    to: To = "jsonl",
    read_as: ReadAs = "auto",
    split: Split = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    allow_missing: AllowMissing = False,
    unit: QrelsUnit = None,
    strict: Strict = False,
    overwrite: Overwrite = False,
    language: InLanguage = "en",
    debug: Debug = False,
) -> None:
    """Write a dataset in another format, and name what that format cannot hold."""
    from ragscore.formats import convert

    given: dict[str, Any] = {
        "format": None if read_as == "auto" else read_as,
        "split": split,
        "encoding": encoding,
        "delimiter": "\t" if delimiter == "\\t" else delimiter,
        "allow_missing": allow_missing or None,
    }
    with named_as_flags({"format": "from-format", "to": "format"}, only=("to", *given)):
        given["unit"] = unit_given(unit)
        changes = {name: value for name, value in given.items() if value is not None}
        spec = dataset_at(source).changed(**changes)
        done = convert(spec, folder, to=to, strict=strict, overwrite=overwrite)
    print_elements(done.elements(), language)
