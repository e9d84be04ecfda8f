"""BuiltReport: what every renderer shows, ready made."""

from __future__ import annotations

from dataclasses import dataclass

from ragscore.report.data import ReportData
from ragscore.report.model import Chosen, PanelSections


@dataclass(frozen=True, eq=False)
class BuiltReport:
    """A report, built: what renderers show.

    Attributes:
        data: what its sections read.
        title: of the page.
        panels: the sections of each dataset.
        chosen: by panel: what can be chosen for baseline and primary measure; empty where no
            section depends on it.
        failed: in words, the sections of other packages that could not be made.
    """

    data: ReportData
    title: str
    panels: tuple[PanelSections, ...]
    chosen: tuple[Chosen, ...]
    failed: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a report without any panel says: why there is none. Others say their notes in the
        section Judgments."""
        return () if self.panels else self.data.notes
