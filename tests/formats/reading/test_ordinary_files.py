"""Files as other programs leave them: Excel's CSV, Windows line ends, ranx's Parquet."""

from __future__ import annotations

import codecs
from pathlib import Path

import polars
import pytest

from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import ConfigError, DataError
from ragscore.experiment import load_experiment
from ragscore.formats import load_dataset, load_qrels, load_run
from ragscore.formats.runs.run_loading import join_run
from ragscore.judge import JoinTo

KOREAN = "임대료는 매월 첫날에 냅니다."
TABLES = {
    "passages.csv": f'id,text\r\n007,{KOREAN}\r\nb,"y, z"\r\n,\r\n',
    "queries.csv": "id,text\r\nq,임대료는 언제 내나요?\r\n",
    "ground_truth.csv": "query_id,passage_id,grade\r\nq,007,1\r\n",
}
ROWS = {
    "passages.jsonl": f'{{"id": 7, "text": "{KOREAN}"}}\n{{"id": "b", "text": "y"}}\n',
    "queries.jsonl": '{"id": 1, "text": "?"}\n',
    "ground_truth.jsonl": '{"query_id": 1, "passages": [7, "b"]}\n',
}


def written(folder: Path, files: dict[str, str], encoding: str = "utf-8") -> Path:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode(encoding))
    return folder


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_as_excel_saves_it(encoding: str, tmp_path: Path) -> None:
    dataset = load_dataset(written(tmp_path, TABLES, encoding))
    assert dataset.corpus is not None
    assert list(dataset.corpus.ids) == ["007", "b"]
    assert dataset.corpus[0].text == KOREAN
    assert dataset.qrels.to_dict() == {"q": {"007": 1.0}}


def test_utf_16_in_both_orders(tmp_path: Path) -> None:
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        written(tmp_path, TABLES)
        (tmp_path / "passages.csv").write_bytes(mark + TABLES["passages.csv"].encode(encoding))
        corpus = load_dataset(tmp_path).corpus
        assert corpus is not None
        assert corpus[0].text == KOREAN


def test_an_encoding_that_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path, TABLES, "cp949")
    with pytest.raises(DataError, match=r"it looks like cp949. Set encoding: cp949"):
        load_dataset(folder)
    corpus = load_dataset(folder, encoding="cp949").corpus
    assert corpus is not None
    assert corpus[0].text == KOREAN
    # A byte-order mark says more than the option.
    (folder / "passages.csv").write_bytes(TABLES["passages.csv"].encode("utf-8-sig"))
    assert (
        load_dataset(folder, encoding="cp949").digest
        == load_dataset(written(tmp_path, TABLES)).digest
    )
    text = "id,text\na,plain\nb," + KOREAN + "\n"
    (folder / "passages.csv").write_bytes(text.encode())
    with pytest.raises(DataError, match=r"passages.csv:3: the byte 0x.. is not cp949; it looks"):
        load_dataset(folder, encoding="cp949")


def test_a_delimiter_that_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path, {name: text.replace(",", ";") for name, text in TABLES.items()})
    with pytest.raises(DataError, match=r'passages.csv:1: .*Set delimiter: ";"') as caught:
        load_dataset(folder)
    assert len(caught.value.problems) == 3
    assert load_dataset(folder, delimiter=";").qrels.to_dict() == {"q": {"007": 1.0}}
    with pytest.raises(ConfigError, match=r"cannot separate columns"):
        load_dataset(folder, delimiter="a")


def test_options_of_a_dataset_in_yaml(tmp_path: Path) -> None:
    written(tmp_path, {n: t.replace(",", ";") for n, t in TABLES.items()}, "cp949")
    experiment = tmp_path / "x.yaml"
    experiment.write_text(
        'name: x\ndataset: {path: ., encoding: cp949, delimiter: ";"}\n'
        "retrievers: {bm25: {kind: bm25}}\n"
    )
    load_experiment(experiment)
    experiment.write_text(experiment.read_text().replace("cp949", "cp94"))
    with pytest.raises(ConfigError, match=r"Did you mean 'cp949'"):
        load_experiment(experiment)


def test_rows_with_windows_line_ends(tmp_path: Path) -> None:
    files = {name: text.replace("\n", "\r\n") + "\r\n" for name, text in ROWS.items()}
    dataset = load_dataset(written(tmp_path, files, "utf-8-sig"), ids="text")
    assert dataset.corpus is not None
    assert dataset.corpus[0].text == KOREAN


def test_whole_numbers_as_ids(tmp_path: Path) -> None:
    folder = written(tmp_path, ROWS)
    with pytest.raises(DataError, match=r'"7" in quotes, or set ids: text') as caught:
        load_dataset(folder)
    assert len(caught.value.problems) == 4  # with its place, each: two ids of rows, two judged
    dataset = load_dataset(folder, ids="text")
    assert dataset.qrels.to_dict() == {"1": {"7": 1.0, "b": 1.0}}
    assert dataset.counts["numeric_ids"] == 4
    for wrong in ("7.5", "true", "null", "[7]"):
        (folder / "queries.jsonl").write_text(f'{{"id": {wrong}, "text": "?"}}\n')
        with pytest.raises(DataError, match=r"queries.jsonl:1: id: .* where text is expected"):
            load_dataset(folder, ids="text")
    (folder / "queries.jsonl").write_text('{"id": 1, "text": 2}\n')
    with pytest.raises(DataError, match=r"queries.jsonl:1: .*text: the number 2"):
        load_dataset(folder, ids="text")
    (folder / "queries.jsonl").write_text('{"id": 1, "text": "?", "id": 2}\n')
    with pytest.raises(DataError, match=r"queries.jsonl:1: id: the key occurs twice"):
        load_dataset(folder, ids="text")
    (folder / "queries.jsonl").write_text(f'{{"id": {"9" * 5000}, "text": "?"}}\n')
    with pytest.raises(DataError, match=r"queries.jsonl:1: "):
        load_dataset(folder, ids="text")


def test_a_numeric_id_after_a_collision_is_no_second_passage(tmp_path: Path) -> None:
    files = {**ROWS, "passages.jsonl": '{"id": 7, "text": "x"}\n{"id": "7", "text": "y"}\n'}
    with pytest.raises(DataError, match=r":2: the id '7' is already used in line 1"):
        load_dataset(written(tmp_path, files), ids="text")


def test_parquet_as_ranx_names_its_columns(tmp_path: Path) -> None:
    polars.DataFrame(
        {"q_id": ["q", "q", "r"], "doc_id": ["a", "b", "a"], "score": [0.5, 0.9, 0.1]}
    ).write_parquet(tmp_path / "run.parquet")
    polars.DataFrame({"q_id": ["q", "r"], "doc_id": ["b", "a"], "score": [2, 1]}).write_parquet(
        tmp_path / "qrels.parquet"
    )
    qrels = load_qrels(tmp_path / "qrels.parquet")
    assert qrels.to_dict() == {"q": {"b": 2.0}, "r": {"a": 1.0}}
    run = load_run(tmp_path / "run.parquet")
    assert run.to_dict() == {"q": {"b": 0.9, "a": 0.5}, "r": {"a": 0.1}}
    assert join_run(tmp_path / "run.parquet", JoinTo(TextQrels.of(qrels))).depth == run.depth
    polars.DataFrame({"q_id": ["q"], "text": ["a"]}).write_parquet(tmp_path / "odd.parquet")
    with pytest.raises(DataError, match=r"no column 'passage'.*Found: q_id, text"):
        load_run(tmp_path / "odd.parquet")
