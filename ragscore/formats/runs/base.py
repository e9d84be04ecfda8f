"""RunFormat: what a kind of run file says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import ConfigError
from ragscore.judge import JoinedRun
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


class JoinRun(Protocol):
    """Reads a run and judgments together; None leaves the file to ReadRun."""

    def __call__(
        self, path: Path, qrels: TextQrels, *, name: str | None = None, strict: bool = False
    ) -> JoinedRun | None:
        """Read it; the arguments are those of ReadRun, and the judgments."""


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
            is scored in little memory; None where a file has to be loaded first.
        description_ko: the description in Korean.
        example: the text of a file, from which the tests must read that q1 got a (2.5) and b (1),
            and q2 b (0.5); empty where files are not text.
    """

    description: str
    suffixes: tuple[str, ...]
    read: ReadRun
    begins: Callable[[str], bool] | None = None
    join: JoinRun | None = None
    description_ko: str = ""
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
