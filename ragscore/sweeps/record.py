"""SweepResult: what a sweep found, frozen, in full precision, the same in memory and in JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.dataset import SampledCorpus
from ragscore.described import in_short
from ragscore.elements import Section
from ragscore.elements.show import Shown
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.records import FloatArray, MaybeNaN, Record, json_property
from ragscore.stats.cross_validation import CrossValidated, HeldOutGain
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.power import queries_needed
from ragscore.sweeps.model import SweptConfigurations, configured_yaml

Cost = Literal["latency_ms", "index_bytes"]
"""What quality is weighed against."""

NORMAL = 1.96
"""Standard errors from a mean to the ends of its 95 % interval."""

Reason = Literal["better", "worse", "same", "few differ", "open", "untested", "no values"]
"""How the best does against the settings of the file, on queries that were not used to choose it;
these may have no values."""
End = Literal["smallest", "largest"]

SweepState = Literal["clear", "several", "tie", "only"]


@dataclass(frozen=True)
class ScoredConfiguration(Record):
    """One configuration of a swept retriever."""

    label: str
    """What it is called: ``bm25[k1=0.9,b=0.4]``."""
    retriever: str
    """The retriever that it configures."""
    settings: Mapping[str, Any]
    """By parameter with its retriever (``bm25.k1``): the value."""
    value: MaybeNaN
    """The mean on the measure that was chosen by, over the compared queries."""
    against_best: Estimate
    """Its difference from the best, signed so that + is better; the intervals of all configurations
    hold at once. No interval where 5 or fewer queries (clusters) differ, or nothing can be
    estimated."""
    p: MaybeNaN
    """The p-value of that difference, adjusted for all pairs of configurations; 1 for the best."""
    differing: int
    """Queries (clusters) on which it and the best differ."""
    in_best_set: bool
    """Whether it is within noise of the best: not decided to be worse."""
    means: Mapping[str, MaybeNaN]
    """By measure as it parses: the experiment's measures."""
    latency_ms: MaybeNaN
    """Milliseconds per query; null if they were not measured."""
    index_bytes: MaybeNaN
    """Bytes of the indexes that it searches; null if unknown."""
    place: int
    """Its place in the order of the sweep."""
    front: tuple[Cost, ...]
    """The costs on whose Pareto front it is: no other is as good and cheaper, or better and as
    cheap."""


@dataclass(frozen=True)
class ValueEffect(Record):
    """One value of a parameter, over all configurations that have it."""

    value: Any
    """The value."""
    configurations: int
    """How many have it."""
    mean: MaybeNaN
    """Their mean on the measure that was chosen by."""
    effect: Estimate
    """The mean less the average over all values of the parameter. What makes all values of a query
    high or low cancels in its interval, which is not adjusted."""


@dataclass(frozen=True)
class ParameterEffect(Record):
    """What one parameter does to the configurations of one retriever."""

    parameter: str
    """The parameter with the retriever that it belongs to: ``bm25.k1``."""
    values: tuple[ValueEffect, ...]
    """By value, numbers ascending, two or more."""
    spread: MaybeNaN
    """The highest mean less the lowest."""
    balanced: bool
    """Whether every value was tried with the same settings of the other parameters; where not, as
    with a random sample, a mean also says what it was tried with."""


@dataclass(frozen=True)
class HeatMap(Record):
    """Two numeric parameters of the configurations of one retriever."""

    across: str
    """The parameter along the columns."""
    down: str
    """The parameter along the rows."""
    columns: tuple[float, ...]
    """Values of ``across``, ascending."""
    rows: tuple[float, ...]
    """Values of ``down``, ascending."""
    means: tuple[FloatArray, ...]
    """For each row, the mean over the configurations of each column; null if there is none."""


@dataclass(frozen=True)
class SweptRetriever(Record):
    """The best configuration of one swept retriever, and what its parameters do."""

    retriever: str
    """The retriever."""
    label: str
    """What its best configuration is called."""
    configurations: int
    """How many this was chosen from."""
    value: MaybeNaN
    """Its mean on the queries that it was chosen on."""
    held_out: CrossValidated | None
    """What choosing among the configurations of this retriever is worth on held-out queries; null
    where there are fewer than two queries (clusters)."""
    effects: tuple[ParameterEffect, ...]
    """Its parameters, that which matters most first."""
    heat_map: HeatMap | None
    """The two numeric parameters that matter most; null if there are not two."""


@dataclass(frozen=True, repr=False)
class SweepResult(Record, Shown):
    """What a sweep found on one dataset."""

    dataset: str
    """Name of the dataset."""
    measure: str
    """What was chosen by, as it parses."""
    lower_is_better: bool
    """Whether small values are good; differences are signed so that + is better."""
    queries: int
    """Queries that every configuration has a value for."""
    dropped: int
    """Queries left out, since the measure is undefined for some configuration."""
    clusters: int | None
    """Clusters that the queries form; null if they are independent."""
    held_out: CrossValidated | None
    """What choosing is worth on held-out queries; null if there are fewer than two
    queries (clusters)."""
    configured: MaybeNaN
    """The mean of the best's retriever with the settings of the file; null if these were not
    scored."""
    gain: HeldOutGain | None
    """How much choosing is better than the settings of the file, on held-out queries; null if
    these were not scored, or nothing could be held out."""
    edges: Mapping[str, End]
    """Numeric parameters whose value in the best is the last one tried, better than the average of
    these, and no bound of the option."""
    configurations: tuple[ScoredConfiguration, ...]
    """The best first."""
    by_retriever: tuple[SweptRetriever, ...]
    """Each swept retriever, the best first."""
    swept: Annotated[SweptConfigurations, Field(exclude=True)]
    """What was analyzed."""
    sample: SampledCorpus | None = None
    """What the corpus that was searched is a sample of: no number holds for the whole. Null where
    it is whole."""

    @json_property
    def best(self) -> str:
        """The label of the best configuration."""
        return self.winner.label

    @json_property
    def in_sample(self) -> MaybeNaN:
        """The mean of the best on the queries that it was chosen on: flattered by the choice."""
        return self.winner.value

    @json_property
    def selection_bias(self) -> MaybeNaN:
        """By how much ``in_sample`` overstates what the choice is worth on held-out queries; null
        if nothing could be held out."""
        if self.held_out is None:
            return float("nan")
        bias = self.winner.value - self.held_out.mean
        return -bias if self.lower_is_better else bias

    @json_property
    def tied(self) -> int:
        """How many others are within noise of the best."""
        return len(self.tied_with_best)

    @json_property
    def state(self) -> SweepState:
        """How sure the choice is: all others are worse, several are within noise of the best, all
        are, or there is no other."""
        others = len(self.configurations) - 1
        if not others:
            return "only"
        if self.tied == others:
            return "tie"
        return "several" if self.tied else "clear"

    @json_property
    def specs(self) -> Mapping[str, Mapping[str, Any]]:
        """By name, the options as they are written: each swept retriever and all that it is built
        on."""
        return self.swept.specs

    @json_property
    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """By the same names, the retrievers that each is built on."""
        return self.swept.inputs

    @json_property
    def bounds(self) -> Mapping[str, tuple[float, ...]]:
        """By numeric parameter with its retriever, those of its smallest and largest values that
        the option itself allows none beyond."""
        return self.swept.bounds

    @json_property
    def failures(self) -> Mapping[str, str]:
        """By label, why a configuration has no values."""
        return self.swept.failures

    @json_property
    def yaml(self) -> str:
        """The best configuration as a block of an experiment file: ``retrievers:``."""
        return configured_yaml(self.swept, self.winner.place)

    @json_property
    def reason(self) -> Reason:
        """Why the best is used ("better", "no values") or the settings of the file are kept."""
        gain = self.gain
        if math.isnan(self.configured):
            return "no values"
        if gain is None:
            return "untested"
        if gain.decided:
            return "better" if gain.difference > 0 else "worse"
        if not gain.differing:
            return "same"
        return "few differ" if gain.differing <= TOO_FEW else "open"

    @property
    def use(self) -> bool:
        """Whether to use the best; else the settings of the file are kept."""
        return self.reason in ("better", "no values")

    @json_property
    def more(self) -> int | None:
        """How many queries (clusters) are missing to decide a gain as large as the one seen, in 4
        of 5 experiments; null if that is not known, or there is no gain to decide."""
        gain = self.gain
        if gain is None or self.reason != "open" or gain.difference <= 0:
            return None
        error = (gain.interval.high - gain.interval.low) / (2 * NORMAL)
        if math.isnan(error):
            return None
        needed = queries_needed(gain.difference, error * math.sqrt(gain.n))
        return needed - gain.n if needed > gain.n else None

    @property
    def label(self) -> str:
        """The measure as tables print it."""
        return parse_measure(self.measure).label

    @property
    def winner(self) -> ScoredConfiguration:
        """The best configuration."""
        return self.configurations[0]

    @property
    def worse(self) -> int:
        """How many others are decided to be worse than the best."""
        return len(self.configurations) - 1 - self.tied

    @property
    def alike(self) -> bool:
        """Whether there are others, and all score the same as the best on every query."""
        others = self.configurations[1:]
        return bool(others) and not any(other.differing for other in others)

    @property
    def tied_with_best(self) -> tuple[ScoredConfiguration, ...]:
        """The others that are within noise of it, the best first."""
        return tuple(other for other in self.configurations[1:] if other.in_best_set)

    def __getitem__(self, label: str) -> ScoredConfiguration:
        """A configuration by its label; KeyError if there is none."""
        for configuration in self.configurations:
            if configuration.label == label:
                return configuration
        raise KeyError(f"{label} was not swept; the best is {self.best}")

    def elements(self) -> tuple[Section]:
        """What ``ragscore run`` prints of it."""
        from ragscore.sweeps.text import sweep_elements

        return (sweep_elements(self),)

    def __repr__(self) -> str:
        what = f"{in_short(self.best)}, best of {len(self.configurations)}"
        return f"SweepResult({in_short(self.dataset)}: {what})"


@dataclass(frozen=True)
class SweepDocument(Record):
    """What a sweep found on each dataset; datasets are never pooled."""

    schema_version: Annotated[Literal[3], Field(serialization_alias="schema")] = field(
        default=3, init=False
    )
    """Version of this format."""
    datasets: tuple[SweepResult, ...]
    """One for each dataset."""


def sweep_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of sweep.json."""
    return SweepDocument.json_schema("ragscore sweep")
