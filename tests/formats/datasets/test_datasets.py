"""One small dataset in every format, and the real collections."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import polars
import pytest
import zstandard

from ragscore.dataset import Dataset
from ragscore.errors import DataError
from ragscore.formats import FORMATS, Columns, DatasetSpec, load_dataset, write_dataset

# U+0085 and U+2028 end no line; ids hold Hangul and spaces where the format can.
PASSAGES = {"007": "rent is due", "금융 - 지방은행.pdf - 4": "a\u0085b\u2028c", "d 3": ""}
QUERIES = {"1": "When is rent due?", "q 2": "은행?"}
JUDGED = {"1": {"007": 3.0, "d 3": 0.0}, "q 2": {"금융 - 지방은행.pdf - 4": 0.5}}


def jsonl(*rows: Mapping[str, object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def lines(*rows: tuple[object, ...], by: str) -> str:
    return "".join(by.join(map(str, row)) + "\n" for row in rows)


PAIRS = [(query, passage, grade) for query, of in JUDGED.items() for passage, grade in of.items()]
LAYOUTS: dict[str, dict[str, str]] = {
    "jsonl": {
        "passages.jsonl": jsonl(*({"id": i, "text": t} for i, t in PASSAGES.items())),
        "queries.jsonl": jsonl(*({"id": i, "text": t} for i, t in QUERIES.items())),
        "ground_truth.jsonl": jsonl(*({"query_id": q, "passages": p} for q, p in JUDGED.items())),
    },
    "beir": {
        "corpus.jsonl": jsonl(
            *({"_id": i, "title": "", "text": t, "url": "u"} for i, t in PASSAGES.items())
        ),
        "queries.jsonl": jsonl(
            *({"_id": i, "text": t, "metadata": {}} for i, t in QUERIES.items())
        ),
        "qrels/test.tsv": lines(("query-id", "corpus-id", "score"), *PAIRS, by="\t"),
    },
    "csv": {
        "passages.csv": lines(
            ("id", "text"), *((i, f'"{t}"') for i, t in PASSAGES.items()), by=","
        ),
        "queries.csv": lines(("text", "id"), *((t, i) for i, t in QUERIES.items()), by=","),
        "ground_truth.csv": lines(("query_id", "passage_id", "grade"), *PAIRS, by=","),
    },
    "tsv": {
        "passages.tsv": lines(("id", "text"), *PASSAGES.items(), by="\t"),
        "queries.tsv": lines(("id", "text"), *QUERIES.items(), by="\t"),
        "ground_truth.tsv": lines(("query_id", "passage_id", "grade"), *PAIRS, by="\t"),
    },
}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return folder


def assert_same(dataset: Dataset) -> None:
    assert dataset.corpus is not None
    assert dict(zip(dataset.corpus.ids, dataset.corpus.texts, strict=True)) == PASSAGES
    assert dict(zip(dataset.queries.ids, dataset.queries.texts, strict=True)) == QUERIES
    assert dataset.qrels.to_dict() == JUDGED
    assert dataset.counts["empty_passages"] == 1


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_format_reads_the_same_dataset(name: str, tmp_path: Path) -> None:
    dataset = load_dataset(write(tmp_path / "letting", LAYOUTS[name]))
    assert_same(dataset)
    assert dataset.name == "letting"
    assert_same(load_dataset(tmp_path / "letting", format=name))


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_files_are_read_directly(name: str, suffix: str, tmp_path: Path) -> None:
    pack = gzip.compress if suffix == ".gz" else zstandard.compress
    for file, content in LAYOUTS[name].items():
        path = tmp_path / (file + suffix)
        path.parent.mkdir(exist_ok=True)
        data = content.encode()
        # Packed parts one after another are one file, as `cat a.gz b.gz` makes it.
        path.write_bytes(pack(data[:7]) + pack(data[7:]))
    assert_same(load_dataset(tmp_path))


def test_parquet_reads_whole_numbers_as_text_ids(tmp_path: Path) -> None:
    polars.DataFrame({"id": [42, 7], "text": ["a", None], "url": ["x", "y"]}).write_parquet(
        tmp_path / "passages.parquet"
    )
    polars.DataFrame(
        {"qid": [1, 2], "text": ["?", "!"], "tags": [["x", "y"], []], "answerable": [True, False]}
    ).write_parquet(tmp_path / "queries.parquet")
    polars.DataFrame({"query_id": [1], "passage_id": [42], "grade": [2]}).write_parquet(
        tmp_path / "ground_truth.parquet"
    )
    columns = Columns.model_validate({"queries": {"id": "qid"}, "passages": {"metadata": ["url"]}})
    dataset = load_dataset(tmp_path, columns=columns)
    assert dataset.corpus is not None
    assert dataset.qrels.to_dict() == {"1": {"42": 2.0}}
    assert dataset.corpus[0].metadata == {"url": "x"}
    assert dataset.queries[0].tags == ["x", "y"]
    assert dataset.queries.unanswerable == {"2"}
    assert dataset.counts == {
        "empty_passages": 1,
        "missing_passages": 0,
        "unanswerable": 1,
        "queries_without_judgments": 0,
        "queries_without_relevant": 0,
        "numeric_ids": 0,
    }


def test_csv_quotes_crlf_and_line_breaks_inside_a_field(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "passages.csv": 'id,text,title\r\n007,"two\nlines, ""quoted""",T\r\nb,x,\r\n',
            "queries.csv": "id,text,tags,answerable\r\nq,?,a; b,yes\r\nu,?,,No\r\n",
            "ground_truth.csv": "query_id,passage_id\r\nq,007\r\n",
        },
    )
    dataset = load_dataset(tmp_path)
    assert dataset.corpus is not None
    assert dataset.corpus[0].text == 'two\nlines, "quoted"'
    assert dataset.corpus[0].title == "T"
    assert dataset.queries[0].tags == ["a", "b"]
    assert dataset.queries.unanswerable == {"u"}
    assert dataset.qrels.to_dict() == {"q": {"007": 1.0}}


@pytest.mark.parametrize(
    ("corpus", "content"),
    [
        ("corpus.jsonl", jsonl({"_id": "d1", "text": "a"}, {"_id": "d2", "text": "b"})),
        ("passages.jsonl", jsonl({"id": "d1", "text": "a"}, {"id": "d2", "text": "b"})),
        ("collection.tsv", "d1\ta\nd2\tb\ttitle\n"),
        ("", ""),
    ],
)
def test_trec_with_a_corpus_of_either_form_or_none(
    corpus: str, content: str, tmp_path: Path
) -> None:
    files = {"queries.tsv": "q1\twhat\n", "qrels.txt": "# trec\nq1 0  d1 \t2\n\nq1 0 d2 -1\n"}
    dataset = load_dataset(write(tmp_path, {**files, **({corpus: content} if corpus else {})}))
    assert dataset.qrels.to_dict() == {"q1": {"d1": 2.0, "d2": -1.0}}
    assert (dataset.corpus is None) == (not corpus)
    assert dataset.counts["missing_passages"] == 0


def test_ordered_lists_mean_binary_or_ranked_grades(tmp_path: Path) -> None:
    rows = (
        {"query_id": "1", "passages": ["007", "d 3"]},
        {"query_id": "q 2", "passages": ["007", "d 3"], "grades": "ranked"},
    )
    write(tmp_path, {**LAYOUTS["jsonl"], "ground_truth.jsonl": jsonl(*rows)})
    assert load_dataset(tmp_path).qrels.to_dict() == {
        "1": {"007": 1.0, "d 3": 1.0},
        "q 2": {"007": 2.0, "d 3": 1.0},
    }


def test_keys_that_beir_does_not_define_become_metadata(tmp_path: Path) -> None:
    dataset = load_dataset(write(tmp_path, LAYOUTS["beir"]))
    assert dataset.corpus is not None
    assert dataset.corpus[0].metadata == {"url": "u"}


def test_splits_of_beir(tmp_path: Path) -> None:
    files = dict(LAYOUTS["beir"])
    files["qrels/dev.tsv"] = "1\td 3\t1\n"
    write(tmp_path, files)
    assert load_dataset(tmp_path).qrels.to_dict() == JUDGED
    assert load_dataset(tmp_path, split="dev").qrels.to_dict() == {"1": {"d 3": 1.0}}
    (tmp_path / "qrels/test.tsv").unlink()
    assert load_dataset(tmp_path).qrels.to_dict() == {"1": {"d 3": 1.0}}
    (tmp_path / "qrels/train.tsv").write_text("1\t007\t1\n")
    with pytest.raises(DataError, match="Name one with split: dev, train"):
        load_dataset(tmp_path)
    with pytest.raises(DataError, match=r"no split 'tran'\. Did you mean 'train'"):
        load_dataset(tmp_path, split="tran")


def test_files_of_other_names(tmp_path: Path) -> None:
    files = {f"my-{name}": content for name, content in LAYOUTS["jsonl"].items()}
    names = {name.partition(".")[0]: f"my-{name}" for name in LAYOUTS["jsonl"]}
    write(tmp_path, files)
    assert_same(load_dataset(tmp_path, format="jsonl", **names))  # type: ignore[arg-type]


def test_allow_missing_counts_what_the_corpus_lacks(tmp_path: Path) -> None:
    truth = jsonl({"query_id": "1", "passages": {"007": 1, "gone": 1, "also": 0}})
    write(tmp_path, {**LAYOUTS["jsonl"], "ground_truth.jsonl": truth})
    dataset = load_dataset(tmp_path, allow_missing=True, drop_self=True)
    assert dataset.counts["missing_passages"] == 2
    assert list(dataset.missing_passages) == ["gone", "also"]
    assert dataset.drop_self


def test_a_written_dataset_reads_back(tmp_path: Path) -> None:
    dataset = load_dataset(write(tmp_path / "a", LAYOUTS["jsonl"]))
    write_dataset(dataset, tmp_path / "b")
    again = load_dataset(tmp_path / "b", name="a")
    assert again.digest == dataset.digest


def test_a_spec_takes_its_path_alone_and_is_resolved_against_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "data", LAYOUTS["jsonl"])
    spec = DatasetSpec.model_validate("data").resolved(tmp_path)
    assert spec.label == "data"
    assert_same(load_dataset(spec))


def test_every_format_has_a_description() -> None:
    assert all(fmt.description for fmt in FORMATS.values())


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("cranfield", (1400, 225, 1837)),
        ("cacm", (3204, 64, 796)),
        ("med", (1033, 30, 696)),
        ("adi", (82, 35, 170)),
        ("xquad-en", (240, 1190, 1190)),
        ("autorag-ko-finance", (720, 114, 114)),
        ("autorag-ko-tutorial", (65, 15, 15)),
        ("autorag-en-sample", (30, 10, 10)),
        ("mini-msmarco", (5000, 50, 4101)),
        ("mini-dbpedia", (5000, 50, 3709)),
    ],
)
def test_the_real_collections(name: str, counts: tuple[int, int, int], conformance: Path) -> None:
    dataset = load_dataset(conformance / "collections" / name)
    assert dataset.corpus is not None
    assert (len(dataset.corpus), len(dataset.queries), len(dataset.qrels)) == counts
    assert dataset.counts["queries_without_judgments"] == {"cacm": 12}.get(
        name, int((dataset.qrels.judgments == 0).sum())
    )
    if name == "cranfield":
        assert dataset.counts["empty_passages"] == 2
