"""Remembers what a long run says of itself."""

from __future__ import annotations

from ragscore.messages import Text
from ragscore.progress import Progress, Stage


class Witness(Progress):
    """Remembers notes in English, and the stages with how much there is to do in each."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.totals: list[tuple[str, int]] = []

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        self.totals.append((str(label), total))
        return Stage()

    def note(self, text: Text) -> None:
        self.notes.append(str(text))
