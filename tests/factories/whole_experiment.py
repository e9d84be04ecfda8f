"""An experiment that uses every part of the model."""

from __future__ import annotations

from tests.factories.house import Write

FULL = """\
# yaml-language-server: $schema=ragscore.schema.json
description: "all that there is: 1e-3, no, 2024-01-01"
datasets:
  - statutes
  - {path: statutes, name: again, drop_self: true}
retrievers:
  bm25: &bm25 {kind: bm25, k1: 0.9, tokenizer: english}
  same: *bm25
  "no": {kind: bm25, tokenizer: words, fields: [title, text]}
  형태소: {kind: bm25, tokenizer: {kind: snowball, language: german, stem: false}}
  dense: {kind: faiss, encoder: minilm, index: HNSW32, search: {efSearch: 64}}
  both: {kind: fusion, retrievers: [bm25, dense], weights: [1, 0.5]}
  old: {kind: recorded, run: old.trec}
  mine: {kind: custom, use: "mine:Thing", options: {host: localhost, ports: [1, 2.5, null]}}
measures: [NDCG@5, nDCG(gain=exp)@5, MAP@20, R@depth]
depth: 20
latency: false
strict: true
"""


def full(write: Write) -> str:
    write("q1 Q0 p1 1 1.0 old\n", "old.trec")
    write("raise SystemExit('imported by a check')\n", "mine.py")
    return write(FULL, "full.yaml")
