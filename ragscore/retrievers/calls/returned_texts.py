"""ReturnedTexts: the texts that a system returns with its passages, beside those of the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ragscore.blocks.numbers import count_text
from ragscore.dataset import Corpus
from ragscore.names import quoted
from ragscore.retrievers.strings import STRINGS
from ragscore.strings import Note


@dataclass(eq=False)
class ReturnedTexts:
    """Which returned passages have another text than in the corpus: what was asked then has other
    passages than those that were judged.

    Attributes:
        corpus: the passages; of ids alone nothing is compared.
        same: by row of a passage that came back with a text, whether it is that of the corpus. The
            text, or title and text, may be written with other white space.
    """

    corpus: Corpus
    same: dict[int, bool] = field(default_factory=dict)

    def add(self, rows: Sequence[int], texts: Sequence[str | None]) -> None:
        """The texts of one answer, None where a passage has none."""
        if self.corpus.ids_only:
            return
        for row, text in zip(rows, texts, strict=True):
            if text is not None and row not in self.same:
                self.same[row] = self._is_known(row, text.split())

    def _is_known(self, row: int, words: list[str]) -> bool:
        known = self.corpus.texts[row].split()
        title = self.corpus.titles[row].split() if self.corpus.titles is not None else []
        return words in (known, [*title, *known])

    def notes(self, name: str) -> Iterable[Note]:
        """How many passages have another text, and which, for example."""
        other = [row for row, same in self.same.items() if not same]
        if other:
            yield STRINGS.note(
                "other_texts",
                name=name,
                other=count_text(len(other)),
                n=count_text(len(self.same)),
                examples=quoted(self.corpus.ids[row] for row in sorted(other)[:4]),
            )
