"""The protocol of chunkers: a text to the places of its chunks.

``SentenceChunker(size=400).spans(text)`` and ``{kind: sentences, size: 400}`` in YAML are the same.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, PositiveInt, model_validator

from ragscore.chunking.packed_pieces import Level, Ruler
from ragscore.chunking.text_layout import Layout, Pieces, Places, Spans
from ragscore.encoders.named_tokenizers import open_tokenizer, tokenizer_problems
from ragscore.errors import Problem
from ragscore.files import name_or_path
from ragscore.kinds import KindSpec
from ragscore.validation.findings import check_tokenizer, contradiction

MINILM = "minilm"


class ChunkerSpec(KindSpec):
    """Base of every chunker's description; a subclass adds ``kind`` and its options."""

    @abstractmethod
    def spans(self, text: str) -> Spans:
        """Where the chunks of a text begin and end.

        Args:
            text: of a document, as it was read.

        Returns:
            int64[m, 2] of characters [start, end), in order of start and none empty. Every
            character that is not white space lies in some chunk, and no chunk begins or ends inside
            a grapheme cluster.
        """

    cacheable: ClassVar[bool] = True
    """Whether the cache keeps the chunks: not those of foreign code, of which nothing shows what
    they depend on."""

    @property
    def quick(self) -> bool:
        """Whether documents are cut about as fast as they are read, so that a plan may cut them."""
        return True

    def opened(self) -> Callable[[str], Spans]:
        """What :meth:`spans` does, for many texts: what has to be loaded is loaded once."""
        return self.spans

    def depends_on(self) -> dict[str, object]:
        """What the chunks of a text depend on, besides the versions of packages, as JSON.

        Raises:
            ConfigError: what it names is not there.
        """
        return self.model_dump(mode="json")


class SizedChunker(ChunkerSpec):
    """Base of the chunkers whose chunks have a size."""

    size: PositiveInt | None = 800
    """Length of a chunk at most; what cannot be cut may be longer."""
    overlap: int = Field(0, ge=0)
    """Length that a chunk shares with the one before it at most; smaller than `size`."""

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        if self.size is None and self.overlap:
            what = "chunks without a size have no overlap"
            raise contradiction("overlap", what, "Give a size, or leave overlap out")
        if self.size is not None and self.overlap >= self.size:
            what = f"an overlap of {self.overlap:,} is not smaller than the size, {self.size:,}"
            instead = f"Write at most {self.size - 1:,}"
            raise contradiction("overlap", what, instead)
        return self


class PackedChunker(SizedChunker):
    """Base of the chunkers that put neighbouring pieces of a text together up to a size."""

    unit: str = "characters"
    """What `size` and `overlap` count."""
    tokenizer: str | None = None
    """Whose tokens are counted with `unit: tokens`: a folder with a Hugging Face tokenizer.json,
    an encoder such as minilm, or a model of the hub that is on this machine. By default minilm."""

    @model_validator(mode="after")
    def _tokenizer_counts(self) -> Self:
        if self.unit != "tokens":
            check_tokenizer(self.unit, self.tokenizer)
        return self

    @property
    def tokens_of(self) -> str:
        """The name of the tokenizer."""
        return self.tokenizer or MINILM

    def resolved(self, base: Path) -> Self:
        """The same description, the path of a tokenizer absolute."""
        made = super().resolved(base)
        if made.tokenizer is None:
            return made
        return made.model_copy(update={"tokenizer": name_or_path(made.tokenizer, base)})

    def check(self) -> list[Problem]:
        """The tokenizer is there."""
        found = tokenizer_problems(self.tokens_of) if self.unit == "tokens" else []
        return [*super().check(), *(replace(problem, where="tokenizer") for problem in found)]

    @property
    def quick(self) -> bool:
        """Not where tokens are counted."""
        return self.unit != "tokens"

    def depends_on(self) -> dict[str, object]:
        """Its options; in place of a tokenizer's name what the tokenizer is."""
        options = super().depends_on()
        if self.unit == "tokens":
            options["tokenizer"] = open_tokenizer(self.tokens_of).digest
        return options

    def ruler(self, layout: Layout, pieces: Pieces | None = None) -> tuple[Ruler, list[Level]]:
        """How long parts of a text are, and where pieces without any better place are cut: at
        words, then at tokens or clusters; nowhere where the pieces themselves are counted."""
        begins, _ = layout.words

        def words(start: Places, end: Places) -> Places:
            return begins

        if self.unit == "characters":
            return Ruler(), [words, layout.breaks_inside]
        if self.unit == "words":
            return Ruler(layout.words), [words]
        if self.unit == "tokens":
            atoms = layout.tokens(self.tokens_of)
            return Ruler(atoms), [words, lambda start, end: atoms[0]]
        assert pieces is not None
        return Ruler((pieces.start, pieces.end)), []
