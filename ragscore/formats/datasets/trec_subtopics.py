"""trec-subtopics: TREC's judgments of a diversity task, whose subtopics are needs.

::

    q1 1 d1 2         topic, subtopic, passage, grade; any white space between them
    q1 2 d1 1
    q1 0 d2 0         a passage that is judged, and covers none

Each subtopic that has a passage with a grade above 0 is a need of its topic. A passage that has no
grade above 0 for any subtopic is judged not relevant. Lines of subtopic 0 judge a topic that has
no other as a whole. Queries and passages lie as in ``trec``.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.dataset import Dataset
from ragscore.dataset.ground_truth_rows import passages_of_needs
from ragscore.dataset.judgments import Judgments
from ragscore.formats.datasets import trec
from ragscore.formats.datasets.base import Format, Writer, Written
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.rows import made_row
from ragscore.formats.datasets.written import grade_text
from ragscore.formats.reading.judged_lines import grade_of
from ragscore.formats.reading.lines import COMMENT, File
from ragscore.formats.reading.whitespace_columns import trec_columns, wrong_count
from ragscore.models import GroundTruth

WHOLE = ("0", "Q0")
"""Subtopics that stand for the whole topic."""


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """The judgments; each has the line at which its topic begins."""
    topics: dict[str, dict[str, dict[str, float]]] = {}
    begins: dict[str, int] = {}
    for number, line in file.rows(passing_over=COMMENT):
        parts = trec_columns(line)
        if len(parts) != 4:
            instead = "Write topic, subtopic, passage id, grade"
            file.problem(wrong_count(parts, 4), line=number, instead=instead)
            continue
        topic, subtopic, passage_id, grade = parts
        value = grade_of(grade, number, file)
        if value is None:
            continue
        begins.setdefault(topic, number)
        name = WHOLE[0] if subtopic in WHOLE else subtopic
        graded = topics.setdefault(topic, {}).setdefault(name, {})
        if graded.setdefault(passage_id, value) != value:
            file.problem(
                f"the passage '{passage_id}' is judged twice for the subtopic '{subtopic}' of the "
                f"topic '{topic}'",
                line=number,
                instead="Keep one judgment",
            )
    judgments = Judgments()
    for topic, subtopics in topics.items():
        fields = {"query_id": topic, **_row(subtopics)}
        row = made_row(GroundTruth, fields, file, begins[topic])
        for problem in judgments.add_row(row, begins[topic]) if row is not None else ():
            what = f"the topic '{topic}': {problem.what}"
            file.problem(what, line=begins[topic], instead=problem.instead)
    return judgments


def _row(subtopics: dict[str, dict[str, float]]) -> dict[str, object]:
    """Passages and needs of one topic."""
    whole = subtopics.get(WHOLE[0], {})
    if len(subtopics) == 1 and whole:
        return {"passages": whole}
    needs = [
        {passage_id: grade for passage_id, grade in graded.items() if grade > 0}
        for name, graded in subtopics.items()
        if name != WHOLE[0]
    ]
    covering = {passage_id for need in needs for passage_id in need}
    passages: dict[str, float] = {}
    for graded in subtopics.values():
        for passage_id, grade in graded.items():
            if passage_id not in covering:
                passages[passage_id] = max(grade, passages.get(passage_id, grade))
    return {"passages": passages, "needs": [need for need in needs if need]}


def written(dataset: Dataset) -> Written:
    """The files of a dataset; needs are the subtopics 1, 2, ..."""
    yield from trec.texts_written(dataset)
    yield "qrels.subtopics", _lines(dataset)


def _lines(dataset: Dataset) -> Iterator[bytes]:
    covered = passages_of_needs(dataset.qrels)
    for query_id, graded in dataset.qrels.to_dict().items():
        needs = covered.get(query_id, [])
        named = {passage_id for need in needs for passage_id in need}
        whole = {one: grade for one, grade in graded.items() if one not in named}
        for number, of_need in enumerate((whole, *needs)):
            for passage_id, grade in of_need.items():
                yield f"{query_id} {number} {passage_id} {grade_text(grade)}\n".encode()


FORMAT = Format(
    reads=frozenset({"encoding"}),
    description="as trec, with qrels.subtopics: topic, subtopic, passage, grade; they are needs",
    names={**trec.FORMAT.names, "ground_truth": ("qrels.subtopics", "qrels.ndeval")},
    read_passages=trec.read_passages,
    read_queries=trec.read_queries,
    read_judgments=read_judgments,
    needs_corpus=False,
    writer=Writer(written, trec.HELD | {"needs"}),
)
