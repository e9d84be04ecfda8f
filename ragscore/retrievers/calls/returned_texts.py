"""ReturnedTexts: the texts that a system returns with its passages, beside those of the corpus or
in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragscore.dataset import Corpus
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, _
from ragscore.names import quoted
from ragscore.retrievers.calls.vocabulary import writable

MAX_TEXT = 100_000
"""Characters that are kept of one text where there is no corpus."""
MAX_TEXTS = 64_000_000
"""Characters that are kept of all texts."""


@dataclass(eq=False)
class ReturnedTexts:
    """Where there is a corpus: which returned passages have another text there, so that what was
    asked has other passages than those that were judged. Where there is none: the texts.

    Attributes:
        corpus: the passages, or ids in their place.
        kept: by id, the first text that came back, where there is no corpus.
        same: by row of a passage that came back with a text, whether it is that of the corpus. The
            text, or title and text, may be written with other white space.
    """

    corpus: Corpus
    same: dict[int, bool] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    _new: dict[str, str] = field(default_factory=dict)
    _size: int = 0

    def add(self, ids: Sequence[str], rows: Sequence[int], texts: Sequence[str | None]) -> None:
        """The texts of one answer, None if a passage has none."""
        if self.corpus.ids_only:
            for passage, text in zip(ids, texts, strict=True):
                if text and passage not in self.kept:
                    self._keep(passage, text[:MAX_TEXT])
            return
        for row, text in zip(rows, texts, strict=True):
            if text is not None and row not in self.same:
                self.same[row] = self._is_known(row, text.split())

    def recall(self, texts: Mapping[str, str]) -> None:
        """Keep what an earlier process kept: what :meth:`new` gave there."""
        for passage, text in texts.items():
            self._keep(passage, text)
        self._new = {}

    def new(self) -> Mapping[str, str]:
        """What was kept since this was last asked."""
        new, self._new = self._new, {}
        return new

    def _keep(self, passage: str, text: str) -> None:
        self._size += len(text)
        if self._size <= MAX_TEXTS:
            self.kept[passage] = self._new[passage] = writable(text)

    def _is_known(self, row: int, words: list[str]) -> bool:
        known = self.corpus.texts[row].split()
        title = self.corpus.titles[row].split() if self.corpus.titles is not None else []
        return words in (known, [*title, *known])

    def notes(self, name: str) -> Iterable[Message]:
        """How many passages have another text, and which, for example."""
        other = [row for row, same in self.same.items() if not same]
        if other:
            yield _(
                "{name}: {other} of {n} returned passages differ in text from the corpus, "
                "such as {examples}; its index may be from another version",
                name=name,
                other=count_text(len(other)),
                n=count_text(len(self.same)),
                examples=quoted(self.corpus.ids[row] for row in sorted(other)[:4]),
            )
