"""ids_apart(in_run, judged): the ids that a run and the judgments do not share."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class IdsApart:
    """Ids of one kind, of a run and of the judgments.

    Attributes:
        shared: whether any id is in both.
        in_run: those of the run that the judgments lack, in order.
        in_judgments: those of the judgments that the run lacks, in order.
        judged: how many different ids the judgments have.
    """

    shared: bool
    in_run: tuple[str, ...]
    in_judgments: tuple[str, ...]
    judged: int


def ids_apart(in_run: Iterable[str], judged: Collection[str]) -> IdsApart:
    """Hold the ids of a run against those of the judgments.

    >>> ids_apart(["a", "B"], ["a", "b", "c"])
    IdsApart(shared=True, in_run=('B',), in_judgments=('b', 'c'), judged=3)
    """
    found, known = dict.fromkeys(in_run), dict.fromkeys(judged)
    only_in_run = tuple(text for text in found if text not in known)
    only_in_judgments = tuple(text for text in known if text not in found)
    shared = len(only_in_run) < len(found)
    return IdsApart(shared, only_in_run, only_in_judgments, len(known))
