"""Options that several commands share, so that they read and behave the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.errors import ConfigError
from ragscore.names import Language

if TYPE_CHECKING:
    from ragscore.cache import Cache
    from ragscore.dataset.judged_units import JudgedUnit
    from ragscore.progress import Progress


@dataclass
class Flags:
    """The options of a command that the outermost level has to know."""

    debug: bool = False
    terminated: bool = False
    """The process was told to end by SIGTERM."""


def _remember_debug(context: typer.Context, wanted: bool) -> bool:
    if isinstance(context.obj, Flags):
        context.obj.debug = wanted
    return wanted


Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="KEY",
        help="Tag or metadata key: queries that share its value count as one unit.",
    ),
]
Config = Annotated[Path, typer.Argument(metavar="CONFIG", help="The experiment file (YAML).")]
CorpusSize = Annotated[
    int | None,
    typer.Option(
        "--passages", metavar="N", min=1, help="Number of passages in the corpus, for AUC."
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        is_eager=True,
        callback=_remember_debug,
        help="Show the traceback of an error.",
    ),
]
Format = Annotated[
    Literal["table", "json", "csv", "markdown"],
    typer.Option("--format", help="Format of the summary on stdout."),
]
OutputFormat = Annotated[
    Literal["table", "json", "markdown"],
    typer.Option("--format", help="Format of the output on stdout."),
]
TextFormat = Annotated[
    Literal["table", "markdown"],
    typer.Option("--format", help="Format of the output on stdout."),
]
InLanguage = Annotated[Language, typer.Option("--language", help="Language of the output.")]
RecordedLanguage = Annotated[
    Language | None,
    typer.Option("--language", help="Language of the output. [default: the experiment's]"),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory to stay within, such as 4GB; same as --set memory=SIZE.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Don't read or write the cache of indexes, vectors and runs."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAME", help="Run only this retriever; may be repeated."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="The folder to write. [default: a new folder under results/NAME]",
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change the config, e.g. retrievers.bm25.k1=0.9; may be repeated.",
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the folder of --output if it exists.")
]
RunQrels = Annotated[
    Path | None,
    typer.Option(
        "--qrels",
        metavar="QRELS",
        help="For run files: the judgments, a dataset's folder, or an experiment (YAML) with one.",
    ),
]
QrelsUnit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="metadata.KEY",
        help="For a dataset's folder: what its judgments name instead of passages, such as "
        "metadata.document. '{field: document, cutoff: passages}' makes cutoffs count "
        "passages, as in YAML.",
    ),
]
ResultFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder that `ragscore run` wrote.")
]
Sections = Annotated[
    list[str] | None,
    typer.Option(
        "--section",
        metavar="NAME",
        help="Show only this section; may be repeated. `ragscore list sections` names them.",
    ),
]
Slices = Annotated[
    str | None,
    typer.Option("--slices", metavar="KEY,...", help="Tags or metadata to split the queries by."),
]
Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="Folder or URL (s3://bucket/folder) in place of the user's cache, for several "
        "machines; same as --set store=PLACE.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show no progress and no notes; errors are still shown."),
]


def flags_set(memory: str | None, store: str | None) -> list[str]:
    """What ``--memory`` and ``--store`` change of an experiment: a folder is taken from the current
    one."""
    changes = [] if memory is None else [f"memory={_quoted(memory)}"]
    if store is None:
        return changes
    from ragscore.experiment.store import resolved_store

    place = resolved_store(store, Path.cwd()) if store else ""
    return [*changes, f"store={_quoted(place)}"]


def _quoted(text: str) -> str:
    """Text as YAML reads it: a folder called ``null`` is a folder, and ``4`` no number."""
    return "'{}'".format(text.replace("'", "''"))


def cache_for(place: str | None, no_cache: bool, progress: Progress) -> Cache | None:
    """The cache that a command works with.

    Args:
        place: the experiment's store.
        no_cache: ``--no-cache``; the store is then left alone too.
        progress: is notified where nothing can be written to the cache.
    """
    from ragscore.cache import Cache

    if no_cache:
        return None if place is None else Cache()
    return Cache.usable(progress, place)


def unit_given(text: str | None) -> JudgedUnit | None:
    """The unit that ``--unit`` names.

    Raises:
        ConfigError: it names none.
    """
    if text is None:
        return None
    from ragscore.dataset.judged_units import judged_unit

    try:
        if not text.lstrip().startswith("{"):
            return judged_unit(text)
        from ragscore.experiment.config.overrides import flag_value

        return judged_unit(flag_value("--unit", text))
    except ConfigError as error:
        raise ConfigError([replace(each, where="--unit") for each in error.problems]) from None


def measures_loaded(named: str | list[str] | None) -> str | list[str] | None:
    """The measures of a flag, unchanged, after importing the packages that add some of them."""
    if named:
        from ragscore.measures import load_named

        load_named(named)
    return named


def keys_of(slices: str) -> tuple[str, ...]:
    """The keys of ``--slices``."""
    return tuple(filter(None, map(str.strip, slices.split(","))))


@contextmanager
def named_as_flags(
    renamed: Mapping[str, str] = MappingProxyType({}),
    *,
    only: Collection[str] | None = None,
    mappings: Collection[str] = (),
) -> Iterator[None]:
    """Name a wrong option of a Python call by the flag that it came from: ``all_pairs`` becomes
    ``--all-pairs``, and ``budget.limit`` the flag of ``limit``.

    Args:
        renamed: the flag of each option whose flag has another name.
        only: the options that are flags, where an error may also name something else.
        mappings: the options whose flag takes ``KEY=VALUE``; errors name a key behind them.

    Raises:
        ConfigError: the error raised inside, its problems named by flags.
    """
    try:
        yield
    except ConfigError as error:
        problems = []
        for problem in error.problems:
            named = re.sub(r"\[\d+\]", "", problem.where).split(".")
            if named[0] and (only is None or named[0] in only):
                option = named[0] if named[0] in mappings else named[-1]
                flag = renamed.get(option, option).replace("_", "-")
                problem = replace(problem, where=f"--{flag}")
            problems.append(problem)
        raise ConfigError(problems) from None
