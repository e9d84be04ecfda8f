"""What difference a number of queries can detect: from a result's own spread, or a typical one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ragscore.comparison.differences import ALPHA, Identical, plan_of
from ragscore.comparison.score_matrix import lies_in_0_to_1, on_common_queries
from ragscore.dataset import Dataset
from ragscore.dataset.labels import cluster_numbers, clusters_of
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, number_cell, share_cell, text_cell
from ragscore.elements.numbers import count_text, number_text, plain_number
from ragscore.elements.show import Shown
from ragscore.elements.tables import column, table
from ragscore.errors import ConfigError, DataError
from ragscore.measures import Measure, parse_measure
from ragscore.messages import Message, Text, _, counted, listed
from ragscore.records import Record
from ragscore.scoring import RetrieverScores
from ragscore.stats.few_differ import TOO_FEW, differing, only_differ
from ragscore.stats.intervals import few_informative
from ragscore.stats.paired_power import PairedPower, unknown_spreads
from ragscore.stats.units import units_of

POWER = 0.8
DIFFERENCES = (0.01, 0.02, 0.05)
"""True differences whose queries are counted, on measures from 0 to 1."""
MAX_QUERIES = 10_000_000
"""More queries than this are never judged, so they are not counted."""

TYPICAL = {
    "settings": (_("two settings of one retriever"), 0.07),
    "fusion": (_("a retriever and a fusion that contains it"), 0.24),
    "tokenizers": (_("two tokenizers of one retriever"), 0.33),
    "kinds": (_("retrievers of different kinds"), 0.45),
}
"""By kind of pair, its name and the standard deviation of paired differences on nDCG@10; measured
as docs/compare.md says."""
TYPICAL_OF = "nDCG@10"
"""Their measure."""


@dataclass(frozen=True)
class PowerOptions:
    """What power is computed for.

    Attributes:
        difference: one that would matter, above 0; its power is computed too.
        comparisons: that are corrected together; None: those of the result's family, 1 for a
            dataset.
        sd: standard deviation of the per-query differences, where it is known.

    Raises:
        ConfigError: one of them is out of its range.
    """

    difference: float | None = None
    comparisons: int | None = None
    sd: float | None = None

    def __post_init__(self) -> None:
        if self.comparisons is not None and self.comparisons < 1:
            raise ConfigError(f"{self.comparisons}", where="comparisons", instead="Give 1 or more")
        if self.sd is not None and not 0 < self.sd < math.inf:
            raise ConfigError(
                f"{self.sd:g} is not a standard deviation",
                where="sd",
                instead="Give that of the per-query differences, above 0",
            )
        if self.difference is not None and not math.isfinite(self.difference):
            raise self._no_difference("is not a finite number")
        if self.difference is not None and self.difference <= 0:
            raise self._no_difference("is not above 0")

    def check_on(self, measure: Measure) -> None:
        """Refuse a difference that no two values of a measure have.

        Raises:
            ConfigError: it is more than 1, and the measure lies between 0 and 1.
        """
        if self.difference is not None and self.difference > 1 and lies_in_0_to_1(measure):
            raise self._no_difference(f"is more than {measure} can differ, from 0 to 1")

    def _no_difference(self, what: str) -> ConfigError:
        instead = "Give a difference that would matter, such as 0.02"
        return ConfigError(f"{self.difference:g} {what}", where="difference", instead=instead)


@dataclass(frozen=True)
class Spread(Record):
    """How widely the differences of one pair spread, and what follows from it."""

    of: Text
    """Two retrievers, or a kind of pair."""
    sd: float
    """Standard deviation of the per-query differences; with clusters that of a cluster's share in
    the mean."""
    units: int
    """Queries that were compared, or clusters where there are some."""
    detectable: float | None
    """The smallest true difference that is detected with 80 % power; null if it is not
    estimable."""
    needed: dict[str, int | None]
    """By difference, how many queries detect it with 80 % power; null for more than ten million."""
    power: float | None
    """The chance of detecting ``difference`` with these queries."""


@dataclass(frozen=True)
class DatasetPower(Record):
    """What the queries of one dataset can detect."""

    dataset: str
    """Name of the dataset."""
    queries: int
    """Queries that are judged and answerable."""
    clusters: int | None
    """Clusters that they form; null if queries are independent."""
    measure: Text
    """The measure of the differences; a phrase where an sd was given for a dataset."""
    comparisons: int
    """Comparisons in the family; alpha is divided by their number."""
    alpha: float
    """The level of each comparison after the division."""
    difference: float | None
    """The difference whose power is computed."""
    spreads: tuple[Spread, ...]
    """The spread of each pair or kind of pair."""
    notes: tuple[Text, ...]
    """Where the spread comes from, and what was left out."""


@dataclass(frozen=True)
class Power(Record, Shown):
    """What the queries of each dataset can detect; ``str`` is what ``ragscore power`` prints."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    power: float = field(default=POWER, init=False)
    """The chance at which a difference counts as detectable."""
    datasets: tuple[DatasetPower, ...]
    """One or several."""

    def elements(self) -> list[Element]:
        """What ``ragscore power`` prints."""
        return [element for dataset in self.datasets for element in _elements(dataset)]


def power_of_dataset(
    dataset: Dataset, options: PowerOptions, *, cluster: str | None = None
) -> DatasetPower:
    """What a dataset's queries can detect before anything was retrieved, for typical spreads or for
    a given one.

    Args:
        dataset: whose judged, answerable queries are counted.
        options: see :class:`PowerOptions`.
        cluster: a tag or metadata key: queries that share its value are one unit.

    Raises:
        ConfigError: no query has such a tag or metadata; the difference is more than 1.
        DataError: some query has no cluster.
    """
    if options.sd is None:
        options.check_on(parse_measure(TYPICAL_OF))
    rows = np.flatnonzero(np.diff(dataset.qrels.ideal[0]) > 0)
    judged = set(dataset.qrels.queries.texts(rows)) - dataset.queries.unanswerable
    queries = [query for query in dataset.queries.ids if query in judged]
    named = None if cluster is None else clusters_of(dataset.queries, cluster)
    clusters = _count(named, queries, dataset.name)
    comparisons = options.comparisons or 1
    pairs = _given(options, len(queries), clusters)
    measure: Text = _("the measure that has this sd")
    notes: list[Text] = []
    if options.sd is None:
        pairs = [(pair, _alone(sd, len(queries), clusters)) for pair, sd in TYPICAL.values()]
        measure = TYPICAL_OF
        notes.append(
            _(
                "sd: standard deviation of paired nDCG@10 differences on the packaged datasets: "
                "BM25 with another k1 and b 0.07, BM25 and its fusion with a dense retriever "
                "0.24, Korean BM25 split at morphemes and at spaces 0.33, BM25 and a dense "
                "retriever 0.45. Yours may differ, and if few queries differ, you need more "
                "queries than an sd alone says: ragscore power DIR takes both from a result"
            )
        )
        if clusters is not None:
            notes.append(
                _("the typical sds are for single queries; for clusters they are no larger")
            )
    return DatasetPower(
        dataset=dataset.name,
        queries=len(queries),
        clusters=clusters,
        measure=measure,
        comparisons=comparisons,
        alpha=ALPHA / comparisons,
        difference=options.difference,
        spreads=_spreads(pairs, options.difference, ALPHA / comparisons, DIFFERENCES),
        notes=tuple(notes),
    )


def power_of_scores(
    dataset: str,
    entries: Sequence[RetrieverScores],
    options: PowerOptions,
    *,
    baseline: str | None = None,
    clusters: Mapping[str, str] | None = None,
    identical: Sequence[Identical] = (),
) -> DatasetPower:
    """What the queries of a dataset can detect, by how the differences of its retrievers spread
    on the first measure.

    Args:
        dataset: its name.
        entries: the scores of its retrievers, by the same measures.
        options: see :class:`PowerOptions`.
        baseline: the retriever whose comparisons are the family; all pairs where it is None or
            has no scores.
        clusters: query id to the name of its cluster.
        identical: retrievers that returned the same passages for every query; they count as one.

    Raises:
        ConfigError: the difference is more than the measure can differ.
        DataError: there is one retriever and no ``sd``; some query has no cluster.
    """
    if len(entries) < 2 and options.sd is None:
        raise DataError(
            "there is one retriever, so no difference has been seen yet",
            where=dataset,
            instead="Give sd, or a dataset's folder for typical values",
        )
    names = [entry.retriever for entry in entries]
    plan = plan_of(names, identical, baseline)
    queries, measure = list(entries[0].query_ids), entries[0].measures[0]
    options.check_on(measure)
    count = _count(clusters, queries, dataset)
    comparisons = options.comparisons or max(len(plan.family), 1)
    pairs = _given(options, len(queries), count)
    notes: list[Text] = [
        _(
            "{names} returned the same passages for every query: they count as one retriever",
            names=listed(group.retrievers),
        )
        for group in identical
    ]
    for first, second in plan.all_pairs if options.sd is None else ():
        pair = _("{A} and {B}", A=names[first], B=names[second])
        found, remark = _paired(dataset, entries[first], entries[second], clusters)
        if remark is not None:
            notes.append(_("{of}: {what}", of=pair, what=remark))
        if found is not None:
            pairs.append((pair, found))
    if pairs and options.sd is None:
        notes.append(_("sd: standard deviation of the paired differences in this result"))
        sample = next((each.counts.sample for each in entries if each.counts.sample), None)
        if sample is not None:
            size = sample.size()
            notes.append(
                _("the spreads were measured on {size}; on the whole corpus they differ", size=size)
            )
    # Differences of 0.01 to 0.05 mean something between 0 and 1 only.
    wanted = DIFFERENCES if lies_in_0_to_1(measure) else ()
    return DatasetPower(
        dataset=dataset,
        queries=len(queries),
        clusters=count,
        measure=str(measure),
        comparisons=comparisons,
        alpha=ALPHA / comparisons,
        difference=options.difference,
        spreads=_spreads(pairs, options.difference, ALPHA / comparisons, wanted),
        notes=tuple(notes),
    )


OfPair = tuple[Text, PairedPower]
"""Two retrievers, or a kind of pair, and how their differences spread."""


def _spreads(
    pairs: Iterable[OfPair], asked: float | None, alpha: float, wanted: Sequence[float]
) -> tuple[Spread, ...]:
    """What follows from how each pair spreads, for the differences that are wanted or asked for."""
    made = []
    for pair, found in pairs:
        enough = found.units >= 2
        needed: dict[str, int | None] = {}
        for difference in sorted({*wanted, *(() if asked is None else (asked,))}):
            # About 8 sd^2 / d^2 queries: what is far beyond any judging is not counted.
            countable = 8 * (found.sd / difference) ** 2 < MAX_QUERIES
            needed[plain_number(difference)] = (
                found.needed(difference, alpha) if countable else None
            )
        detectable = found.detectable(alpha) if enough else None
        power = found.power(asked, alpha) if asked is not None and enough else None
        made.append(Spread(pair, found.sd, found.units, detectable, needed, power))
    return tuple(made)


def _count(clusters: Mapping[str, str] | None, queries: Sequence[str], where: str) -> int | None:
    """How many clusters the queries form; None if they are independent."""
    if clusters is None:
        return None
    return len(set(cluster_numbers(clusters, queries, where=where).tolist()))


def _given(options: PowerOptions, queries: int, clusters: int | None) -> list[OfPair]:
    """The sd that was given, if one was."""
    if options.sd is None:
        return []
    return [(_("the given sd"), _alone(options.sd, queries, clusters))]


def _alone(sd: float, queries: int, clusters: int | None) -> PairedPower:
    """The power of a number of queries at a given sd."""
    units = queries if clusters is None else clusters
    return PairedPower(sd, None, units, queries / max(units, 1))


def _paired(
    dataset: str,
    first: RetrieverScores,
    second: RetrieverScores,
    clusters: Mapping[str, str] | None,
) -> tuple[PairedPower | None, Message | None]:
    """How the differences of two retrievers spread on what ``compare`` compares, None if that
    cannot be estimated; and a remark on it, if there is one."""
    both = on_common_queries(dataset, [first, second], clusters=clusters, allow_intersect=True)
    differences = both.differences(0, 0, 1)
    known = ~np.isnan(differences)
    if not known.any():
        return None, _("too few queries have a value for both: nothing to plan with")
    numbers = None if both.clusters is None else both.clusters[known]
    units = units_of(differences[None, known], numbers)
    unknown = unknown_spreads(units)[0]
    if unknown == "few differ":
        what = only_differ(int(differing(units)[0]), units.count, units.several)
        return None, _("{what}: not estimable", what=what)
    if unknown == "one unit":
        return None, _("too few queries have a value for both: nothing to plan with")
    if unknown:
        return None, _("the same difference on every query: no spread to plan with")
    few = few_informative(int(units.informative()[0]), units.several)
    remark = _("{what}, so the sd is uncertain", what=few) if few else None
    return PairedPower.of(units)[0], remark


def _elements(power: DatasetPower) -> Iterator[Element]:
    """What the queries of one dataset can detect, the answer first."""
    yield Lines((_answer(power), _head(power)))
    if power.spreads:
        yield _table(power)
    notes = list(power.notes)
    if power.spreads and power.spreads[0].needed:
        notes.insert(
            0,
            _(
                "queries for D: with this many queries, 4 of 5 such experiments detect a true "
                "difference of D (80 % power); if the true difference is 0, a third of the "
                "experiments still cannot show that it is smaller than D"
            ),
        )
    if notes:
        yield Lines(tuple(notes))


def _answer(power: DatasetPower) -> Text:
    known = [spread.detectable for spread in power.spreads if spread.detectable is not None]
    judged = _counted(power)
    if power.queries < 2:
        return _("With {counted} nothing can be shown: judge at least 2.", counted=judged)
    if not known:
        nothing = (
            _(
                "Nothing can be planned from these: no two retrievers differ on more than {few} "
                "queries."
            )
            if power.clusters is None
            else _(
                "Nothing can be planned from these: no two retrievers differ on more than {few} "
                "clusters."
            )
        )
        return nothing.given(few=TOO_FEW)
    low, high = number_text(min(known)), number_text(max(known))
    answer = (
        _("With {counted} you can detect a difference of at least {span} (80 % power).")
        if len(known) == 1
        else _(
            "With {counted} you can detect a difference of at least {span} (80 % power), "
            "depending on how much two retrievers differ query by query."
        )
    )
    span = low if low == high else _("{low} to {high}", low=low, high=high)
    return answer.given(counted=judged, span=span)


def _head(power: DatasetPower) -> Text:
    head = (
        _("{dataset}: {counted}, {measure}, 1 comparison, two-sided paired t at {alpha}")
        if power.comparisons == 1
        else _(
            "{dataset}: {counted}, {measure}, {comparisons} comparisons, two-sided "
            "paired t at {alpha}/{comparisons}"
        )
    )
    return head.given(
        dataset=power.dataset,
        counted=_counted(power),
        measure=power.measure,
        alpha=plain_number(ALPHA),
        comparisons=power.comparisons,
    )


def _counted(power: DatasetPower) -> Text:
    judged = counted("1 judged query", "{count} judged queries", power.queries)
    if power.clusters is None:
        return judged
    return _(
        "{counted} in {clusters} clusters", counted=judged, clusters=count_text(power.clusters)
    )


def _table(power: DatasetPower) -> Table:
    unknown = _("not estimable")
    columns: list[tuple[Column, Callable[[Spread], Cell]]] = [
        column("pair", _("pair"), lambda spread: text_cell(spread.of), "text"),
        column("sd", _("sd"), lambda spread: number_cell(spread.sd)),
        column(
            "detectable",
            _("detectable"),
            lambda spread: number_cell(spread.detectable, unknown=unknown),
            better="low",
        ),
    ]
    if power.difference is not None:
        asked = plain_number(power.difference)
        label = _("power for {difference}", difference=asked)
        columns.append(column(f"power for {asked}", label, lambda spread: share_cell(spread.power)))
    for wanted in power.spreads[0].needed:
        label = _("queries for {difference}", difference=wanted)
        columns.append(column(f"queries for {wanted}", label, partial(_needed_cell, wanted)))
    return table("power", "", columns, power.spreads)


def _needed_cell(difference: str, spread: Spread) -> Cell:
    return count_cell(spread.needed[difference], unknown=_("too many"))


def power_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore power --format json`` prints."""
    return Power.json_schema("ragscore power")
