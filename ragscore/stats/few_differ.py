"""Paired differences of which most are 0: where Student's t holds too rarely, and what holds.

Two settings of one retriever differ on few queries, and often in one direction. Samples that hold
few of the differing queries then show a small mean and a small spread together, so that t misses
the truth in 10 to 20 of 100 samples. Two more units, one won and one lost by the largest
difference seen, mend both: where all differences have one size, as with Success, this is the
interval of Bonett and Price (2012) for paired shares, with t instead of z. docs/statistics.md shows
how often both hold.

With 5 or fewer differing units nothing helps: no interval holds, and no test can reach .05.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragscore.elements.numbers import count_text
from ragscore.messages import Message, _
from ragscore.stats.units import SAME, Units

TOO_FEW = 5
"""So many differing units at most can't reach p < .05: two-sided, 2 / 2**5 = .0625."""
MIN_DIFFERING = 30
"""Below this many differing units, or this share, two are added where most are tied."""
MIN_SHARE = 0.1
_DIFFER: dict[str, tuple[Message, Message]] = {
    "queries": (
        _("none of the {total} queries differ"),
        _("only {count} of {total} queries differ"),
    ),
    "clusters": (
        _("none of the {total} clusters differ"),
        _("only {count} of {total} clusters differ"),
    ),
}


def differing(units: Units) -> NDArray[np.int64]:
    """int64[C]: the units whose difference is not 0."""
    return np.asarray((np.abs(units.totals) > SAME).sum(axis=1), dtype=np.int64)


def only_differ(count: int, total: int, several: str) -> Message:
    """How few units differ, in words; ``several`` is ``queries`` or ``clusters``.

    >>> str(only_differ(2, 100, "queries")), str(only_differ(0, 100, "queries"))
    ('only 2 of 100 queries differ', 'none of the 100 queries differ')
    """
    none, few = _DIFFER[several]
    if not count:
        return none.given(total=count_text(total))
    return few.given(count=count_text(count), total=count_text(total))


def few_differ(units: Units) -> NDArray[np.bool_]:
    """bool[C]: most units are tied, and those that differ are few."""
    count, total = differing(units), units.count
    return np.asarray((2 * count < total) & ((count < MIN_DIFFERING) | (count < MIN_SHARE * total)))


def with_two_more(units: Units) -> Units:
    """The units of C columns of differences with two more of the mean size, whose mean differences
    are plus and minus the largest seen.
    """
    size = units.sizes.mean()
    largest = np.abs(units.totals / units.sizes).max(axis=1, keepdims=True) * size
    # As the first that differs, so that turning all signs turns the mean's last digit too.
    first = (np.abs(units.totals) > SAME).argmax(axis=1, keepdims=True)
    largest *= np.sign(np.take_along_axis(units.totals, first, axis=1))
    totals = np.concatenate([units.totals, largest, -largest], axis=1)
    return Units(totals, np.append(units.sizes, [size, size]), units.clustered)
