"""Two short documents, and questions that sentences of theirs answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SENTENCES = [
    "Rent is due on the first day of each month.",
    "Late rent costs five pounds a day after the tenth day.",
    "Boats may not stay in the harbour over the winter.",
    "Pets are welcome, and dogs must be on a lead at all times.",
    "The deposit is four weeks of rent, and comes back within ten days.",
    "Keys are left at the office of the harbour.",
]
DOCUMENTS: list[dict[str, Any]] = [
    {"id": "rent.md", "text": " ".join(SENTENCES[:3])},
    {"id": "rules.md", "text": " ".join(SENTENCES[3:]), "metadata": {"part": "rules"}},
]
ASKED = {
    "due": ("When is rent due?", [0]),
    "late": ("What does late rent cost, and when is it due?", [1, 0]),
    "dogs": ("Do dogs need a lead?", [3]),
    "deposit": ("When does the deposit come back?", [4]),
}
QUESTIONS = {key: text for key, (text, _) in ASKED.items()}
TRUTH: list[dict[str, Any]] = [
    {
        "query_id": key,
        "evidence": [
            {"document": "rent.md" if which < 3 else "rules.md", "quote": SENTENCES[which]}
            for which in found
        ],
    }
    for key, (_, found) in ASKED.items()
]


def write_harbour(folder: Path) -> Path:
    """The dataset as a folder."""
    queries = [{"id": key, "text": text} for key, text in QUESTIONS.items()]
    files = {"documents": DOCUMENTS, "queries": queries, "ground_truth": TRUTH}
    folder.mkdir()
    for name, rows in files.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder
