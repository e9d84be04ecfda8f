"""SweepFindings: what a sweep found on one dataset, which prints itself."""

from __future__ import annotations

from dataclasses import dataclass

from ragscore.blocks import Block, as_text
from ragscore.display import Displayed
from ragscore.strings import Language
from ragscore.sweeps.sweep_records import SweptFacts
from ragscore.sweeps.sweep_tables import sweep_blocks


@dataclass(frozen=True, eq=False, repr=False)
class SweepFindings(SweptFacts, Displayed):
    """What a sweep found on one dataset."""

    def blocks(self, language: Language = "en") -> list[Block]:
        """What ``ragscore run`` prints of it.

        Args:
            language: of all texts.
        """
        return [sweep_blocks(self, language)]

    def __str__(self) -> str:
        return as_text(self.blocks())
