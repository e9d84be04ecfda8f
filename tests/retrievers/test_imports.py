"""Naming a retriever loads no heavy library; building it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = ("bm25s", "faiss", "kiwipiepy", "polars", "scipy", "sentence_transformers", "torch")


def test_importing_the_retrievers_loads_no_heavy_library(root: Path) -> None:
    code = (
        "import sys, ragscore.retrievers as r; r.BM25(tokenizer='korean').key(); "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
