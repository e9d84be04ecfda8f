"""The Experiment: datasets x retrievers x measures, as one frozen description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ragscore.chunking import Chunker
from ragscore.comparison.options import CompareOptions
from ragscore.errors import ConfigError, Problem, unknown_name
from ragscore.executors import Executor, Local
from ragscore.experiment.consistency import MAX_DEPTH, ExperimentParts, check_parts
from ragscore.experiment.defaults import with_defaults
from ragscore.experiment.latency import Latency
from ragscore.experiment.measure_text import MeasureText, resolved_measure
from ragscore.experiment.memory import Memory
from ragscore.experiment.store import Store, resolved_store
from ragscore.experiment.sweep.options import Sweep
from ragscore.file_names import name_problem
from ragscore.files import name_or_path
from ragscore.formats import DatasetSpec
from ragscore.gate import GateOptions
from ragscore.measures import DEFAULT_MEASURES, Measure, load_named, parse_measure
from ragscore.names import Language
from ragscore.plugins import Catalogue
from ragscore.report.options import OUTPUTS, ReportOptions
from ragscore.results.selectivity import KEY as SELECTIVITY
from ragscore.retrievers import Retriever
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.corpus_retriever import IndexedFields
from ragscore.retrievers.graph import with_inputs
from ragscore.scoring import PROFILES, ProfileName
from ragscore.spec import Spec
from ragscore.tuning.options import TuneOptions, family_named
from ragscore.validation.findings import carried


def _checked_name(name: str) -> str:
    if problem := name_problem(name):
        raise carried(problem)
    return name


BOTH_DATASETS = Problem(
    "both dataset and datasets are given",
    instead="Keep one: dataset for one, datasets for a list of them",
)
Name = Annotated[str, AfterValidator(_checked_name)]


_DEFAULTS: Mapping[str, type[Spec]] = {
    "latency": Latency,
    "compare": CompareOptions,
    "tune": TuneOptions,
    "report": ReportOptions,
}
"""What ``true`` means, by key."""


@dataclass(frozen=True)
class Source:
    """The file that an experiment was read from, and the values that were laid over it; all are
    equal, since experiments are equal wherever they are written."""

    path: str = field(default="", compare=False)
    overrides: tuple[str, ...] = field(default=(), compare=False)


class Experiment(Spec):
    """One YAML file: the same retrievers on each dataset, scored by the same measures.

    Relative paths of datasets and retrievers are taken from the folder of the file that
    :func:`~ragscore.experiment.load_experiment` read; ``output`` from the current folder.

    Raises:
        ConfigError: the parts do not fit together: a name used twice, a cutoff above the
            depth, a fusion of retrievers that are not there.
    """

    name: Name = "experiment"
    """Name of the experiment and of its results' folder; by default the name of the file."""
    description: str = ""
    """Free text that the report repeats."""
    datasets: list[DatasetSpec] = Field(min_length=1)
    """Several datasets to search and judge; nothing is pooled across them."""
    fields: IndexedFields | None = Field(default=None, exclude=True)
    """What is read of a passage, for every retriever that has `fields` and does not say it itself:
    `[title, text]`, `[text]` or `[title]`."""
    chunk: Chunker | None = Field(default=None, exclude=True)
    """How documents are cut into passages, for every retriever that searches them and does not say
    it itself."""
    defaults: dict[str, dict[str, Any]] = Field(default={}, exclude=True)
    """Options for every retriever of a kind that does not have them itself, by kind:
    `{bm25: {k1: 0.9}}`."""
    retrievers: dict[str, Retriever] = Field(min_length=1)
    """The retrievers to compare, by name."""
    measures: list[MeasureText] = Field(list(DEFAULT_MEASURES), min_length=1)
    """Measures as ``nDCG@10`` or ``nDCG(gain=exp)@10``; ``@depth`` is all that was recorded."""
    profile: ProfileName = "trec"
    """Score as this tool does: it sets the options that measures leave at their defaults."""
    bounds: bool = False
    """True also gives the lowest and highest value that each measure could have, were the
    unjudged among the returned passages judged."""
    depth: int = Field(100, ge=1, le=MAX_DEPTH)
    """How many passages each retriever records per query; every cutoff up to it is free."""
    latency: Latency | Literal[False] = Latency()
    """How search latency is sampled; false leaves it out."""
    compare: CompareOptions | Literal[False] = CompareOptions()
    """How two or more retrievers are compared after scoring; false turns this off."""
    tune: TuneOptions | Literal[False] = False
    """How to choose the number of passages after scoring; without a rule (as with true) there are
    only curves, and nothing is recommended."""
    sweep: Sweep | Literal[False] = False
    """A search over settings of the retrievers, which has a table of its own; the retrievers above
    are compared with the settings that they have there."""
    gate: GateOptions | Literal[False] = False
    """What has to hold of the result, against a baseline or as it is: `ragscore gate` exits with
    5 where it does not, and with 6 where the queries cannot tell."""
    report: ReportOptions | Literal[False] = ReportOptions()
    """The report that is written at the end; false leaves it out."""
    memory: Memory | None = None
    """How much memory the run may use, such as `4GB`: the passages are then read in blocks, and
    their texts are never all in memory."""
    store: Store | None = None
    """Where vectors, indexes and runs are kept, so that other machines find them: a folder, or a
    URL of fsspec such as `s3://bucket/ragscore`; by default the user's cache."""
    executor: Executor = Local()
    """Who encodes and searches the blocks of a corpus, runs cross-encoders and searches the
    settings of a sweep: this machine, or the nodes of a cluster, such as
    `{kind: ray, num_gpus: 1}`, which reach the store."""
    output: str = "results"
    """The folder under which each run gets a folder of its own."""
    strict: bool = False
    """Whether a passage that is returned twice is an error; otherwise it is counted."""
    _source: Source = PrivateAttr(Source())

    @model_validator(mode="before")
    @classmethod
    def _one_or_many_datasets(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or "dataset" not in data:
            return data
        if "datasets" in data:
            raise carried(BOTH_DATASETS)
        return {
            "datasets" if key == "dataset" else key: [value] if key == "dataset" else value
            for key, value in data.items()
        }

    @model_validator(mode="before")
    @classmethod
    def _load_added(cls, data: Any) -> Any:
        """Import the packages that add what the experiment names: it is to be run."""
        if not isinstance(data, Mapping):
            return data
        tune, report = data.get("tune"), data.get("report")
        curves = tune.get("measures") if isinstance(tune, Mapping) else None
        formats = report.get("formats") if isinstance(report, Mapping) else None
        named: list[tuple[Catalogue[Any], Any]] = [(PROFILES, data.get("profile"))]
        named += [(OUTPUTS, name) for name in (formats if isinstance(formats, list) else ())]
        try:
            load_named(text for text in (curves if isinstance(curves, list) else ()))
            for catalogue, name in named:
                added = isinstance(name, str) and name not in catalogue.own
                if added and name in catalogue.installed():
                    catalogue.load(name)
        except ConfigError as error:
            raise carried(error.problems[0]) from error
        return data

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, data: Any) -> Any:
        """Retrievers have their defaults from here on; ``defaults``, ``fields`` and ``chunk`` are
        empty."""
        if not isinstance(data, Mapping):
            return data
        applied = with_defaults(data)
        if applied.found:
            raise ConfigError(applied.problems())
        return applied.data

    @field_validator("latency", "compare", "tune", "report", mode="before")
    @classmethod
    def _switched_on(cls, value: Any, info: ValidationInfo) -> Any:
        return _DEFAULTS[str(info.field_name)]() if value is True else value

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        check_parts(self.parts())
        return self

    def parts(self) -> ExperimentParts:
        """The parts that have to fit together."""
        return ExperimentParts(
            dict(enumerate(self.datasets)),
            tuple(self.retrievers),
            self.retrievers,
            {place: parse_measure(text) for place, text in enumerate(self.measures)},
            self.depth,
            "measures" not in self.model_fields_set,
            self.compare.baseline if self.compare else None,
            dict(enumerate((self.report and self.report.sections) or ())),
            self.sweep.model_dump() if self.sweep else None,
            self.gate or None,
            (self.tune and self.tune.budget) or None,
            self.executor,
        )

    @property
    def language(self) -> Language:
        """Of what is printed about it, unless a command says another."""
        return self.compare.language if self.compare else "en"

    def all_measures(self) -> tuple[Measure, ...]:
        """Every measure that it names, also for curves and conditions; each once."""
        named = [*self.measures, *(self.gate.measures if self.gate else ())]
        if self.sweep and self.sweep.measure is not None:
            named.append(self.sweep.measure)
        curves = self.tune.families() if self.tune else ()
        return tuple(dict.fromkeys([*map(parse_measure, named), *curves]))

    @property
    def source(self) -> Source:
        """Where it was read from, for messages; without a path where it was made in Python."""
        return self._source

    def read_from(self, path: Path, overrides: Iterable[str]) -> Self:
        """The same experiment, which knows where it was read from."""
        read = self.model_copy()
        read._source = Source(str(path), tuple(overrides))
        return read

    def wanted(self, only: Iterable[str]) -> tuple[str, ...]:
        """The names of the retrievers that are to run, in the order of the file.

        Args:
            only: names; none of them is all.

        Raises:
            ConfigError: there is no such retriever.
        """
        chosen = tuple(dict.fromkeys(only))
        for name in chosen:
            if name not in self.retrievers:
                raise ConfigError(unknown_name("retriever", name, self.retrievers, "--only"))
        return tuple(name for name in self.retrievers if not chosen or name in chosen)

    def only(self, wanted: Iterable[str]) -> Experiment:
        """The same experiment with some of its retrievers, those that they are built on, and those
        that samples of corpora are pooled by; see :meth:`reduced`."""
        needed = with_inputs(self.retrievers, tuple(wanted))
        pools = [spec.pool.retrievers for spec in self.datasets if spec.pool is not None]
        pooling = with_inputs(self.retrievers, tuple(name for pool in pools for name in pool))
        kept = {
            name: spec
            for name, spec in self.retrievers.items()
            if name in needed or name in pooling
        }
        return self.reduced(needed).model_copy(update={"retrievers": kept})

    def reduced(self, retrievers: Mapping[str, RetrieverSpec]) -> Experiment:
        """The same experiment with some of its retrievers; if the baseline is not among them, the
        default applies, what is swept among them is swept still, and slices by the filters of
        others are left out."""
        compare = self.compare
        if compare and compare.slices:
            others = {f"{SELECTIVITY}.{name}" for name in {*self.retrievers} - {*retrievers}}
            if _filtered(self.retrievers) and not _filtered(retrievers):
                others.add(SELECTIVITY)
            slices = tuple(key for key in compare.slices if key not in others)
            compare = compare.model_copy(update={"slices": slices})
        if compare and compare.baseline not in retrievers:
            compare = compare.model_copy(update={"baseline": None})
        sweep = self.sweep and self.sweep.reduced(retrievers)
        gate = self.gate
        if gate and {*retrievers} < {*self.retrievers}:
            asked = gate.retrievers or tuple(self.retrievers)
            kept = tuple(name for name in asked if name in retrievers)
            gate = gate.model_copy(update={"retrievers": kept}) if kept else False
        update = {
            "retrievers": dict(retrievers),
            "compare": compare,
            "sweep": sweep,
            "gate": gate,
        }
        return self.model_copy(update=update)

    def resolved(self, base: Path) -> Experiment:
        """The same experiment with every input path absolute, taken from a folder."""
        sweep = self.sweep
        if sweep:
            from ragscore.experiment.sweep.configurations import resolved_sweep

            sweep = resolved_sweep(sweep, self.retrievers, base)
            if sweep.measure is not None:
                measure = resolved_measure(sweep.measure, base)
                sweep = sweep.model_copy(update={"measure": measure})
        return self.model_copy(
            update={
                "measures": [resolved_measure(text, base) for text in self.measures],
                "tune": _resolved_tune(self.tune, base),
                "sweep": sweep,
                "gate": self.gate and self.gate.resolved(base),
                "store": self.store and resolved_store(self.store, base),
                "datasets": [dataset.resolved(base) for dataset in self.datasets],
                "retrievers": {
                    name: retriever.resolved(base) for name, retriever in self.retrievers.items()
                },
            }
        )


def _filtered(retrievers: Mapping[str, RetrieverSpec]) -> bool:
    return any(getattr(retriever, "filter", None) for retriever in retrievers.values())


def _resolved_tune(tune: TuneOptions | Literal[False], base: Path) -> TuneOptions | Literal[False]:
    """The options with the paths of tokenizers absolute; ``module:function`` stays."""
    if not tune:
        return tune
    budget = tune.budget
    if budget is not None and budget.tokenizer is not None:
        budget = budget.model_copy(update={"tokenizer": name_or_path(budget.tokenizer, base)})
    measures = [str(family_named(text).resolved(base)) for text in tune.measures]
    return tune.model_copy(update={"budget": budget, "measures": measures})
