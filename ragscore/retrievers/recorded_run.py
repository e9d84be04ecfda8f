"""A run that was made before, replayed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.errors import DataError, Problem, RetrieverError
from ragscore.files import expanded
from ragscore.formats import load_run
from ragscore.formats.runs.run_parts import RunParts
from ragscore.messages import Text, _
from ragscore.names import quoted
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec
from ragscore.run import Run
from ragscore.seal import fingerprint_file, fingerprint_folder


class Recorded(RetrieverSpec):
    """Replays a run from a file, in any format that ragscore list run-formats shows."""

    packages: ClassVar[tuple[str, ...]] = ()
    kind: Literal["recorded"] = "recorded"
    run: Annotated[str, Field(min_length=1)]
    """The run file, whose suffix names the format (any unknown suffix means TREC); or a folder of
    parts of one run, in TREC's format or Parquet."""

    @property
    def needs_corpus(self) -> bool:
        return False

    def resolved(self, base: Path) -> Self:
        return self.model_copy(update={"run": str(base / self._path())})

    def check(self) -> list[Problem]:
        path = self._path()
        if path.is_file():
            return []
        if path.is_dir():
            try:
                RunParts.of(path)
            except DataError as error:
                return [
                    replace(problem, what=f"{problem.where}: {problem.what}", where="run")
                    for problem in error.problems
                ]
            return []
        return [
            Problem(
                f"no such file: {path}",
                where="run",
                instead="Name a run file: ragscore list run-formats shows their formats",
            )
        ]

    def timed(self) -> bool:
        return False

    def passages_named(self) -> Iterable[str]:
        return load_run(self._path()).passages

    def content(self) -> dict[str, object]:
        path = self._path()
        made_of = fingerprint_folder(path) if path.is_dir() else fingerprint_file(path)
        return {"kind": self.kind, "run": made_of}

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> RecordedIndex:
        """Read the run.

        Raises:
            RetrieverError: the file cannot be read, or names passages that the corpus lacks.
        """
        name = name or self.kind
        try:
            run = load_run(self._path(), name=name, strict=strict)
        except DataError as error:
            raise RetrieverError(str(error), retriever=name) from error
        unknown = [passage for passage in run.passages if passage not in corpus.ids]
        if unknown:
            raise RetrieverError(
                f"{len(unknown):,} of the {len(run.passages):,} passages of {self.run} are not "
                f"in the corpus: {quoted(unknown)}",
                retriever=name,
                instead="The run was made from another corpus; retrieve again or fix its ids",
            )
        return RecordedIndex(run.onto(corpus.ids), name, progress)

    def _path(self) -> Path:
        return expanded(self.run)


class RecordedIndex(Index):
    """The run, over the corpus's ids."""

    # It is whole already, and its duplicates would be counted once for each block.
    block: int = sys.maxsize

    def __init__(self, run: Run, name: str, progress: Progress) -> None:
        self.name = name
        self._run = run
        self._progress = progress
        self._noted: set[Text] = set()

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        """What the file holds for these queries; nothing for a query that it lacks."""
        if self._run.depth < min(depth, len(self._run.passages)):
            self._note(
                _(
                    "{name}: the recorded run holds at most {count} passages per query, fewer "
                    "than the depth of {depth}",
                    name=self.name,
                    count=self._run.depth,
                    depth=depth,
                )
            )
        return self._run.for_queries(queries.ids).cut(depth).renamed(self.name)

    def _note(self, text: Text) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self._progress.note(text)
