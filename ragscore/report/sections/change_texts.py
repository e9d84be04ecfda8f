"""Sentences of the section "changes": what changed in the data, and how each retriever changed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ragscore.comparison import Difference
from ragscore.comparison.paired_changes import Change
from ragscore.comparison.record import ALPHA
from ragscore.comparison.score_matrix import ComparedMeasure
from ragscore.elements import Paragraph
from ragscore.elements.numbers import count_text, minute, p_relation, plain_number, signed_text
from ragscore.messages import Message, Text, _, counted, few_names, joined
from ragscore.report.changes import Changes
from ragscore.report.report import Report
from ragscore.results import DatasetResult
from ragscore.stats.few_differ import TOO_FEW

CORRECTED = {
    "holm": _("Holm p"),
    "bonferroni": _("Bonferroni p"),
    "bh": _("BH p"),
    "none": _("p"),
}
"""By correction: what its p is called."""


def data_sentences(report: Report, panel: DatasetResult, found: Changes) -> Iterator[Paragraph]:
    """What was compared with what, and whether the numbers are comparable at all."""
    before = report.before
    assert before is not None
    if found.trouble:
        yield Paragraph(
            _("The two results could not be compared: {trouble}", trouble=found.trouble), "warning"
        )
        return
    if not found.pairs:
        listed = [few_names(names) or "-" for names in (found.only_before, found.only_after)]
        yield Paragraph(
            _(
                "No retriever is in both results, so nothing can be compared. Before: "
                "{before}. Now: {after}.",
                before=listed[0],
                after=listed[1],
            ),
            "warning",
        )
        return
    when = minute(before.manifest.created)
    yield Paragraph(
        _(
            "Compared with the result of {when} ({folder}): each retriever with itself, on the "
            "{n} queries in both.",
            when=when,
            folder=before.parts.where,
            n=count_text(found.n),
        )
    )
    yield from _comparable(found, report)
    renamed = found.pairs[0]
    if renamed.before != renamed.after:
        facts = {"before": renamed.before, "after": renamed.after}
        yield Paragraph(
            _(
                "Each result has one retriever, and their names differ: {before} "
                "(before) is compared with {after} (now).",
                **facts,
            ),
            "note",
        )
    if found.before != found.dataset:
        facts = {"before": found.before, "after": found.dataset}
        yield Paragraph(
            _("The datasets have different names: {before} before, {after} now.", **facts), "note"
        )
    if not found.clustered:
        yield Paragraph(
            _(
                "The clusters of the queries are no longer known. The queries are treated as "
                "independent here, so intervals are too narrow."
            ),
            "warning",
        )
    for names, only in (
        (found.only_before, _("Only in the earlier result: {names}.")),
        (found.only_after, _("Only in this result: {names}.")),
    ):
        if names:
            yield Paragraph(only.given(names=few_names(names)), "note")
    if found.lacking:
        measures = few_names(panel.labels.get(name, name) for name in found.lacking)
        yield Paragraph(
            _(
                "Not in the earlier result, so not compared: {measures}.",
                measures=measures,
            ),
            "note",
        )


def _comparable(found: Changes, report: Report) -> Iterator[Paragraph]:
    assert report.before is not None
    profiles = [result.manifest.profile for result in (report.before, report.result)]
    parts = []
    if any(found.data.sampled):
        sizes = [
            _("the whole corpus") if sample is None else sample.size()
            for sample in found.data.sampled
        ]
        parts.append(
            _(
                "Before, {before} was searched, and now {after}: part of each difference comes "
                "from the corpus.",
                before=sizes[0],
                after=sizes[1],
            )
        )
    if profiles[0] != profiles[1]:
        parts.append(
            _(
                "The two results follow different conventions (profile {before} before, {after} "
                "now).",
                before=profiles[0],
                after=profiles[1],
            )
        )
    if found.data.same and not parts:
        yield Paragraph(
            _("Queries, judgments and passages are the same in both (same digest)."), "note"
        )
        return
    if not found.data.known:
        parts.append(
            _(
                "The dataset is not the same in both (the digests differ). What changed is "
                "unknown, because the earlier files no longer exist."
            )
        )
    elif not found.data.same:
        differences = list(_differences(found))
        what = (
            joined(differences, ", ")
            if differences
            else _("the difference affects none of the compared queries")
        )
        parts.append(_("The dataset is not the same in both: {what}.", what=what))
    matters = not found.data.known or found.data.rejudged or profiles[0] != profiles[1]
    if found.judged_again and matters:
        parts.append(
            _(
                "So the earlier runs were measured again with the judgments and conventions of "
                "the later result. The numbers below are comparable; those in the earlier report "
                "are not."
            )
        )
    elif matters:
        parts.append(
            _(
                "The numbers are not comparable: what looks like a change in a retriever may be a "
                "change in the data. Restore the dataset and run both on it."
            )
        )
    yield Paragraph(joined(parts), "warning")


def _differences(found: Changes) -> Iterator[Message]:
    change = found.data
    if change.passages:
        yield _("the passages differ")
    if change.rejudged:
        yield counted(
            "the judgments of 1 common query differ",
            "the judgments of {count} common queries differ",
            len(change.rejudged),
        )
    if change.reworded:
        yield counted(
            "the text of 1 query changed, so it is left out",
            "the texts of {count} queries changed, so they are left out",
            len(change.reworded),
        )
    if dropped := found.dropped - len(change.reworded):
        yield counted(
            "1 query is not in both and is left out",
            "{count} queries are not in both and are left out",
            dropped,
        )


def change_sentence(change: Change, measure: ComparedMeasure, found: Changes) -> Text:
    """How one retriever changed on one measure: the first sentence that applies, with its
    remark."""
    difference = change.difference
    margin = difference.margin
    name = measure.name
    facts: dict[str, Any] = {"A": change.pair.after, "M": name}
    if not difference.n:
        return _("No query has a value of {M} for {A} in both results.", **facts)
    if not difference.differing:
        return _(
            "{A} is the same as before on {M}: none of {n} queries differs.",
            n=count_text(difference.n),
            **facts,
        )
    if difference.differing <= TOO_FEW:
        if difference.clusters is None:
            too_few = _(
                "Whether {A} changed on {M} cannot be decided: only {x} of {n} queries differ, "
                "too few for a significant result."
            )
        else:
            too_few = _(
                "Whether {A} changed on {M} cannot be decided: only {x} of {n} clusters of "
                "queries differ, too few for a significant result."
            )
        n = count_text(difference.test.n)
        return too_few.given(x=difference.differing, n=n, **facts)
    low, high = difference.bounds
    facts |= _numbers(difference, low, high, margin, found)
    if difference.decided:
        near, far = (low, high) if difference.value > 0 else (-high, -low)
        sentence = (
            _(
                "{A} is better than before on {M}: {d} (95% CI {lo} to {hi}, {P} {p}, "
                "{n} queries; {w} better, {l} worse, {t} same).",
                **facts,
            )
            if difference.value > 0
            else _(
                "{A} is worse than before on {M}: {d} (95% CI {lo} to {hi}, {P} {p}, {n} "
                "queries; {w} better, {l} worse, {t} same).",
                **facts,
            )
        )
        if margin is None:
            return sentence
        if far < margin:
            size = _("The change is real, but below the margin of {m}.", m=facts["m"])
        elif near >= margin:
            size = _("It is at least the margin of {m}.", m=facts["m"])
        else:
            nearest = facts["lo" if difference.value > 0 else "hi"]
            size = _("It may be as small as {lo}; the margin is {m}.", lo=nearest, m=facts["m"])
        return joined([sentence, size])
    if margin is not None and -margin < low and high < margin:
        sentence = _(
            "{A} is the same as before for practical purposes on {M}: difference "
            "{d}, CI {lo} to {hi}, inside ±{m} ({w} better, {l} worse, {t} same).",
            **facts,
        )
    else:
        sentence = _(
            "Whether {A} changed on {M} is not decided: {d}, and the data allow {lo} "
            "to {hi} ({P} {p}, {n} queries; {w} better, {l} worse, {t} same).",
            **facts,
        )
    return joined([sentence, remark]) if (remark := _remark(difference, found)) else sentence


def _numbers(
    difference: Difference, low: float, high: float, margin: float | None, found: Changes
) -> dict[str, Text]:

    unknown = math.isnan(low) or math.isnan(high)
    return {
        "d": signed_text(difference.value),
        "lo": "?" if unknown else signed_text(low),
        "hi": "?" if unknown else signed_text(high),
        "m": "" if margin is None else plain_number(margin),
        "P": CORRECTED[found.options.correction],
        "p": p_relation(difference.p_adjusted, floor=difference.test.at_floor),
        "n": count_text(difference.n),
        "w": count_text(difference.wins),
        "l": count_text(difference.losses),
        "t": count_text(difference.ties),
    }


def _remark(difference: Difference, found: Changes) -> Text:
    """If interval and corrected p disagree, which of the two leaves the change undecided."""
    if not difference.disagrees:
        return ""
    if difference.p_adjusted < ALPHA:
        return _("The test alone would show a change, but the interval does not exclude 0.")
    if difference.m > 1 and found.options.correction != "none":
        return _(
            "The interval excludes 0, but after correction for {comparisons} comparisons the test "
            "does not find a change.",
            comparisons=difference.m,
        )
    return _("The interval excludes 0, but the test does not find a change.")
