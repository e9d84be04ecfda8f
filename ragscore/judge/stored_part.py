"""A joined part, and judgments, as files of arrays: so they go to other processes and machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import load_arrays, save_arrays
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.byte_words import PADDING
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.join import JoinedRows, JoinTo
from ragscore.judge.joined_part import JoinedPart
from ragscore.judge.placed import Placed
from ragscore.judge.rows_by_query import RowsByQuery

FACTS = "facts.json"
Arrays = dict[str, NDArray[Any] | None]


def write_part(part: JoinedPart, folder: Path) -> None:
    """Write a part into an empty folder."""
    inner = part.inner
    arrays: Arrays = {
        "query_rows": inner.query_rows,
        "returned": inner.returned,
        "tied": inner.tied,
        **_of_placed("hits", inner.hits),
        **_of_placed("ties", inner.ties),
        **_of_texts("unknown", inner.unknown),
        **_of_texts("sample", part.sample),
        **_of_texts("listed", part.listed),
    }
    for name, edge in (("first", part.first), ("last", part.last)):
        if edge is not None:
            arrays |= _of_texts(f"{name}_query", edge.query_ids)
            arrays |= _of_texts(f"{name}_passages", edge.passages)
            arrays |= {f"{name}_numbers": edge.numbers, f"{name}_ranks": edge.ranks}
    facts = {
        "inner_depth": inner.depth,
        "inner_duplicates": inner.duplicates,
        "first_duplicate": inner.first_duplicate,
        "depth": part.depth,
        "duplicates": part.duplicates,
        "name": part.name,
    }
    _write(folder, arrays, facts)


def read_part(folder: Path) -> JoinedPart:
    """The part that :func:`write_part` wrote.

    Raises:
        Exception: any; a file is missing or damaged.
    """
    arrays, facts = _read(folder)
    twice = facts["first_duplicate"]
    inner = JoinedRows(
        unknown=_texts(arrays, "unknown"),
        query_rows=arrays["query_rows"],
        returned=arrays["returned"],
        depth=facts["inner_depth"],
        duplicates=facts["inner_duplicates"],
        first_duplicate=None if twice is None else (twice[0], twice[1]),
        hits=_placed(arrays, "hits"),
        ties=_placed(arrays, "ties"),
        tied=arrays["tied"],
        passages=None,
    )
    return JoinedPart(
        first=_edge(arrays, "first"),
        inner=inner,
        last=_edge(arrays, "last"),
        sample=_texts(arrays, "sample"),
        listed=_texts(arrays, "listed") if "listed_lengths" in arrays else None,
        depth=facts["depth"],
        duplicates=facts["duplicates"],
        name=facts["name"],
    )


def write_judgments(to: JoinTo, folder: Path) -> None:
    """Write what runs are joined with into an empty folder."""
    qrels = to.qrels
    arrays: Arrays = {
        "indptr": qrels.indptr,
        "grades": qrels.grades,
        "count_ties_of": to.count_ties_of,
        **_of_texts("query_ids", qrels.query_ids),
        **_of_texts("passages", qrels.passages),
    }
    _write(folder, arrays, {})


def read_judgments(folder: Path) -> JoinTo:
    """What :func:`write_judgments` wrote.

    Raises:
        Exception: any; a file is missing or damaged.
    """
    arrays, _ = _read(folder)
    qrels = TextQrels(
        _texts(arrays, "query_ids"),
        arrays["indptr"],
        _texts(arrays, "passages"),
        arrays["grades"],
    )
    return JoinTo(qrels, arrays.get("count_ties_of"))


def _write(folder: Path, arrays: Arrays, facts: Mapping[str, object]) -> None:
    save_arrays(folder, arrays)
    names = [name for name, array in arrays.items() if array is not None]
    text = json.dumps({**facts, "arrays": names}, ensure_ascii=True)
    (folder / FACTS).write_text(text, encoding="ascii")


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    facts = json.loads((folder / FACTS).read_text(encoding="ascii"))
    return load_arrays(folder, facts["arrays"]), facts


def _of_texts(name: str, texts: ByteTexts | None) -> Arrays:
    if texts is None:
        return {}
    packed = ByteTexts.joined([texts])
    return {f"{name}_bytes": packed.buffer, f"{name}_lengths": packed.lengths}


def _texts(arrays: Mapping[str, Any], name: str) -> ByteTexts:
    lengths = arrays[f"{name}_lengths"]
    starts = np.cumsum(lengths) - lengths + PADDING
    return ByteTexts(arrays[f"{name}_bytes"], starts, lengths)


def _of_placed(name: str, placed: Placed) -> Arrays:
    return {f"{name}_{field.name}": getattr(placed, field.name) for field in fields(Placed)}


def _placed(arrays: Mapping[str, Any], name: str) -> Placed:
    return Placed(*(arrays[f"{name}_{field.name}"] for field in fields(Placed)))


def _edge(arrays: Mapping[str, Any], name: str) -> RowsByQuery | None:
    if f"{name}_query_lengths" not in arrays:
        return None
    passages = _texts(arrays, f"{name}_passages")
    return RowsByQuery(
        _texts(arrays, f"{name}_query"),
        np.array([len(passages)]),
        passages,
        arrays.get(f"{name}_numbers"),
        ranks=arrays.get(f"{name}_ranks"),
    )
