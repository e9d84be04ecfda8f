"""What ``ragscore score`` reads: judgments from a file or a dataset folder, and run files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragscore.errors import DataError
from ragscore.paths import expanded

if TYPE_CHECKING:
    from ragscore.dataset import Qrels
    from ragscore.dataset.text_qrels import TextQrels
    from ragscore.judge import JoinedRun
    from ragscore.measures import Measure
    from ragscore.run import Run
    from ragscore.scoring import Profile, RetrieverScores


class Judgments:
    """What runs are judged by: a file of judgments, or the folder of a dataset.

    Attributes:
        name: the folder's or the file's, for tables.
        unanswerable: ids of queries that have no answer; only a dataset knows them.
        n_passages: number of passages in the corpus; only a dataset knows it.
    """

    def __init__(self, path: Path) -> None:
        from ragscore.formats.runs.detect import name_of_run

        self.path = expanded(path)
        self.unanswerable: frozenset[str] = frozenset()
        self.n_passages: int | None = None
        if self.path.is_dir():
            from ragscore.formats import load_dataset

            dataset = load_dataset(self.path)
            self.name = dataset.name
            self.unanswerable = dataset.queries.unanswerable
            self.n_passages = len(dataset.corpus) if dataset.corpus is not None else None
            self.qrels = dataset.qrels
        else:
            self.name = name_of_run(self.path)

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments, passages by number."""
        from ragscore.formats import load_qrels

        return load_qrels(self.path)

    @cached_property
    def columns(self) -> TextQrels:
        """The judgments as the join with run files wants them; quicker to read."""
        from ragscore.dataset.text_qrels import TextQrels
        from ragscore.formats.datasets.qrels import load_text_qrels

        if "qrels" in self.__dict__:
            return TextQrels.of(self.qrels)
        return load_text_qrels(self.path)

    def refuse_none(self) -> None:
        """Raise a DataError where nothing is judged: there is nothing to score by."""
        if not self.columns.judgments.any():
            raise DataError("no judgment is here", where=str(self.path))

    def answerable(self) -> int:
        """How many queries have a judgment and are not marked as unanswerable."""
        columns = self.columns
        judged = zip(columns.query_ids.to_list(), columns.judgments.tolist(), strict=True)
        return sum(count > 0 and query not in self.unanswerable for query, count in judged)


@dataclass(frozen=True)
class HowToScore:
    """The options that say how a run is scored; see :func:`ragscore.scoring.score`."""

    measures: tuple[Measure, ...]
    profile: Profile
    missing: Literal["zero", "drop"]
    depth: int | None
    unjudged: Literal["keep", "remove"]
    n_passages: int | None
    bounds: bool
    strict: bool


@dataclass(frozen=True)
class Scored:
    """The scores of one run file.

    Attributes:
        entry: the scores.
        path: the file.
        depth: ranks that were looked at.
        dropped: judged queries that were left out because the run lacks them.
    """

    entry: RetrieverScores
    path: Path
    depth: int
    dropped: int

    def tag(self) -> str:
        """The name that a TREC run gives itself; else the file's."""
        return tag_of(self.path) or self.entry.retriever


def joins(path: Path) -> bool:
    """Whether a file's format is one that is joined with the judgments while it is read."""
    from ragscore.formats.runs.detect import run_format

    path = expanded(path)
    return path.is_file() and run_format(path) in ("trec", "parquet")


def score_file(path: Path, name: str, judgments: Judgments, how: HowToScore) -> Scored:
    """The scores of one run file.

    TREC and Parquet runs are joined with the judgments while they are read, unless the profile
    changes the ranking; the numbers are the same either way.
    """
    from ragscore.formats.runs.join import join_run
    from ragscore.formats.runs.load import load_run
    from ragscore.judge import JoinedRun
    from ragscore.scoring import with_mismatch

    path = expanded(path)
    if how.profile.as_it_is and joins(path):
        run = join_run(path, judgments.columns, name=name, strict=how.strict)
        entry = (
            _joined(run, judgments, how)
            if isinstance(run, JoinedRun)
            else _in_memory(run, judgments, how)
        )
        depth = run.depth
        entry = with_mismatch(entry, lambda: load_run(path, name=name), lambda: judgments.qrels)
    else:
        run = how.profile.run(load_run(path, name=name, strict=how.strict))
        entry, depth = _in_memory(run, judgments, how), run.depth
    dropped = judgments.answerable() - entry.counts.queries if how.missing == "drop" else 0
    return Scored(entry, path, depth if how.depth is None else min(depth, how.depth), dropped)


def _joined(run: JoinedRun, judgments: Judgments, how: HowToScore) -> RetrieverScores:
    from ragscore.judge import Blocks
    from ragscore.scoring import at_depth, deepest, score_blocks

    recorded = run.depth if how.depth is None else min(run.depth, how.depth)
    asked = at_depth(how.measures, recorded)
    blocks = Blocks(
        run,
        judgments.columns,
        depth=deepest(asked.values(), recorded),
        recorded=recorded,
        leave_out=judgments.unanswerable,
        missing=how.missing,
        n_passages=how.n_passages,
    )
    scores = score_blocks(
        blocks,
        asked,
        dataset=judgments.name,
        retriever=run.name,
        unjudged=how.unjudged,
        bounds=how.bounds,
    )
    return scores.entries[0]


def _in_memory(run: Run, judgments: Judgments, how: HowToScore) -> RetrieverScores:
    from ragscore.scoring import score

    scores = score(
        run,
        judgments.qrels,
        how.measures,
        dataset=judgments.name,
        unanswerable=judgments.unanswerable,
        depth=how.depth,
        missing=how.missing,
        unjudged=how.unjudged,
        n_passages=how.n_passages,
        bounds=how.bounds,
    )
    return scores.entries[0]


def tag_of(path: Path) -> str | None:
    """The name in a TREC run's last column, on its last line as trec_eval has it; None where
    the file is another kind of run."""
    from ragscore.formats.reading.lines import PACKED, read_chunks
    from ragscore.formats.runs.detect import run_format

    path = expanded(path)
    if run_format(path) != "trec":
        return None
    if path.suffix in PACKED:
        end = b""
        for chunk in read_chunks(path):
            end = (end + chunk)[-(1 << 16) :]
    else:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - (1 << 16)))
            end = file.read()
    for line in reversed(end.decode("utf-8", "replace").split("\n")):
        parts = line.replace("\t", " ").split(" ")
        parts = [part for part in parts if part]
        if len(parts) >= 6 and not parts[0].startswith("#"):
            return parts[5]
    return None
