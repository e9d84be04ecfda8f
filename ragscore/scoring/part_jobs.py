"""Parts of a run joined with judgments by the workers of an executor: processes, or a cluster.

What a worker makes of a part goes into the cache, as arrays whose size goes with its queries; from
there the run is put together as if one process had read all parts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ragscore.cache import Cache
from ragscore.errors import ConfigError, DataError
from ragscore.executors import ExecutorSpec, Finished, Job, Local, TaskWorker
from ragscore.formats.reading.problems import shown
from ragscore.formats.runs.run_loading import joined_part
from ragscore.formats.runs.run_parts import RunParts
from ragscore.judge import JoinedPart, JoinTo
from ragscore.judge.stored_part import read_judgments, read_part, write_judgments, write_part
from ragscore.progress import Progress
from ragscore.spec import canonical_json, digest_text

PARTS = "run-parts"
"""The kind of the entries that hold joined parts."""
JUDGMENTS = "run-judgments"
"""The kind of the entries that hold what they were joined with."""
FORM = 1
"""Counts up where what entries hold changes."""


@dataclass(frozen=True)
class PartsJob(Job):
    """Join parts of a run; a task is the path of one.

    Attributes:
        place: of the cache, which every worker reaches.
        judgments: the key of what parts are joined with, an entry of the cache.
    """

    place: str
    judgments: str

    def open(self) -> TaskWorker:
        """Read the judgments.

        Raises:
            DataError: they are not in the cache.
        """
        cache = Cache.at(self.place)
        to = cache.read(JUDGMENTS, self.judgments, read_judgments)
        if to is None:
            raise DataError("the judgments are not in the cache", where=self.place)
        return _PartsWorker(cache, to, self.judgments)

    def label(self, task: str) -> str:
        """The part's path."""
        return shown(Path(task))


@dataclass
class _PartsWorker(TaskWorker):
    cache: Cache
    to: JoinTo
    judgments: str

    def do(self, task: str) -> None:
        path = Path(task)
        part = joined_part(path, self.to)
        self.cache.entry(PARTS, part_key(path, self.judgments), partial(write_part, part))


def judgments_key(to: JoinTo) -> str:
    """The key of what parts are joined with: 64 hex digits."""
    qrels, digest = to.qrels, hashlib.sha256(f"{FORM}".encode())
    for texts in (qrels.query_ids, qrels.passages):
        packed = type(texts).joined([texts])
        digest.update(packed.lengths.tobytes() + b"|")
        digest.update(packed.buffer.tobytes() + b"|")
    for array in (qrels.indptr, qrels.grades, to.count_ties_of):
        digest.update(b"none" if array is None else array.tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def part_key(path: Path, judgments: str) -> str:
    """The key of a joined part: by the file's path, length and time of change."""
    about = path.stat()
    file = [str(path.resolve()), about.st_size, about.st_mtime_ns]
    return digest_text(canonical_json([FORM, file, judgments]))


def parts_by(
    executor: ExecutorSpec,
    cache: Cache | None,
    progress: Progress,
    parts: RunParts,
    to: JoinTo,
) -> Iterator[JoinedPart]:
    """The joined parts, in order, by the workers of an executor; a part that none of them could
    join is joined here, which raises what is wrong with it.

    Args:
        executor: whose workers reach the files by their paths.
        cache: within reach of every worker; parts that it holds are not read again. None keeps
            nothing.
        progress: receives workers that do not do what they are given.
        parts: of one run.
        to: the judgments.

    Raises:
        DataError: lines of a part are wrong.
        ConfigError: there are no workers, or other machines and no cache.
    """
    if cache is not None:
        yield from _parts_in(cache, executor, progress, parts, to)
    elif isinstance(executor, Local):
        with TemporaryDirectory() as folder:
            yield from _parts_in(Cache(folder), executor, progress, parts, to)
    else:
        raise ConfigError(
            "other machines put what they find into a cache, and none is given",
            where="cache",
            instead="Give one that all of them reach: Cache.at('s3://bucket/folder')",
        )


def _parts_in(
    cache: Cache, executor: ExecutorSpec, progress: Progress, parts: RunParts, to: JoinTo
) -> Iterator[JoinedPart]:
    judgments = judgments_key(to)
    files = [path.resolve() for path in parts.files]
    missing = [str(path) for path in files if not cache.has(PARTS, part_key(path, judgments))]
    if missing:
        cache.entry(JUDGMENTS, judgments, partial(write_judgments, to))

        def passed_over(done: Finished) -> None:
            """What failed is done again here."""

        with executor.open(cache, progress) as workers:
            workers.run(PartsJob(cache.place, judgments), missing, passed_over)
    for path in files:
        part = cache.read(PARTS, part_key(path, judgments), read_part)
        yield joined_part(path, to) if part is None else part
