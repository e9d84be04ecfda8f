"""Chunkers: whole documents cut into the passages that are searched.

To add one, copy a neighbour (a spec with ``spans(text)``) and add its class to :data:`CHUNKERS`.
"""

from __future__ import annotations

from typing import Annotated

from ragscore.chunking.base import ChunkerSpec as ChunkerSpec
from ragscore.chunking.character_chunker import CharacterChunker as CharacterChunker
from ragscore.chunking.custom_chunker import CustomChunker as CustomChunker
from ragscore.chunking.cutting import cut as cut
from ragscore.chunking.cutting import kept_chunks as kept_chunks
from ragscore.chunking.document_chunker import DocumentChunker as DocumentChunker
from ragscore.chunking.html_chunker import HtmlChunker as HtmlChunker
from ragscore.chunking.markdown_chunker import MarkdownChunker as MarkdownChunker
from ragscore.chunking.paragraph_chunker import ParagraphChunker as ParagraphChunker
from ragscore.chunking.recursive_chunker import RecursiveChunker as RecursiveChunker
from ragscore.chunking.section_chunker import Heading as Heading
from ragscore.chunking.section_chunker import SectionChunker as SectionChunker
from ragscore.chunking.sentence_chunker import SentenceChunker as SentenceChunker
from ragscore.chunking.token_chunker import TokenChunker as TokenChunker
from ragscore.chunking.word_chunker import WordChunker as WordChunker
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
