"""RunFormat: what a kind of run file says of itself."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ragscore.dataset.byte_texts import ByteTexts
from ragscore.errors import ConfigError
from ragscore.judge import JoinedPart, JoinTo
from ragscore.judge.rows_by_query import RowsByQuery
from ragscore.run import Run


class ReadRun(Protocol):
    """Reads a run over the passage ids that its file names; raises DataError."""

    def __call__(self, path: Path, *, name: str | None = None, strict: bool = False) -> Run:
        """Read it.

        Args:
            path: an existing file.
            name: name of the run; None: what the file says, else its own name.
            strict: a passage that is named twice for a query is an error.
        """


class JoinPart(Protocol):
    """Reads a run, or one part of a run, and judgments together; None leaves the file to ReadRun,
    which says what is wrong with it or loads it."""

    def __call__(self, path: Path, to: JoinTo) -> JoinedPart | None:
        """Read it.

        Args:
            path: an existing file.
            to: the judgments.
        """


@dataclass(frozen=True, eq=False)
class PartRows:
    """One part of a run as a whole.

    Attributes:
        rows: its rows.
        listed: the queries that were searched, where it lists them.
        depth, duplicates: what it says of them; 0 if it says nothing.
    """

    rows: RowsByQuery
    listed: ByteTexts | None = None
    depth: int = 0
    duplicates: int = 0


@dataclass(frozen=True)
class RunFormat:
    """One kind of run file: a line of :data:`~ragscore.formats.runs.run_formats.RUN_FORMATS`.

    Attributes:
        description: one line for ``ragscore list run-formats``.
        suffixes: of its files, without ``.gz`` or ``.zst``; where two formats have one, the first
            in the table has the file.
        read: reads one file.
        begins: whether a file with such a suffix is of this format, by its first line that holds
            something; None: every one is. A file that is not is taken for TREC's.
        join: reads a file and judgments together, a piece at a time, so that a run of any size
            is scored in little memory; None if a file has to be loaded first.
        rows: the rows of one part of a run; None if a run is always one file. It needs ``join``,
            and says what is wrong with a part that ``join`` leaves to it.
        columns: the columns of a run that a file has, where parts of a run may differ in them.
        places: the first and the last line, or row, in which a file names a query, for messages;
            None if they cannot be told.
        example: the text of a file, from which the tests must read that q1 got a (2.5) and b (1),
            and q2 b (0.5); empty if files are not text.
    """

    description: str
    suffixes: tuple[str, ...]
    read: ReadRun
    begins: Callable[[str], bool] | None = None
    join: JoinPart | None = None
    rows: Callable[[Path], PartRows] | None = None
    columns: Callable[[Path], Collection[str]] | None = None
    places: Callable[[Path, str], tuple[str, str]] | None = None
    example: str = ""

    def __post_init__(self) -> None:
        right = isinstance(self.suffixes, tuple) and all(
            suffix.startswith(".") for suffix in self.suffixes
        )
        if not right:
            raise ConfigError(
                f"the suffixes of a run format are {self.suffixes!r}",
                instead='Write a tuple of suffixes with their dot: (".pairs",)',
            )
