"""The words of a verdict: the card, and below it what is said in smaller print.

The card has at most 60 words in its lines Use, Sure, Open and To settle, and one number with its
interval in each; Leaks, Depends and But have at most 20 words, and stand only where they apply.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragscore.comparison.verdict import (
    Caveat,
    CaveatReason,
    PairFinding,
    SameK,
    Saving,
    Verdict,
    VerdictState,
)
from ragscore.dataset import Unit
from ragscore.elements import Element, Headline, Level, Lines
from ragscore.elements.numbers import (
    count_text,
    interval_text,
    latency_range_text,
    number_text,
    plain_number,
    share_text,
    signed_text,
)
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, joined, listed
from ragscore.stats.few_differ import TOO_FEW
from ragscore.text.script import language_name

FEW_NAMES = 2
"""A line names so many retrievers, and counts the others."""
MANY_QUERIES = 5_000
"""Nobody asks more questions than that to settle a difference."""
NOT_DECIDED = _("Not decided")
STATES: Mapping[VerdictState, tuple[Message, Level]] = {
    "CHECK DATA": (_("Not yet"), "poor"),
    "SAME": (_("Same"), "good"),
    "MIXED": (_("Trade-off"), "fair"),
    "LEAKS": (_("Decided by leaks"), "good"),
    "TOO FEW": (NOT_DECIDED, "fair"),
    "SMALL": (_("Equal"), "good"),
    "CLEAR": (_("Decided"), "good"),
    "EQUAL": (_("Equal"), "good"),
    "TIE": (NOT_DECIDED, "fair"),
}
"""What a verdict begins with, and its colour: good where something is decided, that two are equal
for practical purposes, too."""
SIZES: Mapping[Unit, Message] = {
    "words": _("{limit} words"),
    "characters": _("{limit} characters"),
    "tokens": _("{limit} tokens"),
}
FASTER = _("{x} times faster ({least} against {most})")
SAVINGS: Mapping[str, tuple[Message, Message]] = {
    "price": (_("{x} times cheaper"), _("free of charge")),
    "requests": (_("{x} times fewer requests"), _("no requests to other systems")),
    **dict.fromkeys(("p50", "search"), (FASTER, FASTER)),
}
"""By what is saved: how many times, and where it costs nothing."""
CAVEATS: Mapping[CaveatReason, Message] = {
    "left out": _("failed queries are left out ({counts} of {n}); means are over {common}."),
    "outage": _("failed queries count as empty ({counts} of {n})."),
    "language": _("the encoder of {names} was trained on English, and the texts are {written}."),
    "cut": _("the encoder cut texts and did not read their ends ({shares} of them)."),
}
"""By reason, what may turn the verdict around."""
CONTRADICTIONS: Mapping[str, Message] = {
    "correction": _(
        "The interval of {A} over {B} excludes 0, but the difference is not decided after "
        "correction for {comparisons} comparisons."
    ),
    "test": _(
        "The interval of {A} over {B} excludes 0, but the test does not decide the difference."
    ),
    "interval": _("The test alone would show {A} over {B}, but the interval does not exclude 0."),
}


def verdict_elements(verdict: Verdict, *, note: Text = "") -> tuple[Element, ...]:
    """The card, and what is said in smaller print below it.

    Args:
        verdict: what it says.
        note: a line under the card.
    """
    notes = tuple(_notes(verdict)) if verdict.problem is None else ()
    return (verdict_headline(verdict, note=note), *([Lines(notes)] if notes else ()))


def verdict_headline(verdict: Verdict, *, note: Text = "") -> Headline:
    """The card.

    Args:
        verdict: what it says.
        note: a line under it.
    """
    word, level = STATES[verdict.state]
    if verdict.problem is not None:
        return Headline(verdict.state, word, level, verdict.problem.sentence, (), note)
    if verdict.state == "LEAKS" and len(verdict.tied) > 1:
        word, level = NOT_DECIDED, "fair"
    if verdict.rival is not None and not verdict.rival.differing:
        word = STATES["SAME"][0]
    lines = [
        (_("Sure"), _leaks(verdict)),
        (_("Sure"), _sure(verdict)),
        (_("Open"), _open(verdict)),
        (_("To settle"), _to_settle(verdict)),
        (_("Depends"), _depends(verdict)),
        *((_("But"), text) for text in _but(verdict)),
    ]
    shown = tuple((joined([name, ":"], ""), text) for name, text in lines if text)
    return Headline(verdict.state, word, level, _use(verdict), shown, note)


def _few(names: Sequence[str], last: str = "and") -> Text:
    return listed(tuple(names), last, most=FEW_NAMES)


def _pair_facts(pair: PairFinding) -> dict[str, Any]:
    """What sentences on a pair name."""
    return {
        "A": pair.retriever,
        "B": pair.other,
        "d": signed_text(pair.difference.value),
        "size": number_text(pair.difference.value),
        "ci": _interval(pair),
    }


def _interval(pair: PairFinding) -> str:
    """The bounds behind a difference, if there are any."""
    low, high = pair.difference.low, pair.difference.high
    bounds = interval_text(low, high, sign=True) if pair.differing else ""
    return f" {bounds}" if bounds else ""


def _use(verdict: Verdict) -> Message:
    mean, rival = verdict.mean, verdict.rival
    if mean is None:
        raise ValueError("a verdict on readable data has a mean")
    bounds = interval_text(mean.low, mean.high)
    facts = {
        "A": verdict.recommended,
        "M": verdict.label,
        "a": f"{number_text(mean.value)} {bounds}" if bounds else number_text(mean.value),
        "either": _few(verdict.alike, "or") if verdict.alike else "",
        "r": verdict.retrievers,
        "n": count_text(mean.n),
    }
    if verdict.saving is not None:
        return _cheaper(verdict, verdict.saving)
    if verdict.reason == "identical":
        return _("{names} returned the same; use either.", names=_few(verdict.alike))
    if verdict.state == "MIXED":
        return _("Use {A} if you accept its leaks: {M} {a}.", **facts)
    if verdict.reason == "best" or rival is None:
        return _("Use {A}: {M} {a}, the best of {r} retrievers.", **facts)
    if verdict.reason == "equal":
        if not rival.differing:
            return _("Use {either}: the same {M} on all {n} questions.", **facts)
        return _("Use {either}: equal for practical purposes.", **facts)
    if verdict.reason == "leaks less" and rival.other == verdict.recommended:
        return _second_best(verdict, rival, _("fewer leaks"))
    if verdict.reason == "leaks less":
        return _("Use {A}: {M} {a}, and it leaks less.", **facts)
    if verdict.reason == "leader":
        return _("Use {A} for now: the best mean of {r} retrievers, {M} {a}.", **facts)
    facts["B"] = rival.other
    if verdict.reason == "baseline":
        return _("Use {A}, the baseline: the same mean as {B}, {M} {a}.", **facts)
    return _("Use {A}: the same mean as {B}, {M} {a}.", **facts)


def _cheaper(verdict: Verdict, saving: Saving) -> Message:
    """The recommended one is not decided to be worse, and costs less."""
    rival = verdict.rival
    some, none = SAVINGS[saving.by]
    saved = none
    if saving.cost:
        x = saving.leader_cost / saving.cost
        saved = some.given(x=count_text(round(x)) if x >= 9.5 else f"{x:.1f}")
        if some is FASTER:
            least, most = map(latency_range_text, (saving.cost, saving.leader_cost))
            saved = saved.given(least=least, most=most)
    if rival is None:
        others = [name for name in verdict.alike if name != verdict.recommended]
        facts = {"A": verdict.recommended, "B": _few(others)}
        return _("Use {A}: the same as {B}, and {saved}.", **facts, saved=saved)
    return _second_best(verdict, rival, saved)


def _second_best(verdict: Verdict, rival: PairFinding, why: Message) -> Message:
    """One that has not the best mean; by how much is said where it is open."""
    facts = {"A": verdict.recommended, "B": rival.retriever, "why": why}
    if rival.finding in ("equal", "slightly better"):
        return _("Use {A}: {why}, and equal to {B} for practical purposes.", **facts)
    return _("Use {A}: {why}, and not decided to be worse than {B} on {M}.", **facts, M=rival.label)


def _leaks(verdict: Verdict) -> Text:
    """The decided differences in what must not come back: one pair, and how many others."""
    decided = [leak for leak in verdict.leaks if leak.decided]
    if not decided:
        return ""
    first = decided[0]
    own = [
        leak
        for leak in decided
        if (leak.retriever, leak.measure) == (first.retriever, first.measure)
    ]
    share = parse_measure(first.measure).bounded
    printed = share_text if share else number_text
    others = [f"{leak.other} {printed(leak.other_mean)}" for leak in own]
    facts = {
        "A": first.retriever,
        "a": printed(first.mean),
        "M": first.label,
        "others": listed(others, most=FEW_NAMES),
    }
    if share:
        return _("{A} leaks less: {a} of the questions, {others}.", **facts)
    return _("{A} leaks less: {M} {a}, {others}.", **facts)


def _sure(verdict: Verdict) -> Text:
    if not verdict.sure:
        if verdict.rival is not None and verdict.rival.finding == "equal":
            return _equal(verdict, verdict.rival, alone=True)
        leaks = any(leak.decided for leak in verdict.leaks)
        same = verdict.rival is None or not verdict.rival.differing
        return "" if leaks or same else _("nothing yet.")
    first, *others = verdict.sure
    if verdict.reason == "best" and others:
        nearest = [pair for pair in verdict.sure if pair.retriever == verdict.recommended][-1]
        return _("{A} beats {B}, the next, by {size}{ci}, and all others.", **_pair_facts(nearest))
    facts = _pair_facts(first)
    also = [pair.other for pair in others if pair.retriever == first.retriever]
    too = [pair.retriever for pair in others if pair.other == first.other]
    if first.finding == "slightly better":
        part = _(
            "{A} beats {B} by {size}{ci}, less than the margin of {m}.",
            **facts,
            m=plain_number(verdict.margin or 0),
        )
    elif also:
        part = _("{A} beats {B} by {size}{ci}; also {names}.", **facts, names=_few(also))
    elif too:
        part = _("{A} beats {B} by {size}{ci}; so does {names}.", **facts, names=too[0])
        if len(too) > 1:
            part = _("{A} beats {B} by {size}{ci}; so do {names}.", **facts, names=_few(too))
    else:
        part = _("{A} beats {B} by {size}{ci}.", **facts)
    if verdict.rival is not None and verdict.rival.finding == "equal":
        return joined([part, _equal(verdict, verdict.rival, alone=False)])
    return part


def _equal(verdict: Verdict, pair: PairFinding, *, alone: bool) -> Message:
    facts = {**_pair_facts(pair), "m": plain_number(verdict.margin or 0)}
    if alone:
        return _("{A} and {B} differ by less than {m}: {d}{ci}.", **facts)
    return _("{A} and {B} differ by less than {m}.", **facts)


def _open(verdict: Verdict) -> Text:
    """The nearest pair that is not decided."""
    pair = verdict.rival
    if pair is None or not pair.differing or pair.finding not in ("open", "untested"):
        return ""
    facts = _pair_facts(pair)
    facts["leads"] = f"{facts['d']}{facts['ci']}"
    if pair.difference.value:
        facts["leads"] = _("{A} leads by {size}{ci}", **facts)
    if pair.differing > TOO_FEW:
        return _("{A} or {B}: {leads}.", **facts)
    facts |= {"x": count_text(pair.differing), "n": count_text(pair.clusters or pair.difference.n)}
    if pair.clusters is None:
        return _("{A} or {B}: {leads}; {x} of {n} questions differ.", **facts)
    return _("{A} or {B}: {leads}; {x} of {n} clusters differ.", **facts)


def _to_settle(verdict: Verdict) -> Text:
    """What would decide the open pair."""
    pair = verdict.rival
    if pair is None or not pair.differing or pair.finding not in ("open", "untested"):
        return ""
    if pair.differing <= TOO_FEW:
        return _("more questions; too few differ to say how many.")
    if pair.finding == "untested":
        return _(
            "leave out the baseline {B}: only comparisons with it are tested.", B=verdict.baseline
        )
    facts = {"A": verdict.recommended, "w": number_text(verdict.loss)}
    feasible = verdict.more is not None and verdict.more <= MANY_QUERIES
    facts["n"] = count_text(verdict.more or 0)
    if math.isnan(verdict.loss):
        needed = _("about {n} more questions would decide a difference as large as seen.")
        return needed.given(**facts) if feasible else ""
    if feasible:
        return _(
            "about {n} more questions would decide a difference as large as seen; or accept that "
            "{A} may be worse, by up to {w}.",
            **facts,
        )
    if verdict.more is not None:
        return _(
            "more questions than anyone would ask; or accept that {A} may be worse, by up to {w}.",
            **facts,
        )
    return _("accept that {A} may be worse, by up to {w}.", **facts)


def _depends(verdict: Verdict) -> Text:
    """The two slices with the largest gaps, of different winners where there are such."""
    if not verdict.depends:
        return ""
    first, *others = verdict.depends
    others.sort(key=lambda each: each.better == first.better)
    parts = [
        _(
            "{slice}: {A} ({a} against {b})",
            slice=each.value,
            A=each.better,
            a=number_text(each.mean),
            b=number_text(each.worse_mean),
        )
        for each in (first, *others[:1])
    ]
    return _("{parts}.", parts=joined(parts, "; "))


def _but(verdict: Verdict) -> Iterator[Message]:
    """What speaks against the recommended one, or may turn the verdict around."""
    if (pair := verdict.but) is not None:
        yield _("{A} is better on {M2}, by {size}{ci}.", **_pair_facts(pair), M2=pair.label)
    by_reason: dict[CaveatReason, list[Caveat]] = {}
    for caveat in verdict.caveats:
        by_reason.setdefault(caveat.reason, []).append(caveat)
    for reason, alike in by_reason.items():
        counts = [_("{A} {n}", A=each.retriever, n=count_text(each.count or 0)) for each in alike]
        shares = [
            _("{A} {n}", A=each.retriever, n=share_text((each.count or 0) / (each.n or 1)))
            for each in alike
        ]
        facts = {
            "names": _few([each.retriever for each in alike]),
            "counts": listed(counts, most=FEW_NAMES),
            "shares": listed(shares, most=FEW_NAMES),
            "n": count_text(alike[0].n or 0),
            "common": count_text(verdict.common),
            "written": language_name(verdict.written),
        }
        answered = alike[0].answered if len(alike) == 1 else None
        if answered is None:
            yield CAVEATS[reason].given(**facts)
            continue
        text = _(
            "failed queries count as empty ({counts} of {n}); without them, {A} or {B}: {d}{ci}."
        )
        if answered.decided:
            text = _(
                "failed queries count as empty ({counts} of {n}); without them, {A} beats {B} by "
                "{size}{ci}."
            )
        yield text.given(**facts, **_pair_facts(answered))


def _notes(verdict: Verdict) -> Iterator[Text]:
    """What is said in smaller print: why a pair that seems decided is open, leaks that are not
    decided, what the same k means, that a sample was searched, which retrievers are the same."""
    if (rival := verdict.rival) is not None and rival.contradiction:
        reason = CONTRADICTIONS[rival.contradiction]
        yield reason.given(A=rival.retriever, B=rival.other, comparisons=rival.m)
    undecided: dict[Text, list[PairFinding]] = {}
    for leak in verdict.leaks:
        if not leak.decided:
            undecided.setdefault(leak.label, []).append(leak)
    for label, leaks in undecided.items():
        pairs = [
            _(
                "{A} {a} against {B} {b}",
                A=x.retriever,
                a=number_text(x.mean),
                B=x.other,
                b=number_text(x.other_mean),
            )
            for x in leaks
        ]
        yield _("{M}, not decided: {pairs}.", M=label, pairs=listed(pairs))
    if verdict.same_k is not None:
        yield from _same_k(verdict, verdict.same_k)
    if verdict.sample is not None:
        yield _("Sample: {note}.", note=verdict.sample.note())
    for group in verdict.identical if verdict.reason != "identical" else ():
        names: dict[str, Text] = {"names": listed(group.retrievers)}
        if group.reason is None:
            yield _(
                "{names} returned the same passages for every query. They count as one retriever.",
                **names,
            )
        else:
            yield _(
                "{names} returned the same passages for every query ({why}). They count as one "
                "retriever.",
                **names,
                why=group.reason,
            )


def _same_k(verdict: Verdict, same: SameK) -> Iterator[Message]:
    """What the same context means, and what the same k would, where retrievers search different
    chunks."""
    context = verdict.context
    facts = {"M": same.measure, "A": same.leader, "a": number_text(same.value)}
    sizes = (
        {}
        if same.k is None
        else {
            "k": count_text(same.k),
            "small": same.smallest,
            "large": same.largest,
            "least": count_text(round(same.fewest)),
            "most": count_text(round(same.most)),
        }
    )
    if context is not None:
        size = SIZES[context.unit].given(limit=count_text(context.limit))
        yield _(
            "Chunks differ in size, so retrievers are compared by what they find in the same "
            "context, {size}.",
            size=size,
        )
        if not sizes:
            yield _("At the same k, {A} leads with {M} {a}.", **facts)
        else:
            yield _(
                "At the same k, {A} leads with {M} {a}; the top {k} of {large} are {most} "
                "characters long, those of {small} {least}.",
                **facts,
                **sizes,
            )
        if context.short:
            yield _("A larger depth would let {short} fill them.", short=listed(context.short))
    elif same.k is None or same.fewest != same.most:
        yield _(
            "{M} compares retrievers of different chunks at the same k, not in the "
            'same context: see "What the same context holds" (--section budgets).',
            M=same.measure,
        )
    if context is None and sizes and same.fewest != same.most:
        yield _(
            "The top {k} of {large} are {most} characters long on average, those of {small} "
            "{least}.",
            **sizes,
        )
        yield _(
            "No context in the table is filled by all of them: give the one that you "
            "use (tune: {budget: {limit: N}})."
        )
