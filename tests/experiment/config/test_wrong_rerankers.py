"""What is wrong with a reranker in an experiment file: one message each, at its place."""

from __future__ import annotations

import pytest

from ragscore.experiment import validate_experiment
from tests.factories.house import Write
from tests.factories.wrong_experiments import problem_of_top

CASES = {
    "n above the depth": (
        "{kind: rerank, retriever: bm25, n: 60, by: {kind: mmr, encoder: minilm}}",
        "x.yaml:4:43: retrievers.top.n: it reads 60 passages of bm25, above the depth 50. "
        "Write depth: 60, or n up to 50",
    ),
    "no such input": (
        "{kind: rerank, retriever: bm52, by: {kind: mmr, encoder: minilm}}",
        "x.yaml:4:34: retrievers.top.retriever: no retriever is named 'bm52'. "
        "Did you mean 'bm25'? Allowed: bm25",
    ),
    "itself": (
        "{kind: rerank, retriever: top, by: {kind: mmr, encoder: minilm}}",
        "x.yaml:4:34: retrievers.top.retriever: it is built on itself: top -> top. "
        "A retriever may name only others that do not name it",
    ),
    "no such reranker": (
        "{kind: rerank, retriever: bm25, by: {kind: mrm}}",
        "x.yaml:4:51: retrievers.top.by.kind: unknown kind 'mrm'. Did you mean 'mmr'? "
        "Allowed: cross-encoder, mmr, custom",
    ),
    "no such code": (
        "{kind: rerank, retriever: bm25, by: {kind: custom, use: 'nowhere_at_all:score'}}",
        "x.yaml:4:64: retrievers.top.by.use: there is no module 'nowhere_at_all' in FOLDER or "
        "among the installed packages. Check the spelling, install its package, or name its "
        "folder under folder",
    ),
    "a name alone is no code": (
        "{kind: rerank, retriever: bm25, by: {kind: custom, use: score}}",
        "x.yaml:4:64: retrievers.top.by.use: 'score' names no code. Write package.module:score",
    ),
    "a blend of more than all": (
        "{kind: rerank, retriever: bm25, blend: 2, by: {kind: mmr, encoder: minilm}}",
        "x.yaml:4:47: retrievers.top.blend: the number 2 is too large. It must be at most 1",
    ),
}
"""A retriever `top` and the message that it gets."""


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message_at_its_place(case: str, write: Write) -> None:
    spec, wanted = CASES[case]
    assert problem_of_top(write, spec) == wanted


def test_a_sweep_beyond_the_depth(write: Write) -> None:
    path = write(
        "dataset: statutes\nretrievers:\n  bm25: {kind: bm25}\n"
        "  top: {kind: rerank, retriever: bm25, n: 5, by: {kind: mmr, encoder: minilm}}\n"
        "sweep:\n  top: {n: [10, 60, 70], blend: [0, 0.5]}\nmeasures: [nDCG@10]\ndepth: 50\n"
    )
    first, _ = validate_experiment(path)
    assert str(first).splitlines()[0] == (
        "x.yaml:6:17: sweep.top.n[1]: top[n=60,blend=0] (and 1 more of 6): n: it reads 60 passages "
        "of bm25, above the depth 50. Write depth: 60, or n up to 50"
    )
