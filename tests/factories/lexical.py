"""An experiment of three lexical retrievers."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIG = """\
dataset: {dataset}
retrievers:
  bm25: {{kind: bm25, fields: [text]}}
  k1-b: {{kind: bm25, k1: 0.9, b: 0.4, fields: [text]}}
  words: {{kind: bm25, tokenizer: words, fields: [text]}}
measures: [nDCG@10, R@10, Success@5]
latency: false
report: false
"""
Run = tuple[int, str, str]
