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
from ragscore.messages import Message, _
from ragscore.stats.few_differ import TOO_FEW
from ragscore.sweeps.strings import STRINGS
from ragscore.sweeps.sweep_records import (
    AgainstWritten,
    ScoredConfiguration,
    SweepLine,
    SweptFacts,
)

CHEAPER = 0.8
"""A configuration that takes more than this share of what the best takes is not called cheaper."""


def lines_of(findings: SweptFacts) -> tuple[SweepLine, ...]:
    """The lines, the choice first."""
    lines = [SweepLine("use", STRINGS(f"word_{findings.state}"), (_use(findings),))]
    if noise := tuple(_noise(findings)):
        lines.append(SweepLine("noise", STRINGS("word_noise"), noise))
    if findings.written is not None:
        lines.append(
            SweepLine("written", STRINGS("word_written"), (_written(findings.written, findings),))
        )
    if findings.edges:
        lines.append(SweepLine("edge", STRINGS("word_edge"), tuple(_edges(findings))))
    return tuple(lines)


def _use(findings: SweptFacts) -> Message:
    elsewhere, count = findings.elsewhere, len(findings.configurations)
    facts: dict[str, str | Message] = {
        "A": findings.best,
        "M": findings.label,
        "a": number_text(findings.optimistic),
        "n": count_text(count),
    }
    if count == 1:
        return Message("{A} is the only configuration: {M} {a}.", facts)
    if _all_same(findings):
        return Message(
            "All {n} configurations score the same on every query, {M} {a}: {A} is "
            "only the first of them.",
            facts,
        )
    facts["lead"] = STRINGS.message("leads" if findings.state == "tie" else "use", dict(facts))
    if elsewhere is None:
        return Message(
            "{lead}, the best of {n}. There are too few queries to try the choice on others.", facts
        )
    optimism = size_text(findings.optimism)
    facts["held_out"] = number_text(elsewhere.held_out)
    facts["interval"] = _interval(elsewhere.interval.low, elsewhere.interval.high)
    facts["optimism"] = optimism
    flattered = findings.optimism > 0 and float(optimism) > 0
    return STRINGS.message("flattered" if flattered else "level", facts)


def _all_same(findings: SweptFacts) -> bool:
    """Whether every configuration scores the same on every query."""
    return all(other.differing == 0 for other in findings.configurations[1:])


def _noise(findings: SweptFacts) -> Iterator[Message]:
    if _all_same(findings):  # also where there is one alone
        yield from _cheaper(findings.winner, findings.noise)
        return
    others = len(findings.configurations) - 1
    noise, closest = findings.noise, findings.configurations[1]
    facts = {
        "n": count_text(others),
        "count": count_text(len(noise)),
        "B": closest.label,
        "difference": signed_text(-closest.behind),
        "interval": _interval(-closest.high, -closest.low, sign=True),
    }
    if others == 1:
        yield STRINGS.message("noise_other" if noise else "noise_worse", facts)
    elif not noise:
        yield Message(
            "The {n} others are worse; the closest is {B} ({difference} {interval}).", facts
        )
    else:
        some = "noise_some_one" if len(noise) == 1 else "noise_some"
        yield STRINGS.message("noise_all" if len(noise) == others else some, facts)
    if same := sum(other.differing == 0 for other in noise):
        key = "noise_same_one" if same == 1 else "noise_same"
        yield STRINGS.message(key, {"count": count_text(same)})
    if few := sum(0 < other.differing <= TOO_FEW for other in noise):
        units = STRINGS.message("unit_queries" if findings.clusters is None else "unit_clusters")
        yield Message(
            "From {count} of these it differs on {few} {units} or fewer, which "
            "cannot show a difference.",
            {"count": count_text(few), "few": TOO_FEW, "units": units},
        )
    yield from _cheaper(findings.winner, noise)


def _cheaper(
    best: ScoredConfiguration, noise: tuple[ScoredConfiguration, ...]
) -> Iterator[Message]:
    """Which of those within noise is much faster, or has a much smaller index."""
    fastest = min(noise, key=lambda other: _known(other.latency_ms), default=best)
    if fastest.latency_ms < CHEAPER * best.latency_ms:
        times = latency_text(fastest.latency_ms), latency_text(best.latency_ms)
        facts = {"B": fastest.label, "ms": times[0], "ms_best": times[1]}
        yield Message("The fastest of these is {B}: {ms} ms per query instead of {ms_best}.", facts)
    smallest = min(noise, key=lambda other: _known(other.index_bytes), default=best)
    if smallest.index_bytes < CHEAPER * best.index_bytes:
        sizes = bytes_text(smallest.index_bytes), bytes_text(best.index_bytes)
        facts = {"B": smallest.label, "size": sizes[0], "size_best": sizes[1]}
        yield Message(
            "The smallest index of these is that of {B}: {size} instead of {size_best}.", facts
        )


def _written(written: AgainstWritten, findings: SweptFacts) -> Message:
    gain = written.gain
    facts = {
        "B": written.retriever,
        "M": findings.label,
        "b": number_text(written.value),
        "difference": signed_text(gain.difference),
        "size": size_text(gain.difference),
        "interval": _interval(gain.interval.low, gain.interval.high, sign=True),
    }
    if gain.differing <= TOO_FEW:
        units = STRINGS.message("unit_queries" if findings.clusters is None else "unit_clusters")
        few = {"x": count_text(gain.differing), "n": count_text(gain.n)}
        return Message(
            "These queries cannot decide between the choice and {B} as it is written "
            "({M} {b}): {x} of {n} {units} differ.",
            {**facts, **few, "units": units},
        )
    if not gain.decided:
        return Message(
            "Whether choosing is better than {B} as it is written ({M} {b}) is not "
            "decided: {difference} {interval}, on queries that did not choose.",
            facts,
        )
    return STRINGS.message("written_better" if gain.difference > 0 else "written_worse", facts)


def _edges(findings: SweptFacts) -> Iterator[Message]:
    for edge in findings.edges:
        facts = {"parameter": edge.parameter, "value": plain_number(edge.value)}
        yield STRINGS.message(f"edge_{edge.end}", facts)


def _interval(low: float, high: float, *, sign: bool = False) -> str | Message:
    return interval_text(low, high, sign=sign) or _("not estimable")


def _known(cost: float) -> float:
    return cost if cost == cost else float("inf")
