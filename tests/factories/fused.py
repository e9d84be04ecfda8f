"""Fusions of rankings that are written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.retrievers import Fusion
from ragscore.run import Returned, Run

NAMES = "abcdefgh"
"""Of the inputs."""


def fused(returned: Sequence[Mapping[str, Returned]], depth: int = 100, **options: Any) -> Run:
    """What a fusion makes of ``{query: what it got}`` of each input.

    Args:
        returned: by input; the first names every query.
        depth: of the fused run.
        options: of the fusion.
    """
    queries = Queries.from_texts(dict.fromkeys(returned[0], "?"))
    passages = Ids(dict.fromkeys(one for run in returned for got in run.values() for one in got))
    names = NAMES[: len(returned)]
    inputs = {
        name: Run.from_dict(run, queries=queries.ids, passages=passages)
        for name, run in zip(names, returned, strict=True)
    }
    if options.get("method") == "theoretical-min-max":
        options.setdefault("minimums", [-10.0] * len(returned))
    index = Fusion(retrievers=list(names), **options).build(Corpus(passages, [""] * len(passages)))
    return index.search(queries, depth, inputs)
