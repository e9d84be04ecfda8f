"""Baseline: what retrievers reached before, query by query, as a repository keeps it; what changed
since, and what another one would lower.

baseline.json has one query on each line, so that a diff shows what changed. Everything stands in a
fixed order, and nothing in it changes from one run to the next unless a value, the data or a
version did, but the day of the result: saving the same result twice gives the same bytes. Values
are written in full, since a rounded one would differ from its own.
"""

from __future__ import annotations

import errno
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, ConfigDict, Field, PrivateAttr, ValidationError

from ragscore.dataset import digest_texts
from ragscore.described import Described, in_short
from ragscore.disk import write_file, writing
from ragscore.errors import ConfigError, DataError, RagscoreError, unknown_name
from ragscore.files import expanded, read_regular
from ragscore.json_data import parse_json
from ragscore.measures import Measure, parse_measure, parse_measures
from ragscore.messages import Message, _, listed
from ragscore.results.result_facts import ResultFacts
from ragscore.scoring import RetrieverScores
from ragscore.scoring.means import aggregate
from ragscore.validation.findings import first_fault

MAX_BYTES = 1 << 26
"""A baseline that is larger is neither written nor read: 67 MB."""
ROUNDING = 1e-9
"""A mean that differs by less, in its own size, is that of its values."""
ADDING = 1e-12
"""Means that differ by less are the same: their queries were added in another order."""
MAX_VALUE = 1e150
"""No value is larger: sums of larger ones, and of their squares, are not finite."""
MAX_WHOLE = 2**53
"""A float of a larger magnitude is not written as a whole number."""
SCHEMA = 1
"""Version of the format."""
FEWER = "with fewer measures or retrievers: --measure, --retriever"
SAVE_ANEW = "Name a file that `ragscore baseline save DIR -o FILE` wrote, or save one anew"

Name = TypeVar("Name")
DataPart = Literal["passages", "queries", "judgments"]
PARTS: Mapping[DataPart, Message] = {
    "passages": _("the passages"),
    "queries": _("the queries"),
    "judgments": _("the judgments"),
}
"""What a dataset consists of."""
ANEW = "Save the baseline anew with `ragscore baseline update`"
SCORER = "ragscore-eval"
"""The package whose version makes the values of a run; the others make the run."""
Value = Annotated[float, Field(allow_inf_nan=False)] | None
"""Of a query or a mean; None if the measure is undefined."""
Values = Annotated[
    dict[str, list[Value]], AfterValidator(lambda values: dict(sorted(values.items())))
]


class _Part(Described):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, populate_by_name=True)
    constructor_error = DataError


class BaselineDataset(_Part):
    """What a baseline was measured on."""

    name: str
    """Of the dataset."""
    digest: str
    """Of its passages, queries and judgments."""
    passages: str = ""
    """Digest of the passages alone; empty if they could not be read, or there are none."""
    queries: str = ""
    """The same of the queries."""
    judgments: str = ""
    """The same of the judgments."""

    @classmethod
    def of(cls, result: ResultFacts, name: str, digest: str) -> BaselineDataset:
        """What is known of a dataset, as far as it can be read.

        Args:
            result: which knows the dataset.
            name, digest: of the dataset, as the result's manifest has them.
        """
        parts = dict.fromkeys(PARTS, "")
        with suppress(RagscoreError):  # where the dataset is gone its own digest stands
            parts["judgments"] = result.qrels(name).judgments_digest
            data = result.dataset(name)
            parts["queries"] = data.queries.digest
            parts["passages"] = data.corpus.digest if data.corpus is not None else ""
            if data.uncut is not None and data.documents is not None:
                # What chunkers make of documents is no part of the data: another one changes
                # nothing.
                parts["passages"] = data.documents.digest
                evidence = "" if data.evidence is None else data.evidence.digest
                covering = [str(data.coverage), *(["together"] if data.together else [])]
                parts["judgments"] = digest_texts([evidence, *covering])
        return cls(name=name, digest=digest, **parts)

    def changed_parts(self, other: BaselineDataset) -> tuple[DataPart, ...]:
        """Which of its parts differ; empty if that is not known."""
        own = ((part, getattr(self, part), getattr(other, part)) for part in PARTS)
        return tuple(part for part, here, there in own if here and there and here != there)


class BaselineRetriever(_Part):
    """What one retriever reached on one dataset."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    measures: list[str]
    """The measures as they parse."""
    means: list[Value]
    """Of each measure, by its own aggregate."""
    values: Values
    """By query id, in order: the value of each measure."""
    passages: dict[str, list[str]] = Field({})
    """By query id, the ids of the first passages; empty if nobody asked for them."""

    def of(self, measure: str | Measure) -> NDArray[np.float64]:
        """The value of every query, float64[Q] in the order of ``values``, NaN if undefined;
        KeyError where the baseline lacks the measure."""
        return self.column(self._at(measure))

    def column(self, at: int) -> NDArray[np.float64]:
        """The same of the measure at a place in ``measures``."""
        return np.array([values[at] for values in self.values.values()], dtype=np.float64)

    def per_query(self, measure: str | Measure) -> dict[str, float]:
        """Query id to value; KeyError where the baseline lacks the measure."""
        return dict(zip(self.values, self.of(measure).tolist(), strict=True))

    def mean(self, measure: str | Measure) -> float:
        """The value of one measure, NaN if undefined; KeyError where the baseline lacks it."""
        mean = self.means[self._at(measure)]
        return math.nan if mean is None else mean

    def has(self, measure: str | Measure) -> bool:
        """Whether the baseline has the measure."""
        return _canonical(measure) in self.measures

    def _at(self, measure: str | Measure) -> int:
        if not self.has(measure):
            named = ", ".join(self.measures)
            raise KeyError(f"{_canonical(measure)} is not in the baseline, which has {named}")
        return self.measures.index(_canonical(measure))


class Baseline(_Part):
    """What retrievers reached before: the value of every judged query, and on which data. It is
    what the file holds.

    It has no text of a query or passage, and no passage id unless somebody asked for them.
    """

    schema_version: Annotated[Literal[1], Field(alias="schema")] = 1
    """Version of the format."""
    profile: str = "trec"
    """The conventions that the scores follow."""
    measured: str = ""
    """The day on which the result was made, such as 2026-11-24; empty if that is not known."""
    versions: dict[str, str] = Field({})
    """Of the packages that made the scores, by name."""
    datasets: list[BaselineDataset]
    """What was measured on."""
    retrievers: list[BaselineRetriever]
    """By dataset and retriever, sorted by these names."""
    _name: str = PrivateAttr("")

    @classmethod
    def from_result(
        cls,
        result: ResultFacts,
        measures: Iterable[str | Measure] = (),
        *,
        retrievers: Sequence[str] = (),
        passages: int = 0,
    ) -> Baseline:
        """What a result reached.

        Args:
            result: which is taken as the baseline.
            measures: which to keep; by default those that were scored.
            retrievers: which to keep; by default all that have a run.
            passages: how many passages of each query to keep by their ids.

        Raises:
            ConfigError: no retriever of the result has such a name.
            DataError: what was recorded is damaged, or nothing was scored.
            MeasureError: a measure cannot be parsed, or cannot be computed here.
        """
        scores = result.scored(parse_measures(measures)) if measures else result.scores
        for name in retrievers:
            if name not in scores.retrievers:
                problem = unknown_name("retriever", name, scores.retrievers, "retrievers")
                raise ConfigError(problem)
        kept = [e for e in scores.entries if not retrievers or e.retriever in retrievers]
        if not kept:
            raise DataError(
                "no retriever of the result has scores",
                instead="Save a baseline from a result whose retrievers ran",
            )
        named = {entry.dataset for entry in kept}
        manifest = result.manifest
        versions = {name: version for name, version in manifest.versions.items() if version}
        return cls(
            profile=manifest.profile,
            measured=manifest.created[:10],
            versions=dict(sorted(versions.items())),
            datasets=[
                BaselineDataset.of(result, entry.name, entry.digest)
                for entry in sorted(manifest.datasets, key=lambda entry: entry.name)
                if entry.name in named
            ],
            retrievers=[
                _reached(entry, result, passages)
                for entry in sorted(kept, key=lambda entry: (entry.dataset, entry.retriever))
            ],
        )

    @property
    def name(self) -> str:
        """What messages call it: its path; empty if it was made from a result."""
        return self._name

    def dated_as(self, earlier: Baseline) -> Baseline:
        """The same; of the day of an earlier one that says nothing else."""
        dated = self.model_copy(update={"measured": earlier.measured})
        return dated if baseline_text(dated) == baseline_text(earlier) else self

    def named(self, name: str) -> Baseline:
        """The same with another name in messages."""
        made = self.model_copy()
        made._name = name
        return made

    def __repr__(self) -> str:
        names = in_short(", ".join(dict.fromkeys(entry.retriever for entry in self.retrievers)))
        return f"Baseline({in_short(self.name) or 'of a result'}: {names})"

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The (dataset, retriever) pairs that it has values of."""
        return tuple((entry.dataset, entry.retriever) for entry in self.retrievers)

    @property
    def measures(self) -> list[str]:
        """Those of all retrievers."""
        return list(dict.fromkeys(name for entry in self.retrievers for name in entry.measures))

    def dataset(self, name: str) -> BaselineDataset | None:
        """What it knows of a dataset; None if it has no such dataset."""
        return next((known for known in self.datasets if known.name == name), None)

    def get(self, dataset: str, retriever: str) -> BaselineRetriever | None:
        """What a retriever reached on a dataset; None if the baseline lacks it."""
        wanted = (dataset, retriever)
        return next((e for e in self.retrievers if (e.dataset, e.retriever) == wanted), None)

    def values(self, dataset: str, retriever: str, measure: str) -> Mapping[str, float] | None:
        """Query id to value, NaN if undefined; None if it has none of the measure."""
        entry = self.get(dataset, retriever)
        return entry.per_query(measure) if entry is not None and entry.has(measure) else None

    def known_of(self, dataset: str, retriever: str) -> tuple[str, ...]:
        """What there is in place of what it lacks: the measures of this retriever; else the
        retrievers of the dataset; else the datasets."""
        if (entry := self.get(dataset, retriever)) is not None:
            return tuple(entry.measures)
        others = tuple(known.retriever for known in self.retrievers if known.dataset == dataset)
        return others or tuple(known.name for known in self.datasets)


def _canonical(measure: str | Measure) -> str:
    return str(parse_measure(measure) if isinstance(measure, str) else measure)


def _reached(scored: RetrieverScores, result: ResultFacts, passages: int) -> BaselineRetriever:
    values = dict(zip(scored.query_ids, scored.values.T.tolist(), strict=True))
    first = {}
    if passages:
        returned = result.run(scored.dataset, scored.retriever).cut(passages).to_dict()
        first = {query: list(returned.get(query, ())) for query in sorted(values)}
    return BaselineRetriever(
        dataset=scored.dataset,
        retriever=scored.retriever,
        measures=[str(measure) for measure in scored.measures],
        means=_without_nan(scored.means.tolist()),
        values={query: _without_nan(own) for query, own in values.items()},
        passages=first,
    )


def _without_nan(values: Iterable[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]


# The file.


def write_baseline(baseline: Baseline, path: str | Path) -> None:
    """Write a baseline, whole or not at all.

    Args:
        baseline: what was reached.
        path: of the file; one that is there is replaced.

    Raises:
        DiskError: it cannot be written.
        DataError: :func:`read_baseline` would refuse it.

    >>> import tempfile
    >>> from ragscore import Baseline, evaluate, gate_result
    >>> faq = {"passages": {"p": "Rent is due."}, "queries": {"q": "When?"},
    ...        "ground_truth": {"q": ["p"]}}
    >>> result = evaluate(faq, {"mine": lambda query, k: ["p"]}, ["RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/baseline.json"
    ...     write_baseline(Baseline.from_result(result), path)
    ...     print(gate_result(result, max_drop={"RR": 0.1}, baseline=path).verdict)
    PASS
    """
    place = expanded(path)
    content = baseline_text(baseline).encode()
    if len(content) > MAX_BYTES:
        raise DataError(
            f"the baseline would have {len(content):,} bytes, and at most {MAX_BYTES:,} are read",
            where=str(place),
            instead=f"Save it {FEWER}",
        )
    if fault := next(_faults(baseline), None):
        what = f"the baseline could not be read again: {fault}"
        raise DataError(what, where=str(place), instead=f"Save it {FEWER}")
    with writing(
        "the baseline", place, kept="The earlier one is as it was", elsewhere="name another file"
    ):
        write_file(place, content)


def baseline_text(baseline: Baseline) -> str:
    """What :func:`write_baseline` writes."""
    versions = [f"  {_json(name)}: {_json(version)}" for name, version in baseline.versions.items()]
    datasets = [
        "  {" + ",\n   ".join(f'"{name}": {_json(value)}' for name, value in known) + "}"
        for known in baseline.datasets
    ]
    return "".join(
        [
            f'{{\n"schema": {SCHEMA},\n"profile": {_json(baseline.profile)},\n',
            f'"measured": {_json(baseline.measured)},\n' if baseline.measured else "",
            f'"versions": {{\n{_lines(versions)}}},\n"datasets": [\n{_lines(datasets)}],\n',
            f'"retrievers": [\n{",".join(map(_retriever_text, baseline.retrievers))}]\n}}\n',
        ]
    )


def _retriever_text(entry: BaselineRetriever) -> str:
    values = [f"{_json(query)}: {_json(own)}" for query, own in entry.values.items()]
    passages = [f"{_json(query)}: {_json(ids)}" for query, ids in entry.passages.items()]
    return "".join(
        [
            f'{{"dataset": {_json(entry.dataset)},\n"retriever": {_json(entry.retriever)},\n',
            f'"measures": {_json(entry.measures)},\n"means": {_json(entry.means)},\n',
            f'"values": {{\n{_lines(values)}',
            f'}},\n"passages": {{\n{_lines(passages)}' if passages else "",
            "}}\n",
        ]
    )


def _lines(lines: Sequence[str]) -> str:
    return ",\n".join(lines) + "\n" if lines else ""


def _json(value: object) -> str:
    """JSON on one line: a text as it is where it can be seen, else escaped; a whole number without
    a point."""
    if isinstance(value, list):
        return f"[{', '.join(map(_json, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=not value.isprintable())
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < MAX_WHOLE
        return str(int(value)) if whole else repr(value)
    return "null"


def read_baseline(path: str | Path) -> Baseline:
    """Read a baseline that :func:`write_baseline` wrote. It may be anybody's: it is read as data,
    and nothing that it names is opened, imported or run.

    Args:
        path: of the file.

    Raises:
        DataError: there is none, or it is not a baseline.

    >>> import tempfile
    >>> from ragscore import Baseline, evaluate
    >>> faq = {"passages": {"p": "Rent is due."}, "queries": {"q": "When?"},
    ...        "ground_truth": {"q": ["p"]}}
    >>> made = Baseline.from_result(evaluate(faq, {"mine": lambda query, k: ["p"]}, ["RR"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_baseline(made, f"{folder}/baseline.json")
    ...     read_baseline(f"{folder}/baseline.json").values("dataset", "mine", "RR")
    {'q': 1.0}
    """
    place = expanded(path)
    try:
        content = read_regular(place, most=MAX_BYTES)
    except FileNotFoundError:
        instead = f"Save one: ragscore baseline save DIR -o {place}; or name another: --baseline"
        raise DataError("no such baseline", where=str(place), instead=instead) from None
    except OSError as error:
        what = f"it cannot be read: {error.strerror or error}"
        instead = SAVE_ANEW
        if error.errno == errno.EFBIG:
            instead += f", {FEWER}"
        raise DataError(what, where=str(place), instead=instead) from error
    return parse_baseline(content, str(place))


def parse_baseline(content: bytes, place: str) -> Baseline:
    """The baseline that a file holds.

    Args:
        content: of the file.
        place: the file, for messages.

    Raises:
        DataError: it is not a baseline.
    """
    try:
        data = parse_json(content)
    except ValueError as error:
        why: object = error
        if isinstance(error, json.JSONDecodeError):
            why = f"line {error.lineno} is not JSON"
        raise _not_one(place, why) from error
    if isinstance(data, dict) and data.get("schema", SCHEMA) != SCHEMA:
        raise DataError(
            f"its schema is {in_short(data['schema'])}, and this ragscore reads {SCHEMA}",
            where=place,
            instead=f"Update ragscore, or remove it and save it anew: ragscore baseline save DIR "
            f"-o {place}",
        )
    try:
        baseline = Baseline.model_validate(data)
    except ValidationError as error:
        raise _not_one(place, first_fault(Baseline, data, error)) from error
    if fault := next(_faults(baseline), None):
        raise _not_one(place, fault)
    return baseline.named(place)


def _not_one(place: str, why: object) -> DataError:
    what = f"it is not a baseline that ragscore can read: {why}"
    return DataError(what, where=place, instead=SAVE_ANEW)


def _faults(baseline: Baseline) -> Iterator[str]:
    """What is impossible about a baseline."""
    for dataset, retriever in _twice(baseline.keys):
        yield f"it has the retriever {in_short(retriever)} on {in_short(dataset)} twice"
    for name in _twice(known.name for known in baseline.datasets):
        yield f"it has the dataset {in_short(name)} twice"
    if {dataset for dataset, _name in baseline.keys} - {known.name for known in baseline.datasets}:
        yield "it names a retriever on a dataset that it does not list"
    for entry in baseline.retrievers:
        for measure in _twice(entry.measures):
            yield f"it has the measure {in_short(measure)} of {entry.retriever} twice"
        count = len(entry.measures)
        for query, values in [("means", entry.means), *entry.values.items()]:
            if len(values) != count:
                has = f"has {len(values)} values for {count} measures"
                yield f"'{query}' of {entry.retriever} {has}"
                return
        for measure in entry.measures:
            if fault := _fault(measure, entry):
                yield f"{measure} of {entry.retriever}: {fault}"


def _twice(names: Iterable[Name]) -> list[Name]:
    return [name for name, count in Counter(names).items() if count > 1]


def _fault(text: str, entry: BaselineRetriever) -> str:
    """What is impossible about a measure's values; empty if nothing is, or where the measure
    belongs to a package that is not installed here."""
    try:
        measure = parse_measure(text)
    except ConfigError:
        return ""
    at = entry.measures.index(text)
    values, mean = entry.column(at), entry.means[at]
    if np.any(np.abs(values) > MAX_VALUE):
        return f"a value is larger than {MAX_VALUE:g}"
    if measure.bounded and (np.any(values < -ROUNDING) or np.any(values > 1 + ROUNDING)):
        return "a value lies outside of 0 to 1"
    if measure.weighs_queries:  # by what the file does not hold
        return ""
    own = aggregate(measure, values, None)
    missing = (mean is None) != math.isnan(own)
    if missing or (mean is not None and abs(own - mean) > ROUNDING * max(1, abs(own))):
        return "the mean is not that of its values, as if the file had been edited or merged"
    return ""


# What changed since a baseline was saved.


def check_profile(earlier: str, profile: str, where: str) -> None:
    """Refuse a baseline whose values follow other conventions.

    Args:
        earlier: the conventions of the baseline.
        profile: those of the result.
        where: the baseline, for messages.

    Raises:
        DataError: they differ.
    """
    if earlier != profile:
        raise DataError(
            f"its values follow the profile '{earlier}', and those of the result the profile "
            f"'{profile}'",
            where=where,
            instead=f"{ANEW}, or score the result by profile: {earlier}",
        )


def comparable(
    result: ResultFacts, baseline: Baseline, *, allow_intersect: bool
) -> Iterator[Message]:
    """What a reader must know of a comparison with a baseline.

    Args:
        result: what is judged.
        baseline: what drops are measured from.
        allow_intersect: compare on the common queries where the data are others.

    Raises:
        DataError: the baseline has other conventions, or other data without ``allow_intersect``.
    """
    manifest = result.manifest
    check_profile(baseline.profile, manifest.profile, baseline.name)
    for entry in manifest.datasets:
        known = baseline.dataset(entry.name)
        if known is None or known.digest == entry.digest:
            continue
        here = BaselineDataset.of(result, entry.name, entry.digest)
        changed = other_data(known, here)
        if changed is None:
            continue
        if entry.sample is not None:
            changed = _(
                "{changed}: the result searched {size}", changed=changed, size=entry.sample.size()
            )
        if not allow_intersect:
            raise DataError(
                str(changed),
                where=baseline.name,
                instead=f"{ANEW}, or compare on the common queries: --allow-intersect",
            )
        yield changed
        yield _("Drops are measured on the queries that both have.")
        if known.changed_parts(here) != ("passages",):
            yield _(
                "A query whose text or judgments changed may have fallen for that reason alone."
            )
    before, now = baseline.versions.get(SCORER), manifest.versions.get(SCORER)
    if before and now and before != now:
        yield _(
            "The baseline was saved by ragscore {before}; the result was scored by {now}. If a "
            "measure changed between the two, save the baseline again.",
            before=before,
            now=now,
        )


def other_data(known: BaselineDataset, here: BaselineDataset) -> Message | None:
    """What changed in a dataset since a baseline was saved; None if nothing did, as far as one
    side that was judged by a file knows.

    Args:
        known: what the baseline says of the dataset.
        here: what it is now.
    """
    if known.digest == here.digest:
        return None
    # A file of judgments has neither passages nor queries.
    only_judgments = any(side.judgments and not side.queries for side in (known, here))
    if only_judgments and known.judgments == here.judgments:
        return None
    parts = [PARTS[part] for part in known.changed_parts(here)]
    return _(
        "{parts} of '{dataset}' have changed since the baseline was saved",
        dataset=known.name,
        parts=listed(parts or [_("the dataset or its judgments")]),
    )


@dataclass(frozen=True)
class LoweredValue:
    """A value of a baseline that a new one lowers, or no longer has.

    Attributes:
        dataset, retriever, measure: whose value.
        before: the mean in the old baseline.
        now: the mean in the new one; NaN if it has none.
        lost: queries of the old baseline that the new one lacks, or that have no value any more,
            such as one that a system did not answer and that is left out.
    """

    dataset: str
    retriever: str
    measure: str
    before: float
    now: float
    lost: int = 0


def lowered(old: Baseline, new: Baseline) -> tuple[LoweredValue, ...]:
    """What a new baseline asks less of: values that fall, and those of retrievers, measures and
    queries that it no longer has."""
    found = []
    for entry in old.retrievers:
        after = new.get(entry.dataset, entry.retriever)
        for measure in entry.measures:
            before, now = entry.mean(measure), math.nan
            if after is not None and measure in after.measures:
                now = after.mean(measure)
            lost = _lost(entry, after, measure)
            if lost or _is_worse(measure, before, now):
                found.append(
                    LoweredValue(entry.dataset, entry.retriever, measure, before, now, lost)
                )
    return tuple(found)


def _lost(before: BaselineRetriever, after: BaselineRetriever | None, measure: str) -> int:
    """How many queries are gone, or have a value of a measure in the first alone."""
    if after is None:
        return len(before.values)
    now = after.per_query(measure) if measure in after.measures else {}
    return sum(
        query not in after.values or (math.isnan(now.get(query, 0.0)) and not math.isnan(value))
        for query, value in before.per_query(measure).items()
    )


def _is_worse(measure: str, before: float, now: float) -> bool:
    if math.isnan(before) or math.isnan(now):
        return not math.isnan(before)
    return (now - before if better_low(measure) else before - now) > ADDING


def better_low(measure: str) -> bool:
    """Whether a measure is better when it is lower; of one whose package is not installed here, no
    one knows, and it is taken as better when it is higher."""
    try:
        return parse_measure(measure).lowest_is_best
    except ConfigError:
        return False
