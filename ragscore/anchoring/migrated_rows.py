"""The rows of ground truth that judgments become when they go over to other texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragscore.anchoring.alignment import FoundPlace
from ragscore.anchoring.migration_model import Fate, MigratedText, NewPlace
from ragscore.dataset import Corpus, Dataset, Documents
from ragscore.dataset.documents import span_id
from ragscore.dataset.ground_truth_rows import query_truths
from ragscore.models import Evidence, GroundTruth, Need


@dataclass(frozen=True)
class Became:
    """A judged text, what became of it, where some of it was found, and the places that its
    judgments go to."""

    id: str
    text: str
    fate: Fate
    held: float
    found: tuple[FoundPlace, ...]
    places: tuple[FoundPlace, ...]


def span_key(span: Evidence) -> str:
    """What a piece of evidence with offsets is called."""
    assert span.start is not None
    assert span.end is not None
    return span_id(span.document, span.start, span.end)


class MigratedRows:
    """The new rows of ground truth, and what they leave out."""

    def __init__(
        self,
        dataset: Dataset,
        target: Corpus | Documents,
        became: Mapping[str, Became],
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
        dataset = self.dataset
        for truth in query_truths(dataset.qrels, dataset.evidence, dataset.documents):
            query_id, grades, cited = truth.query_id, truth.judged, truth.spans
            alone = [{name: grade} for name, grade in grades.items() if grade > 0]
            own = truth.covered or alone
            wanted: list[dict[str, float]] = [
                {
                    **(own[number] if number < len(own) else {}),
                    **{span_key(span): span.grade for span in cited.get(number, ())},
                }
                for number in range(max(len(own), max(cited, default=-1) + 1))
            ]
            row = self._row(query_id, grades, wanted)
            listed = self._not_allowed(row, truth.forbidden)
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
            if len({*map(span_key, alone)}) == len(alone):
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
