"""ResultWithGate: a result that is held to conditions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Unpack

from ragscore.errors import ConfigError
from ragscore.files import expanded
from ragscore.gate import Baseline, GateOptions, GateOutcome, judge_gate
from ragscore.gate.baseline_check import check_baseline_named, check_profile
from ragscore.gate.baseline_file import read_baseline
from ragscore.gate.options import GateChanges
from ragscore.results.compared_result import ComparedResult
from ragscore.results.folder_parts import FolderParts
from ragscore.results.manifest_file import check_files, read_manifest
from ragscore.results.result_facts import ResultFacts
from ragscore.results.result_parts import ResultParts
from ragscore.results.result_view import experiment_data
from ragscore.validation.findings import from_options


@dataclass(frozen=True, eq=False)
class ResultWithGate(ComparedResult):
    """A result that is held to conditions: those of its experiment, or others."""

    @cached_property
    def gated(self) -> GateOutcome | None:
        """What the experiment's gate said when it ran; None if it had none, or could not be
        judged.

        Raises:
            DataError: what was recorded of it is damaged.
        """
        return self.parts.gated

    @property
    def gate_options(self) -> GateOptions | None:
        """The experiment's gate; None if it has none. Its baseline is a path from the folder of
        the result.

        Raises:
            ConfigError: it is not one that this version knows.
        """
        found = experiment_data(self.experiment_text).get("gate")
        return from_options(GateOptions, found) if isinstance(found, dict) else None

    def gate(
        self,
        options: GateOptions | None = None,
        *,
        baseline: Baseline | ResultFacts | str | Path | None = None,
        **changes: Unpack[GateChanges],
    ) -> GateOutcome:
        """Hold the result to conditions: PASS, FAIL or UNDECIDED, one by one and together.

        Args:
            options: the conditions; by default the experiment's.
            baseline: what drops are measured from: a baseline or the file that holds it, or an
                earlier result or its folder; by default what the options name.
            changes: single fields of :class:`~ragscore.GateOptions`:
                ``result.gate(max_drop={"nDCG@10": 0.02}, baseline="baseline.json")``.

        Raises:
            ConfigError: there is no condition, or an option is wrong; a drop needs a baseline.
            DataError: the baseline cannot be read, or has other data or judgments; the dataset
                that knows clusters and slices is not there.
        """
        own = self._conditions(options, changes)
        earlier = self.baseline_for(options, baseline=baseline, **changes)
        return judge_gate(self, own, earlier, compare=self.view.compare.value)

    def baseline_for(
        self,
        options: GateOptions | None = None,
        *,
        baseline: Baseline | ResultFacts | str | Path | None = None,
        **changes: Unpack[GateChanges],
    ) -> Baseline | None:
        """What :meth:`gate` measures drops from: of the experiment's own gate the copy in the
        result's folder, where it was judged; None if no drop is asked for.

        Args:
            options, baseline, changes: as for :meth:`gate`.

        Raises:
            ConfigError, DataError: as for :meth:`gate`.
        """
        own = self._conditions(options, changes)
        if not own.max_drop:
            return None
        if baseline is not None or options is not None or own.baseline is None:
            return loaded_baseline(
                baseline if baseline is not None else own.baseline, own, self.parts
            )
        kept = self.parts.baseline
        if kept is not None:
            return kept
        return loaded_baseline(own.resolved(self.folder or Path()).baseline, own, self.parts)

    def _conditions(self, options: GateOptions | None, changes: GateChanges) -> GateOptions:
        own = options or self.gate_options
        if own is not None:
            return own.changed(**changes)
        if changes:
            return from_options(GateOptions, dict(changes))
        raise ConfigError(
            "there is no condition, and the experiment has no gate",
            instead='Give one: max_drop={"nDCG@10": 0.02}',
        )


def loaded_baseline(
    given: Baseline | ResultFacts | str | Path | None,
    options: GateOptions,
    judged: ResultParts | None = None,
) -> Baseline | None:
    """The baseline that is named; None if none is.

    Args:
        given: a baseline or the file that holds it, or an earlier result or its folder.
        options: the gate, whose measures an earlier result is asked for.
        judged: what is judged; a dataset of both is read once.

    Raises:
        DataError: it cannot be read.
    """
    if given is None or isinstance(given, Baseline):
        return given
    if isinstance(given, ResultFacts):
        return Baseline.from_result(given, tuple(options.max_drop))
    place = expanded(given)
    if not place.is_dir():
        return read_baseline(place)
    parts = _earlier(place)
    if judged is not None:
        parts.share_datasets(judged)
    return Baseline.from_result(ResultFacts(parts), tuple(options.max_drop)).named(str(place))


def check_baseline(options: GateOptions, profile: str) -> None:
    """Check the baseline of a gate before anything runs, as far as that can be known then.

    Args:
        options: of the gate, with the path of its baseline from the current folder.
        profile: the conventions of the result.

    Raises:
        ConfigError: a drop is asked for, and there is no baseline.
        DataError: it cannot be read, or follows other conventions.
    """
    check_baseline_named(options, options.baseline)
    if not options.max_drop or options.baseline is None:
        return
    place = expanded(options.baseline)
    if place.is_dir():
        check_profile(_earlier(place).manifest.profile, profile, str(place))
    else:
        check_profile(read_baseline(place).profile, profile, str(place))


def _earlier(folder: Path) -> FolderParts:
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    return FolderParts(folder, manifest)
