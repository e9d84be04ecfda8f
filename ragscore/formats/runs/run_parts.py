"""RunParts: the files that a run lies in, one or the parts in a folder.

The parts of a run are named alike but for numbers, as whatever writes partitions names them, and
stand in the order of these. So neither two runs in one folder nor a file that is no part of the
run is ever taken for some of its lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from ragscore.errors import MAX_PROBLEMS, DataError, Problem
from ragscore.files import expanded, odd_kind
from ragscore.formats.reading.lines import PACKED, unpacked_suffix
from ragscore.formats.reading.problems import existing_file, shown
from ragscore.formats.runs.base import RunFormat
from ragscore.formats.runs.run_formats import RUN_FORMATS, run_format
from ragscore.judge import PartGaps
from ragscore.numbered_files import NUMBER, in_order

OF = "of"
"""Between two numbers of a name, it says that the second counts the parts: part-3-of-64."""
SHOWN_NAMES = 3


@dataclass(frozen=True)
class RunParts:
    """The files of a run, in order.

    Attributes:
        path: the file, or the folder.
        files: one file, or those of the folder.
        format: of all of them.
        missing: how many parts the numbers in the names say that there are besides.
        missing_names: the names of the first of these.
    """

    path: Path
    files: tuple[Path, ...]
    format: RunFormat
    missing: int = 0
    missing_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str | Path, format: str = "auto") -> RunParts:
        """The files of a run.

        Args:
            path: a file, or a folder of parts.
            format: of a file; ``auto`` goes by its suffix and its first line.

        Raises:
            DataError: nothing is there, or the folder holds anything but parts of one run.
            ConfigError: there is no such format.
        """
        folder = expanded(path)
        if not folder.is_dir():
            file = existing_file(path, "run")
            chosen = run_format(file) if format == "auto" else format
            return cls(file, (file,), RUN_FORMATS.load(chosen))
        names = _part_names(folder)
        _check_alike(folder, names)
        missing, missing_names = _missing(names)
        files = tuple(folder / name for name in names)
        parts = cls(folder, files, RUN_FORMATS.load(_format_of(files[0])), missing, missing_names)
        parts._check_columns()
        return parts

    @property
    def folder(self) -> Path | None:
        """The folder of parts; None if the run is one file."""
        return None if self.files == (self.path,) else self.path

    def gaps(self, empty: Sequence[int]) -> PartGaps:
        """What the run may lack; ``empty`` are the numbers of the parts without rows."""
        names = tuple(self.files[number].name for number in empty[:SHOWN_NAMES])
        return PartGaps(self.missing, self.missing_names, len(empty), names)

    def _check_columns(self) -> None:
        """Refuse parts that have other columns than the first."""
        columns_of = self.format.columns
        if columns_of is None:
            return
        first = set(columns_of(self.files[0]))
        for path in self.files[1:]:
            columns = set(columns_of(path))
            if columns != first:
                raise DataError(
                    f"of the columns of a run it has {_listed(columns)}, and "
                    f"{self.files[0].name} has {_listed(first)}",
                    where=shown(path),
                    instead="Give all parts of a run the same columns",
                )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _part_names(folder: Path) -> list[str]:
    """The names of the parts in a folder, in order.

    Raises:
        DataError: something else is in it, or nothing.
    """
    found = in_order(folder)
    if (folder / "manifest.json").is_file():
        raise DataError(
            "it is the folder of a result, and not of one run",
            where=shown(folder),
            instead="Name one of its runs: DIR/runs/NAME.parquet",
        )
    foreign = [path for path in found if not path.is_file() or not _format_of(path)]
    if foreign:
        raise DataError(
            Problem(
                odd_kind(path) or "it is not a part of a run",
                where=shown(path),
                instead="A folder that is a run holds its parts alone: Parquet (.parquet), or TREC "
                "(.trec, .run, .res, .txt, or a number at the end; also .gz, .zst)",
            )
            for path in foreign[:MAX_PROBLEMS]
        )
    if not found:
        raise DataError(
            "the folder holds no part of a run",
            where=shown(folder),
            instead="Put its parts there: part-0.parquet, part-1.parquet, or TREC files",
        )
    return [path.name for path in found]


def _format_of(path: Path) -> str:
    """The name of the format of a part; empty if it is none that is read in parts."""
    if path.suffix in PACKED and ".parquet" in path.name:
        return ""
    suffix = unpacked_suffix(path)
    if not suffix or suffix[1:].isdecimal():
        return "trec" if _plain(path.name)[-1].isdecimal() else ""
    own = (RUN_FORMATS[name] for name in RUN_FORMATS.own)
    if not any(suffix in each.suffixes and each.rows is not None for each in own):
        return ""
    return run_format(path)


def _plain(name: str) -> str:
    """A name without a packing suffix."""
    return Path(name).stem if Path(name).suffix in PACKED else name


def _check_alike(folder: Path, names: Sequence[str]) -> None:
    """Refuse names that differ in more than numbers, and numbers that come twice."""
    seen: dict[tuple[int, ...], str] = {}
    for name in names:
        pieces = NUMBER.split(_plain(name))
        if pieces[::2] != NUMBER.split(_plain(names[0]))[::2]:
            raise DataError(
                f"the names of parts differ in more than numbers: {names[0]} and {name}",
                where=shown(folder),
                instead="Name the parts of one run alike: part-0.parquet, part-1.parquet; other "
                "runs belong in folders of their own",
            )
        other = seen.setdefault(tuple(map(int, pieces[1::2])), name)
        if other != name:
            raise DataError(
                f"two parts have the same number: {other} and {name}",
                where=shown(folder),
                instead="Keep one of them",
            )


def _missing(names: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """How many parts the numbers in names say are missing, and the names of the first: where one
    number differs, those between 0 or 1 and the last, or the count behind ``of``."""
    pieces = [NUMBER.split(_plain(name)) for name in names]
    numbers = [[int(number) for number in parts[1::2]] for parts in pieces]
    varying = [at for at, column in enumerate(zip(*numbers, strict=True)) if len(set(column)) > 1]
    texts = pieces[0][::2]
    counted = [at for at in range(len(texts) - 2) if texts[at + 1].strip("-_. ").lower() == OF]
    at = varying[0] if len(varying) == 1 else counted[0] if counted and not varying else None
    if at is None:
        return 0, ()
    there = {each[at] for each in numbers}
    first, last = min(1, *there), max(there)
    if at in counted:
        last = max(last, numbers[0][at + 1] - 1 + first)
    width = len(pieces[0][2 * at + 1])
    absent = last - first + 1 - len(there)

    def named(number: int) -> str:
        parts = [*pieces[0]]
        parts[2 * at + 1] = str(number).zfill(width)
        return "".join(parts) + names[0][len(_plain(names[0])) :]

    lacking = (number for number in count(first) if number not in there)
    return absent, tuple(map(named, islice(lacking, min(absent, SHOWN_NAMES))))
