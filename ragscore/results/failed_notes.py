"""What a reader must know of the queries that systems did not answer, or not at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragscore.elements.numbers import count_text
from ragscore.messages import Message, _, few_names
from ragscore.results.stages import Stages
from ragscore.run import QueryFailure

FAILED_LEFT_OUT = _(
    "{retriever}: {count} of {n} queries failed and are left out of the means; the first: {first}"
)
FAILED_EMPTY = _(
    "{retriever}: {count} of {n} queries failed and score as if nothing had come back; the first: "
    "{first}"
)


def failed_notes(stages: Mapping[str, Stages], queries: int) -> list[Message]:
    """A note on the failed queries of each retriever; those that failed as many, as what is built
    on a failed input, share one.

    Args:
        stages: by retriever of one dataset.
        queries: how many the dataset has.
    """
    names: dict[tuple[int, bool], list[str]] = {}
    for retriever, own in stages.items():
        if own.failed:
            names.setdefault((len(own.failed), own.leaves_out), []).append(retriever)
    return [
        (FAILED_LEFT_OUT if leaves_out else FAILED_EMPTY).given(
            retriever=few_names(tuple(failing)),
            count=count_text(count),
            n=count_text(queries),
            first=first_error([stages[name].failed for name in failing]),
        )
        for (count, leaves_out), failing in names.items()
    ]


def asked_again_notes(stages: Mapping[str, Stages], queries: int) -> Iterator[Message]:
    """A note on each retriever that answered queries only when they were asked again.

    Args:
        stages: by retriever of one dataset.
        queries: how many the dataset has.
    """
    for retriever, own in stages.items():
        if own.calls is not None and own.calls.asked_again:
            facts = {"count": count_text(own.calls.asked_again), "n": count_text(queries)}
            yield _(
                "{retriever}: {count} of {n} queries were answered only after a retry",
                retriever=retriever,
                **facts,
            )


def first_error(failures: list[tuple[QueryFailure, ...]]) -> str:
    """The first failure of a system itself, where there is one, not of what is built on it."""
    firsts = [failed[0] for failed in failures]
    own = (failure for failure in firsts if not failure.inherited)
    return str(next(own, firsts[0]))
