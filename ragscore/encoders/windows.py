"""Windows over texts that are longer than an encoder should read at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import PositiveInt, model_validator

from ragscore.encoders.base import OpenEncoder, TokenSpans
from ragscore.errors import Problem
from ragscore.messages import _
from ragscore.progress import SILENT, Progress
from ragscore.spec import Spec
from ragscore.validation.findings import contradiction

BLOCK = 1024
"""Texts that are split into tokens at a time."""


class Windows(Spec):
    """How long passages are cut into windows, each of which is encoded, and how these count."""

    size: PositiveInt
    """Tokens of a window; a passage with no more of them is encoded as it is."""
    stride: PositiveInt | None = None
    """Tokens from the beginning of a window to that of the next; by default half of `size`."""
    by: Literal["max", "mean"] = "max"
    """A passage has the score of its best window (`max`), or the mean of the scores of all its
    windows (`mean`)."""

    @model_validator(mode="after")
    def _nothing_between(self) -> Self:
        if self.stride is not None and self.stride > self.size:
            what = (
                f"a stride of {self.stride:,} leaves out text between windows of {self.size:,} "
                "tokens"
            )
            raise contradiction("stride", what, f"Write at most {self.size:,}")
        return self

    @property
    def step(self) -> int:
        """Tokens from a window to the next."""
        return self.stride if self.stride is not None else (self.size + 1) // 2


@dataclass(frozen=True, eq=False)
class CutTexts:
    """The windows of a list of texts, in their order.

    Attributes:
        texts: w texts: a window of a long text, or a whole text that is short enough.
        source: int32[w], of which text each is a window, ascending; every text has one or more.
    """

    texts: list[str]
    source: NDArray[np.int32]

    def counts(self) -> NDArray[np.int64]:
        """How many windows each text has."""
        return np.bincount(self.source)


def misfit_of_windows(windows: Windows, opened: OpenEncoder) -> Problem | None:
    """Why windows are too large for a loaded encoder; None if they fit."""
    room = opened.room("passage")
    if room is None or windows.size <= room:
        return None
    return Problem(
        f"windows of {windows.size:,} tokens are too large: besides special tokens and prompt, the "
        f"encoder reads {room:,}",
        where="windows.size",
        instead=f"Write at most {room:,}",
    )


def cut_into_windows(
    texts: Sequence[str], opened: OpenEncoder, windows: Windows, progress: Progress = SILENT
) -> CutTexts | None:
    """The windows of texts; None if the encoder does not say where its tokens stand.

    A window begins where a word begins, at most ``step`` tokens behind the beginning of the window
    before it, and has ``size`` tokens, or the few fewer that keep its last character whole; the
    last one ends with the text. A word that is longer than a step is cut.
    """
    cut: list[str] = []
    source: list[int] = []
    with progress.stage(_("cutting passages into windows"), len(texts), "passages") as stage:
        for start in range(0, len(texts), BLOCK):
            block = texts[start : start + BLOCK]
            spans = opened.token_spans(block)
            if spans is None:
                return None
            for number, (text, tokens) in enumerate(zip(block, spans, strict=True), start):
                found = _windows(text, tokens, windows)
                cut += found
                source += [number] * len(found)
            stage.advance(len(block))
    return CutTexts(cut, np.array(source, dtype=np.int32))


def _windows(text: str, tokens: TokenSpans, windows: Windows) -> list[str]:
    count = len(tokens)
    if count <= windows.size:
        return [text]
    # A character may have several tokens, and stays whole: the nearest tokens that begin one.
    begins = np.ones(count + 1, dtype=bool)
    begins[1:count] = tokens[1:, 0] >= tokens[:-1, 1]
    places = np.arange(count + 1)
    before = np.maximum.accumulate(np.where(begins, places, 0))
    after = np.minimum.accumulate(np.where(begins, places, count)[::-1])[::-1]
    found: list[str] = []
    first = 0
    while True:
        end = int(before[min(first + windows.size, count)])
        end = end if end > first else int(after[first + 1])
        found.append(text[tokens[first, 0] : tokens[end - 1, 1]])
        if end == count:
            return found
        following = int(before[min(first + windows.step, end)])
        following = following if following > first else int(after[first + 1])
        word = following
        while word > first and (not begins[word] or _inside_word(text, int(tokens[word, 0]))):
            word -= 1
        first = word if word > first else following


def _inside_word(text: str, at: int) -> bool:
    """Whether a word goes on at a character."""
    return at > 0 and text[at].isalnum() and text[at - 1].isalnum()
