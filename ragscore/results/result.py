"""Result: what an experiment or an evaluation found, or what a folder or run files hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from ragscore.cache import Cache
from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.errors import DiskError
from ragscore.files import expanded
from ragscore.lazy import handed_down
from ragscore.messages import Text
from ragscore.names import Language
from ragscore.progress import SILENT, Progress
from ragscore.results.compared_result import ComparedResult
from ragscore.results.folder_writing import UNCHANGED, check_output
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.saving import write_result
from ragscore.results.summary_elements import note_elements, summary_elements


class ReportOfResult(Protocol):
    """What :meth:`Result.report` returns: prints itself, and shows itself in a notebook."""

    def write(
        self, folder: str | Path, formats: Iterable[Any] | None = None, *, page: str = "report.html"
    ) -> Any:
        """Write its files into a folder."""


@dataclass(frozen=True, eq=False)
class Result(ComparedResult, Shown):
    """Runs and scores, and everything that is computed from them, each part when it is first read.

    ``result[dataset]`` has the parts of one dataset: comparison, slices, overlap, tunings, causes.
    """

    def report(
        self,
        *,
        before: Result | str | Path | None = None,
        language: Language | None = None,
        sections: Sequence[str] | None = None,
        formats: Sequence[Literal["html", "markdown", "latex", "csv"]] | None = None,
        depth: int | None = None,
        max_mb: float | None = None,
        pictures: Literal["svg", "png"] | None = None,
    ) -> ReportOfResult:
        """The report: ``result.report().write(folder)`` writes it, and a notebook shows it.

        Args:
            before: an earlier result to compare with.
            language, sections, formats, depth, max_mb, pictures: fields of
                :class:`~ragscore.ReportOptions`; by default the experiment's.

        Raises:
            ConfigError: a value or section that is not allowed.
            DataError: what was recorded is damaged.
        """
        given = {
            "language": language,
            "sections": tuple(sections) if sections is not None else None,
            "formats": tuple(formats) if formats is not None else None,
            "depth": depth,
            "max_mb": max_mb,
            "pictures": pictures,
        }
        options = {name: value for name, value in given.items() if value is not None}
        made: ReportOfResult = handed_down("make_report")(self, before=before, **options)
        return made

    def save(
        self, folder: str | Path, *, overwrite: bool = False, progress: Progress = SILENT
    ) -> Result:
        """Write the result into a folder, completely or not at all.

        Args:
            folder: a folder that does not exist yet.
            overwrite: replace a result that is already there.
            progress: receives notes.

        Returns:
            The result as it was written: its folder, and the digests of its files.

        Raises:
            ConfigError: the folder exists, or is something else.
            DiskError: it cannot be written.
        """
        check_output(expanded(folder), overwrite=overwrite)
        return self.written(folder, overwrite=overwrite, progress=progress)

    def written(
        self,
        folder: str | Path,
        *,
        overwrite: bool,
        progress: Progress,
        kept: str = UNCHANGED,
        cache: Cache | None = None,
    ) -> Result:
        """Write as :meth:`save` does, into a place that was checked before.

        Args:
            folder: where; the next free number is added where another run took it meanwhile.
            overwrite: replace a result that is already there.
            progress: receives notes.
            kept: what an error says is whole all the same.
            cache: keeps files that a later result copies.

        Raises:
            DiskError: it cannot be written.
        """
        place, found = expanded(folder), self.compared
        written = write_result(
            self,
            found,
            self.sweeps,
            place,
            overwrite=overwrite,
            progress=progress,
            kept=kept,
            cache=cache,
        )
        if not isinstance(self.parts, MemoryParts):
            return Result(written)
        self.parts.manifest, self.parts.folder = written.manifest, written.folder
        return self

    def reported(
        self,
        *,
        page: Path | None = None,
        unreported: DiskError | None = None,
        notes: Sequence[Text] = (),
    ) -> Result:
        """The same result with the path of its report; what was computed is kept."""
        return self.holding(page=page, unreported=unreported, report_notes=tuple(notes))

    # How it is shown.

    def elements(self) -> list[Element]:
        """What ``ragscore run`` prints: what the gate, the sweep and several datasets say, the
        verdict, means, advice on k, and where it was written.
        """
        shown = summary_elements(self, self.compared, self.tunings, self.sweeps)
        return [*handed_down("headlines_of")(self), *shown]

    def brief(self) -> list[Element]:
        """The same, and what a command notes on stderr."""
        return [*self.elements(), *note_elements(self)]

    @property
    def language(self) -> Language:
        """That of the comparison, in which it prints itself."""
        return self.view.compare.value.language

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(str(self))

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        if self.folder is not None:
            names = in_short(", ".join(self.retrievers))
            return f"Result({in_short(str(self.folder))}: {names}{failed})"
        return f"Result({in_short(self.name)}: {self.scores!r}{failed})"
