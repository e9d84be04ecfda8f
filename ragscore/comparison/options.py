"""CompareOptions: how scores are compared: an experiment's ``compare:``, the command's flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from pydantic import Field

from ragscore.dataset import Dataset
from ragscore.dataset.labels import labels
from ragscore.names import Language
from ragscore.spec import Spec
from ragscore.stats.corrections import Correction
from ragscore.stats.paired import Test

IntervalMethod = Literal["default", "bca", "t", "percentile"]
DEFAULT_MARGIN = 0.01
"""The margin on measures from 0 to 1, where none is given."""


class CompareOptions(Spec):
    """How retrievers are compared.

    >>> CompareOptions(baseline="bm25").correction
    'holm'
    """

    baseline: str | None = None
    """The retriever that the others are compared with, which makes these comparisons the family
    that is corrected; by default all pairs are, and tables compare with the first."""
    margin: Annotated[float, Field(gt=0)] | None = None
    """The largest difference that does not matter, in the measure's own units; default: 0.01 on
    measures from 0 to 1, and none on others (MR, DCG, NumRet)."""
    interval: IntervalMethod = "default"
    """How 95 % intervals are made; default: Wilson for means of 0/1 measures (Clopper and Pearson
    for Leak), BCa for other means, Student t for paired differences."""
    test: Test = "randomization"
    """The paired test; randomization flips the signs of the differences."""
    correction: Correction = "holm"
    """How p-values are corrected for the number of comparisons in a family."""
    cluster: str | None = None
    """A tag or metadata key; queries that share its value count as one unit."""
    all_pairs: bool = False
    """Also show every pair of retrievers, with p-values corrected over all pairs."""
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 10_000
    """Resamples of the bootstrap and of the randomization test."""
    seed: Annotated[int, Field(ge=0)] = 1234
    """Random seed; the same seed gives the same digits."""
    slices: tuple[str, ...] = ()
    """Tags and metadata keys to split the queries by; measures are shown for each value."""
    allow_intersect: bool = False
    """Compare on the common queries where the retrievers were scored on different ones."""
    language: Language = "en"
    """Language of the verdict."""

    def check_keys(self, dataset: Dataset, *, within: str = "") -> None:
        """Refuse a cluster or slice that the queries of a dataset do not know.

        Args:
            dataset: whose queries.
            within: what errors put before the option's name: ``compare.`` of an experiment.

        Raises:
            ConfigError: no query has such a tag or metadata.
        """
        for option, keys in (("cluster", (self.cluster,)), ("slices", self.slices)):
            for key in keys:
                if key is not None:
                    labels(dataset.queries, key, where=f"{within}{option}, {dataset.name}")

    def margin_on(self, *, bounded: bool) -> float | None:
        """The margin on a measure: the one given, else 0.01 where the measure lies in [0, 1];
        None on any other, whose units no default can know.

        >>> CompareOptions().margin_on(bounded=True), CompareOptions().margin_on(bounded=False)
        (0.01, None)
        """
        if self.margin is None and bounded:
            return DEFAULT_MARGIN
        return self.margin


class CompareChanges(TypedDict, total=False):
    """The fields of :class:`CompareOptions` as keywords, so that an editor completes them."""

    baseline: str | None
    margin: float | None
    interval: IntervalMethod
    test: Test
    correction: Correction
    cluster: str | None
    all_pairs: bool
    resamples: int
    seed: int
    slices: Sequence[str]
    allow_intersect: bool
    language: Language
