"""baseline.json, written and read: one query on each line, so that a diff shows what changed.

Everything stands in a fixed order, and nothing in it changes from one run to the next unless a
value, the data or a version did: saving the same result twice gives the same bytes. Values are
written in full, since a rounded one would differ from its own.
"""

from __future__ import annotations

import errno
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragscore.described import in_short
from ragscore.disk import write_file, writing
from ragscore.errors import ConfigError, DataError
from ragscore.files import expanded, read_regular
from ragscore.gate.baseline import Baseline, BaselineDataset, BaselineRetriever
from ragscore.json_data import parse_json
from ragscore.measures import parse_measure
from ragscore.scoring.means import aggregate
from ragscore.validation.findings import first_fault

MAX_BYTES = 1 << 26
"""A baseline that is larger is not read: 67 MB."""
ROUNDING = 1e-9
"""A mean that differs by less, in its own size, is that of its values."""
MAX_VALUE = 1e150
"""No value is larger: sums of larger ones, and of their squares, are not finite."""
MAX_WHOLE = 2**53
"""A float of a larger magnitude is not written as a whole number."""
SCHEMA = 1
"""Version of the format."""
FEWER = "with fewer measures or retrievers: --measure, --retriever"
SAVE_ANEW = "Name a file that `ragscore baseline save DIR -o FILE` wrote, or save one anew"

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _DatasetPart(_Part):
    name: str
    digest: str
    passages: str = ""
    queries: str = ""
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
        DataError: it would be larger than what is read.

    >>> import tempfile
    >>> from ragscore import Baseline, evaluate
    >>> faq = {"passages": {"p": "Rent is due."}, "queries": {"q": "When?"},
    ...        "ground_truth": {"q": ["p"]}}
    >>> result = evaluate(faq, {"mine": lambda query, k: ["p"]}, ["RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_baseline(Baseline.from_result(result), f"{folder}/baseline.json")
    ...     print(result.gate(max_drop={"RR": 0.1}, baseline=f"{folder}/baseline.json").verdict)
    PASS
    """
    place = expanded(path)
    content = baseline_text(baseline).encode()
    if len(content) > MAX_BYTES:
        raise DataError(
            f"the baseline would have {len(content):,} bytes, and at most {MAX_BYTES:,} are read",
            where=str(place),
            instead=f"Save it {FEWER}",
        )
    with writing(
        "the baseline", place, kept="The earlier one is as it was", elsewhere="name another file"
    ):
        write_file(place, content)


def baseline_text(baseline: Baseline) -> str:
    """What :func:`write_baseline` writes."""
    return "".join(_lines(baseline))


def _lines(baseline: Baseline) -> Iterator[str]:
    yield f'{{\n"schema": {SCHEMA},\n'
    yield f'"profile": {_text(baseline.profile)},\n"versions": {{\n'
    yield from _joined(
        f"  {_text(name)}: {_text(version)}" for name, version in baseline.versions.items()
    )
    yield '},\n"datasets": [\n'
    yield from _joined(
        "  {"
        + ",\n   ".join(f'"{name}": {_text(value)}' for name, value in vars(dataset).items())
        + "}"
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

    >>> import tempfile
    >>> from ragscore import Baseline, evaluate
    >>> faq = {"passages": {"p": "Rent is due."}, "queries": {"q": "When?"},
    ...        "ground_truth": {"q": ["p"]}}
    >>> made = Baseline.from_result(evaluate(faq, {"mine": lambda query, k: ["p"]}, ["RR"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_baseline(made, f"{folder}/baseline.json")
    ...     read_baseline(f"{folder}/baseline.json").values("dataset", "mine", "RR")
    {'q': 1.0}
    """
    place = expanded(path)
    try:
        content = read_regular(place, most=MAX_BYTES)
    except FileNotFoundError:
        instead = f"Save one: ragscore baseline save DIR -o {place}; or name another: --baseline"
        raise DataError("no such baseline", where=str(place), instead=instead) from None
    except OSError as error:
        what = f"it cannot be read: {error.strerror or error}"
        instead = SAVE_ANEW
        if error.errno == errno.EFBIG:
            instead += f", {FEWER}"
        raise DataError(what, where=str(place), instead=instead) from error
    return parse_baseline(content, str(place))


def parse_baseline(content: bytes, place: str) -> Baseline:
    """The baseline that a file holds.

    Args:
        content: of the file.
        place: the file, for messages.

    Raises:
        DataError: it is not a baseline.
    """
    try:
        data = parse_json(content)
    except ValueError as error:
        why: object = error
        if isinstance(error, json.JSONDecodeError):
            why = f"line {error.lineno} is not JSON"
        raise _not_one(place, why) from error
    if isinstance(data, dict) and data.get("schema", SCHEMA) != SCHEMA:
        raise DataError(
            f"its schema is {in_short(data['schema'])}, and this ragscore reads {SCHEMA}",
            where=place,
            instead=f"Update ragscore, or remove it and save it anew: ragscore baseline save DIR "
            f"-o {place}",
        )
    try:
        document = _Document.model_validate(data)
    except ValidationError as error:
        raise _not_one(place, first_fault(_Document, data, error)) from error
    names = [(part.dataset, part.retriever) for part in document.retrievers]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        dataset, retriever = map(in_short, twice[0])
        raise _not_one(place, f"it has the retriever {retriever} on {dataset} twice")
    listed = Counter(part.name for part in document.datasets)
    if listed and max(listed.values()) > 1:
        raise _not_one(place, f"it has the dataset {in_short(listed.most_common(1)[0][0])} twice")
    if not {dataset for dataset, _ in names} <= {part.name for part in document.datasets}:
        raise _not_one(place, "it names a retriever on a dataset that it does not list")
    return Baseline(
        tuple(BaselineDataset(**part.model_dump()) for part in document.datasets),
        tuple(_entry(part, place) for part in document.retrievers),
        document.profile,
        document.versions,
        place,
    )


def _entry(part: _RetrieverPart, place: str) -> BaselineRetriever:
    count = len(part.measures)
    if len(set(part.measures)) < count:
        twice = Counter(part.measures).most_common(1)[0][0]
        raise _not_one(place, f"it has the measure {in_short(twice)} of {part.retriever} twice")
    for query, values in [("means", part.means), *part.values.items()]:
        if len(values) != count:
            raise _not_one(
                place,
                f"'{query}' of {part.retriever} has {len(values)} values for {count} measures",
            )
    ids = tuple(sorted(part.values))
    rows = np.array([_with_nan(part.values[query]) for query in ids], dtype=np.float64)
    entry = BaselineRetriever(
        part.dataset,
        part.retriever,
        tuple(part.measures),
        np.array(_with_nan(part.means), dtype=np.float64),
        ids,
        np.ascontiguousarray(rows.reshape(len(ids), count).T),
        _passages(part.passages, ids),
    )
    for measure, mean, values in zip(entry.measures, entry.means, entry.values, strict=True):
        if fault := _fault(measure, float(mean), values):
            raise _not_one(place, f"{measure} of {part.retriever}: {fault}")
    return entry


def _fault(text: str, mean: float, values: NDArray[np.float64]) -> str:
    """What is impossible about a measure's values; empty if nothing is, or where the measure
    belongs to a package that is not installed here."""
    try:
        measure = parse_measure(text)
    except ConfigError:
        return ""
    if np.any(np.abs(values) > MAX_VALUE):
        return f"a value is larger than {MAX_VALUE:g}"
    if measure.bounded and (np.any(values < -ROUNDING) or np.any(values > 1 + ROUNDING)):
        return "a value lies outside of 0 to 1"
    if measure.weighs_queries:  # by what the file does not hold
        return ""
    own = aggregate(measure, values, None)
    if math.isnan(own) != math.isnan(mean) or abs(own - mean) > ROUNDING * max(1, abs(own)):
        return "the mean is not that of its values, as if the file had been edited or merged"
    return ""


def _passages(
    passages: Mapping[str, Sequence[str]], queries: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(passages.get(query, ())) for query in queries) if passages else ()


def _with_nan(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else float(value) for value in values]


def _not_one(place: str, why: Any) -> DataError:
    return DataError(
        f"it is not a baseline that ragscore can read: {why}", where=place, instead=SAVE_ANEW
    )
