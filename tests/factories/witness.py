"""Remembers what a long run says of itself."""

from __future__ import annotations

from ragscore.progress import Progress, Stage


class Witness(Progress):
    """Remembers notes, and the stages with how much there is to do in each."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.totals: list[tuple[str, int]] = []

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        self.totals.append((str(label), total))
        return Stage()

    def note(self, text: str) -> None:
        self.notes.append(text)
