"""A corpus that is read from its files block by block, and kept in the cache that way.

The blocks of a file are its rows from the first on, equally many in each; so they depend on the
file and on nothing else. A block is found again by what its file is known by
(:mod:`~ragscore.formats.datasets.file_identity`); what is computed of it later is found by its
content.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, takewhile
from pathlib import Path

import numpy as np

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus
from ragscore.dataset.byte_ids import joined_ids
from ragscore.errors import DataError, DiskError
from ragscore.formats.datasets import tables
from ragscore.formats.datasets.base import Format
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.file_identity import file_identity
from ragscore.formats.datasets.passage_readers import READERS
from ragscore.formats.datasets.rows import unique_rows
from ragscore.formats.datasets.stored_columns import COLUMNS, KIND
from ragscore.formats.datasets.stored_passages import StoredBlock, keep_block, open_block
from ragscore.formats.reading.lines import File, RowBlocks, unpacked_suffix
from ragscore.formats.reading.problems import Problems, TooManyError, shown
from ragscore.progress import Progress

FORMAT = 2
"""Raise this when the meaning of kept blocks changes, so that old ones are not found."""
COUNTS, DIGESTS = "passage-counts", "passage-digests"
"""Kinds of entries of the cache: how many rows a file has; the digest of a block, or of a corpus in
blocks."""
COUNT, DIGEST = "count.txt", "digest.txt"


@dataclass(frozen=True)
class BlockPlace:
    """Where a block stands.

    Attributes:
        number: which of the corpus's blocks, 0 up.
        file: which of the corpus's files, 0 up.
        in_file: which of the file's blocks, 0 up.
        first: the row of its first passage in the corpus.
        count: how many passages it has.
    """

    number: int
    file: int
    in_file: int
    first: int
    count: int


class PassageFiles:
    """The files of a corpus, each of them in blocks.

    Args:
        paths: in the order of the corpus.
        fmt: what reads those that it knows.
        spec: how they are read.
        cache: where blocks are kept.
        problems: collects what is wrong with the rows.
        progress: receives the bytes read, for large files.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        fmt: Format,
        spec: DatasetSpec,
        cache: Cache,
        problems: Problems,
        progress: Progress,
    ) -> None:
        self.paths = paths
        self._format = fmt
        self._spec = spec
        self._cache = cache
        self._problems = problems
        self._progress = progress
        self.numeric_ids = 0
        """Ids that are whole numbers, and were taken as text."""
        self._counted: dict[str, int] = {}
        """How many rows a file has that was counted here, by its identity."""

    def corpus(self) -> Corpus | None:
        """All passages; None if something is wrong with them, which is reported.

        Raises:
            DiskError: blocks cannot be written.
        """
        blocks = list(self.blocks())
        if self._problems.found:
            return None

        def digest() -> str:
            found = self.known_digest(blocks)
            if not found:
                found = corpus.content_digest()
                self._keep_text(DIGESTS, _digest_key(blocks), DIGEST, found)
            return found

        try:
            corpus = Corpus.of_blocks(blocks, known_digest=digest)
        except DataError:
            self._report_repeated(blocks)
            return None
        return corpus

    def places(self) -> tuple[BlockPlace, ...]:
        """Where the blocks stand, in the order of the corpus; files whose rows nobody has counted
        are read for that. Empty if something is wrong with a file, which is reported."""
        rows = [self._rows_of(path) for path in self.paths]
        if self._problems.found:
            return ()
        size, found = self._spec.block, list[BlockPlace]()
        for file, (count, first) in enumerate(zip(rows, accumulate(rows, initial=0), strict=False)):
            for start in range(0, count, size):
                of_block = min(size, count - start)
                place = BlockPlace(len(found), file, start // size, first + start, of_block)
                found.append(place)
        return tuple(found)

    def fetch_digests(self, places: Iterable[BlockPlace]) -> None:
        """Fetch all that :meth:`digest_of` reads of some blocks, where machines share it."""
        identities = [self._identity(path) for path in self.paths]
        keys = (_block_key(identities[place.file], place.in_file) for place in places)
        self._cache.fetch_all(DIGESTS, keys, self._progress)

    def share(self, places: Iterable[BlockPlace]) -> None:
        """Write what is kept of some blocks to the store that machines share, where it is here
        alone."""
        for path in self.paths:
            self._cache.share(COUNTS, entry_key(FORMAT, self._identity(path), "rows"))
        for place in places:
            key = _block_key(self._identity(self.paths[place.file]), place.in_file)
            for kind in (COLUMNS, KIND, DIGESTS):
                self._cache.share(kind, key)

    def digest_of(self, place: BlockPlace) -> str:
        """The digest of a block, empty if it was not read yet; its passages are not read."""
        identity = self._identity(self.paths[place.file])
        found = self._read_digest(_block_key(identity, place.in_file))
        if found is None:
            block = self._kept(identity, place.in_file)
            return "" if block is None else block.corpus.digest
        return found

    def known_digest(self, blocks: Sequence[Corpus]) -> str:
        """The digest of a corpus of blocks, empty if nobody has computed it yet."""
        return self._read_digest(_digest_key(blocks)) or ""

    def blocks(self, places: Collection[BlockPlace] | None = None) -> Iterator[Corpus]:
        """The blocks in their order; those that are not kept yet are read and kept.

        Args:
            places: of those that are asked for; None asks for all.

        Raises:
            DiskError: a block cannot be written.
        """
        for file, path in enumerate(self.paths):
            with suppress(TooManyError):
                if places is None:
                    yield from self._of_file(path, None)
                elif of_file := {place.in_file: place for place in places if place.file == file}:
                    read = self._of_file(path, of_file.keys())
                    for place, corpus in zip(of_file.values(), read, strict=False):
                        yield replace(corpus, first=place.first)

    def _of_file(self, path: Path, wanted: Collection[int] | None) -> Iterator[Corpus]:
        """Blocks of a file, all of them by default; fewer where something is wrong with it."""
        identity = self._identity(path)
        rows = self._kept_rows(identity)
        if rows is not None:
            numbers = range(-(-rows // self._spec.block)) if wanted is None else wanted
            opened = (self._kept(identity, number) for number in numbers)
            kept = [block for block in takewhile(bool, opened) if block is not None]
            if len(kept) == len(numbers):
                yield from map(self._taken, kept)
                return
        for number in self._read(path, identity, wanted):
            block = self._kept(identity, number)
            if block is None:
                raise DiskError(
                    f"block {number + 1} of {shown(path)} cannot be kept: a damaged entry is in "
                    "its place, or it was deleted at once",
                    where=str(self._cache.root),
                    instead="Allow writing there, or name another folder in RAGSCORE_CACHE",
                )
            yield self._taken(block)

    def _kept(self, identity: str, number: int) -> StoredBlock | None:
        return open_block(self._cache, _block_key(identity, number), self._progress)

    def _taken(self, block: StoredBlock) -> Corpus:
        self.numeric_ids += block.numeric_ids
        return block.corpus

    def _rows_of(self, path: Path) -> int:
        """How many passages a file has."""
        identity = self._identity(path)
        if self._kept_rows(identity) is None:
            with suppress(TooManyError):
                for _ in self._read(path, identity, ()):
                    pass
        return self._kept_rows(identity) or 0

    def _identity(self, path: Path) -> str:
        """What the blocks of a file depend on."""
        options = self._spec.model_dump(
            mode="json", include={"columns", "encoding", "delimiter", "ids", "block", "format"}
        )
        return file_identity(path, options, self._cache, self._progress)

    def _read(self, path: Path, identity: str, wanted: Collection[int] | None) -> Iterator[int]:
        """Read the wanted blocks of a file, all of them by default, and keep them; their
        numbers."""
        size = self._spec.block
        known = self._kept_rows(identity)
        stop = None if known is None or not wanted else (max(wanted) + 1) * size
        file = File(
            path,
            self._problems,
            self._progress,
            encoding=self._spec.encoding,
            blocks=RowBlocks(size, lambda number: wanted is None or number in wanted, stop),
        )
        numeric = 0
        for number, corpus, numeric_ids in self._corpora(file):
            if not self._problems.found:
                key = _block_key(identity, number)
                keep_block(self._cache, key, corpus, numeric_ids - numeric)
                self._keep_text(DIGESTS, key, DIGEST, corpus.digest)
                yield number
            numeric = numeric_ids
        if path.is_file() and self._identity(path) != identity:
            file.problem(
                "the file changed while it was read", instead="Run again once nobody writes to it"
            )
        if known is None and file.intact:
            self._counted[identity] = file.rows_seen
            key = entry_key(FORMAT, identity, "rows")
            self._keep_text(COUNTS, key, COUNT, str(file.rows_seen))

    def _corpora(self, file: File) -> Iterator[tuple[int, Corpus, int]]:
        """The passages of the blocks that a file is read in, with the numbers of these and how many
        ids of the file up to there are whole numbers."""
        size = self._spec.block
        known = self._format.fits("passages", file.path)
        reader = self._format.read_passages if known else READERS[unpacked_suffix(file.path)]
        if reader is tables.read_passages and file.path.suffix == ".parquet":
            for first, corpus in tables.read_corpora(file, self._spec):
                yield first // size, corpus, file.numeric_ids
            return
        # The first row of a block is read before the block in front of it ends.
        rows = ((row, file.numeric_ids) for row in reader(file, self._spec))
        for number, of_block in groupby(rows, lambda row: (file.rows_seen - 1) // size):
            read = list(of_block)
            passages = unique_rows((row for row, _ in read), file)
            yield number, Corpus.from_passages(passages), read[-1][1]

    def _kept_rows(self, identity: str) -> int | None:
        if identity in self._counted:
            return self._counted[identity]
        key = entry_key(FORMAT, identity, "rows")
        return self._cache.read(COUNTS, key, _read_count, progress=self._progress)

    def _read_digest(self, key: str) -> str | None:
        def read(folder: Path) -> str:
            return (folder / DIGEST).read_text("ascii")

        return self._cache.read(DIGESTS, key, read, progress=self._progress)

    def _keep_text(self, kind: str, key: str, name: str, text: str) -> None:
        def write(folder: Path) -> None:
            (folder / name).write_text(text, encoding="ascii")

        self._cache.keep(kind, key, write)

    def _report_repeated(self, blocks: Sequence[Corpus]) -> None:
        """Report an id that two passages have."""
        ids = joined_ids([block.ids for block in blocks])
        rows = ids.repeated()
        if rows is None:
            return
        firsts = [0]
        for path in self.paths:
            firsts.append(firsts[-1] + (self._kept_rows(self._identity(path)) or 0))
        files = [bisect_right(firsts, row) - 1 for row in rows]
        places = [
            f"passage {row - firsts[file] + 1:,}" for row, file in zip(rows, files, strict=True)
        ]
        if files[0] != files[1]:
            places[0] += f" of {shown(self.paths[files[0]])}"
        File(self.paths[files[1]], self._problems).problem(
            f"the id '{ids[rows[0]]}' of its {places[1]} is already used by {places[0]}",
            instead="Ids must be unique",
        )


def _read_count(folder: Path) -> int:
    rows = int((folder / COUNT).read_text("ascii"))
    if not 0 <= rows <= np.iinfo(np.int32).max:
        raise ValueError("no corpus has so many passages")
    return rows


def _block_key(identity: str, number: int) -> str:
    """The key of a block of a file, in each of its kinds of entries."""
    return entry_key(FORMAT, identity, str(number))


def _digest_key(blocks: Sequence[Corpus]) -> str:
    return entry_key(FORMAT, [block.digest for block in blocks], "")
