"""What changed between two results: rankings, values, facts. Numbers and reasons only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from ragscore.comparison.options import CompareOptions
from ragscore.comparison.record import Difference
from ragscore.comparison.score_matrix import ComparedMeasure
from ragscore.dataset import SampledCorpus
from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.elements.table_files import csv_rows
from ragscore.estimate import Estimate
from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record
from ragscore.stats.few_differ import TOO_FEW

MAX_QUERIES = 20
"""Changed queries of each retriever that are listed where nothing else is asked for."""
ChangeKind = Literal[
    "newly failed",
    "newly empty",
    "no longer failed",
    "newly answered",
    "other passages",
    "other order",
]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""How the top k of a query changes; each query counts once, by the first that applies."""


@dataclass(frozen=True)
class ScoreShift(Record):
    """How scores shifted: the later minus the earlier, in the units of the scores."""

    what: Literal["passages", "first"]
    """``passages``: each passage that both returned for a query; ``first``: the highest score of
    each query that both answered, whichever passage has it."""
    n: int
    """How many shifts."""
    lower: int
    """How many scores are lower than before."""
    higher: int
    """How many are higher."""
    p5: MaybeNaN
    """5 % of the shifts are at most this."""
    p25: MaybeNaN
    """A quarter is at most this."""
    median: MaybeNaN
    """Half are at most this."""
    p75: MaybeNaN
    """Three quarters are at most this."""
    p95: MaybeNaN
    """95 % are at most this."""


@dataclass(frozen=True)
class SliceOfChanges(Record):
    """The queries that share a tag or a value of metadata."""

    key: str
    """The tag prefix or metadata key."""
    value: str
    """Its value."""
    changed: int
    """Queries of the slice whose top k changed."""
    share: Estimate
    """Of the queries of the slice."""
    overlap: MaybeNaN
    """Mean overlap@k of its queries."""
    rbo: MaybeNaN
    """Mean rank-biased overlap of its queries."""


@dataclass(frozen=True)
class NewPassage(Record):
    """A passage in the later top k that is not in the earlier top k."""

    passage: str
    """Its id."""
    rank: int
    """Its rank in the later run, from 1."""
    judged: bool | None
    """Whether someone judged it for this query; null if no judgments are known."""


@dataclass(frozen=True)
class QueryChange(Record):
    """One query whose top k changed."""

    query: str
    """Its id."""
    text: str | None
    """Its text; null if no dataset is known."""
    kind: ChangeKind
    """How it changed."""
    overlap: float
    """Overlap@k."""
    rbo: float
    """Rank-biased overlap."""
    new: tuple[NewPassage, ...]
    """What came into the top k, in the order of the later run."""
    gone: tuple[str, ...]
    """Ids of what left it, in the order of the earlier run."""
    error: str | None = None
    """Why the system did not answer it, in the later run, else in the earlier one; null if it
    answered both times."""


@dataclass(frozen=True)
class RetrieverChanges(Record):
    """What changed in the rankings of one retriever."""

    before: str
    """Its name in the earlier result."""
    after: str
    """Its name in the later one."""
    depths: tuple[int, int]
    """How many passages a query each run recorded."""
    changed: int
    """Queries whose top k changed: in its passages or in their order."""
    share: Estimate
    """Of all queries; Wilson's interval takes them as a sample of those to come."""
    kinds: dict[ChangeKind, int]
    """How many of these changed in which way; each counts once."""
    unanswered: int
    """Queries for which neither run returned anything; overlap and RBO leave them out."""
    failed: tuple[int, int]
    """Queries that the system did not answer at all, in each run; they count as queries that got
    nothing."""
    other_first: int
    """Queries that both answered, with another first passage."""
    overlap: MaybeNaN
    """Mean overlap@k: passages in both top k, over the longer of the two."""
    rbo: MaybeNaN
    """Mean extrapolated rank-biased overlap."""
    new: int
    """Passages in the later top k that are not in the earlier top k, over all queries."""
    unjudged: int | None
    """Of these, how many nobody judged for their query; null if no judgments are known."""
    returned: tuple[int, int]
    """Different passages that each run returned, over all queries."""
    shared: int
    """Of these, how many both returned."""
    shifts: tuple[ScoreShift, ...]
    """Shifts of scores; empty if a run has none."""
    slices: tuple[SliceOfChanges, ...]
    """By tags and metadata of the queries."""
    queries: tuple[QueryChange, ...]
    """Changed queries, most changed first: those newly failed, newly empty, newly answered, then
    by overlap@k and RBO, the lowest first."""


@dataclass(frozen=True)
class DatasetRankingChanges(Record):
    """What changed on the queries of one dataset."""

    dataset: str
    """Its name in the later result; empty for run files without one."""
    before: str
    """Its name in the earlier result."""
    n: int
    """Queries compared."""
    left_out: int
    """Queries that only one side has, or whose text is another."""
    retrievers: tuple[RetrieverChanges, ...]
    """Those that both sides have, in the order of the later one."""
    only_before: tuple[str, ...]
    """Retrievers that only the earlier result has."""
    only_after: tuple[str, ...]
    """Retrievers that only the later result has."""
    notes: tuple[Text, ...]
    """Notes on the comparison."""


@dataclass(frozen=True)
class RankingChanges(Record, Shown):
    """What changed in the rankings of two results, without a judgment of which is right; ``str`` is
    what ``ragscore changes`` prints."""

    schema_version: Annotated[Literal[2], Field(serialization_alias="schema")] = field(
        default=2, init=False
    )
    """Version of this format."""
    k: int
    """The cutoff of the top k."""
    p: float
    """Persistence of the rank-biased overlap."""
    before: str
    """The earlier result, as it was named."""
    after: str
    """The later one."""
    datasets: tuple[DatasetRankingChanges, ...]
    """One for each dataset of both."""

    def __repr__(self) -> str:
        return f"RankingChanges({in_short(self.before)} and {in_short(self.after)}, top {self.k})"

    def elements(self, limit: int | None = MAX_QUERIES) -> list[Element]:
        """What ``ragscore changes`` prints.

        Args:
            limit: how many changed queries of each retriever are listed; None for all.
        """
        from ragscore.change.ranking_text import elements

        return list(elements(self, limit))

    def to_csv(self) -> str:
        """The changed queries of all retrievers, a line each; blanks part passages."""
        head = (
            "dataset",
            "before",
            "after",
            "query",
            "text",
            "kind",
            "overlap",
            "rbo",
            "new",
            "unjudged",
            "gone",
            "error",
        )
        rows = (
            (
                dataset.dataset,
                part.before,
                part.after,
                query.query,
                query.text,
                query.kind,
                query.overlap,
                query.rbo,
                " ".join(new.passage for new in query.new),
                None
                if part.unjudged is None
                else " ".join(new.passage for new in query.new if new.judged is False),
                " ".join(query.gone),
                query.error,
            )
            for dataset in self.datasets
            for part in dataset.retrievers
            for query in part.queries
        )
        return csv_rows((head, *rows))


def ranking_changes_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore changes --format json`` prints."""
    return RankingChanges.json_schema("ragscore changes")


@dataclass(frozen=True)
class ChangedFact:
    """A setting, a version or a fact of the machine that differs.

    Attributes:
        path: ``retrievers.bm25.k1``, ``datasets[0].path``, ``numpy``.
        kind: what happened to it.
        before, after: the values, of settings as JSON; empty if it is not there.
    """

    path: str
    kind: Literal["added", "removed", "changed"]
    before: str
    after: str


@dataclass(frozen=True)
class DataChange:
    """What changed in a dataset between two results.

    Attributes:
        digests: of each; empty if it is not known.
        known: both datasets could be read, so that the rest is known.
        corpora: the digest of each corpus; empty if it is not known.
        reworded: ids of compared queries of both whose text differs: they are other questions.
        rejudged: ids of the other compared queries of both whose judgments differ.
        sampled: of each, what its corpus is a sample of; None if it is whole.
    """

    digests: tuple[str, str]
    known: bool = True
    corpora: tuple[str, str] = ("", "")
    reworded: frozenset[str] = frozenset()
    rejudged: frozenset[str] = frozenset()
    sampled: tuple[SampledCorpus | None, SampledCorpus | None] = (None, None)

    @property
    def same(self) -> bool:
        """Queries, judgments and passages are the same, as far as is known."""
        return self.digests[0] == self.digests[1] or not all(self.digests)


@dataclass(frozen=True)
class RetrieverPair:
    """A retriever in both results; one each with different names where each has but one.

    Attributes:
        before, after: its names.
        settings_changed: its own settings are others; those of its inputs are not looked at.
        milliseconds: of a query, before and after; None if none was timed.
    """

    before: str
    after: str
    settings_changed: bool
    milliseconds: tuple[float | None, float | None]

    @property
    def name(self) -> str:
        """The name, both where they differ."""
        return self.after if self.before == self.after else f"{self.before} → {self.after}"


ValueState = Literal["no value", "same", "too few", "better", "worse", "equal", "open"]
"""What is known of a change: no query has both values; none differs; 5 or fewer differ; decided;
equal within the margin; not decided."""


@dataclass(frozen=True)
class ValueChange:
    """One retriever on one measure, over the queries with a value in both.

    Attributes:
        pair: who.
        before, after: its means.
        difference: after - before, signed so that + is better; corrected over the pairs.
    """

    pair: RetrieverPair
    before: float
    after: float
    difference: Difference

    @property
    def state(self) -> ValueState:
        """What is known of the change."""
        difference, (low, high) = self.difference, self.difference.bounds
        if not difference.n:
            return "no value"
        if not difference.differing:
            return "same"
        if difference.differing <= TOO_FEW:
            return "too few"
        if difference.decided:
            return "better" if difference.value > 0 else "worse"
        margin = difference.margin
        return "equal" if margin is not None and -margin < low and high < margin else "open"


@dataclass(frozen=True)
class MovedQuery:
    """A query on which a retriever's value changed; ``change`` is signed so that + is better."""

    query: str
    retriever: str
    before: float
    after: float
    change: float


@dataclass(frozen=True)
class MeasureChanges:
    """All pairs on one measure.

    Attributes:
        measure: what is compared.
        changes: by pair, in order.
        risen, fallen: the queries that moved most, each with the pair on which it did.
    """

    measure: ComparedMeasure
    changes: tuple[ValueChange, ...]
    risen: tuple[MovedQuery, ...]
    fallen: tuple[MovedQuery, ...]


@dataclass(frozen=True)
class ValueChanges:
    """Which measures rose or fell on one dataset: each retriever against itself.

    Attributes:
        dataset, before: its name in the later and in the earlier result.
        since, folder: when the earlier result was made, and where it stands.
        profiles: the conventions of each.
        primary: the measure that the later result is about.
        pairs: who is in both.
        only_before, only_after: retrievers that only one of them has a run of.
        data: what differs in the dataset.
        options: how it was compared.
        judged_again: both are scored by the later judgments and conventions, the earlier one
            from its recorded runs.
        n: common queries.
        dropped: queries that only one result averaged, or whose text differs.
        measures: by measure, in the order of the later result.
        lacking: measures that the earlier result does not have.
        clustered: queries were taken in clusters as the later result's options ask; False if
            they ask for it and the clusters are not known.
        trouble: why nothing could be compared; empty if something was.
    """

    dataset: str
    before: str
    since: str
    folder: str
    profiles: tuple[str, str]
    primary: str
    pairs: tuple[RetrieverPair, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    data: DataChange
    options: CompareOptions
    judged_again: bool = False
    n: int = 0
    dropped: int = 0
    measures: Mapping[str, MeasureChanges] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    clustered: bool = True
    trouble: str = ""

    @property
    def judged_otherwise(self) -> bool:
        """Judgments or conventions of the two results differ, or may differ."""
        data, profiles = self.data, self.profiles
        return not data.known or bool(data.rejudged) or profiles[0] != profiles[1]

    @property
    def comparable(self) -> bool:
        """One ground truth and one set of conventions stand behind the numbers of both sides."""
        return self.judged_again or not self.judged_otherwise
