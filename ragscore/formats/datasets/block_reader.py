"""The blocks of a dataset's passages, opened one at a time, and its queries; nothing else of the
dataset is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.dataset.unread import unread_block, unread_corpus
from ragscore.errors import DataError
from ragscore.formats.datasets.blocked_corpus import BlockPlace, PassageFiles
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.find import locate
from ragscore.formats.datasets.read import read_queries
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import collected, shown
from ragscore.progress import SILENT, Progress


class BlockReader:
    """A dataset whose passages are read in blocks.

    Args:
        spec: how it is read.
        cache: where blocks are kept.
        in_blocks: read a single file of passages in blocks too.
        progress: receives the bytes read, for large files.

    Raises:
        DataError: a file is missing, or unfit.
    """

    def __init__(
        self, spec: DatasetSpec, cache: Cache, *, in_blocks: bool, progress: Progress = SILENT
    ) -> None:
        self.spec = spec
        self._cache = cache
        self._progress = progress
        self._located = located = locate(spec)
        alone = (located.passages,) if in_blocks and located.passages is not None else ()
        self._paths = located.shards or alone
        self._digests: dict[int, str] = {}

    @property
    def blocked(self) -> bool:
        """Whether its passages are searched in blocks at all: a sample of them is in memory."""
        return bool(self._paths) and self.spec.sample is None

    @cached_property
    def places(self) -> tuple[BlockPlace, ...]:
        """Where the blocks stand, in the order of the corpus.

        Raises:
            DataError: a file cannot be read, or none of them has passages.
        """
        with self._files() as files:
            found = files.places()
        if not found:
            instead = "A dataset needs at least one passage"
            raise DataError("there are no passages", where=shown(self.spec.folder), instead=instead)
        return found

    @cached_property
    def queries(self) -> Queries:
        """The dataset's.

        Raises:
            DataError: something is wrong with them.
        """
        with collected() as problems:
            file = File(
                self._located.queries, problems, self._progress, encoding=self.spec.encoding
            )
            return read_queries(file, self._located.format, self.spec)

    def share(self, places: Iterable[BlockPlace]) -> None:
        """Write some blocks to the store that machines share, where they are here alone."""
        with self._files() as files:
            files.share(places)

    def unread(self, place: BlockPlace) -> Corpus | None:
        """A block without its passages; None if nobody has read these yet."""
        if not self._digests.get(place.number):
            with self._files() as files:
                self._digests[place.number] = files.digest_of(place)
        digest = self._digests[place.number]
        return unread_block(place.count, digest, place.first) if digest else None

    def corpus(self) -> Corpus | None:
        """All blocks without their passages; None if some of these were not read by anybody."""
        with self._files() as files:
            files.fetch_digests(self.places)
        blocks = [block for place in self.places if (block := self.unread(place)) is not None]
        if len(blocks) < len(self.places):
            return None
        with self._files() as files:
            return unread_corpus(blocks, lambda: files.known_digest(blocks))

    def read(self, places: Collection[BlockPlace]) -> Iterator[Corpus]:
        """Some of the blocks in their order; those that are not kept yet are read and kept.

        Raises:
            DataError: something is wrong with their passages.
            DiskError: a block cannot be kept.
        """
        with self._files() as files:
            yield from files.blocks(places)

    @contextmanager
    def _files(self) -> Iterator[PassageFiles]:
        with collected() as problems:
            yield PassageFiles(
                self._paths,
                self._located.format,
                self.spec,
                self._cache,
                problems,
                self._progress,
            )
