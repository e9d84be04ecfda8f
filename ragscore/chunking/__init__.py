"""Chunkers: whole documents cut into the passages that are searched.

To add one, copy a neighbour (a spec with ``spans(text)``) and add its class to :data:`CHUNKERS`.
"""

from __future__ import annotations

from typing import Annotated

from ragscore.chunking.base import ChunkerSpec as ChunkerSpec
from ragscore.chunking.characters import CharacterChunker as CharacterChunker
from ragscore.chunking.custom import CustomChunker as CustomChunker
from ragscore.chunking.cut import cut as cut
from ragscore.chunking.html import HtmlChunker as HtmlChunker
from ragscore.chunking.markdown import MarkdownChunker as MarkdownChunker
from ragscore.chunking.paragraphs import ParagraphChunker as ParagraphChunker
from ragscore.chunking.recursive import RecursiveChunker as RecursiveChunker
from ragscore.chunking.sections import Heading as Heading
from ragscore.chunking.sections import SectionChunker as SectionChunker
from ragscore.chunking.sentences import SentenceChunker as SentenceChunker
from ragscore.chunking.tokens import TokenChunker as TokenChunker
from ragscore.chunking.whole import DocumentChunker as DocumentChunker
from ragscore.chunking.words import WordChunker as WordChunker
from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue

CHUNKERS: Catalogue[type[ChunkerSpec]] = spec_catalogue(
    "ragscore.chunkers",
    "chunker",
    ChunkerSpec,
    {
        "characters": CharacterChunker,
        "words": WordChunker,
        "tokens": TokenChunker,
        "sentences": SentenceChunker,
        "paragraphs": ParagraphChunker,
        "recursive": RecursiveChunker,
        "markdown": MarkdownChunker,
        "html": HtmlChunker,
        "custom": CustomChunker,
        "document": DocumentChunker,
    },
)
"""Every chunker by its kind."""

Chunker = Annotated[ChunkerSpec, OneOf(CHUNKERS)]
"""Any chunker; ``kind`` says which."""
