"""The same house, its queries tagged and its judgments graded."""

from __future__ import annotations

import json
from pathlib import Path

PASSAGES = {
    "rent": "Rent is due on the first working day of every month.",
    "deposit": "The deposit is returned within 21 days after the keys are handed back.",
    "pets": "Cats are allowed; dogs need the written consent of the office.",
    "noise": "Noise after ten in the evening is a breach of the house rules.",
    "repairs": "The landlord repairs heating within three working days.",
}
QUERIES = {
    "q1": ("when is rent due", "money"),
    "q2": ("may I keep dogs", "house"),
    "q3": ("how long do heating repairs take", "house"),
    "q4": ("xyzzy", "house"),
}
TRUTH = {
    "q1": {"rent": 2, "deposit": 0},
    "q2": {"pets": 1, "noise": 1},
    "q3": {"repairs": 1},
    "q4": {"noise": 1},
}


def write_dataset(folder: Path) -> Path:
    folder.mkdir(parents=True)
    rows = {
        "passages.jsonl": [{"id": name, "text": text} for name, text in PASSAGES.items()],
        "queries.jsonl": [
            {"id": name, "text": text, "tags": [f"kind:{kind}", kind], "metadata": {"part": kind}}
            for name, (text, kind) in QUERIES.items()
        ],
        "ground_truth.jsonl": [
            {"query_id": query, "passages": judged} for query, judged in TRUTH.items()
        ],
    }
    for name, lines in rows.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return folder
