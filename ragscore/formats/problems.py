"""What is wrong with the files of a dataset: collected, so that one reading shows it all."""

from __future__ import annotations

from pathlib import Path

from ragscore.errors import DataError, Problem

LIMIT = 20


class TooManyError(Exception):
    """The limit is reached: reading stops here. Never leaves this package."""


class Problems:
    """Collects problems and stops the reading at :data:`LIMIT`."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """Keep a problem. Raises TooManyError where it is the last that is shown."""
        self.found.append(problem)
        if len(self.found) >= LIMIT:
            raise TooManyError

    def error(self) -> DataError:
        """All that was found, as one error."""
        more = Problem(f"these are the first {LIMIT} problems, and possibly there are more")
        return DataError([*self.found, more] if len(self.found) >= LIMIT else self.found)


def shown(path: Path) -> str:
    """A path as messages name it: below the working folder without that folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
