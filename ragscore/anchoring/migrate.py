"""migrate: judgments of old passages become judgments of new ones, or evidence in documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ragscore.anchoring.alignment import MIN_PART, FoundPlace, found_places, union
from ragscore.anchoring.ground_truth_file import refuse_existing, write_ground_truth
from ragscore.anchoring.migrated import Migrated
from ragscore.anchoring.migration_model import Fate, MigratedText, NewPlace
from ragscore.dataset import Corpus, Dataset, Documents
from ragscore.dataset.documents import span_id
from ragscore.dataset.ground_truth_rows import passages_of_needs
from ragscore.dataset.quotes import normal_quote
from ragscore.errors import ConfigError, DataError
from ragscore.formats.datasets.dataset_loading import dataset_from
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.texts import read_texts
from ragscore.models import Evidence, GroundTruth, Need

COVERAGE = 0.9
"""The share of an old passage's characters that has to be found."""


@dataclass(frozen=True)
class _Text:
    """A judged text, what became of it, and the places that its judgments go to."""

    id: str
    text: str
    fate: Fate
    held: float
    found: tuple[FoundPlace, ...]
    places: tuple[FoundPlace, ...]


def migrate(
    old: Dataset | str | Path | DatasetSpec,
    new: Dataset | Corpus | Documents | str | Path,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    coverage: float = COVERAGE,
) -> Migrated:
    """Carry judgments over to passages that were cut in another way, or to documents.

    A judged passage is looked for by its text. A new passage that holds at least the share
    ``coverage`` of its characters has its grade; where none does, but several hold them
    together, each of these covers the one need that the old passage was. In documents its
    characters become evidence. What answers a query stays as many needs as it was, and is
    written as flat grades where each need has one passage of its own.

    A grade of 0 goes over where a new passage holds nothing but the old one's text; what else says
    that something is not relevant is counted as dropped. A new passage with text of a forbidden one
    is forbidden, unless it is relevant; documents have none, and what is dropped is counted.

    Args:
        old: a dataset with its passages, or with evidence in its documents.
        new: the new passages or documents, or where they are (:func:`read_texts`).
        output: the file of ground truth to write.
        overwrite: replace that file where it exists.
        coverage: above 0.5, at most 1.

    >>> text = "It is late after five clear days."
    >>> old = Dataset.from_rows({"p": text}, {"q": "?"}, {"q": ["p"]})
    >>> new = Dataset.from_rows(None, {"q": "?"}, {}, documents={
    ...     "terms": f"Rent is due on the first day. {text}"})
    >>> [row.evidence[0].start for row in migrate(old, new).rows]
    [30]

    Raises:
        DataError: the files have problems, or the old dataset has no texts.
        ConfigError: an option is not allowed, or the file to write exists.
        DiskError: it cannot be written.
    """
    if not 0.5 < coverage <= 1:
        raise ConfigError(
            f"{coverage:g} is not above 0.5 and at most 1", where="coverage", instead="Say 0.9"
        )
    if output is not None:
        refuse_existing(Path(output), overwrite=overwrite)
    dataset = dataset_from(old)
    target = _target(new)
    texts = _judged_texts(dataset)
    if not texts:
        raise DataError(
            "it has no judged passages with texts, and no evidence",
            where=dataset.name,
            instead="Name the dataset that holds the old passages and their judgments",
        )
    found = found_places(list(texts.values()), target)
    became = {
        key: _fate(key, text, places, coverage)
        for (key, text), places in zip(texts.items(), found, strict=True)
    }
    made = _Rows(dataset, target, became, coverage)
    rows = tuple(made)
    if output is not None:
        lines = (
            json.dumps(row.model_dump(exclude_defaults=True), ensure_ascii=False) for row in rows
        )
        write_ground_truth(Path(output), lines)
    fates = Counter(text.fate for text in became.values())
    return Migrated(
        old=dataset.name,
        new=str(new) if isinstance(new, str | Path) else type(new).__name__,
        into="passages" if isinstance(target, Corpus) else "documents",
        coverage=coverage,
        counts={fate: fates[fate] for fate in get_args(Fate)},
        texts=tuple(made.described()),
        queries=len(rows),
        lost_needs=tuple(made.lost),
        dropped=made.dropped,
        forbidden_dropped=made.forbidden_dropped,
        written=None if output is None else str(output),
        rows=rows,
    )


def _target(new: Dataset | Corpus | Documents | str | Path) -> Corpus | Documents:
    if isinstance(new, Corpus | Documents):
        return new
    if isinstance(new, str | Path):
        return read_texts(new)
    texts = new.corpus or new.documents
    if texts is None:
        raise DataError("it has neither passages nor documents", where=new.name)
    return texts


def _judged_texts(dataset: Dataset) -> dict[str, str]:
    """The text of each judged passage and each piece of evidence, by an id of its own."""
    texts: dict[str, str] = {}
    if dataset.corpus is not None:
        rows = dict.fromkeys(dataset.qrels.rows.tolist())
        banned = [passage_id for listed in _forbidden(dataset).values() for passage_id in listed]
        rows |= dict.fromkeys(dataset.qrels.passages.rows(banned).tolist())
        size = len(dataset.corpus)
        for row in rows:
            passage_id = dataset.qrels.passages[row]
            texts[passage_id] = dataset.corpus.texts[row] if row < size else ""
    if dataset.evidence is not None and dataset.documents is not None:
        spans = dataset.evidence.rows(dataset.documents)
        quotes = dataset.evidence.texts(dataset.documents)
        cited = [one for of_query in spans.values() for need in of_query.values() for one in need]
        for span, quote in zip(cited, quotes, strict=True):
            texts[_key(span)] = quote
    return texts


def _forbidden(dataset: Dataset) -> Mapping[str, Sequence[str]]:
    """The passages that rows forbid to each query; rules are options of the dataset."""
    qrels = dataset.qrels
    return {} if qrels.forbidden is None else qrels.forbidden.lists(qrels.queries, qrels.passages)


def _key(span: Evidence) -> str:
    assert span.start is not None
    assert span.end is not None
    return span_id(span.document, span.start, span.end)


def _fate(key: str, text: str, places: Sequence[FoundPlace], coverage: float) -> _Text:
    size = max(len(normal_quote(text)), 1)
    held = union([piece for place in places for piece in place.pieces]) / size
    whole = [place for place in places if place.held >= coverage]
    if whole:
        fate: Fate = "repeated" if len(whole) > 1 else "mapped"
        if len(whole) == 1 and whole[0].of_new < coverage:
            fate = "merged"
        return _Text(key, text, fate, held, tuple(places), tuple(whole))
    if held >= coverage:
        parts = [place for place in places if place.held >= MIN_PART or place.of_new >= coverage]
        return _Text(key, text, "split", held, tuple(places), tuple(parts or places))
    return _Text(key, text, "lost", held, tuple(places), ())


class _Rows:
    """The new rows of ground truth, and what they leave out."""

    def __init__(
        self,
        dataset: Dataset,
        target: Corpus | Documents,
        became: Mapping[str, _Text],
        coverage: float,
    ) -> None:
        self.dataset, self.target, self.became = dataset, target, became
        self.coverage = coverage
        self.lost: list[str] = []
        self.dropped = 0
        self.forbidden_dropped = 0
        self.queries: Counter[str] = Counter()
        self.relevant: set[str] = set()

    def __iter__(self) -> Iterator[GroundTruth]:
        judged = self.dataset.qrels.to_dict()
        covered = passages_of_needs(self.dataset.qrels)
        spans: Mapping[str, Mapping[int, list[Evidence]]] = {}
        if self.dataset.evidence is not None and self.dataset.documents is not None:
            spans = self.dataset.evidence.rows(self.dataset.documents)
        forbidden = _forbidden(self.dataset)
        for query_id in dict.fromkeys([*judged, *spans, *forbidden]):
            grades, cited = judged.get(query_id, {}), spans.get(query_id, {})
            own = covered.get(query_id)
            if own is None:
                own = [{name: grade} for name, grade in grades.items() if grade > 0]
            wanted: list[dict[str, float]] = [
                {
                    **(own[number] if number < len(own) else {}),
                    **{_key(span): span.grade for span in cited.get(number, ())},
                }
                for number in range(max(len(own), max(cited, default=-1) + 1))
            ]
            row = self._row(query_id, grades, wanted)
            listed = self._not_allowed(row, forbidden.get(query_id, ()))
            if listed:
                row = (row or GroundTruth(query_id=query_id)).model_copy(
                    update={"forbidden": listed}
                )
            if row is not None:
                yield row

    def _row(
        self, query_id: str, grades: Mapping[str, float], wanted: Sequence[Mapping[str, float]]
    ) -> GroundTruth | None:
        for key in {*grades, *(key for need in wanted for key in need)}:
            self.queries[key] += 1
        needs: list[dict[FoundPlace, float]] = []
        for need in wanted:
            self.relevant.update(need)
            places: dict[FoundPlace, float] = {}
            for key, grade in need.items():
                for place in self.became[key].places if key in self.became else ():
                    places[place] = max(grade, places.get(place, grade))
            if places:
                needs.append(places)
            else:
                self.lost.append(query_id)
        if isinstance(self.target, Documents):
            self.dropped += sum(grade <= 0 for grade in grades.values())
            return self._evidence(query_id, needs)
        return self._passages(query_id, grades, needs)

    def _not_allowed(self, row: GroundTruth | None, listed: Sequence[str]) -> list[str]:
        """The new passages that hold text of forbidden ones, and are not relevant."""
        relevant = set[str]()
        if row is not None:
            relevant |= {name for name, grade in row.graded().items() if grade > 0}
            relevant |= {name for need in row.needs for name in need if isinstance(name, str)}
        found: dict[str, None] = {}
        for key in listed:
            self.queries[key] += 1
            ids: list[str] = []
            if isinstance(self.target, Corpus) and key in self.became:
                ids = [self.target.ids[place.new] for place in self.became[key].places]
            allowed = [passage_id for passage_id in ids if passage_id not in relevant]
            self.forbidden_dropped += not allowed
            found |= dict.fromkeys(allowed)
        return list(found)

    def _evidence(self, query_id: str, needs: list[dict[FoundPlace, float]]) -> GroundTruth | None:
        if not needs:
            return None
        cited = [[self._span(*place) for place in need.items()] for need in needs]
        if all(len(alternatives) == 1 for alternatives in cited):
            alone = [span for alternatives in cited for span in alternatives]
            if len({*map(_key, alone)}) == len(alone):
                return GroundTruth(query_id=query_id, evidence=alone)
        return GroundTruth(query_id=query_id, needs=[[*spans] for spans in cited])

    def _span(self, place: FoundPlace, grade: float) -> Evidence:
        assert isinstance(self.target, Documents)
        start, end = place.span or (0, 0)
        quote = self.target.texts[place.new][start:end]
        document = self.target.ids[place.new]
        return Evidence(document=document, start=start, end=end, quote=quote, grade=grade)

    def _passages(
        self,
        query_id: str,
        grades: Mapping[str, float],
        needs: list[dict[FoundPlace, float]],
    ) -> GroundTruth | None:
        named = [_by_id(need, self.target) for need in needs]
        relevant = {passage_id for need in named for passage_id in need}
        other: dict[str, float] = {}
        for key, grade in grades.items():
            if grade > 0:
                continue
            places = self.became[key].places if key in self.became else ()
            whole = [place for place in places if place.of_new >= self.coverage]
            ids = [self.target.ids[place.new] for place in whole]
            carried = [passage_id for passage_id in ids if passage_id not in relevant]
            self.dropped += not carried
            for passage_id in carried:
                other[passage_id] = max(grade, other.get(passage_id, grade))
        if not named and not other:
            return None
        alone = all(len(need) == 1 for need in named) and len(relevant) == len(named)
        if alone:
            flat = {passage_id: grade for need in named for passage_id, grade in need.items()}
            return GroundTruth(query_id=query_id, passages=flat | other)
        written: list[Need] = [
            [*need] if set(need.values()) == {1.0} else {**need} for need in named
        ]
        return GroundTruth(query_id=query_id, passages=other, needs=written)

    def described(self) -> Iterator[MigratedText]:
        """What became of each text."""
        for key, text in self.became.items():
            places = text.places or text.found
            yield MigratedText(
                id=key,
                fate=text.fate,
                relevant=key in self.relevant,
                queries=self.queries[key],
                held=text.held,
                places=tuple(self._new_place(place) for place in places),
                text=text.text if text.fate in ("split", "lost") else "",
            )

    def _new_place(self, place: FoundPlace) -> NewPlace:
        start, end = place.span or (None, None)
        return NewPlace(self.target.ids[place.new], start, end, place.held, place.of_new)


def _by_id(need: Mapping[FoundPlace, float], target: Corpus | Documents) -> dict[str, float]:
    return {target.ids[place.new]: grade for place, grade in need.items()}
