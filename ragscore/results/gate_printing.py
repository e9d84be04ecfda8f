"""What the command and a failing test print of a gate: its outcome, and the queries that fell."""

from __future__ import annotations

from pathlib import Path

from ragscore.blocks import Block
from ragscore.gate import Baseline, GateOutcome
from ragscore.gate.fallen_queries import fallen_blocks, query_texts
from ragscore.results.gated import loaded_baseline
from ragscore.results.result import Result
from ragscore.results.result_facts import ResultFacts
from ragscore.strings import Language


def printed_gate(
    result: Result,
    outcome: GateOutcome,
    baseline: Baseline | ResultFacts | str | Path | None = None,
    language: Language = "en",
    *,
    texts: bool = True,
) -> list[Block]:
    """The verdict, every condition, and the ten queries that fell most, folded.

    Args:
        result: what was judged.
        outcome: of its gate.
        baseline: what drops were measured from; by default what the outcome's options name.
        language: of what is not a name.
        texts: whether texts of queries are shown.

    Raises:
        DataError: the baseline cannot be read.
    """
    blocks: list[Block] = outcome.blocks(language)
    options = outcome.options
    if options.max_drop:
        before = loaded_baseline(baseline if baseline is not None else options.baseline, options)
        assert before is not None
        known = query_texts(result) if texts else {}
        blocks += fallen_blocks(outcome, result.scored(options.measures), before, known, language)
    return blocks
