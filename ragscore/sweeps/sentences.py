"""What a sweep says in a few lines: which configuration, how sure, and against your file."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.elements.numbers import (
    bytes_text,
    count_text,
    interval_text,
    latency_text,
    number_text,
    plain_number,
    signed_text,
    size_text,
)
from ragscore.messages import Message, Text, _, counted
from ragscore.stats.few_differ import TOO_FEW
from ragscore.sweeps.sweep_records import (
    Edge,
    GainOverConfigured,
    ScoredConfiguration,
    SweepLine,
    SweepState,
    SweptFacts,
)

CHEAPER = 0.8
"""A configuration that takes more than this share of what the best takes is not called cheaper."""
STATES: dict[SweepState, Message] = {
    "clear": _("Clear"),
    "several": _("Several"),
    "tie": _("Tie"),
    "only": _("Only one"),
}
"""The word before the first line."""


def lines_of(findings: SweptFacts) -> tuple[SweepLine, ...]:
    """The lines, the choice first."""
    lines = [SweepLine("use", STATES[findings.state], (_use(findings),))]
    if tied := tuple(_tied(findings)):
        lines.append(SweepLine("tied", _("As good"), tied))
    if findings.configured is not None:
        lines.append(
            SweepLine(
                "configured", _("Your file"), (_over_configured(findings.configured, findings),)
            )
        )
    if findings.edges:
        lines.append(SweepLine("edge", _("Edge"), tuple(map(_edge, findings.edges))))
    return tuple(lines)


def _use(findings: SweptFacts) -> Message:
    best: dict[str, Text] = {
        "best": findings.best,
        "measure": findings.label,
        "value": number_text(findings.in_sample),
    }
    n = count_text(len(findings.configurations))
    if findings.state == "only":
        return _("{best} is the only configuration: {measure} {value}.", **best)
    if _all_same(findings):
        return _(
            "All {n} configurations score the same on every query ({measure} {value}): {best} "
            "is just the first of them.",
            n=n,
            **best,
        )
    lead = _("Use {best}: {measure} {value}", **best)
    if findings.state == "tie":
        lead = _("{best} leads with {measure} {value}", **best)
    held_out, bias = findings.held_out, size_text(findings.selection_bias)
    if held_out is None:
        return _(
            "{lead}, the best of {n}. There are too few queries to hold some out and test the "
            "choice on them.",
            lead=lead,
            n=n,
        )
    facts: dict[str, Text] = {
        "lead": lead,
        "n": n,
        "held_out": number_text(held_out.mean),
        "interval": _interval(held_out.interval.low, held_out.interval.high),
    }
    if findings.selection_bias > 0 and float(bias) > 0:
        return _(
            "{lead}; on held-out queries, {held_out} {interval}. Picking the best of {n} "
            "overstates it by {bias}.",
            bias=bias,
            **facts,
        )
    return _(
        "{lead}; on held-out queries, {held_out} {interval}. Picking the best of {n} does not "
        "overstate it here.",
        **facts,
    )


def _all_same(findings: SweptFacts) -> bool:
    """Whether every configuration scores the same on every query."""
    return all(other.differing == 0 for other in findings.configurations[1:])


def _tied(findings: SweptFacts) -> Iterator[Message]:
    if _all_same(findings):  # also where there is one alone
        yield from _cheaper(findings.winner, findings.tied_with_best)
        return
    others = len(findings.configurations) - 1
    tied, closest = findings.tied_with_best, findings.configurations[1]
    n = count_text(others)
    facts: dict[str, Text] = {
        "other": closest.label,
        "difference": signed_text(-closest.behind),
        "interval": _interval(-closest.high, -closest.low, sign=True),
    }
    if others == 1 and tied:
        yield _("The other one, {other}, is within noise of it ({difference} {interval}).", **facts)
    elif others == 1:
        yield _("The other one, {other}, is worse ({difference} {interval}).", **facts)
    elif not tied:
        yield _(
            "The {n} others are worse; the closest is {other} ({difference} {interval}).",
            n=n,
            **facts,
        )
    elif len(tied) == others:
        yield _(
            "All {n} others are within noise of it: these queries cannot tell the settings apart.",
            n=n,
        )
    else:
        yield counted(
            "1 of the {n} others is within noise of it; the rest are worse.",
            "{count} of the {n} others are within noise of it; the rest are worse.",
            len(tied),
            n=n,
        )
    if same := sum(other.differing == 0 for other in tied):
        yield counted(
            "1 of these scores the same on every query.",
            "{count} of these score the same on every query.",
            same,
        )
    if few := sum(0 < other.differing <= TOO_FEW for other in tied):
        yield _(
            "It differs from {count} of these on {few} {units} or fewer, too few to show a "
            "difference.",
            count=count_text(few),
            few=TOO_FEW,
            units=_units(findings),
        )
    yield from _cheaper(findings.winner, tied)


def _cheaper(best: ScoredConfiguration, tied: tuple[ScoredConfiguration, ...]) -> Iterator[Message]:
    """Which of those within noise is much faster, or has a much smaller index."""
    fastest = min(tied, key=lambda other: _known(other.latency_ms), default=best)
    if fastest.latency_ms < CHEAPER * best.latency_ms:
        yield _(
            "The fastest of these is {other}: {ms} ms per query instead of {ms_best}.",
            other=fastest.label,
            ms=latency_text(fastest.latency_ms),
            ms_best=latency_text(best.latency_ms),
        )
    smallest = min(tied, key=lambda other: _known(other.index_bytes), default=best)
    if smallest.index_bytes < CHEAPER * best.index_bytes:
        yield _(
            "Of these, {other} has the smallest index: {size} instead of {size_best}.",
            other=smallest.label,
            size=bytes_text(smallest.index_bytes),
            size_best=bytes_text(best.index_bytes),
        )


def _over_configured(configured: GainOverConfigured, findings: SweptFacts) -> Message:
    gain = configured.gain
    facts: dict[str, Text] = {
        "retriever": configured.retriever,
        "measure": findings.label,
        "value": number_text(configured.value),
    }
    if gain.differing <= TOO_FEW:
        return _(
            "These queries cannot decide between the choice and {retriever} as configured "
            "({measure} {value}): only {x} of {n} {units} differ.",
            x=count_text(gain.differing),
            n=count_text(gain.n),
            units=_units(findings),
            **facts,
        )
    difference = signed_text(gain.difference)
    facts["interval"] = _interval(gain.interval.low, gain.interval.high, sign=True)
    if not gain.decided:
        return _(
            "On held-out queries, it is not decided whether the choice beats {retriever} as "
            "configured ({measure} {value}): {difference} {interval}.",
            difference=difference,
            **facts,
        )
    if gain.difference < 0:
        return _(
            "Keep {retriever} as configured ({measure} {value}): on held-out queries, the "
            "choice is worse ({difference} {interval}).",
            difference=difference,
            **facts,
        )
    return _(
        "On held-out queries, the choice beats {retriever} as configured ({measure} {value}) by "
        "{size} {interval}.",
        size=size_text(gain.difference),
        **facts,
    )


def _edge(edge: Edge) -> Message:
    facts = {"parameter": edge.parameter, "value": plain_number(edge.value)}
    if edge.end == "largest":
        return _(
            "{parameter} = {value} is the largest value tried. A larger one may be better "
            "still, if the option allows it.",
            **facts,
        )
    return _(
        "{parameter} = {value} is the smallest value tried. A smaller one may be better still, "
        "if the option allows it.",
        **facts,
    )


def _units(findings: SweptFacts) -> Message:
    return _("queries") if findings.clusters is None else _("clusters")


def _interval(low: float, high: float, *, sign: bool = False) -> Text:
    return interval_text(low, high, sign=sign) or _("not estimable")


def _known(cost: float) -> float:
    return cost if cost == cost else float("inf")
