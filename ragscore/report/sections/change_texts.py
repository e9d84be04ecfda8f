"""Sentences of the section "changes": what of the data changed, and what each retriever did."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ragscore.comparison import Difference
from ragscore.comparison.compared_measure import ComparedMeasure
from ragscore.comparison.model import ALPHA
from ragscore.comparison.paired_changes import Change
from ragscore.elements import Paragraph
from ragscore.elements.numbers import count_text, minute, p_relation, plain_number, signed_text
from ragscore.report.changes import Changes
from ragscore.report.report import Report
from ragscore.results import DatasetResult
from ragscore.stats.few_differ import TOO_FEW
from ragscore.strings import Strings


def data_sentences(report: Report, panel: DatasetResult, found: Changes) -> Iterator[Paragraph]:
    """What was compared with what, and whether the numbers are comparable at all."""
    strings, before = report.strings, report.before
    assert before is not None
    if found.trouble:
        yield Paragraph(strings("changes_trouble", trouble=found.trouble), "warning")
        return
    if not found.pairs:
        listed = [strings.names(names) or "-" for names in (found.only_before, found.only_after)]
        yield Paragraph(strings("changes_no_pair", before=listed[0], after=listed[1]), "warning")
        return
    when = minute(before.manifest.created)
    yield Paragraph(
        strings("changes_against", when=when, folder=before.parts.where, n=count_text(found.n))
    )
    yield from _comparable(found, strings, report)
    renamed = found.pairs[0]
    if renamed.before != renamed.after:
        facts = {"before": renamed.before, "after": renamed.after}
        yield Paragraph(strings("changes_other_names", **facts), "note")
    if found.before != found.dataset:
        facts = {"before": found.before, "after": found.dataset}
        yield Paragraph(strings("changes_other_dataset", **facts), "note")
    if not found.clustered:
        yield Paragraph(strings("changes_no_clusters"), "warning")
    for key, names in (
        ("changes_only_before", found.only_before),
        ("changes_only_after", found.only_after),
    ):
        if names:
            yield Paragraph(strings(key, names=strings.names(names)), "note")
    if found.lacking:
        measures = strings.names(panel.labels.get(name, name) for name in found.lacking)
        yield Paragraph(strings("changes_lacking", measures=measures), "note")


def _comparable(found: Changes, strings: Strings, report: Report) -> Iterator[Paragraph]:
    assert report.before is not None
    profiles = [result.manifest.profile for result in (report.before, report.result)]
    parts = []
    if any(found.data.sampled):
        sizes = [
            strings("changes_whole") if sample is None else sample.size()
            for sample in found.data.sampled
        ]
        parts.append(strings("changes_sampled", before=sizes[0], after=sizes[1]))
    if profiles[0] != profiles[1]:
        parts.append(strings("changes_conventions", before=profiles[0], after=profiles[1]))
    if found.data.same and not parts:
        yield Paragraph(strings("changes_data_same"), "note")
        return
    if not found.data.known:
        parts.append(strings("changes_data_unknown"))
    elif not found.data.same:
        what = ", ".join(_differences(found, strings)) or strings("changes_elsewhere")
        parts.append(strings("changes_data_differs", what=what))
    matters = not found.data.known or found.data.rejudged or profiles[0] != profiles[1]
    if found.judged_again and matters:
        parts.append(strings("changes_judged_again"))
    elif matters:
        parts.append(strings("changes_not_comparable"))
    yield Paragraph(" ".join(parts), "warning")


def _differences(found: Changes, strings: Strings) -> Iterator[str]:
    change = found.data
    if change.passages:
        yield strings("changes_passages_differ")
    if change.rejudged:
        yield strings.counted("changes_judgments_differ", len(change.rejudged))
    if change.reworded:
        yield strings.counted("changes_texts_differ", len(change.reworded))
    if dropped := found.dropped - len(change.reworded):
        yield strings.counted("changes_queries_differ", dropped)


def change_sentence(
    change: Change, measure: ComparedMeasure, found: Changes, strings: Strings
) -> str:
    """What one retriever did on one measure: the first sentence that applies, with its remark."""
    difference = change.difference
    margin = difference.margin
    name = measure.name
    facts: dict[str, Any] = {"A": change.pair.after, "M": name}
    if not difference.n:
        return strings("changes_no_value", **facts)
    if not difference.differing:
        return strings("changes_same", n=count_text(difference.n), **facts)
    if difference.differing <= TOO_FEW:
        key = "changes_too_few" if difference.clusters is None else "changes_too_few_clusters"
        return strings(key, x=difference.differing, n=count_text(difference.test.n), **facts)
    low, high = difference.bounds
    facts |= _numbers(difference, low, high, margin, found, strings)
    if difference.decided:
        near, far = (low, high) if difference.value > 0 else (-high, -low)
        sentence = strings("changes_better" if difference.value > 0 else "changes_worse", **facts)
        if margin is None:
            return sentence
        size = "below_margin" if far < margin else "at_least" if near >= margin else "may_be"
        nearest = {"lo": facts["lo" if difference.value > 0 else "hi"], "m": facts["m"]}
        return f"{sentence} {strings(f'changes_{size}', **nearest)}"
    if margin is not None and -margin < low and high < margin:
        sentence = strings("changes_equal", **facts)
    else:
        sentence = strings("changes_open", **facts)
    return f"{sentence} {remark}" if (remark := _remark(difference, found, strings)) else sentence


def _numbers(
    difference: Difference,
    low: float,
    high: float,
    margin: float | None,
    found: Changes,
    strings: Strings,
) -> dict[str, str]:

    unknown = math.isnan(low) or math.isnan(high)
    return {
        "d": signed_text(difference.value),
        "lo": "?" if unknown else signed_text(low),
        "hi": "?" if unknown else signed_text(high),
        "m": "" if margin is None else plain_number(margin),
        "P": strings(f"p_{found.options.correction}"),
        "p": p_relation(difference.p_adjusted, floor=difference.test.at_floor),
        "n": count_text(difference.n),
        "w": count_text(difference.wins),
        "l": count_text(difference.losses),
        "t": count_text(difference.ties),
    }


def _remark(difference: Difference, found: Changes, strings: Strings) -> str:
    """Where interval and corrected p disagree, which of them keeps it from being shown."""
    if not difference.disagrees:
        return ""
    if difference.p_adjusted < ALPHA:
        return strings("changes_by_interval")
    if difference.m > 1 and found.options.correction != "none":
        return strings("changes_by_correction", comparisons=difference.m)
    return strings("changes_by_test")
