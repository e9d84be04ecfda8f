"""baseline.json, written and read: one query on each line, so that a diff shows what changed.

Everything stands in a fixed order, and nothing in it changes from one run to the next unless a
value, the data or a version did: saving the same result twice gives the same bytes. Values are
written in full, since a rounded one would differ from its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragscore.disk import write_file, writing
from ragscore.errors import DataError
from ragscore.files import expanded, read_regular
from ragscore.gate.baseline import Baseline, BaselineDataset, BaselineRetriever
from ragscore.json_data import parse_json
from ragscore.validation.findings import first_fault

MAX_BYTES = 1 << 26
"""A baseline that is larger is not read: 67 MB."""
MAX_WHOLE = 2**53
"""A float of a larger magnitude is not written as a whole number."""
SAVE_ANEW = "Save it anew: ragscore baseline save DIR -o FILE"

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _DatasetPart(_Part):
    name: str
    digest: str
    judgments: str = ""


class _RetrieverPart(_Part):
    dataset: str
    retriever: str
    measures: list[str]
    means: list[Finite | None]
    values: dict[str, list[Finite | None]]
    passages: dict[str, list[str]] = {}


class _Document(_Part):
    schema_version: Annotated[Literal[1], Field(alias="schema")]
    profile: str
    versions: dict[str, str] = {}
    datasets: list[_DatasetPart]
    retrievers: list[_RetrieverPart]


def write_baseline(baseline: Baseline, path: str | Path) -> None:
    """Write a baseline, whole or not at all.

    Args:
        baseline: what was reached.
        path: of the file; one that is there is replaced.

    Raises:
        DiskError: it cannot be written.
    """
    place = expanded(path)
    with writing(
        "the baseline", place, kept="The earlier one is as it was", elsewhere="name another file"
    ):
        write_file(place, baseline_text(baseline).encode())


def baseline_text(baseline: Baseline) -> str:
    """What :func:`write_baseline` writes."""
    return "".join(_lines(baseline))


def _lines(baseline: Baseline) -> Iterator[str]:
    yield '{\n"schema": 1,\n'
    yield f'"profile": {_text(baseline.profile)},\n"versions": {{\n'
    yield from _joined(
        f"  {_text(name)}: {_text(version)}" for name, version in baseline.versions.items()
    )
    yield '},\n"datasets": [\n'
    yield from _joined(
        f'  {{"name": {_text(dataset.name)}, "digest": {_text(dataset.digest)}, '
        f'"judgments": {_text(dataset.judgments)}}}'
        for dataset in baseline.datasets
    )
    yield '],\n"retrievers": [\n'
    for at, entry in enumerate(baseline.entries):
        yield f'{"," if at else ""}{{"dataset": {_text(entry.dataset)},\n'
        yield f'"retriever": {_text(entry.retriever)},\n'
        yield f'"measures": {_texts(entry.measures)},\n'
        yield f'"means": {_numbers(entry.means.tolist())},\n"values": {{\n'
        yield from _joined(
            f"{_text(query)}: {_numbers(values)}"
            for query, values in zip(entry.query_ids, entry.values.T.tolist(), strict=True)
        )
        if entry.passages:
            yield '},\n"passages": {\n'
            yield from _joined(
                f"{_text(query)}: {_texts(passages)}"
                for query, passages in zip(entry.query_ids, entry.passages, strict=True)
            )
        yield "}}\n"
    yield "]\n}\n"


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Lines with a comma behind each but the last."""
    before = None
    for line in lines:
        if before is not None:
            yield f"{before},\n"
        before = line
    if before is not None:
        yield f"{before}\n"


def _text(text: str) -> str:
    """A text in JSON; as it is where it can be seen, else escaped."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _texts(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _numbers(values: Sequence[float]) -> str:
    return f"[{', '.join(map(_number, values))}]"


def _number(value: float) -> str:
    if math.isnan(value):
        return "null"
    return str(int(value)) if value.is_integer() and abs(value) < MAX_WHOLE else repr(value)


def read_baseline(path: str | Path) -> Baseline:
    """Read a baseline that :func:`write_baseline` wrote. It may be anybody's: it is read as data,
    and nothing that it names is opened, imported or run.

    Args:
        path: of the file.

    Raises:
        DataError: there is none, or it is not a baseline.
    """
    place = expanded(path)
    try:
        data = parse_json(read_regular(place, most=MAX_BYTES))
    except FileNotFoundError:
        instead = f"Save one: ragscore baseline save DIR -o {place}"
        raise DataError("no such baseline", where=str(place), instead=instead) from None
    except OSError as error:
        what = f"it cannot be read: {error.strerror or error}"
        raise DataError(what, where=str(place), instead=SAVE_ANEW) from error
    except ValueError as error:
        raise _not_one(place, error) from error
    try:
        document = _Document.model_validate(data)
    except ValidationError as error:
        raise _not_one(place, first_fault(_Document, data, error)) from error
    names = [(part.dataset, part.retriever) for part in document.retrievers]
    if len(set(names)) < len(names):
        raise _not_one(place, "it names a retriever twice on one dataset")
    if not {dataset for dataset, _ in names} <= {part.name for part in document.datasets}:
        raise _not_one(place, "it names a retriever on a dataset that it does not list")
    return Baseline(
        tuple(BaselineDataset(**part.model_dump()) for part in document.datasets),
        tuple(_entry(part, place) for part in document.retrievers),
        document.profile,
        document.versions,
        str(place),
    )


def _entry(part: _RetrieverPart, place: Path) -> BaselineRetriever:
    count = len(part.measures)
    if len(set(part.measures)) < count:
        raise _not_one(place, f"a measure of {part.retriever} is there twice")
    for query, values in [("means", part.means), *part.values.items()]:
        if len(values) != count:
            raise _not_one(
                place,
                f"'{query}' of {part.retriever} has {len(values)} values for {count} measures",
            )
    ids = tuple(sorted(part.values))
    rows = np.array([_with_nan(part.values[query]) for query in ids], dtype=np.float64)
    return BaselineRetriever(
        part.dataset,
        part.retriever,
        tuple(part.measures),
        np.array(_with_nan(part.means), dtype=np.float64),
        ids,
        np.ascontiguousarray(rows.reshape(len(ids), count).T),
        _passages(part.passages, ids),
    )


def _passages(
    passages: Mapping[str, Sequence[str]], queries: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(passages.get(query, ())) for query in queries) if passages else ()


def _with_nan(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else float(value) for value in values]


def _not_one(place: Path, why: Any) -> DataError:
    return DataError(
        f"it is not a baseline that ragscore can read: {why}", where=str(place), instead=SAVE_ANEW
    )
