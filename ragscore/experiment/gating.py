"""The gate of an experiment: checked before it runs, judged when it has run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragscore.errors import ConfigError, RagscoreError
from ragscore.experiment.config.load_experiment import resolved_yaml
from ragscore.experiment.consistency import check_parts
from ragscore.experiment.model import Experiment
from ragscore.experiment.run_notes import RunNotes
from ragscore.files import expanded
from ragscore.gate import GateOptions, baseline_for, judge_gate
from ragscore.gate.baseline import MAX_BYTES, baseline_text
from ragscore.gate.judging import check_baseline
from ragscore.gate.record import gate_files
from ragscore.messages import _
from ragscore.results import Result
from ragscore.results.layout import BASELINE
from ragscore.results.memory_parts import MemoryParts
from ragscore.validation.findings import from_options


def with_gate(experiment: Experiment, options: Mapping[str, Any]) -> Experiment:
    """The experiment with options of its gate changed, ready to be judged by it.

    Args:
        experiment: with every path absolute.
        options: fields of :class:`~ragscore.GateOptions`; a path is taken from the current folder.

    Raises:
        ConfigError: an option is wrong, there is no condition, or a drop has no baseline.
        DataError: the baseline cannot be read, or follows other conventions.
    """
    given = dict(options)
    if given.get("baseline"):
        given["baseline"] = str(Path(expanded(given["baseline"])).absolute())
    gate = experiment.gate
    if not gate and not given:
        raise ConfigError(
            "the experiment has no gate",
            where=experiment.source.path,
            instead="Write gate: {max_drop: {nDCG@10: 0.02}, baseline: baseline.json}, or give "
            "--max-drop, --min or --max",
        )
    judged = gate.changed(**given) if gate else from_options(GateOptions, given)
    check_baseline(judged, experiment.profile)
    changed = experiment.model_copy(update={"gate": judged})
    check_parts(changed.parts())
    return changed


def judge_own_gate(
    result: Result,
    parts: MemoryParts,
    experiment: Experiment,
    options: GateOptions,
    folder: Path,
    notes: RunNotes,
) -> None:
    """Judge the experiment's gate, or note what prevents it: no baseline was saved yet.

    A result is moved and published, so that it names no path of this machine: the baseline is
    copied into its folder, and its experiment.yaml names that copy; if there is none, the
    baseline's path from the folder.

    Args:
        result: that was scored.
        parts: which hold what the gate says, and the baseline.
        experiment: with every path absolute.
        options: its gate.
        folder: where the result will be written.
        notes: of the run.
    """
    recorded = options
    shown = _from(options.baseline, Path(experiment.source.path).parent)
    if options.baseline is not None:
        recorded = options.model_copy(update={"baseline": _from(options.baseline, folder)})
    try:
        baseline = baseline_for(result, options)
        gated = judge_gate(result, options, baseline)
    except RagscoreError as error:
        text = str(error)
        if options.baseline is not None:
            # What to type is a path from here, where that is not outside.
            here = _from(options.baseline, Path.cwd())
            text = text.replace(options.baseline, shown if here.startswith("..") else here)
        notes.note(_("the gate was not judged: {error}", error=text))
    else:
        kept = b"" if baseline is None else baseline_text(baseline).encode()
        if 0 < len(kept) <= MAX_BYTES:  # of a larger one no copy could be read
            recorded = recorded.model_copy(update={"baseline": BASELINE})
            parts.extra_files[BASELINE] = kept
        gated = replace(gated, options=recorded, baseline=shown if baseline else "")
        parts.extra_files.update(gate_files(gated))
    parts.text = resolved_yaml(experiment.model_copy(update={"gate": recorded}))


def _from(path: str | None, folder: Path) -> str:
    """A path as it is named from a folder; its last name alone where no way leads there."""
    if path is None:
        return ""
    with suppress(ValueError):  # another drive
        return Path(os.path.relpath(path, folder)).as_posix()
    return Path(path).name
