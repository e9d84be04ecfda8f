"""Results whose gates are easy to foresee: 60 queries, of which so many find their passage."""

from __future__ import annotations

from pathlib import Path

from ragscore import Result, evaluate

QUERIES = 60


def answering(correct: int, *, name: str = "mine", relevant: str = "p") -> Result:
    """A result whose retriever finds the passage of the first ``correct`` queries alone.

    Args:
        correct: how many.
        name: of the retriever.
        relevant: the judgments name the passages of this letter.
    """
    numbers = [f"{at:02}" for at in range(QUERIES)]
    data = {
        "passages": {f"{letter}{at}": f"text {letter}{at}" for letter in "px" for at in numbers},
        "queries": {f"q{at}": f"question {at}" for at in numbers},
        "ground_truth": {f"q{at}": [f"{relevant}{at}"] for at in numbers},
    }

    def search(query: str, k: int) -> list[str]:
        at = query.removeprefix("question ")
        return [f"{'p' if int(at) < correct else 'x'}{at}"]

    return evaluate(data, {name: search}, ["RR", "P@1"])


def saved(folder: Path, correct: int) -> Path:
    """The folder of such a result."""
    answering(correct).save(folder)
    return folder
