"""What a schema cannot say: names, cutoffs, references between retrievers, files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragscore.encoders.named_tokenizers import tokenizer_problems
from ragscore.errors import ConfigError, MeasureError, Problem, unknown_name
from ragscore.executors import ExecutorSpec
from ragscore.file_names import names_problems
from ragscore.files import name_or_path
from ragscore.formats import DatasetSpec, check_dataset_files
from ragscore.gate import GateOptions
from ragscore.gate.options import QUANTITIES
from ragscore.measures import DEFAULT_MEASURES, Measure, parse_measure
from ragscore.report.sections import SECTIONS
from ragscore.retrievers import Retriever
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.graph import cycles, with_inputs
from ragscore.scoring.scores import AVERAGE
from ragscore.spec import Spec
from ragscore.tuning.options import Budget
from ragscore.validation.findings import Finding, KeyPath, show_path

_RETRIEVER: TypeAdapter[RetrieverSpec] = TypeAdapter(Retriever)
MAX_DEPTH = 10_000


@dataclass(frozen=True)
class ExperimentParts:
    """The parts of an experiment that can be read, whatever is wrong with the others.

    Attributes:
        datasets: by place in the list.
        names: of all retrievers, also of those that cannot be read.
        retrievers: by name.
        measures: by place in the list.
        depth: None if it cannot be read.
        default_measures: true where the file names no measures.
        baseline: what the comparison is with; None if the file names none.
        sections: of the report, by place in the list.
        sweep: as it is written; None if there is none.
        gate: None if there is none.
        budget: of contexts; None if there is none.
        executor: None if it cannot be read.
    """

    datasets: Mapping[int, DatasetSpec]
    names: tuple[str, ...]
    retrievers: Mapping[str, RetrieverSpec]
    measures: Mapping[int, Measure]
    depth: int | None
    default_measures: bool = False
    baseline: str | None = None
    sections: Mapping[int, str] = field(default_factory=dict)
    sweep: Mapping[str, Any] | None = None
    gate: GateOptions | None = None
    budget: Budget | None = None
    executor: ExecutorSpec | None = None

    @classmethod
    def salvaged(cls, data: Mapping[str, Any]) -> ExperimentParts:
        """The parts of plain data that are right by themselves."""
        retrievers = data.get("retrievers")
        named = retrievers if isinstance(retrievers, Mapping) else {}
        measures = data.get("measures", list(DEFAULT_MEASURES))
        depth = data.get("depth", 100)
        compare = data.get("compare")
        baseline = compare.get("baseline") if isinstance(compare, Mapping) else None
        report = data.get("report")
        sections = _items(report.get("sections")) if isinstance(report, Mapping) else []
        return cls(
            _readable(enumerate(_items(data.get("datasets"))), TypeAdapter(DatasetSpec)),
            tuple(named),
            _readable(named.items(), _RETRIEVER),
            _parsed(enumerate(_items(measures))),
            depth if type(depth) is int and 1 <= depth <= MAX_DEPTH else None,
            "measures" not in data,
            baseline if isinstance(baseline, str) else None,
            {place: name for place, name in enumerate(sections) if isinstance(name, str)},
            sweep if isinstance(sweep := data.get("sweep"), Mapping) else None,
            _readable([("gate", data.get("gate"))], TypeAdapter(GateOptions)).get("gate"),
        )


def findings(parts: ExperimentParts) -> Iterator[Finding]:
    """What does not fit together; reads no file."""
    yield from _names(parts)
    yield from _measures(parts)
    yield from _inputs(parts)
    yield from _pools(parts)
    if parts.baseline is not None and parts.baseline not in parts.names:
        unknown = unknown_name("retriever", parts.baseline, parts.names)
        yield Finding(("compare", "baseline"), unknown.what, unknown.instead)
    yield from _sections(parts)
    yield from _gate(parts)
    if parts.sweep is not None:
        from ragscore.experiment.sweep.checks import findings_in_sweep

        yield from findings_in_sweep(
            parts.sweep, parts.retrievers, parts.names, parts.measures, parts.depth
        )


def check_parts(parts: ExperimentParts) -> None:
    """Refuse parts, made in Python, that do not fit together.

    Raises:
        ConfigError: every problem at the path where a file would have it.
    """
    problems = [
        Problem(found.what, show_path(found.path), found.instead) for found in findings(parts)
    ]
    if problems:
        raise ConfigError(problems)


def file_findings(
    parts: ExperimentParts, base: Path, only: Collection[str] = ()
) -> Iterator[Finding]:
    """What datasets and retrievers find wrong with their files, taken from a folder; where
    ``only`` names retrievers, of these and of those they are built on."""
    for place, dataset in parts.datasets.items():
        for problem in check_dataset_files(dataset.resolved(base)):
            yield _passed_on(("datasets", place), dataset, problem, "path")
    for place, measure in parts.measures.items():
        if (tokenizer := measure.resolved(base).counts_tokens_of) is not None:
            for problem in tokenizer_problems(tokenizer):
                yield Finding(("measures", place), problem.what, problem.instead)
    own = parts.budget.tokenizer if parts.budget is not None else None
    if own is not None and ":" not in own:
        for problem in tokenizer_problems(name_or_path(own, base)):
            yield Finding(("tune", "budget", "tokenizer"), problem.what, problem.instead)
    for problem in parts.executor.check() if parts.executor is not None else ():
        yield Finding(("executor",), problem.what, problem.instead)
    needed = with_inputs(parts.retrievers, only or parts.retrievers)
    for name, retriever in needed.items():
        for problem in retriever.resolved(base).check():
            yield _passed_on(("retrievers", name), retriever, problem)
    if parts.datasets and not any(dataset.corpus for dataset in parts.datasets.values()):
        for name, retriever in needed.items():
            if retriever.needs_corpus:
                yield Finding(
                    ("retrievers", name),
                    "it searches a corpus, and `corpus: false` leaves that out",
                    "Leave `corpus: false` out; without a corpus only systems that are asked and "
                    "recorded runs can be scored",
                )
    if any(dataset.sample is not None for dataset in parts.datasets.values()):
        for name, retriever in needed.items():
            if retriever.remote:
                yield Finding(
                    ("retrievers", name),
                    "it asks a system that searches all of its passages, and a sample of the "
                    "corpus is searched here",
                    "Leave corpus.sample out, or this retriever",
                )
    if parts.sweep is not None and not any(findings(parts)):
        from ragscore.experiment.sweep.checks import findings_in_sweep_files

        yield from findings_in_sweep_files(parts.sweep, parts.retrievers, base, only)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _readable(items: Iterable[tuple[Any, Any]], adapter: TypeAdapter[Any]) -> dict[Any, Any]:
    read = {}
    for key, value in items:
        try:
            read[key] = adapter.validate_python(value)
        except (ValidationError, ConfigError):
            continue
    return read


def _parsed(items: Iterable[tuple[int, Any]]) -> dict[int, Measure]:
    parsed = {}
    for place, text in items:
        try:
            parsed[place] = parse_measure(text)
        except (MeasureError, TypeError, ValueError):
            continue
    return parsed


def _passed_on(path: KeyPath, spec: Spec, problem: Problem, key: str = "") -> Finding:
    """A part's own problem; its place is a key of the part, such as ``by.use``, or a file."""
    where = problem.where
    if _has_key(spec, where):
        return Finding((*path, *where.split(".")), problem.what, problem.instead)
    what = f"{where}: {problem.what}" if where else problem.what
    return Finding((*path, key) if key else path, what, problem.instead, about=where)


def _has_key(spec: object, key: str) -> bool:
    """Whether a spec, or a spec in it, has a key."""
    first, _, rest = key.partition(".")
    if not isinstance(spec, Spec) or first not in type(spec).model_fields:
        return False
    return not rest or _has_key(getattr(spec, first), rest)


def _names(parts: ExperimentParts) -> Iterator[Finding]:
    for name, problem in names_problems(parts.names):
        yield Finding(("retrievers", str(name)), problem.what, problem.instead, "key")
    labels: dict[str, int] = {}
    for place, dataset in parts.datasets.items():
        label = dataset.label
        at = labels.setdefault(label.casefold(), place)
        if at != place:
            yield Finding(
                ("datasets", place),
                f"two datasets are named '{label}'",
                "Give it a name of its own: {path: ..., name: ...}",
            )
        if label.casefold() == AVERAGE and len(parts.datasets) > 1:
            yield Finding(
                ("datasets", place),
                f"a dataset named '{label}', which tables use for the average over the datasets",
                "Give it another name: {path: ..., name: ...}",
            )


def _measures(parts: ExperimentParts) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for place, measure in parts.measures.items():
        first = seen.setdefault(str(measure), place)
        if first != place:
            yield Finding(
                ("measures", place),
                f"{measure} is listed twice, first as measures[{first}]",
                "Drop one of the two",
            )
    if parts.depth is None:
        return
    above = {
        place: measure.cutoff
        for place, measure in parts.measures.items()
        if isinstance(measure.cutoff, int)
        and measure.cutoff > parts.depth
        and seen[str(measure)] == place
    }
    if above and parts.default_measures:
        deepest = max(above.values())
        yield Finding(
            ("depth",),
            f"depth {parts.depth} is less than the cutoff {deepest} of the default measures",
            f"Write depth: {deepest} or more, or name measures",
        )
        return
    for place, cutoff in above.items():
        yield Finding(
            ("measures", place),
            f"the cutoff {cutoff} is above the depth {parts.depth}",
            f"Write depth: {cutoff}, or a cutoff up to {parts.depth}",
        )


def _inputs(parts: ExperimentParts) -> Iterator[Finding]:
    inputs = {name: retriever.inputs() for name, retriever in parts.retrievers.items()}
    for name, wanted in inputs.items():
        others = [other for other in parts.names if other != name]
        for other in dict.fromkeys(wanted):
            if other not in parts.names:
                unknown = unknown_name("retriever", other, others)
                yield Finding(("retrievers", name), unknown.what, unknown.instead, about=other)
        spec = parts.retrievers[name]
        known = {other: parts.retrievers[other] for other in wanted if other in parts.retrievers}
        for problem in spec.check_inputs(known):
            yield _passed_on(("retrievers", name), spec, problem)
        unfit = spec.check_depth(parts.depth) if parts.depth else None
        if unfit is not None:
            yield _passed_on(("retrievers", name), spec, unfit)
    for cycle in cycles(inputs):
        yield Finding(
            ("retrievers", cycle[0]),
            f"it is built on itself: {' -> '.join(cycle)}",
            "A retriever may name only others that do not name it",
            about=cycle[1],
        )


def _pools(parts: ExperimentParts) -> Iterator[Finding]:
    """Retrievers of the pool of a sampled corpus that are not there, or are there twice."""
    for place, dataset in parts.datasets.items():
        pool = dataset.pool
        for name in dict.fromkeys(pool.retrievers if pool is not None else ()):
            path = ("datasets", place, "corpus", "pool")
            if name not in parts.names:
                unknown = unknown_name("retriever", name, parts.names)
                yield Finding(path, unknown.what, unknown.instead, about=name)
            elif pool is not None and pool.retrievers.count(name) > 1:
                what = f"'{name}' is named twice"
                yield Finding(path, what, "Name each retriever once", about=name)


def _gate(parts: ExperimentParts) -> Iterator[Finding]:
    """Retrievers that a gate names and that are not there, cutoffs that no run reaches."""
    gate = parts.gate
    if gate is None:
        return
    for place, name in enumerate(gate.retrievers or ()):
        if name not in parts.names:
            unknown = unknown_name("retriever", name, parts.names)
            yield Finding(("gate", "retrievers", place), unknown.what, unknown.instead)
    for kind in ("min", "max_drop", "max"):
        for text in getattr(gate, kind):
            cutoff = None if text in QUANTITIES else parse_measure(text).cutoff
            if parts.depth and isinstance(cutoff, int) and cutoff > parts.depth:
                yield Finding(
                    ("gate", kind),
                    f"the cutoff of {text} is above the depth {parts.depth}",
                    f"Write depth: {cutoff}, or a cutoff up to {parts.depth}",
                )


def _sections(parts: ExperimentParts) -> Iterator[Finding]:
    for place, name in parts.sections.items():
        if name not in SECTIONS and name not in SECTIONS.installed():
            unknown = unknown_name("section", name, SECTIONS.names())
            yield Finding(("report", "sections", place), unknown.what, unknown.instead)
