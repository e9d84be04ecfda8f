"""What holds for every chunker, on any text."""

from __future__ import annotations

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.chunking import CHUNKERS, ChunkerSpec, SentenceChunker, TokenChunker
from ragscore.chunking.base import SizedChunker
from ragscore.chunking.cutting import checked_spans
from ragscore.chunking.graphemes import cluster_begins
from ragscore.code_points import codes_of
from tests.factories.thorough import examples

PARTS = [
    "a", "B", "rent", "supercalifragilistic", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t",
    ".", "!", "? ", ". ", "…", "3.14", "Mr. ", "e.g. ", '"', "“", "”", "(", ")",
    "이다. ", "했다.", "요? ", "한글", "\u1112\u1161\u11ab", "\u1100", "\u11a8", "。", "名前", "」",
    "\u0301", "\u200d", "👩\u200d👩\u200d👧", "🇰🇷", "🇫", "👍🏽", "नमस्ते", "क्षि", "\u0600",
    "\u00a0", "\u2029", "\u3000", "\u200b", "\x00", "\x1c", "\ufeff", "\ud800",
    "# ", "## B\n", "```\n", "---\n", "===\n", "- ", "1. ",
    "<h1>", "</h1>", "<p>", "<!-- ", "-->", "<a href='x", ">", "<script>",
]  # fmt: skip
texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=40).map("".join)
units = st.sampled_from(["characters", "words"])


@st.composite
def chunkers(draw: st.DrawFn) -> ChunkerSpec:
    """Any chunker that needs no model, with any options."""
    size = draw(st.integers(1, 30))
    options = {"size": size, "overlap": draw(st.integers(0, size - 1))}
    kind = draw(st.sampled_from(sorted(CHUNKERS.own.keys() - {"custom", "tokens", "document"})))
    if kind in ("paragraphs", "sentences"):
        options["unit"] = draw(units | st.just(kind))
    elif kind in ("markdown", "html"):
        options["unit"], options["level"] = draw(units), draw(st.integers(1, 6))
        if draw(st.booleans()):
            options |= {"size": None, "overlap": 0}
    elif kind == "recursive":
        options["unit"] = draw(units)
        separators = st.lists(st.sampled_from(["\n\n", "\n", " ", "", ".", "rent"]), min_size=1)
        options["separators"] = tuple(draw(separators))
    return CHUNKERS[kind].model_validate({"kind": kind, **options})


def check(chunker: ChunkerSpec, text: str) -> list[str]:
    """The chunks of a text, which follow the rules."""
    spans = chunker.spans(text)
    assert spans.dtype == np.int64
    assert spans.shape == (len(spans), 2)
    # In order, none empty, each once, nothing but white space left out.
    assert np.array_equal(spans, checked_spans(spans, text))
    assert (np.diff(spans, axis=0) > 0).all()
    edges = {0, *(found.end() for found in regex.finditer(r"\X", text))}
    assert set(spans.ravel().tolist()) <= edges
    assert np.array_equal(spans, type(chunker)(**dict(chunker)).spans(text))
    return [text[start:end] for start, end in spans.tolist()]


@pytest.mark.slow
@settings(max_examples=examples(2500), deadline=None)
@given(chunkers(), texts)
def test_every_chunker_on_any_text(chunker: ChunkerSpec, text: str) -> None:
    chunks = check(chunker, text)
    assert isinstance(chunker, SizedChunker)
    unit = getattr(chunker, "unit", chunker.kind)
    separators = getattr(chunker, "separators", ("",))
    if chunker.size is None or unit in ("sentences", "paragraphs") or "" not in separators:
        return
    for chunk in chunks:
        if unit == "words":
            # A space that a mark stands on is none.
            clusters = regex.findall(r"\X", chunk)
            words = "".join(" " if cluster.isspace() else "x" for cluster in clusters).split()
            assert len(words) <= chunker.size
        else:
            assert len(chunk) <= chunker.size or len(regex.findall(r"\X", chunk)) == 1


@settings(max_examples=examples(1000), deadline=None)
@given(texts)
def test_clusters_are_those_of_unicode(text: str) -> None:
    begins = cluster_begins(text, codes_of(text))
    found = np.ones(len(text) + 1, dtype=bool) if begins is None else begins
    expected = [found.start() for found in regex.finditer(r"\X", text)]
    assert np.flatnonzero(found).tolist() == [*expected, len(text)]


@settings(max_examples=examples(1000), deadline=None)
@given(texts, st.integers(1, 12), st.integers(0, 11))
def test_tokens_of_a_real_tokenizer(text: str, size: int, overlap: int) -> None:
    chunker = TokenChunker(size=size, overlap=min(overlap, size - 1))
    check(chunker, text)
    sentences = SentenceChunker(size=size, overlap=min(overlap, size - 1), unit="tokens")
    check(sentences, text)
