"""What is wrong with the files of a dataset: collected, so that one reading shows it all."""

from __future__ import annotations

from pathlib import Path

from ragscore.errors import MAX_PROBLEMS, DataError, Problem


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

    def error(self) -> DataError:
        """All that was found, as one error."""
        more = Problem(f"only the first {MAX_PROBLEMS} problems are listed; there may be more")
        return DataError([*self.found, more] if len(self.found) >= MAX_PROBLEMS else self.found)


def shown(path: Path) -> str:
    """A path as messages name it: below the working folder without that folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
