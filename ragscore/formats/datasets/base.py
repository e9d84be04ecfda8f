"""Format: how a dataset lies on disk, and what reads its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragscore.dataset import Dataset
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.reading.lines import File, unpacked_suffix
from ragscore.models import Document, Passage, Query

ROLES = ("passages", "queries", "ground_truth")
OPTIONS = frozenset({"columns", "delimiter", "encoding", "ids"})
"""What a dataset says of how its files are read, and not every format reads."""
PIECE = re.compile(r"(.+)-\d{5}-of-(\d{5})")
"""The name of one piece of a file in several, without its suffix: of what, and of how many."""

Written = Iterable[tuple[str, bytes | Iterable[bytes]]]
"""Name and content of each file, in one piece or several."""


@dataclass(frozen=True)
class Writer:
    """How a dataset is written in a format.

    Attributes:
        files: the files of a dataset, by names relative to its folder. What the format has no
            place for is left out; ids or texts that its files cannot hold are a DataError.
        holds: names of parts (:data:`ragscore.formats.datasets.held_parts.PARTS`) that are read
            again as they were written.
        lost: how many things of a part are lost, where the format holds some of them.
    """

    files: Callable[[Dataset], Written]
    holds: frozenset[str]
    lost: Callable[[Dataset], Mapping[str, int]] = field(default=lambda dataset: {})


@dataclass(frozen=True)
class Format:
    """One way in which a dataset lies on disk.

    Attributes:
        description: one line for ``ragscore list formats``.
        names: for each of :data:`ROLES`, the file names it may have, without ``.gz`` or
            ``.zst``; a name that ends in ``/`` is a folder with one file for each split.
        split_suffix: of the files in such folders.
        reads: those of :data:`OPTIONS` that it reads; another one is refused.
        read_passages, read_queries, read_judgments: the readers of one file each.
        read_documents: reads documents out of the file of the passages; None if the format has
            none. A dataset then names that file as ``documents``.
        needs_corpus: False if the passages may be missing.
        writer: writes a dataset in this format; None if it is only read.
    """

    description: str
    names: Mapping[str, tuple[str, ...]]
    read_passages: Callable[[File, DatasetSpec], Iterator[tuple[int, Passage]]]
    read_queries: Callable[[File, DatasetSpec], Iterator[tuple[int, Query]]]
    read_judgments: Callable[[File, DatasetSpec], Judgments]
    read_documents: Callable[[File, DatasetSpec], Iterator[tuple[int, Document]]] | None = None
    needs_corpus: bool = True
    writer: Writer | None = None
    split_suffix: str = ".tsv"
    reads: frozenset[str] = OPTIONS

    def fits(self, role: str, path: Path) -> bool:
        """True if a file has a suffix that this format reads for a role."""
        files = (name for name in self.names[role] if not name.endswith("/"))
        return unpacked_suffix(path) in {Path(name).suffix for name in files}

    def listed(self) -> str:
        """The usual file names, as messages show them."""
        return ", ".join(" or ".join(self.names[role]) for role in ROLES)
