"""migrate: judgments of old passages become judgments of new ones, or evidence in documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from ragscore.anchoring.alignment import MIN_PART, FoundPlace, found_places
from ragscore.anchoring.ground_truth_file import refuse_existing, write_ground_truth
from ragscore.anchoring.migrated import Migrated
from ragscore.anchoring.migrated_rows import Became, MigratedRows, span_key
from ragscore.anchoring.migration_model import Fate
from ragscore.anchoring.shared_text import GRAM
from ragscore.dataset import Corpus, Dataset, Documents
from ragscore.dataset.documents import characters_in
from ragscore.dataset.quotes import normal_quote
from ragscore.errors import ConfigError, DataError
from ragscore.formats.datasets.dataset_loading import dataset_from
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.texts import read_texts

COVERAGE = 0.9
"""The share of an old passage's characters that has to be found."""


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
    characters become evidence. Where all of a text is found, others that differ from it are no
    places of it, but for those that cut it off at an end. What answers a query stays as many needs
    as it was, and is written as flat grades where each need has one passage of its own.

    A text shorter than 12 characters is found where it stands as it is, not inside of a word. Where
    it stands in several texts, only passages that are nothing else count; else it is lost.

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
        DataError: the files have problems, or the old dataset has no texts, or judges units.
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
    if (units := dataset.qrels.units) is not None:
        raise DataError(
            f"its judgments name units (metadata.{units.unit.field}), and no texts that could be "
            "looked for",
            where=dataset.name,
            instead="They hold for the new passages as they are, where these have that metadata",
        )
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
    made = MigratedRows(dataset, target, became, coverage)
    rows = tuple(made)
    if output is not None:
        lines = (
            json.dumps(row.model_dump(exclude_defaults=True), ensure_ascii=False) for row in rows
        )
        write_ground_truth(Path(output), lines)
    fates = Counter(text.fate for text in became.values())
    return Migrated(
        old=dataset.name,
        new=_name(new),
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


def _name(new: Dataset | Corpus | Documents | str | Path) -> str:
    if isinstance(new, Dataset):
        return new.name
    return str(new) if isinstance(new, str | Path) else type(new).__name__


def _judged_texts(dataset: Dataset) -> dict[str, str]:
    """The text of each judged passage and each piece of evidence, by an id of its own."""
    texts: dict[str, str] = {}
    if dataset.corpus is not None:
        rows = dict.fromkeys(dataset.qrels.rows.tolist())
        if (forbidden := dataset.qrels.forbidden) is not None:
            rows |= dict.fromkeys(forbidden.rows.tolist())
        size = len(dataset.corpus)
        for row in rows:
            passage_id = dataset.qrels.passages[row]
            texts[passage_id] = dataset.corpus.texts[row] if row < size else ""
    if dataset.evidence is not None and dataset.documents is not None:
        spans = dataset.evidence.rows(dataset.documents)
        quotes = dataset.evidence.texts(dataset.documents)
        cited = [one for of_query in spans.values() for need in of_query.values() for one in need]
        for span, quote in zip(cited, quotes, strict=True):
            texts[span_key(span)] = quote
    return texts


def _fate(key: str, text: str, places: Sequence[FoundPlace], coverage: float) -> Became:
    size = max(len(normal_quote(text)), 1)
    held = characters_in([piece for place in places for piece in place.pieces]) / size
    whole = [place for place in places if place.held >= coverage]
    if any(place.held == 1 for place in whole):
        # One that differs is another text, such as the same rule for another year.
        whole = [place for place in whole if place.held == 1 or place.cut_off]
    if size < GRAM and len(whole) > 1:
        # It may stand inside of others by chance: then only what is nothing else counts.
        whole = [place for place in whole if place.span is None and place.of_new >= coverage]
        if not whole:
            return Became(key, text, "lost", held, tuple(places), ())
    if whole:
        fate: Fate = "repeated" if len(whole) > 1 else "mapped"
        if len(whole) == 1 and whole[0].of_new < coverage:
            fate = "merged"
        return Became(key, text, fate, held, tuple(places), tuple(whole))
    if held >= coverage:
        parts = [place for place in places if place.held >= MIN_PART or place.of_new >= coverage]
        return Became(key, text, "split", held, tuple(places), tuple(parts or places))
    return Became(key, text, "lost", held, tuple(places), ())
