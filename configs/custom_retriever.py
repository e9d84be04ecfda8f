"""A retriever of your own: overlap of character n-grams, in plain Python."""

from __future__ import annotations

from collections import Counter

from ragscore import Corpus


class CharacterGrams:
    """Scores a passage by the character n-grams that it shares with the query.

    Args:
        n: characters in a gram.
    """

    def __init__(self, n: int = 4) -> None:
        self.n = n

    def index(self, corpus: Corpus) -> None:
        """Called once with all passages."""
        contents = corpus.content()  # title and text of each, as the other retrievers index them
        self.grams = {
            passage_id: self._count(content)
            for passage_id, content in zip(corpus.ids, contents, strict=True)
        }

    def retrieve(self, queries: list[str], k: int) -> list[list[tuple[str, float]]]:
        """The k best (passage id, score) pairs of each query."""
        return [self._best(self._count(query), k) for query in queries]

    def _count(self, text: str) -> Counter[str]:
        lowered = text.lower()
        return Counter(lowered[at : at + self.n] for at in range(len(lowered) - self.n + 1))

    def _best(self, query: Counter[str], k: int) -> list[tuple[str, float]]:
        scores = [
            (passage_id, float((query & grams).total()) / (1 + grams.total()) ** 0.5)
            for passage_id, grams in self.grams.items()
        ]
        scores = [(passage_id, score) for passage_id, score in scores if score > 0]
        return sorted(scores, key=lambda pair: pair[1], reverse=True)[:k]
