"""Progress of long work: the base class here is silent, the command line's is shown."""

from __future__ import annotations

from types import TracebackType


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

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        """Begin a stage of ``total`` units, such as 12,000 passages to encode."""
        return Stage()

    def note(self, text: str) -> None:
        """Show one thing that the user should know but need not act on."""


SILENT = Progress()
