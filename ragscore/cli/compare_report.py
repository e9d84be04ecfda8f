"""What ``ragscore compare`` says, in every format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragscore.cli.options import named_as_flags
from ragscore.errors import DataError

if TYPE_CHECKING:
    from ragscore.comparison import CompareOptions
    from ragscore.comparison.document import Comparison
    from ragscore.results import Result


def compared_result(result: Result, given: Mapping[str, Any], notes: list[str]) -> Comparison:
    """Compare the retrievers of a result.

    Args:
        result: of a folder, several folders or run files.
        given: the flags that were given; they win over what the experiment said.
        notes: what a reader must know is added here.

    Raises:
        ConfigError: the baseline is not there, no query has a tag that is asked for.
        DataError: the retrievers were scored on different queries.
    """
    from ragscore.comparison.strings import STRINGS
    from ragscore.results.compared_result import check_compared

    options = _options(result, given, notes)
    check_compared(result, options)
    result = result.viewed(compare=options, choices=False)
    for part in result:
        _ = part.every  # raises what hinders it
        if (named := part.lacking_baseline) is not None:
            notes.append(
                STRINGS.note("note_no_baseline_here", dataset=part.dataset, baseline=named)
            )
        if options.slices:
            notes += part.notes_on("slices")
        try:
            result.qrels(part.dataset)
        except DataError as error:
            notes.append(STRINGS.note("note_no_overlap", error=error))
    return result.comparison()


def _options(result: Result, given: Mapping[str, Any], notes: list[str]) -> CompareOptions:
    """The experiment's options with the flags; its baseline only where it has scores."""
    from ragscore.comparison.strings import STRINGS

    recorded = result.view.compare
    notes += recorded.notes
    base = recorded.value
    if base.baseline is not None and base.baseline not in result.scores.retrievers:
        if "baseline" not in given:
            notes.append(STRINGS.note("note_no_baseline", baseline=base.baseline))
        base = base.model_copy(update={"baseline": None})
    with named_as_flags():
        return base.changed(**given)
