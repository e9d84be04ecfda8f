"""sweep.json and sweep.parquet: what was swept, with the value of every query, written and read."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragscore.errors import ConfigError, DataError
from ragscore.json_data import parse_json
from ragscore.parquet_files import parquet_errors, refuse_too_many_rows
from ragscore.records import MaybeNaN
from ragscore.sweeps.model import MAX_CONFIGURATIONS, SweptConfigurations, swept_measure
from ragscore.validation.findings import first_fault

if TYPE_CHECKING:
    import polars

COLUMNS = ("dataset", "configuration", "written", "query", "cluster", "value")


class RecordedConfiguration(BaseModel):
    """A configuration as far as it is read back."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    place: int
    retriever: str
    settings: dict[str, Any]
    means: dict[str, MaybeNaN]
    latency_ms: MaybeNaN
    index_bytes: MaybeNaN


class RecordedSweep(BaseModel):
    """A sweep of sweep.json as far as it is read back; all else is computed from the values."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    dataset: str
    measure: str
    queries: int = Field(ge=0)
    dropped: int = Field(ge=0)
    configurations: list[RecordedConfiguration] = Field(min_length=1, max_length=MAX_CONFIGURATIONS)
    specs: dict[str, dict[str, Any]]
    inputs: dict[str, list[str]]
    bounds: dict[str, list[float]] = {}
    failures: dict[str, str]


class RecordedSweeps(BaseModel):
    """sweep.json as far as it is read back."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    datasets: list[RecordedSweep]


def write_sweep_values(path: Path, sweeps: Iterable[SweptConfigurations]) -> None:
    """Write the value of every query under every configuration, and as the file is written."""
    import polars

    frames = []
    for swept in sweeps:
        names = [*swept.labels, *swept.written]
        values = np.concatenate([*swept.values, *swept.written.values()])
        queries = polars.Series("query", list(swept.query_ids), dtype=polars.String)
        rows = np.tile(np.arange(len(queries)), len(names))
        of_name = np.repeat(np.arange(len(names)), len(queries))
        cluster = None if swept.clusters is None else swept.clusters[rows]
        frames.append(
            polars.DataFrame(
                {
                    "configuration": polars.Series(names, dtype=polars.String).gather(of_name),
                    "written": of_name >= len(swept),
                    "query": queries.gather(rows),
                    "cluster": polars.Series(
                        [None] * len(rows) if cluster is None else cluster, dtype=polars.Int64
                    ),
                    "value": polars.Series(values, dtype=polars.Float64).fill_nan(None),
                }
            ).select(polars.lit(swept.dataset).alias("dataset"), polars.all())
        )
    polars.concat(frames).write_parquet(path, compression="zstd")


def read_sweeps(
    document: bytes, values: bytes, where: tuple[str, str], queries: Mapping[str, int]
) -> dict[str, SweptConfigurations]:
    """What was swept, by dataset.

    Args:
        document: the content of sweep.json.
        values: the content of sweep.parquet.
        where: both files, for messages.
        queries: by dataset, how many the manifest says that it has.

    Raises:
        DataError: they are not what was written, or hold more than they can.
    """
    import polars

    listed = _recorded(document, where[0])
    most = sum(
        (len(sweep.configurations) + len(sweep.specs)) * queries.get(sweep.dataset, 0)
        for sweep in listed
    )
    with parquet_errors("it is not a table of the values of a sweep", where[1]):
        refuse_too_many_rows(values, most)
        frame = polars.read_parquet(io.BytesIO(values), columns=list(COLUMNS)).with_columns(
            polars.col("dataset", "configuration", "query").cast(polars.String),
            polars.col("written").cast(polars.Boolean),
            polars.col("cluster").cast(polars.Int64),
            polars.col("value").cast(polars.Float64),
        )
        return {
            sweep.dataset: _swept(sweep, frame.filter(polars.col("dataset") == sweep.dataset))
            for sweep in listed
        }


def _recorded(document: bytes, where: str) -> list[RecordedSweep]:
    why: object
    try:
        data = parse_json(document)
        listed = RecordedSweeps.model_validate(data).datasets
        for sweep in listed:
            swept_measure(sweep.measure)
            if sorted(each.place for each in sweep.configurations) != list(
                range(len(sweep.configurations))
            ):
                raise ValueError("the places of the configurations do not follow one another")
            measured = sweep.configurations[0].means.keys()
            if any(each.means.keys() != measured for each in sweep.configurations):
                raise ValueError("configurations have means of different measures")
        if len({sweep.dataset for sweep in listed}) < len(listed):
            raise ValueError("a dataset occurs twice")
        return listed
    except ValidationError as error:
        why = first_fault(RecordedSweeps, data, error)
    except (ValueError, ConfigError) as error:
        why = error
    raise DataError(f"it is not a valid sweep: {why}", where=where)


def _swept(sweep: RecordedSweep, frame: polars.DataFrame) -> SweptConfigurations:
    """One sweep; a ValueError where its values are not those of its configurations."""
    configurations = sorted(sweep.configurations, key=lambda each: each.place)
    count, queries = len(configurations), sweep.queries + sweep.dropped
    if not queries or frame.height % queries or frame.height < count * queries:
        raise ValueError(f"{frame.height} rows for {count} configurations on {queries} queries")
    if frame.select("configuration", "written", "query").null_count().sum_horizontal().item():
        raise ValueError("a name is missing")
    names = frame["configuration"].gather_every(queries).to_list()
    query_ids = frame["query"][:queries]
    values = frame["value"].fill_null(np.nan).to_numpy().reshape(-1, queries)
    cluster = frame["cluster"][:queries]
    blocks = len(names)
    rows = np.tile(np.arange(queries), blocks)
    ordered = (
        query_ids.n_unique() == queries
        and (frame["query"] == query_ids.gather(rows)).all()
        and frame["written"].to_list() == [at >= count * queries for at in range(frame.height)]
    )
    if not ordered or np.isinf(values).any() or cluster.null_count() not in (0, queries):
        raise ValueError("its rows are not in the order of its configurations and queries")
    made = SweptConfigurations(
        dataset=sweep.dataset,
        measure=sweep.measure,
        query_ids=tuple(query_ids.to_list()),
        retrievers=tuple(each.retriever for each in configurations),
        settings=tuple(each.settings for each in configurations),
        values=values[:count],
        means=_means(configurations),
        latency_ms=np.array([each.latency_ms for each in configurations]),
        index_bytes=np.array([each.index_bytes for each in configurations]),
        written=dict(zip(names[count:], values[count:], strict=True)),
        specs=sweep.specs,
        inputs={name: tuple(below) for name, below in sweep.inputs.items()},
        bounds={name: tuple(ends) for name, ends in sweep.bounds.items()},
        clusters=None if cluster.null_count() else cluster.to_numpy(),
        failures=sweep.failures,
    )
    if list(made.labels) != names[:count]:
        raise ValueError("its configurations are not those of sweep.json")
    return made


def _means(configurations: Sequence[RecordedConfiguration]) -> dict[str, NDArray[np.float64]]:
    names = configurations[0].means
    return {name: np.array([each.means[name] for each in configurations]) for name in names}
