"""Words of a European language (and some others): stop words dropped, the rest stemmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from ragscore.messages import Text, _
from ragscore.text.base import Analyzer, TokenizerSpec, lower_words
from ragscore.validation.findings import contradiction

SnowballLanguage = Literal[
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter",
    "english", "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi",
    "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian",
    "persian", "polish", "porter", "portuguese", "romanian", "russian", "serbian", "sesotho",
    "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip

STOP_WORD_LISTS = {
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "dutch_porter": "STOPWORDS_DUTCH",
    "english": "STOPWORDS_EN",
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "porter": "STOPWORDS_EN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}
"""The list in bm25s.stopwords that each language uses; the other languages have none."""


class Snowball(TokenizerSpec):
    """Words of one language, lower-cased, without its stop words, cut to their Snowball stems.

    The tokens are those of ``bm25s.tokenize(texts, stopwords=..., stemmer=Stemmer(language))``, but
    that the vowel signs of Hindi, Nepali and Tamil belong to their words.

    >>> Snowball().open().tokens("When is the rent of the flats due?")
    ['when', 'rent', 'flat', 'due']
    """

    packages: ClassVar[tuple[str, ...]] = ("bm25s", "PyStemmer")
    """They hold the stop words and the stems."""
    kind: Literal["snowball"] = "snowball"
    language: SnowballLanguage = "english"
    """A Snowball algorithm; ``porter`` is the older one for English."""
    stop_words: bool = Field(default_factory=lambda given: given.get("language") in STOP_WORD_LISTS)
    """Drop the language's most frequent words; by default true where there is a list of them."""
    stem: bool = True
    """Cut words to their stems, so that *flats* finds *flat*."""

    @model_validator(mode="after")
    def _has_stop_words(self) -> Self:
        if self.stop_words and self.language not in STOP_WORD_LISTS:
            what = f"there is no list of stop words for {self.language}"
            raise contradiction("stop_words", what, "Leave stop_words out, or write false")
        return self

    def open(self) -> Analyzer:
        """Load the stop words and the stemmer."""
        stop_words: frozenset[str] = frozenset()
        if self.stop_words:
            from bm25s import stopwords

            stop_words = frozenset(getattr(stopwords, STOP_WORD_LISTS[self.language]))
        if not self.stem:
            return Analyzer(
                lower_words,
                lambda words: [None if word in stop_words else word for word in words],
            )
        import Stemmer

        stems = Stemmer.Stemmer(self.language).stemWords

        def reduce(words: Sequence[str]) -> list[str | None]:
            kept = [word for word in words if word not in stop_words]
            stem_of = dict(zip(kept, stems(kept), strict=True))
            return [stem_of.get(word) for word in words]

        return Analyzer(lower_words, reduce)

    def doubt(self, written: str) -> Text | None:
        if written == "Korean":
            return _(
                "passages are Korean, but the tokenizer '{tokenizer}' leaves particles and "
                "endings on words; use tokenizer: korean, which finds the morphemes (pip "
                "install 'ragscore-eval[korean]'), or tokenizer: bigrams, which needs no "
                "extra package",
                tokenizer=self.language,
            )
        return super().doubt(written)
