"""From ``sweep:`` to configurations: specs with every combination of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError
from ragscore.experiment.sweep.grid import (
    Grid,
    combinations,
    configured,
    misfits,
    resolved_values,
    size,
    values_of,
)
from ragscore.experiment.sweep.options import Sweep
from ragscore.messages import _
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.graph import search_order, with_inputs
from ragscore.spec import canonical_json
from ragscore.sweeps.model import configuration_label


@dataclass(frozen=True)
class Candidate:
    """One configuration of a swept retriever.

    Attributes:
        retriever: what it configures.
        setting: by parameter with its retriever (``bm25.k1``), the value as it was written; its
            own parameters first.
    """

    retriever: str
    setting: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Its name: ``bm25[k1=0.9,b=0.4]``."""
        return configuration_label(self.retriever, self.setting)


@dataclass(frozen=True)
class Configurations:
    """All configurations of a sweep.

    Attributes:
        candidates: by label, those that are scored; inputs come before what is built on them.
        specs: by label, the retriever of each, and of what stands between; by name, those
            that are not swept and that others are built on.
    """

    candidates: Mapping[str, Candidate]
    specs: Mapping[str, RetrieverSpec]


def swept_needs(
    retriever: str, swept: Mapping[str, Any], retrievers: Mapping[str, RetrieverSpec]
) -> tuple[str, ...]:
    """The swept retrievers that one is built on, inputs first, itself last."""
    order = search_order(with_inputs(retrievers, [retriever]))
    return tuple(name for name in order if name in swept)


def joint_grid(
    retriever: str, grids: Mapping[str, Grid], retrievers: Mapping[str, RetrieverSpec]
) -> dict[str, list[Any]]:
    """The grid of a retriever and of what it is built on, its own parameters last: configurations
    that share their inputs then come together."""
    return {
        f"{name}.{parameter}": list(values)
        for name in swept_needs(retriever, grids, retrievers)
        for parameter, values in grids[name].items()
    }


def grids_of(parameters: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """The grids of a sweep that was checked."""
    return {
        retriever: {parameter: values_of(values)[0] for parameter, values in grid.items()}
        for retriever, grid in parameters.items()
    }


def count_configurations(
    grids: Mapping[str, Grid], retrievers: Mapping[str, RetrieverSpec], sample: int | None
) -> int:
    """How many configurations there will be, at most."""
    counts = [size(joint_grid(retriever, grids, retrievers)) for retriever in grids]
    return sum(counts if sample is None else [min(count, sample) for count in counts])


def expand(
    sweep: Sweep, retrievers: Mapping[str, RetrieverSpec], progress: Progress = SILENT
) -> Configurations:
    """The configurations of a sweep; one that equals an earlier one is left out.

    Args:
        sweep: the experiment's, checked.
        retrievers: the experiment's, by name.
        progress: reports retrievers with fewer configurations than the sample.

    Raises:
        ConfigError: a configuration would be called as another one, or as a retriever is.
    """
    grids = grids_of(sweep.parameters)
    made = _Made(grids, retrievers)
    order = [name for name in search_order(retrievers) if name in grids]
    for retriever in order:
        grid = joint_grid(retriever, grids, retrievers)
        if sweep.sample is not None and sweep.sample > (count := size(grid)):
            facts = {"sample": sweep.sample, "count": count_text(count), "name": retriever}
            progress.note(
                _(
                    "the sweep's sample of {sample} covers all {count} configurations of {name}",
                    **facts,
                )
            )
        for values in combinations(grid, sweep.sample, f"{sweep.seed}:{retriever}"):
            made.add(retriever, values)
    return Configurations(made.candidates, made.specs)


def resolved_sweep(sweep: Sweep, retrievers: Mapping[str, RetrieverSpec], base: Path) -> Sweep:
    """The same sweep with every path among its values absolute, taken from a folder."""
    return sweep.with_parameters(
        {
            name: {
                parameter: resolved_values(retrievers[name], parameter, values, base)
                for parameter, values in grid.items()
            }
            for name, grid in sweep.parameters.items()
        }
    )


@dataclass
class _Made:
    """Configurations as they are made."""

    grids: Mapping[str, Grid]
    retrievers: Mapping[str, RetrieverSpec]
    candidates: dict[str, Candidate] = field(default_factory=dict)
    specs: dict[str, RetrieverSpec] = field(default_factory=dict)
    needs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)
    """By all that a retriever and its inputs are set to, its label."""

    def add(self, retriever: str, values: Mapping[str, Any]) -> None:
        label = self.node(retriever, values)
        self.candidates.setdefault(label, Candidate(retriever, self.setting(retriever, values)))

    def setting(self, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values that matter for a retriever, its own first, then those of its inputs."""
        if name not in self.needs:
            self.needs[name] = swept_needs(name, self.grids, self.retrievers)
        return {
            f"{need}.{parameter}": values[f"{need}.{parameter}"]
            for need in reversed(self.needs[name])
            for parameter in self.grids[need]
        }

    def node(self, name: str, values: Mapping[str, Any]) -> str:
        """The label of a retriever with these values, itself and its inputs being made."""
        setting = self.setting(name, values)
        label = configuration_label(name, setting) if setting else name
        if setting and label in self.retrievers:
            raise ConfigError(
                f"sweep: a configuration is called as the retriever '{label}' is",
                instead="Give the retriever another name",
            )
        if label in self.specs:
            if not setting:
                return label
            if self.settings[label] != setting:
                raise ConfigError(
                    f"sweep: two values are too close to tell apart: {label}",
                    instead="Values are told apart by six digits",
                )
            return label
        spec = self.retrievers[name]
        if name in self.grids:
            own = {parameter: values[f"{name}.{parameter}"] for parameter in self.grids[name]}
            made = configured(spec, own)
            if made is None:
                wrong = misfits(spec, own)[0]
                raise ConfigError(f"{label}: {wrong.what}", instead=wrong.instead)
            spec = made
        inputs = {source: self.node(source, values) for source in spec.inputs()}
        identity = canonical_json([name, spec.model_dump(mode="json"), sorted(inputs.items())])
        if identity in self.identities:  # the same value was written twice: 1 and 1.0
            return self.identities[identity]
        self.identities[identity] = label
        self.settings[label] = setting
        self.specs[label] = spec.with_inputs_named(inputs)
        return label
