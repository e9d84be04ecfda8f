"""What is known of a block of a corpus that was encoded: what searching it needs, and what making
that cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragscore.cache import Cache
from ragscore.encoders import Truncation, read_truncation, write_truncation
from ragscore.errors import DataError
from ragscore.progress import Progress
from ragscore.retrievers.build_cost import BuildCost

COSTS = "block-costs"
"""The cache's kind of entry for what is known of an encoded block; it is read where the block
itself is not."""
SIZE = "size.txt"


@dataclass(frozen=True, eq=False)
class EncodedBlock:
    """What searching a block needs, as it stands in the cache.

    Attributes:
        reopened: all of it was there.
        size_bytes: of what is read of it.
        cost: of making it, now or when it was made; None if nothing has to be made, or nobody
            recorded it.
        truncation: what an encoder did not read of the passages; None if it does not say.
    """

    reopened: bool = True
    size_bytes: int = 0
    cost: BuildCost | None = None
    truncation: Truncation | None = None

    def write(self, folder: Path) -> None:
        """Keep what is known of it in the folder of an entry, beside anything else."""
        (folder / SIZE).write_text(str(self.size_bytes), encoding="ascii")
        write_truncation(self.truncation, folder)
        if self.cost is not None:
            self.cost.write(folder)

    @classmethod
    def read(cls, folder: Path) -> EncodedBlock:
        """What was kept of it.

        Raises:
            Exception: any; the entry is damaged.
        """
        size = int((folder / SIZE).read_text(encoding="ascii"))
        if size < 0:
            raise DataError("its size is negative")
        return cls(True, size, BuildCost.read(folder), read_truncation(folder))


def kept_block(cache: Cache, kind: str, key: str, progress: Progress) -> EncodedBlock | None:
    """What is known of an entry that searching a block needs, where both are in the cache.

    Args:
        cache: where they are.
        kind, key: of the entry; what is known of it has the same key.
        progress: reports a damaged entry.
    """
    if not cache.has(kind, key) or not cache.has(COSTS, key):
        return None
    return cache.read(COSTS, key, EncodedBlock.read, progress=progress)
