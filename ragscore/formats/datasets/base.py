"""Format: how a dataset lies on disk, and what reads its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.reading.lines import File, unpacked_suffix
from ragscore.models import Passage, Query

ROLES = ("passages", "queries", "ground_truth")


@dataclass(frozen=True)
class Format:
    """One way in which a dataset lies on disk.

    Attributes:
        description: one line for ``ragscore list formats``.
        names: for each of :data:`ROLES`, the file names it may have, without ``.gz`` or
            ``.zst``; a name that ends in ``/`` is a folder with one file for each split.
        read_passages, read_queries, read_judgments: the readers of one file each.
        needs_corpus: False where the passages may be missing.
        description_ko: the description in Korean.
    """

    description: str
    names: Mapping[str, tuple[str, ...]]
    read_passages: Callable[[File, DatasetSpec], Iterator[tuple[int, Passage]]]
    read_queries: Callable[[File, DatasetSpec], Iterator[tuple[int, Query]]]
    read_judgments: Callable[[File, DatasetSpec], Judgments]
    needs_corpus: bool = True
    description_ko: str = ""

    def fits(self, role: str, path: Path) -> bool:
        """True where a file has a suffix that this format reads for a role."""
        files = (name for name in self.names[role] if not name.endswith("/"))
        return unpacked_suffix(path) in {Path(name).suffix for name in files}

    def listed(self) -> str:
        """The usual file names, as messages show them."""
        return ", ".join(" or ".join(self.names[role]) for role in ROLES)
