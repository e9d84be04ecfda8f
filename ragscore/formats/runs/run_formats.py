"""The table of run formats, which of them a file has, and the names of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragscore.formats.reading.lines import first_line, plain_name, unpacked_suffix
from ragscore.formats.runs.base import RunFormat
from ragscore.plugins import Catalogue

RUN_FORMATS: Catalogue[RunFormat] = Catalogue(
    "ragscore.run_formats",
    "run format",
    {
        "trec": "ragscore.formats.runs.trec_join:FORMAT",
        "parquet": "ragscore.formats.runs.parquet_join:FORMAT",
        "csv": "ragscore.formats.runs.tables:CSV",
        "tsv": "ragscore.formats.runs.tables:TSV",
        "json": "ragscore.formats.runs.json_run:FORMAT",
    },
    wanted="a ragscore.formats.RunFormat",
    fits=lambda name, thing: isinstance(thing, RunFormat),
)
"""Every run format by its name. A package adds one by an entry point of the group
``ragscore.run_formats``, which is imported when a format of that name is asked for, or when a file
has a suffix that none of ragscore's own has."""
OTHERWISE = "trec"
"""The format of a file that no format claims."""


def run_format(path: Path) -> str:
    """The name of a run file's format, by its suffix and its first line.

    Raises:
        ConfigError: its suffix is none of ragscore's, and an installed format cannot be loaded.
    """
    claiming = _claiming(unpacked_suffix(path))
    if claiming is None:
        return OTHERWISE
    begins = RUN_FORMATS[claiming].begins
    return claiming if begins is None or begins(first_line(path)) else OTHERWISE


def _claiming(suffix: str) -> str | None:
    """The first format with such a suffix; other packages are asked last."""
    if not suffix:
        return None
    for name in RUN_FORMATS.own:
        if suffix in RUN_FORMATS[name].suffixes:
            return name
    return next(
        (name for name in RUN_FORMATS.installed() if suffix in RUN_FORMATS.load(name).suffixes),
        None,
    )


def name_of_run(path: Path) -> str:
    """The file's name without what says that it is a run: ``bm25`` for ``bm25.run.gz``."""
    if not path.name:  # . or ..
        path = path.resolve()
    suffix = unpacked_suffix(path)
    return plain_name(path, (suffix,) if _claiming(suffix) else ())


def names_of(paths: Sequence[str | Path]) -> list[str]:
    """A name for each run file: its stem, or its path where stems are alike; never one twice.

    >>> names_of(["a/bm25.run", "b/bm25.run", "dense.parquet", "dense.parquet"])
    ['a/bm25.run', 'b/bm25.run', 'dense.parquet', 'dense.parquet (2)']
    """
    files = [Path(path) for path in paths]
    stems = list(map(name_of_run, files))
    names: list[str] = []
    for file, stem in zip(files, stems, strict=True):
        wanted = name = stem if stems.count(stem) == 1 else file.as_posix()
        count = 1
        while name in names:
            count += 1
            name = f"{wanted} ({count})"
        names.append(name)
    return names
