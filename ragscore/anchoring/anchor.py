"""anchor: quotes of evidence become offsets into their documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, get_args

from ragscore.anchoring.anchored import Anchored
from ragscore.anchoring.approximate import nearest
from ragscore.anchoring.facts import facts_apart
from ragscore.anchoring.ground_truth_file import refuse_existing, write_ground_truth
from ragscore.anchoring.model import AnchoredEvidence, How, QuotedPlace, uncertain
from ragscore.dataset.located import EvidenceRow, Searched
from ragscore.dataset.quotes import normal_quote
from ragscore.errors import ConfigError, DataError
from ragscore.formats.datasets.dataset_loading import dataset_spec
from ragscore.formats.datasets.dataset_spec import DatasetChanges, DatasetSpec
from ragscore.formats.datasets.find import locate
from ragscore.formats.datasets.jsonl import FORMAT
from ragscore.formats.datasets.read import read_documents
from ragscore.formats.document_formats.document_files import Reader
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import collected, shown
from ragscore.progress import SILENT

SIMILARITY = 0.9
"""The least similarity of a fuzzy match."""
CLEARLY = 0.05
"""A second place that is not less similar by this much makes a quote ambiguous."""


def anchor(
    dataset: str | Path | DatasetSpec,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    similarity: float = SIMILARITY,
    allow_differing: bool = False,
    reader: Reader | None = None,
    **options: Unpack[DatasetChanges],
) -> Anchored:
    """Find where the quotes of a dataset's evidence stand in its documents.

    A quote that stands nowhere as it is may be nearly there: the place with the fewest differing
    characters is taken where it is similar enough and no other place is nearly as similar, unless
    a number or a negation is another there. A quote in several places, or in none, is listed with
    them; nothing is guessed.

    Args:
        dataset: its folder, or a DatasetSpec; its ground truth is JSON lines.
        output: the file to write: the ground truth with the offsets of all evidence that has a
            certain place, beside its quote; of a fuzzy match the quote is what was found. The
            rest is as it was.
        overwrite: replace that file where it exists.
        similarity: the least of a fuzzy match, above 0.5 and at most 1 (none).
        allow_differing: take fuzzy matches too whose numbers or negations differ.
        reader: as for :func:`load_dataset`.
        options: the fields of :class:`DatasetSpec`, as for :func:`load_dataset`.

    Raises:
        DataError: the files have problems other than quotes without a certain place.
        ConfigError: an option is not allowed, or the file to write exists.
        DiskError: it cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, row in (
    ...         ("documents", '{"id": "terms", "text": "Rent is due on the first."}'),
    ...         ("queries", '{"id": "q1", "text": "When is rent due?"}'),
    ...         ("truth", '{"query_id": "q1", "evidence": [{"document": "terms", '
    ...                   '"quote": "due"}]}'),
    ...     ):
    ...         _ = Path(folder, f"{name}.jsonl").write_text(row)
    ...     found = anchor(folder, format="jsonl", ground_truth="truth.jsonl")
    >>> found.evidence[0].how, found.evidence[0].place.start
    ('exact', 8)
    """
    if output is not None:
        refuse_existing(Path(output), overwrite=overwrite)
    if not 0.5 < similarity <= 1:
        raise ConfigError(
            f"{similarity:g} is not above 0.5 and at most 1", where="similarity", instead="Say 0.9"
        )
    spec = dataset_spec(dataset, options)
    files = locate(spec)
    if files.format is not FORMAT:
        raise DataError(
            "its ground truth is not a file of JSON lines, which alone has evidence",
            where=shown(files.ground_truth),
            instead="Name another with ground_truth:",
        )
    if files.documents is None:
        raise DataError(
            "the dataset has no documents",
            where=shown(spec.folder),
            instead="Name them with documents: in the experiment, or with --documents",
        )
    with collected() as problems:
        truth = File(files.ground_truth, problems, SILENT, encoding=spec.encoding)
        judgments = files.format.read_judgments(truth, spec)
        documents, _ = read_documents(spec, files.documents, problems, SILENT, reader)
    if not judgments.evidence:
        raise DataError(
            "no row of it has evidence",
            where=shown(files.ground_truth),
            instead='Write {"query_id": "q1", "evidence": [{"document": "ID", "quote": "..."}]}',
        )
    searched = Searched(documents)
    found = [_anchored(row, searched, similarity) for row in judgments.evidence]
    counts = Counter(evidence.how for evidence in found)
    if output is not None:
        with collected() as problems:
            truth = File(files.ground_truth, problems, SILENT, encoding=spec.encoding)
            lines = list(_with_offsets(truth, found, uncertain(allow_differing)))
        write_ground_truth(Path(output), lines)
    return Anchored(
        ground_truth=shown(files.ground_truth),
        similarity=similarity,
        counts={how: counts[how] for how in get_args(How)},
        allow_differing=allow_differing,
        evidence=tuple(found),
        written=None if output is None else str(output),
    )


def _anchored(row: EvidenceRow, searched: Searched, similarity: float) -> AnchoredEvidence:
    given = row.evidence
    made = AnchoredEvidence(row.query_id, row.line, given.document, "wrong", given.quote, None)
    if problem := searched.problem(given):
        return replace(made, problem=str(problem))
    text = searched.text(searched.documents.ids.row(given.document))

    def place(start: int, end: int, similarity: float = 1.0) -> QuotedPlace:
        return QuotedPlace(start, end, text.text[start:end], similarity)

    if given.start is not None and given.end is not None:
        return replace(made, how="offsets", place=place(given.start, given.end))
    quote = given.quote or ""
    places = text.places(quote)
    if len(places.spans) == 1:
        return replace(made, how=places.way, place=place(*places.spans[0]))
    if places.spans:
        return replace(made, how="ambiguous", places=tuple(place(*span) for span in places.spans))
    near = nearest(text.normal.text, normal_quote(quote), similarity) if similarity < 1 else []
    candidates = tuple(
        place(*text.normal.original(other.start, other.end), other.similarity)
        for other in near
        if other.similarity > near[0].similarity - CLEARLY
    )
    if not candidates:
        return replace(made, how="missing")
    if len(candidates) > 1:
        return replace(made, how="ambiguous", places=candidates)
    apart = facts_apart(normal_quote(quote), text.normal.text[near[0].start : near[0].end])
    return replace(made, how="differs" if apart else "fuzzy", place=candidates[0], apart=apart)


def _with_offsets(
    truth: File, found: Iterable[AnchoredEvidence], without: Container[How]
) -> Iterator[str]:
    """The lines of the ground truth with the offsets that were found; of what was found in these
    ways a line stays as it is."""
    remaining = iter(found)
    for _, line in truth.rows():
        row = json.loads(line)
        for item in _evidence_in(row):
            evidence = next(remaining)
            if evidence.how not in without and evidence.place is not None:
                item["start"], item["end"] = evidence.place.start, evidence.place.end
                if evidence.how in ("fuzzy", "differs"):
                    item["quote"] = evidence.place.text
        yield json.dumps(row, ensure_ascii=False)


def _evidence_in(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The evidence of a row, in the order in which ragscore reads it: that of its needs first."""
    for need in row.get("needs", ()):
        if isinstance(need, list):
            yield from (item for item in need if isinstance(item, dict))
    yield from row.get("evidence", ())
