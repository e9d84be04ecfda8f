"""What is wrong with the files of a dataset: collected, so that one reading shows it all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ragscore.errors import MAX_PROBLEMS, DataError, Problem
from ragscore.files import expanded, odd_kind

MAX_REPEATS = 1_000
"""Rows with problems after which no more of a file is read."""
MAX_FILES = 100
"""Files with problems after which no more are read."""


class TooManyError(Exception):
    """The limit of a file is reached: its reading stops here. Never leaves this package."""


class Problems:
    """Collects problems by file, each once, and how often it stands there.

    Reading a file stops at its :data:`~ragscore.errors.MAX_PROBLEMS` problem that is another one,
    or at :data:`MAX_REPEATS` of them, so that a wrong file of any size is told in seconds.
    """

    def __init__(self) -> None:
        self._files: dict[str, dict[str, tuple[Problem, set[str]]]] = {}
        """By file, what is wrong: the first such problem, and the places of all."""

    @property
    def found(self) -> bool:
        """Whether there are any."""
        return bool(self._files)

    def __len__(self) -> int:
        return sum(map(len, self._files.values()))

    def add(self, problem: Problem, file: str = "") -> None:
        """Keep a problem of a file.

        Raises:
            TooManyError: it is the last of this file that is kept.
        """
        of_file = self._files.setdefault(file, {})
        if len(self._files) > MAX_FILES:
            raise TooManyError
        of_file.setdefault(problem.what, (problem, set()))[1].add(problem.where)
        if _is_cut(of_file):
            raise TooManyError

    def listed(self) -> Iterator[Problem]:
        """At least one of every file, and all where these are not too many."""
        room = MAX_PROBLEMS
        waiting = sorted(self._files, key=lambda file: len(self._files[file]))
        most = {}
        for place, file in enumerate(waiting):
            most[file] = max(1, min(len(self._files[file]), room // (len(waiting) - place)))
            room -= most[file]
        for file, problems in islice(self._files.items(), MAX_FILES):
            for problem, places in islice(problems.values(), most[file]):
                more = " or more" if _is_cut(problems) else ""
                same = f" (the same in {len(places):,} rows{more})" if len(places) > 1 else ""
                yield replace(problem, what=problem.what + same)
            if most[file] < len(problems) or len(problems) == MAX_PROBLEMS:
                only = f"only the first {most[file]} problems are listed; there may be more"
                yield Problem(only, where=file)
        if len(self._files) > MAX_FILES:
            yield Problem(f"only the first {MAX_FILES} files with problems are named")


def _is_cut(problems: Mapping[str, tuple[Problem, set[str]]]) -> bool:
    rows = sum(len(places) for _, places in problems.values())
    return len(problems) >= MAX_PROBLEMS or rows >= MAX_REPEATS


@contextmanager
def collected() -> Iterator[Problems]:
    """The problems of what is read in the block, raised at its end.

    Raises:
        DataError: all that was found, as one error.
    """
    problems = Problems()
    with suppress(TooManyError):
        yield problems
    if problems.found:
        raise DataError(problems.listed())


def existing_file(path: str | Path, what: str) -> Path:
    """The path of a file that is there, its ``~`` resolved.

    Args:
        path: the file.
        what: what it should be, as in "a run file is expected".

    Raises:
        DataError: it is missing, or a folder, a pipe or a device.
    """
    path = expanded(path)
    if path.is_dir():
        raise DataError(f"a {what} file is expected and this is a folder", where=shown(path))
    if not path.is_file():
        raise DataError(odd_kind(path) or "no such file", where=shown(path))
    return path


def shown(path: Path) -> str:
    """A path as messages name it: below the working folder without that folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
