"""What tune, power and list print, whole, in both languages: ``printed/NAME.LANGUAGE.txt``.

``python -m tests.golden.test_printed`` writes the files anew; read what changed before you keep it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragscore import Scores, power, score
from ragscore.elements import Element, as_text
from ragscore.names import LANGUAGES
from tests.factories.tunings import found

PRINTED = Path(__file__).parent / "printed"
Maker = Callable[[], list[Element]]


def planned() -> list[Element]:
    """Of three retrievers, two that differ on a few queries only."""
    qrels = {f"q{n}": ["a"] for n in range(50)}
    runs = {
        name: {f"q{n}": ["a"] if n % every else ["x", "a"] for n in range(50)}
        for name, every in (("bm25", 2), ("dense", 5), ("other", 6))
    }
    scores = Scores.joined(
        score(run, qrels, ["RR@10"], dataset="faq", retriever=name) for name, run in runs.items()
    )
    return power(scores, difference=0.1).elements()


MADE: dict[str, Maker] = {
    "tune": found(rule="recall", target=0.9).elements,
    "tune-no-rule": found().elements,
    "tune-budget": found(budget={"unit": "words", "limit": 8}).elements,
    "tune-score": found(by="score", rule="precision", target=0.5).elements,
    "tune-not-reached": found(rule="recall", target=0.9, confident=True).elements,
    "power": planned,
}


def texts() -> Iterator[tuple[str, str]]:
    for name, elements in MADE.items():
        for language in LANGUAGES:
            yield f"{name}.{language}", as_text(elements(), language=language) + "\n"


PRINTED_TEXTS = list(texts())


@pytest.mark.parametrize(("name", "text"), PRINTED_TEXTS, ids=[name for name, _ in PRINTED_TEXTS])
def test_what_is_printed_is_what_was_printed(name: str, text: str) -> None:
    assert text == (PRINTED / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, text in texts():
        (PRINTED / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
    sys.exit()
