"""Progress on stderr: a live bar in a terminal, a plain line now and then anywhere else."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from ragscore.cli.streams import note_line, print_error, shown
from ragscore.messages import Message, Text, _, counted, text_of
from ragscore.names import Language
from ragscore.progress import Progress, Stage

LINE_EVERY = 30.0
"""Seconds after which a stage says where it is, where there is no live bar."""
QUARTER_AFTER = 2.0
"""Seconds after which a finished quarter is worth a line too; quick stages say only their end."""

UNITS: dict[str, Callable[[int], Message]] = {
    "passages": lambda count: counted("1 passage", "{count} passages", count),
    "queries": lambda count: counted("1 query", "{count} queries", count),
    "configurations": lambda count: counted("1 configuration", "{count} configurations", count),
    "pairs": lambda count: counted("1 pair", "{count} pairs", count),
}


def open_progress(quiet: bool, language: Language = "en") -> ShownProgress:
    """The progress that suits where stderr goes; use it as a context manager.

    Args:
        quiet: show nothing.
        language: of the notes.
    """
    plain = os.environ.get("TERM") == "dumb" or os.environ.get("CI") or not sys.stderr.isatty()
    progress = ShownProgress() if quiet else ProgressLines() if plain else ProgressBars()
    progress.language = language
    return progress


class ShownProgress(Progress):
    """Progress that has an end, so that a live display can be put away. This one is silent."""

    language: Language = "en"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing more will be shown."""


class ProgressLines(ShownProgress):
    """Plain lines: no carriage returns, no colours, few of them.

    Args:
        every: seconds after which a stage says where it is, though nothing has moved.
    """

    def __init__(self, every: float = LINE_EVERY) -> None:
        self.every = every

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        """Begin a stage; it says a line every this many seconds or quarter, and one at its end."""
        return _LineStage(label, total, unit, self.language, self.every)

    def note(self, text: Text) -> None:
        """Say it at once."""
        _say(note_line(text, self.language))


class ProgressBars(ShownProgress):
    """A live bar with count, rate and time left; a finished stage leaves one line behind."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display

        self.display = Display(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[count]}", markup=False),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False, markup=False, soft_wrap=True),
            transient=True,
        )

    def __enter__(self) -> Self:
        self.display.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Put the bars away."""
        self.display.stop()

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        """Begin a stage with a bar of its own."""
        return _BarStage(self, label, total, unit)

    def note(self, text: Text) -> None:
        """Say it above the bars."""
        self.display.console.print(note_line(text, self.language))


class _Counted(Stage):
    """A stage that knows how far it is and for how long it has run."""

    def __init__(self, label: Text, total: int, unit: str, language: Language) -> None:
        self.language = language
        self.label = shown(text_of(label, language))
        self.total = total
        self.unit = unit
        self.done = 0
        self.began = time.monotonic()

    def counted(self, count: int) -> str:
        """A count with its unit."""
        if self.unit in UNITS:
            return UNITS[self.unit](count).text(self.language)
        return f"{count:,} {self.unit}".rstrip()

    @property
    def where(self) -> str:
        """How much of it is done."""
        done, total = f"{self.done:,}", self.counted(self.total)
        return _("{done} of {total}", done=done, total=total).text(self.language)

    @property
    def idle(self) -> bool:
        """True if nothing had to be done, such as queries that another retriever encoded; a
        stage of one thing counts nothing."""
        return self.total > 1 and not self.done

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def rate(self) -> str:
        if self.done <= 1 or self.seconds < 0.05:
            return ""
        a_second = self.done / self.seconds
        return f"{a_second:,.0f}/s" if a_second >= 10 else f"{a_second:.1f}/s"

    def closing(self) -> str:
        """The last line of a stage that is over."""
        took = _duration(self.seconds)
        if self.total <= 1:
            return f"{self.label}: {took}"
        count = self.counted(self.done)
        rate = f" ({self.rate})" if self.rate else ""
        line = _("{label}: {count} in {time}", label=self.label, count=count, time=took)
        return line.text(self.language) + rate


class _LineStage(_Counted):
    def __init__(
        self, label: Text, total: int, unit: str, language: Language, every: float
    ) -> None:
        super().__init__(label, total, unit, language)
        self.every = every
        self.said_at = self.began
        self.said_quarter = 0
        self.over = threading.Event()
        threading.Thread(target=self._say_now_and_then, daemon=True).start()

    def advance(self, count: int = 1) -> None:
        self.done += count
        silent = time.monotonic() - self.said_at
        quarter = 4 * self.done // max(self.total, 1)
        if self.done < self.total and quarter > self.said_quarter and silent >= QUARTER_AFTER:
            self.said_quarter = quarter
            self._say_where()

    def _say_now_and_then(self) -> None:
        """Runs beside the work, which may take long over a single step."""
        while not self.over.wait(self.every):
            if time.monotonic() - self.said_at >= self.every:
                self._say_where()

    def _say_where(self) -> None:
        self.said_at = time.monotonic()
        if self.done:
            left = _duration(self.seconds * max(self.total - self.done, 0) / self.done)
            rate = _("({rate}, {time} left)", rate=self.rate, time=left)
        else:
            rate = _("after {time}", time=_duration(self.seconds))
        _say(f"{self.label}: {self.where} {rate.text(self.language)}")

    def __exit__(self, error_type: object = None, *_: object) -> None:
        self.over.set()
        if error_type is None and not self.idle:
            _say(self.closing())


class _BarStage(_Counted):
    def __init__(self, bars: ProgressBars, label: Text, total: int, unit: str) -> None:
        super().__init__(label, total, unit, bars.language)
        self.display = bars.display
        self.task = self.display.add_task(self.label, total=total, count="", rate="")
        self.advance(0)

    def advance(self, count: int = 1) -> None:
        self.done += count
        self.display.update(
            self.task,
            completed=self.done,
            count=self.where,
            rate=self.rate,
        )

    def __exit__(self, error_type: object = None, *_: object) -> None:
        self.display.remove_task(self.task)
        if error_type is None and not self.idle:
            self.display.console.print(self.closing())


def _say(line: str) -> None:
    # A reader of progress that goes away must not end the work.
    with suppress(OSError):
        print_error(line)


def _duration(seconds: float) -> str:
    """Seconds as a person reads them: ``0.4 s``, ``41 s``, ``3 min 20 s``, ``1 h 5 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
