"""Progress of long work: the base class here is silent, the command line's is shown."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ragscore.messages import Text


class Stage:
    """A piece of work that is under way; use it as a context manager."""

    def advance(self, count: int = 1) -> None:
        """``count`` more units are done."""

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """The work has ended, well or not."""


class Progress:
    """Silent progress. Subclasses show stages and notes; library code only calls them."""

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        """Begin a stage of ``total`` units, such as 12,000 passages to encode."""
        return Stage()

    def note(self, text: Text) -> None:
        """Show one thing that the user should know but need not act on."""


SILENT = Progress()


class CountedStage(Stage):
    """Counts units as they are done, and passes them on.

    Attributes:
        shown: the stage that they are passed on to.
        count: of units so far.
    """

    def __init__(self, shown: Stage | None = None) -> None:
        self.shown = shown or Stage()
        self.count = 0

    def advance(self, count: int = 1) -> None:
        """Count them, and pass them on."""
        self.count += count
        self.shown.advance(count)


class OneStage(Progress):
    """Shows the stages of a known number of parts, such as blocks, as one.

    Args:
        shown: where it is shown.
        total: units of all parts.
    """

    def __init__(self, shown: Progress, total: int) -> None:
        self.note = shown.note  # type: ignore[method-assign]
        self._shown = shown
        self._total = total
        self._stage: Stage | None = None

    def __enter__(self) -> OneStage:
        return self

    def __exit__(self, *ended: Any) -> None:
        if self._stage is not None:
            self._stage.__exit__(*ended)

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        """Go on with the stage of the parts before; the first one gives the label."""
        if self._stage is None:
            self._stage = self._shown.stage(label, self._total, unit).__enter__()
        return _PartOfStage(self._stage)


class _PartOfStage(Stage):
    def __init__(self, whole: Stage) -> None:
        self.advance = whole.advance  # type: ignore[method-assign]
