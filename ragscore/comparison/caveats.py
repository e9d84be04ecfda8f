"""Caveats: what may reverse a verdict, and the lines about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ragscore.comparison.record import Difference, SearchFacts
from ragscore.comparison.standing import Standing
from ragscore.comparison.verdict import Caveat, CaveatReason, VerdictLine
from ragscore.elements.numbers import count_text, interval_text, share_text, signed_text
from ragscore.messages import Message, _, listed
from ragscore.text.script import language_name

CUT = 0.1
"""A reader is told if an encoder cut more than this share of the texts."""
REASONS: Mapping[CaveatReason, Message] = {
    "failed": _("not compared, since the search failed: {names}."),
    "left out": _(
        "queries failed and are left out ({counts} of {n}); the means here are over the {common} "
        "that all answered."
    ),
    "outage": _("queries failed and count as empty ({counts} of {n})."),
    "language": _("the encoder of {names} was trained on English, and the texts are {written}."),
    "cut": _("the encoder cut texts and did not read their ends ({shares} of them)."),
}


def caveats_of(
    standing: Standing, answered: Standing | None, searches: SearchFacts
) -> Iterator[Caveat]:
    """What may reverse a verdict; what only makes the leader look worse is left out.

    Args:
        standing: what the verdict is about.
        answered: the same without the queries that failed and count as empty; None if none
            does.
        searches: what is known of the searches.
    """
    yield from (Caveat("failed", name) for name in searches.failed)
    for entry in standing.corrected.common.entries:
        name, counts = entry.retriever, entry.counts
        if counts.left_out:
            yield Caveat("left out", name, counts.left_out, counts.queries)
        if counts.failed > counts.left_out:
            failed = Caveat("outage", name, counts.failed - counts.left_out, counts.queries)
            yield from _outage(failed, standing, answered)
        if name == standing.leader:
            continue
        if name in searches.english:
            yield Caveat("language", name)
        cuts = (cut for cut in searches.truncations if cut.retriever == name)
        most = max(cuts, key=lambda cut: cut.cut_share, default=None)
        if most is not None and most.cut_share > CUT:
            yield Caveat("cut", name, most.cut, most.texts)


def outage_decides(standing: Standing, answered: Standing | None) -> bool:
    """Whether the verdict changes without the failed queries that count as empty."""
    if answered is None:
        return False
    return (standing.on_all, standing.recommended) != (answered.on_all, answered.recommended)


def _outage(failed: Caveat, standing: Standing, answered: Standing | None) -> Iterator[Caveat]:
    """The caveat, if it matters to the difference to the leader, or if nobody knows which queries
    failed."""
    turns = outage_decides(standing, answered)
    if failed.retriever == standing.leader:
        yield from [replace(failed, turns=True)] if turns else []
        return
    if answered is None:
        yield failed
        return
    names, first = standing.corrected.common.retrievers, standing.ranking[0]
    key = standing.primary, first, names.index(failed.retriever)
    before, after = (
        corrected.difference(*key, over_all=first != corrected.plan.baseline)
        for corrected in (standing.corrected, answered.corrected)
    )
    near = abs(before.value - after.value) <= (standing.margin or 0.0)
    if turns or not near or before.decided != after.decided:
        yield replace(failed, answered=after, turns=turns)


def caveat_lines(caveats: Sequence[Caveat], common: int, written: str) -> Iterator[VerdictLine]:
    """A line for each reason that there is.

    Args:
        caveats: of a verdict.
        common: how many queries all retrievers answered.
        written: the language of the texts, where that is not an encoder's.
    """
    by_reason: dict[CaveatReason, list[Caveat]] = {}
    for caveat in caveats:
        by_reason.setdefault(caveat.reason, []).append(caveat)
    for reason, alike in by_reason.items():
        counts = [(each.retriever, each.count or 0, each.n or 1) for each in alike]
        facts = {
            "names": listed(tuple(name for name, *_ in counts)),
            "counts": listed(tuple(f"{name} {count_text(n)}" for name, n, _ in counts)),
            "shares": listed(tuple(f"{name} {share_text(n / of)}" for name, n, of in counts)),
            "n": count_text(alike[0].n or 0),
            "common": count_text(common),
            "written": language_name(written),
        }
        parts = [REASONS[reason].given(**facts)]
        pairs = tuple(_answered(each.answered) for each in alike if each.answered is not None)
        if pairs:
            parts.append(_("On those that were answered: {against}.", against=listed(pairs)))
        found = {"reason": reason, "retrievers": [each.retriever for each in alike]}
        yield VerdictLine("but", _("But"), tuple(parts), found)


def _answered(pair: Difference) -> Message:
    if pair.decided:
        return against(pair)
    return _("{A} against {B}: {d}{ci}, not decided", **against(pair).facts)


def against(pair: Difference) -> Message:
    """One retriever against another: the difference and its interval."""
    return _(
        "{A} against {B}: {d}{ci}",
        A=pair.retriever,
        B=pair.baseline,
        d=signed_text(pair.value),
        ci=interval_of(pair),
    )


def interval_of(pair: Difference) -> str:
    """The bounds behind a difference; empty if nothing differs."""
    return bracket(*pair.bounds, sign=True) if pair.differing else ""


def bracket(low: float, high: float, *, sign: bool = False) -> str:
    """The bounds behind a number; empty if they can't be estimated."""
    bounds = interval_text(low, high, sign=sign)
    return f" {bounds}" if bounds else ""
