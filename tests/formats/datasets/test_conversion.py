"""Datasets are written in every format that has a writer, and read again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.cli import main
from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, DataError
from ragscore.formats import FORMATS, convert, load_dataset
from ragscore.formats.datasets.conversion import LOST, losses
from ragscore.formats.datasets.held_parts import EVERYTHING, PARTS
from ragscore.models import Evidence, GroundTruth, Passage, Query

WRITTEN = [name for name in FORMATS.own if FORMATS[name].writer is not None]
SMALL = 12
IDS = st.text("ab-é한#:,;\"'", min_size=1, max_size=4).filter(lambda text: text[0] != "#")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=SMALL)
TAGS = st.lists(st.sampled_from(["rent", "a;b", " blank", "집"]), max_size=2, unique=True)
METADATA = st.dictionaries(
    st.sampled_from(["year", "page", "generation_gt"]),
    st.one_of(st.integers(-5, 5), st.text("ab\n", max_size=3), st.lists(st.text("a", max_size=2))),
    max_size=2,
)
GRADES = st.sampled_from([1.0, 2.0, 0.5, 0.1, 0.0, -1.0])


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Datasets with any of the parts."""
    plain = draw(st.booleans())
    tags, metadata = (st.just([]), st.just({})) if plain else (TAGS, METADATA)
    titles = st.just("") if draw(st.booleans()) else TEXTS
    grades = st.just(1.0) if draw(st.booleans()) else GRADES
    passages = [
        Passage(id=row_id, text=draw(TEXTS), title=draw(titles), tags=draw(tags),
                metadata=draw(metadata))
        for row_id in draw(st.lists(IDS, min_size=2, max_size=4, unique=True))
    ]  # fmt: skip
    ids = st.sampled_from([passage.id for passage in passages])
    queries, truth = list[Query](), list[GroundTruth]()
    for query_id in draw(st.lists(IDS, min_size=1, max_size=3, unique=True)):
        answerable = plain or draw(st.booleans()) or not truth
        query = Query(id=query_id, text=draw(TEXTS), tags=draw(tags), metadata=draw(metadata),
                      answerable=answerable)  # fmt: skip
        queries.append(query)
        if not answerable:
            continue
        fields: dict[str, Any] = {"query_id": query_id}
        if draw(st.booleans()):
            listed = st.lists(ids, min_size=1, max_size=2, unique=True)
            fields["needs"] = draw(st.lists(listed, min_size=1, max_size=3))
        else:
            fields["passages"] = draw(st.dictionaries(ids, grades, min_size=1, max_size=3))
        truth.append(GroundTruth(**fields))
    return Dataset.from_rows(passages, queries, truth)


@pytest.mark.slow
@pytest.mark.parametrize("to", WRITTEN)
@settings(max_examples=12, deadline=None)
@given(dataset=datasets())
def test_what_no_loss_names_comes_back(to: str, dataset: Dataset) -> None:
    lost = losses(dataset, FORMATS[to].writer)
    with tempfile.TemporaryDirectory() as folder:
        done = convert(dataset, folder, to=to)
        assert done.lost == lost
        if "not_relevant" in lost and not (dataset.qrels.grades > 0).any():
            with pytest.raises(DataError, match="there are no judgments"):
                load_dataset(folder)
            return
        back = load_dataset(folder)
    assert back.corpus is not None
    assert dataset.corpus is not None
    left = len(dataset.queries) - lost.get("unplaced", 0)
    assert len(set(back.queries.ids) & set(dataset.queries.ids)) == len(back.queries) == left
    if lost.keys() & {"ids", "order", "unplaced"}:
        assert list(back.corpus.texts) == list(dataset.corpus.texts)
        return
    assert list(back.queries.ids) == list(dataset.queries.ids)
    assert list(back.corpus.ids) == list(dataset.corpus.ids)
    assert list(back.corpus.texts) == list(dataset.corpus.texts)
    for part in ("titles", "passage_tags", "passage_metadata", "query_tags", "query_metadata"):
        if part not in lost and "odd_tags" not in lost:
            assert PARTS[part](back) == PARTS[part](dataset), part
    if "passage_metadata" not in lost:
        assert back.corpus.metadata == dataset.corpus.metadata
    if "line_breaks" not in lost:
        assert list(back.queries.texts) == list(dataset.queries.texts)
    if not lost.keys() & {"grades", "not_relevant", "needs", "other_passages"}:
        assert back.qrels.to_dict() == dataset.qrels.to_dict()
        assert back.qrels.ideal[1].tolist() == dataset.qrels.ideal[1].tolist()
        assert PARTS["needs"](back) == PARTS["needs"](dataset)
    if not lost and (dataset.qrels.needs is None) == (back.qrels.needs is None):
        assert back.digest == dataset.digest
        assert back.metadata_digest == dataset.metadata_digest


def whole() -> Dataset:
    """A dataset with every part."""
    truth = [
        GroundTruth(query_id="q1", passages={"b": 0}, needs=[["a", "c"], {"d": 2}]),
        GroundTruth(query_id="q2", forbidden=["a"],
                    evidence=[Evidence(document="terms", start=0, end=4)]),
    ]  # fmt: skip
    return Dataset.from_rows(
        [Passage(id=row_id, text=row_id, title=row_id, tags=["; "], metadata={"x": [1]})
         for row_id in "abcd"],
        [Query(id="q1", text="a\nb", tags=["t"], metadata={"y": 1}), Query(id="q2", text="b"),
         Query(id="q3", text="c", answerable=False)],
        truth,
        documents={"terms": "Rent is due."},
        forbidden={"field": "x", "op": "contains", "value": 2},
        coverage=0.5,
        together=True,
        drop_self=True,
    )  # fmt: skip


def test_every_part_has_a_sentence_and_ragscores_own_rows_hold_all() -> None:
    dataset = whole()
    # Judgments name units or cite evidence, not both; documents are not sampled.
    own = {"ids", "other_passages", "unplaced", "order"}  # counted by the writer of SQuAD
    assert {part for part, count in PARTS.items() if count(dataset)} == PARTS.keys() - {
        *own,
        "unit",
        "sample",
    }
    assert PARTS.keys() == LOST.keys()
    for name in WRITTEN:
        assert FORMATS[name].writer.holds <= EVERYTHING, name
    assert FORMATS["jsonl"].writer.holds == EVERYTHING


def test_every_part_is_read_again(tmp_path: Path) -> None:
    dataset = whole()
    options = dict.fromkeys(["forbidden_rules", "drop_self", "coverage", "together"], 1)
    assert convert(dataset, tmp_path / "j").lost == options
    rule = {"field": "x", "op": "contains", "value": 2}
    back = load_dataset(
        tmp_path / "j",
        drop_self=True,
        forbidden=rule,  # type: ignore[arg-type]
        coverage=0.5,
        together=True,
    )
    assert back.digest == dataset.digest
    assert back.metadata_digest == dataset.metadata_digest


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Path:
    passages = [Passage(id="a", text="Rent.", title="R"), Passage(id="b", text="Cats.")]
    dataset = Dataset.from_rows(passages, {"q": "When?"}, {"q": {"a": 2, "b": 0}})
    convert(dataset, tmp_path / "small")
    return tmp_path / "small"


def test_the_command(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = str(tmp_path / "to")
    assert main(["convert", str(small), to, "--format", "autorag", "--strict"]) == 3
    assert "it would be lost: titles of passages: 1" in capsys.readouterr().err
    assert not Path(to).exists()
    assert main(["convert", str(small), to, "--format", "autorag"]) == 0
    told = capsys.readouterr().out
    assert "2 passages, 1 query and 2 judgments (corpus.parquet, qa.parquet)" in told
    assert "- grades above 0 that become 1: 1" in told
    before = (tmp_path / "to" / "qa.parquet").read_bytes()
    assert main(["convert", str(small), to, "--format", "autorag"]) == 2
    assert "files would be replaced: corpus.parquet, qa.parquet" in capsys.readouterr().err
    assert (tmp_path / "to" / "qa.parquet").read_bytes() == before
    assert main(["convert", str(small), to, "--format", "autorag", "--overwrite"]) == 0
    assert main(["convert", str(small), str(tmp_path / "ko"), "--language", "ko"]) == 0
    assert "잃은 것이 없습니다" in capsys.readouterr().out
    assert main(["convert", str(small), to, "--format", "autorga"]) == 2
    assert "Did you mean 'autorag'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("to", "row_id"),
    [("trec", "a b"), ("trec", "#a"), ("trec-subtopics", "a\u3000b"), ("beir", "a\tb")],
)
def test_ids_that_a_format_cannot_write(to: str, row_id: str, tmp_path: Path) -> None:
    dataset = Dataset.from_rows({row_id: "x"}, {"q": "y"}, {"q": [row_id]})
    with pytest.raises(DataError, match=f"cannot be written in {to[:4]}"):
        convert(dataset, tmp_path / "to", to=to)
    assert not (tmp_path / "to").exists()


def test_options_belong_to_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this is a Dataset"):
        convert(whole(), tmp_path / "to", split="test")
    evidence = [{"query_id": "q", "evidence": [{"document": "d", "quote": "due"}]}]
    dataset = Dataset.from_rows(None, {"q": "?"}, evidence, documents={"d": "Rent is due."})
    with pytest.raises(DataError, match="no passage is judged"):
        convert(dataset, tmp_path / "to", to="csv")


PART_NAMES = {
    "titles": "titles",
    "passage_tags": "tags of passages",
    "query_tags": "tags of queries",
    "odd_tags": "tags with `;` or blanks around them",
    "passage_metadata": "metadata of passages",
    "query_metadata": "metadata of queries",
    "line_breaks": "TABs and line ends in questions",
    "unanswerable": "`answerable: false`",
    "grades": "grades above 0 other than 1",
    "not_relevant": "grades of 0 and below",
    "needs": "needs",
    "forbidden": "forbidden passages",
    "documents": "documents",
    "evidence": "evidence",
}


def test_the_docs_say_what_each_format_holds() -> None:
    docs = (Path(__file__).parents[3] / "docs/datasets.md").read_text(encoding="utf-8")
    for name in WRITTEN:
        holds = FORMATS[name].writer.holds
        if not {"passage_tags", "query_tags"} & holds:
            holds |= {"odd_tags"}
        lacks = [text for part, text in PART_NAMES.items() if part not in holds]
        assert f"| `{name}` | {', '.join(lacks) or '(holds everything)'} |" in docs
