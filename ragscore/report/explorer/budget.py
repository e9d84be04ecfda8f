"""explorer_payloads: the explorer's payloads, cut step by step until they fit into the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus
from ragscore.dataset.text_columns import SelectedTexts
from ragscore.elements.numbers import count_text, plain_number
from ragscore.messages import _
from ragscore.report.explorer.packing import base64_length, deflated, packed
from ragscore.report.explorer.payload import ShownPassages, explorer_columns, shown
from ragscore.report.explorer.rankings import Rankings, rankings
from ragscore.report.report import Report
from ragscore.results import DatasetResult

LONGEST = 20_000
"""The most characters of a passage that are shown, however much room there is."""
LONGEST_TITLE = 300
"""The most characters of a title."""
SAMPLE = 1_500_000
"""Characters that are compressed to learn how well the texts compress."""
OVERHEAD = 400
"""Bytes of markup around the two payloads."""
NOTE = len('<p class="note"></p>\n')
"""Bytes of markup around a note."""


@dataclass(frozen=True)
class Payloads:
    """What goes into the page.

    Attributes:
        explorer, passages: base64.
        notes: sentences on what was cut.
    """

    explorer: str
    passages: str
    notes: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """Their length in the page, with the notes."""
        return len(self.explorer) + len(self.passages) + noted(self.notes) + OVERHEAD


@dataclass(frozen=True)
class Step:
    """How much is kept: characters of passages that are relevant or among the first three of a
    ranking, characters of all others, and how deep rankings are shown (None: as asked)."""

    kept: int = LONGEST
    others: int = LONGEST
    depth: int | None = None


STEPS = (
    Step(),
    Step(others=1000),
    Step(others=400),
    Step(others=150),
    Step(others=0),
    Step(kept=2000, others=0),
    Step(kept=600, others=0),
    Step(kept=200, others=0),
    Step(kept=200, others=0, depth=10),
    Step(kept=200, others=0, depth=5),
    Step(kept=200, others=0, depth=3),
)
"""What is tried, in this order, until the payloads fit. Numbers are never cut."""


def explorer_payloads(report: Report, panel: DatasetResult, room: int) -> Payloads:
    """The payloads of a panel's explorer, in ``room`` bytes where that is possible; else as short
    as they get.

    Args:
        report: it is for.
        panel: of it.
        room: bytes that the page has left for them.
    """
    made = rankings(panel)
    deepest = max((run.depth for run in made.runs.values()), default=0)
    asked = min(report.options.depth, deepest)
    steps = [step for step in STEPS if step.depth is None or step.depth < asked]
    depth, columns, texts = -1, "", Texts.none()
    for step in steps:
        if (step.depth or asked) != depth:
            depth = step.depth or asked
            seen = shown(made, depth)
            columns = packed(explorer_columns(report, panel, made, seen))
            texts = Texts.of(panel, made, seen)
        left = room - len(columns) - OVERHEAD
        last = step is steps[-1]
        if not last and texts.estimated(step) > left:
            continue
        passages = texts.packed(step)
        notes = _notes(report, texts, step)
        if len(passages) + noted(notes) <= left:
            break
    return Payloads(columns, passages, notes)


def noted(notes: Sequence[str]) -> int:
    """Bytes of notes in the page."""
    return sum(len(escape(note).encode("utf-8", "replace")) + NOTE for note in notes)


@dataclass(frozen=True, eq=False)
class Texts:
    """The passages that are shown, with their whole texts.

    Attributes:
        ids, titles, texts: of each passage.
        lengths: int64[P], characters of each text; -1 where there is no text at all.
        kept: bool[P], as :class:`~ragscore.report.explorer.payload.ShownPassages` says.
    """

    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    lengths: NDArray[np.int64]
    kept: NDArray[np.bool_]

    @classmethod
    def none(cls) -> Texts:
        """No passages."""
        return cls((), (), (), np.empty(0, dtype=np.int64), np.empty(0, dtype=bool))

    @classmethod
    def of(cls, panel: DatasetResult, made: Rankings, seen: ShownPassages) -> Texts:
        """The texts of a panel, from its corpus where it has one."""
        ids = made.vocabulary.texts(seen.rows)
        corpus = panel.data.corpus if panel.data is not None else None
        if corpus is None:
            returned = panel.data.returned if panel.data is not None else {}
            texts = [returned.get(passage, "") for passage in ids]
            sizes = [
                len(text) if passage in returned else -1
                for passage, text in zip(ids, texts, strict=True)
            ]
            return cls(ids, [""] * len(ids), texts, np.array(sizes, dtype=np.int64), seen.kept)
        if made.returned is not None:
            return cls._of_units(corpus, made, seen, ids)
        inside = np.where(seen.rows < len(corpus), seen.rows, -1)
        selected = SelectedTexts(corpus.texts, inside)
        titles = [""] * len(ids)
        if corpus.titles is not None:
            titles = [title[:LONGEST_TITLE] for title in SelectedTexts(corpus.titles, inside)]
        lengths = selected.character_counts()
        lengths[inside < 0] = -1
        return cls(ids, titles, selected, lengths, seen.kept)

    @classmethod
    def _of_units(
        cls, corpus: Corpus, made: Rankings, seen: ShownPassages, ids: Sequence[str]
    ) -> Texts:
        """Units, each with the passages of it that came back."""
        texts, sizes = [], []
        for row in seen.rows.tolist():
            rows = [passage for passage in made.texts_of(row) if passage < len(corpus)]
            text = "\n\n".join(f"[{corpus.ids[one]}] {corpus.texts[one]}" for one in rows)
            texts.append(text)
            sizes.append(len(text) if rows else -1)
        return cls(ids, [""] * len(ids), texts, np.array(sizes, dtype=np.int64), seen.kept)

    def limits(self, step: Step) -> NDArray[np.int64]:
        """Characters that a step leaves of each text."""
        most = np.where(self.kept, step.kept, step.others)
        return np.asarray(np.minimum(self.lengths, most), dtype=np.int64)

    def columns(self, step: Step, part: slice = slice(None)) -> dict[str, Any]:
        """What the script reads: see ``passages`` in explorer_data.js."""
        limits = self.limits(step)[part]
        lengths = self.lengths[part]
        # One after the other where all are asked: whole texts need not fit in memory together.
        texts = self.texts if part == slice(None) else self.texts[part]
        cut = [text[:limit] for text, limit in zip(texts, limits.tolist(), strict=True)]
        # The whole length of what was cut, 0 where nothing was; -1 where no text is known.
        whole = np.where(limits < lengths, lengths, np.minimum(lengths, 0)).tolist()
        return {
            "id": list(self.ids[part]),
            "title": list(self.titles[part]),
            "text": cut,
            "length": whole,
        }

    def packed(self, step: Step) -> str:
        """The payload after a step."""
        return packed(self.columns(step))

    def estimated(self, step: Step) -> int:
        """About how long :meth:`packed` will be, from passages here and there."""
        limits = np.maximum(self.limits(step), 0)
        total = int(limits.sum())
        if total <= SAMPLE:
            return len(self.packed(step))
        # Runs of neighbours, since a text is compressed by what stands shortly before it.
        count = len(limits)
        run = 64
        runs = max(1, round(count * SAMPLE / total / run))
        taken = written = 0
        for start in np.linspace(0, max(count - run, 0), runs).astype(int).tolist():
            part = slice(start, start + run)
            written += len(deflated(self.columns(step, part)))
            taken += min(run, count - start)
        return base64_length(int(written * count / max(taken, 1)))


def _notes(report: Report, texts: Texts, step: Step) -> tuple[str, ...]:
    """Notes on what is left out."""
    say = report.say
    size = plain_number(report.options.max_mb)
    notes = []
    limits = texts.limits(step)
    cut = (limits < texts.lengths) & (texts.lengths >= 0)
    # Where a text is cut for its length alone, the explorer says so beside it.
    others = cut & ~texts.kept & (limits < LONGEST)
    kept = cut & texts.kept & (limits < LONGEST)
    if others.any():
        count = count_text(int(others.sum()))
        if step.others:
            notes.append(
                say(
                    _(
                        "To keep the page below {mb} MB, the query explorer shows only the first "
                        "{characters} characters of {n} passages that are neither relevant nor in "
                        "the top 3 of any retriever. No numbers are left out.",
                        mb=size,
                        n=count,
                        characters=step.others,
                    )
                )
            )
        else:
            notes.append(
                say(
                    _(
                        "To keep the page below {mb} MB, the query explorer leaves out the texts "
                        "of {n} passages that are neither relevant nor in the top 3 of any "
                        "retriever. No numbers are left out.",
                        mb=size,
                        n=count,
                    )
                )
            )
    if kept.any():
        count = count_text(int(kept.sum()))
        notes.append(
            say(
                _(
                    "To keep the page below {mb} MB, the query explorer shows only the first "
                    "{characters} characters of {n} passages that are relevant or in the top 3 of "
                    "a retriever.",
                    mb=size,
                    n=count,
                    characters=step.kept,
                )
            )
        )
    if step.depth is not None:
        notes.append(
            say(
                _(
                    "To keep the page below {mb} MB, the query explorer shows only the first "
                    "{depth} passages of each retriever. Ranks and measures are still those of "
                    "the full rankings.",
                    mb=size,
                    depth=step.depth,
                )
            )
        )
    if (texts.lengths < 0).all() and len(texts.lengths):
        notes.append(
            say(
                _(
                    "The texts of the passages are not available, so the query explorer shows "
                    "only their ids."
                )
            )
        )
    return tuple(notes)
