"""What is wrong with the files of a dataset: collected, so that one reading shows it all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragscore.errors import MAX_PROBLEMS, DataError, Problem
from ragscore.files import expanded, odd_kind


class TooManyError(Exception):
    """The limit is reached: reading stops here. Never leaves this package."""


class Problems:
    """Collects problems and stops the reading at :data:`~ragscore.errors.MAX_PROBLEMS`."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """Keep a problem. Raises TooManyError where it is the last that is shown."""
        self.found.append(problem)
        if len(self.found) >= MAX_PROBLEMS:
            raise TooManyError


@contextmanager
def collected() -> Iterator[Problems]:
    """The problems of what is read in the block, raised at its end.

    Raises:
        DataError: all that was found, as one error.
    """
    problems = Problems()
    try:
        yield problems
    except TooManyError:
        more = Problem(f"only the first {MAX_PROBLEMS} problems are listed; there may be more")
        raise DataError([*problems.found, more]) from None
    if problems.found:
        raise DataError(problems.found)


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
